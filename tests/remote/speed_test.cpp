// speed_meter learns what a request and a byte cost. parallel_ranges learns how many ranges to read
// in parallel.
#include "remote/speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace {

using leat::remote::parallel_ranges;
using leat::remote::speed_meter;
using std::chrono::nanoseconds;

/// A server that serves one range after the other. A request costs `request` nanoseconds, and each
/// byte costs `byte` nanoseconds.
struct server {
  double request, byte;
  nanoseconds latency;
  speed_meter::time now{};

  void serve(speed_meter& meter, std::uint64_t bytes) {
    now += nanoseconds(static_cast<std::int64_t>(request));
    if (bytes >= speed_meter::large) meter.flow(now, true);
    now += nanoseconds(static_cast<std::int64_t>(byte * static_cast<double>(bytes)));
    meter.flow(now, false);
    meter.end(now, bytes, latency);
  }
};

TEST(speed_meter, begins_with_a_gap_of_a_mebibyte) {
  const speed_meter fresh;
  EXPECT_NEAR(fresh.speed().request / fresh.speed().byte, 1 << 20, 1);
  EXPECT_FALSE(fresh.speed().is_measured);
}

TEST(speed_meter, learns_what_a_byte_costs_from_large_ranges) {
  server test_server{250e3, 8, nanoseconds(30'000'000)};
  speed_meter meter;
  meter.begin(test_server.now);
  test_server.now += test_server.latency;
  test_server.serve(meter, 1 << 20);
  EXPECT_TRUE(meter.speed().is_measured);
  EXPECT_NEAR(meter.speed().byte, (2 * 0.67 + 8) / 3, 0.1)
      << "the initial guess counts as two samples";
  for (int i = 0; i != 20; ++i) test_server.serve(meter, 1 << 20);
  EXPECT_NEAR(meter.speed().byte, 8, 0.5);
  const double guess = meter.speed().request;
  for (int i = 0; i != 50; ++i) test_server.serve(meter, 8 << 20);
  EXPECT_EQ(meter.speed().request, guess) << "large ranges do not measure the cost of a request";
  EXPECT_EQ(meter.speed().latency, 30e6);
}

TEST(speed_meter, learns_what_a_request_costs_from_small_ranges) {
  server test_server{250e3, 8, nanoseconds(30'000'000)};
  speed_meter meter;
  meter.begin(test_server.now);
  test_server.now += test_server.latency;
  for (int i = 0; i != 16; ++i) test_server.serve(meter, 4096);
  EXPECT_NEAR(meter.speed().request, (0.67 * (1 << 20) + 280e3) / 2, 40e3)
      << "the latency is not a cost of a request";
  for (int i = 0; i != 320; ++i) test_server.serve(meter, 4096);
  EXPECT_NEAR(meter.speed().request, 275e3, 25e3);
  EXPECT_FALSE(meter.speed().is_measured);
}

TEST(speed_meter, gives_fast_samples_more_weight) {
  server test_server{100e3, 1, nanoseconds(100)};
  speed_meter meter;
  meter.begin(test_server.now);
  for (int i = 0; i != 100; ++i) {
    test_server.byte = i % 2 == 0 ? 1 : 5;  // sometimes another process takes the processor
    test_server.serve(meter, 1 << 20);
  }
  EXPECT_LT(meter.speed().byte, 2);
}

TEST(speed_meter, measures_the_new_speed_after_a_server_becomes_slower) {
  server test_server{100e3, 1, nanoseconds(100)};
  speed_meter meter;
  meter.begin(test_server.now);
  for (int i = 0; i != 50; ++i) test_server.serve(meter, 1 << 20);
  test_server.byte = 10;
  for (int i = 0; i != 50; ++i) test_server.serve(meter, 1 << 20);
  EXPECT_NEAR(meter.speed().byte, 10, 1);
}

TEST(speed_meter, ignores_idle_time) {
  server test_server{100e3, 1, nanoseconds(1000)};
  speed_meter meter;
  for (int round = 0; round != 20; ++round) {
    test_server.now += std::chrono::seconds(10);
    meter.begin(test_server.now);
    for (int i = 0; i != 16; ++i) test_server.serve(meter, 100);
  }
  EXPECT_NEAR(meter.speed().request, 100e3, 5e3);
}

/// The number of parallel ranges that is found if a store sends at most `each` bytes per nanosecond
/// on a connection, and at most `all` on all connections together.
std::uint64_t ranges_for(double each, double all) {
  parallel_ranges ranges;
  parallel_ranges::time now;
  for (int i = 0; i != 500; ++i) {
    const double rate = std::min(each * static_cast<double>(ranges.count()), all);
    now += nanoseconds(static_cast<std::int64_t>((1 << 20) / rate));
    ranges.note_range(now, 1 << 20);
  }
  return ranges.count();
}

TEST(parallel_ranges, grow_if_each_connection_is_slow) {
  EXPECT_EQ(ranges_for(0.05, 10), 8U);
  EXPECT_EQ(ranges_for(0.05, 0.22), 4U) << "eight ranges are hardly faster than four";
}

TEST(parallel_ranges, stay_few_if_more_connections_are_not_faster) {
  EXPECT_EQ(ranges_for(1, 1.2), 2U);
}

}  // namespace
