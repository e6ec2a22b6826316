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

/// A server that serves one range after the other. A request and a byte cost this many nanoseconds.
struct server {
  double request, byte;
  nanoseconds latency;
  speed_meter::time now{};

  void serve(speed_meter& of, std::uint64_t bytes) {
    now += nanoseconds(static_cast<std::int64_t>(request));
    if (bytes >= speed_meter::large) of.flow(now, true);
    now += nanoseconds(static_cast<std::int64_t>(byte * static_cast<double>(bytes)));
    of.flow(now, false);
    of.end(now, bytes, latency);
  }
};

TEST(speed_meter, begins_with_a_gap_of_a_mebibyte) {
  const speed_meter fresh;
  EXPECT_NEAR(fresh.speed().request / fresh.speed().byte, 1 << 20, 1);
  EXPECT_FALSE(fresh.speed().is_measured);
}

TEST(speed_meter, learns_what_a_byte_costs_from_large_ranges) {
  server one{250e3, 8, nanoseconds(30'000'000)};
  speed_meter of;
  of.begin(one.now);
  one.now += one.latency;
  one.serve(of, 1 << 20);
  EXPECT_TRUE(of.speed().is_measured);
  EXPECT_NEAR(of.speed().byte, (2 * 0.67 + 8) / 3, 0.1) << "the guess counts as two";
  for (int i = 0; i != 20; ++i) one.serve(of, 1 << 20);
  EXPECT_NEAR(of.speed().byte, 8, 0.5);
  const double guess = of.speed().request;
  for (int i = 0; i != 50; ++i) one.serve(of, 8 << 20);
  EXPECT_EQ(of.speed().request, guess) << "large ranges don't show this";
  EXPECT_EQ(of.speed().latency, 30e6);
}

TEST(speed_meter, learns_what_a_request_costs_from_small_ranges) {
  server one{250e3, 8, nanoseconds(30'000'000)};
  speed_meter of;
  of.begin(one.now);
  one.now += one.latency;
  for (int i = 0; i != 16; ++i) one.serve(of, 4096);
  EXPECT_NEAR(of.speed().request, (0.67 * (1 << 20) + 280e3) / 2, 40e3) << "the wait is no cost";
  for (int i = 0; i != 320; ++i) one.serve(of, 4096);
  EXPECT_NEAR(of.speed().request, 275e3, 25e3);
  EXPECT_FALSE(of.speed().is_measured);
}

TEST(speed_meter, gives_fast_samples_more_weight) {
  server one{100e3, 1, nanoseconds(100)};
  speed_meter of;
  of.begin(one.now);
  for (int i = 0; i != 100; ++i) {
    one.byte = i % 2 == 0 ? 1 : 5;  // sometimes another process takes the processor
    one.serve(of, 1 << 20);
  }
  EXPECT_LT(of.speed().byte, 2);
}

TEST(speed_meter, follows_a_server_that_changes) {
  server one{100e3, 1, nanoseconds(100)};
  speed_meter of;
  of.begin(one.now);
  for (int i = 0; i != 50; ++i) one.serve(of, 1 << 20);
  one.byte = 10;
  for (int i = 0; i != 50; ++i) one.serve(of, 1 << 20);
  EXPECT_NEAR(of.speed().byte, 10, 1);
}

TEST(speed_meter, ignores_idle_time) {
  server one{100e3, 1, nanoseconds(1000)};
  speed_meter of;
  for (int round = 0; round != 20; ++round) {
    one.now += std::chrono::seconds(10);
    of.begin(one.now);
    for (int i = 0; i != 16; ++i) one.serve(of, 100);
  }
  EXPECT_NEAR(of.speed().request, 100e3, 5e3);
}

/// The number of parallel ranges that is found if a store sends at most `each` bytes per nanosecond
/// on a connection, and at most `all` on all connections together.
std::uint64_t ranges_for(double each, double all) {
  parallel_ranges of;
  parallel_ranges::time now;
  for (int i = 0; i != 500; ++i) {
    const double rate = std::min(each * static_cast<double>(of.count()), all);
    now += nanoseconds(static_cast<std::int64_t>((1 << 20) / rate));
    of.note_range(now, 1 << 20);
  }
  return of.count();
}

TEST(parallel_ranges, grow_if_each_connection_is_slow) {
  EXPECT_EQ(ranges_for(0.05, 10), 8U);
  EXPECT_EQ(ranges_for(0.05, 0.22), 4U) << "eight bring hardly more than four";
}

TEST(parallel_ranges, stay_few_if_more_do_not_help) { EXPECT_EQ(ranges_for(1, 1.2), 2U); }

}  // namespace
