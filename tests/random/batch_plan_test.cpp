// records::last_plan(): how a batch was read, and what it cost.
#include <leat/leat.hpp>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/memory.hpp"
#include "support/counted_device.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;
using leat::route;

TEST(batch_plan, describes_the_last_batch) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(8 << 20, 'x'));
  const auto opened = records<int>::open(folder / "file");
  EXPECT_EQ(opened.last_plan().taken, route::automatic);
  std::vector<int> positions;
  for (int i = 0; i != 10'000; ++i) positions.push_back(i * 200);
  static_cast<void>(opened.gather(positions));
  const auto plan = opened.last_plan();
  EXPECT_NE(plan.taken, route::automatic);
  EXPECT_FALSE(plan.why.empty());
  EXPECT_EQ(plan.positions, 10'000U);
  EXPECT_GT(plan.total.count(), 0);
}

/// In a file of 16 MiB, the next position costs a hard disk no long seek, but a part of a rotation.
TEST(batch_plan, reads_gaps_that_cost_less_time_than_a_request) {
  const auto disk = leat::model_of(leat::simulated_disk::hdd);
  const auto platter = disk.platter.value_or(leat::simulated_platter{});
  const records<int> opened(leat::file(std::make_unique<leat::simulated_device>(
      std::make_unique<leat::memory_device>(std::string(16 << 20, 'x')), disk)));
  std::vector<int> positions;
  for (int i = 0; i != 5'000; ++i) positions.push_back(i * 7919 % (4 << 20));
  static_cast<void>(opened.gather(positions));
  const std::chrono::duration<double> rotation = platter.rotation;
  const double bytes_per_rotation = static_cast<double>(platter.outer_rate) * rotation.count();
  const double rotations = static_cast<double>(opened.last_plan().gap) / bytes_per_rotation;
  EXPECT_GT(rotations, 0.1);
  EXPECT_LT(rotations, 1);
}

TEST(batch_plan, estimates_which_share_of_a_small_batch_is_in_the_page_cache) {
  const auto log = std::make_shared<request_log>();
  constexpr std::uint64_t pages = 1024, in_cache = 640;
  log->content = std::string(pages * 4096, 'x');
  log->cached = false;
  for (std::uint64_t page = 0; page != in_cache; ++page) log->announced.insert(page);
  const records<char> opened(leat::file(std::make_unique<counted_device>(log), mode::read));
  std::vector<std::uint64_t> positions;
  for (std::uint64_t page = 0; page != pages; ++page) positions.push_back(page * 4096);
  static_cast<void>(opened.gather(positions));
  EXPECT_NEAR(opened.last_plan().cached, 1.0 * in_cache / pages, 0.05);
}

/// Only the differences between times of the clock matter.
TEST(batch_plan, has_the_same_gap_whatever_time_the_clock_shows) {
  std::vector<int> positions;
  for (int i = 0; i != 5'000; ++i) positions.push_back(i * 7919 % (4 << 20));
  std::vector<std::size_t> gaps;
  for (const auto since : {std::chrono::hours(0), std::chrono::hours(1000)}) {
    auto device = std::make_unique<leat::simulated_device>(
        std::make_unique<leat::memory_device>(std::string(16 << 20, 'x')),
        leat::model_of(leat::simulated_disk::nvme));
    device->spend(since);
    const records<int> opened(leat::file(std::move(device)));
    static_cast<void>(opened.gather(positions));
    gaps.push_back(opened.last_plan().gap);
  }
  EXPECT_EQ(gaps[0], gaps[1]);
}

/// The reported cost of a batch follows from the requests and bytes that the simulated device
/// counts, also if another device wraps the simulated one.
TEST(batch_plan, has_the_price_of_the_requests_and_bytes_of_the_batch) {
  const auto store = leat::model_of(leat::simulated_disk::s3);
  leat::fault_plan none;
  auto simulated = std::make_unique<leat::simulated_device>(
      std::make_unique<leat::memory_device>(std::string(16 << 20, 'x')), store);
  const leat::simulated_device& counts = *simulated;
  const records<int> opened(
      leat::file(std::make_unique<leat::failing_device>(std::move(simulated), none), mode::copy));
  EXPECT_EQ(opened.last_plan().dollars, 0);
  for (const int stride : {40'000, 4'000}) {
    const auto before = counts.statistics();
    std::vector<int> positions;
    for (int i = 0; i != 100; ++i) positions.push_back(i * stride);
    static_cast<void>(opened.gather(positions));
    const auto after = counts.statistics();
    const auto requests = static_cast<double>(after.reads - before.reads);
    const auto bytes = static_cast<double>(after.bytes_read - before.bytes_read);
    EXPECT_GT(requests, 0);
    EXPECT_NEAR(opened.last_plan().dollars, requests * 0.0004 / 1000 + bytes / 1e9 * 0.09, 1e-12);
  }
  const temporary_folder folder;
  write_file(folder / "file", std::string(1 << 20, 'x'));
  const auto local = records<int>::open(folder / "file");
  static_cast<void>(local.gather(std::vector<int>{1, 2, 3}));
  EXPECT_EQ(local.last_plan().dollars, 0);
}

/// A device that starts reads (starts_reads), and does not know the cost of a read.
class started_device final : public counted_device {
 public:
  using counted_device::counted_device;
  leat::device_traits traits() const noexcept override {
    leat::device_traits all = counted_device::traits();
    all.starts_reads = true;
    return all;
  }
  void start_read(leat::read_request& one) noexcept override {
    one.done = read_at(one.at, one.into, one.ec);
  }
  void finish_read(leat::read_request&) noexcept override {}
  void cancel_read(leat::read_request&) noexcept override {}
  /// The time does not pass. With a real clock on a busy machine, the reads of the sample would
  /// look slow, and gaps would look worth reading.
  std::chrono::nanoseconds now() const noexcept override { return {}; }
};

TEST(batch_plan, over_a_device_of_unknown_speed_reads_little_more_than_the_positions) {
  const auto log = std::make_shared<request_log>();
  log->content = std::string(16 << 20, 'x');
  log->cached = false;
  const records<int> opened(leat::file(std::make_unique<started_device>(log), mode::read));
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i != 300; ++i) positions.push_back(i * 13'000);
  EXPECT_EQ(opened.gather(positions), std::vector<int>(300, 0x78787878));
  EXPECT_LT(opened.last_plan().bytes, 4U << 20);
  EXPECT_LT(log->bytes_read, 4U << 20);
}

}  // namespace
