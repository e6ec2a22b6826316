// A simulated hard disk: seeks, rotation, and the time that a good order saves.
#include <gtest/gtest.h>
#include <leat/simulated.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "device/simulated/platter.hpp"
#include "device/simulated/simulated.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using leat::simulated_device;
using leat::simulated_disk;
using std::chrono::nanoseconds;

leat::simulated_platter platter_of_hdd() {
  return leat::model_of(simulated_disk::hdd).platter.value_or(leat::simulated_platter{});
}

TEST(simulated_device, reproduces_the_seeks_of_the_data_sheet) {
  const auto disk = platter_of_hdd();
  const leat::platter platter(disk);
  EXPECT_EQ(platter.seek(0), 0ns);
  EXPECT_EQ(platter.seek(1), disk.track_switch);
  EXPECT_NEAR(ms(platter.seek(platter.tracks() - 1)), ms(disk.full_stroke), 0.001);
  std::mt19937_64 random(2);
  double all = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const auto from = random() % platter.tracks(), to = random() % platter.tracks();
    all += ms(platter.seek(from > to ? from - to : to - from));
  }
  EXPECT_NEAR(all / n, ms(disk.average_seek), 0.05);
  // Without the head's settling time, a quarter of the full stroke takes half of the full stroke's
  // time.
  const double settle = ms(disk.track_switch);
  EXPECT_NEAR((ms(platter.seek(platter.tracks() / 4)) - settle) /
                  (ms(platter.seek(platter.tracks() - 1)) - settle),
              0.5, 0.02);
  for (std::uint64_t i = 1; i + 1000 < platter.tracks(); i += 997)
    ASSERT_LE(platter.seek(i), platter.seek(i + 1000)) << i;
}

TEST(simulated_device, a_random_read_of_a_hard_disk_takes_a_seek_and_half_a_rotation) {
  auto device = empty_device(simulated_disk::hdd);
  constexpr std::size_t n = 10'000;
  EXPECT_NEAR(ms(read_each(device, random_positions(n))) / n, 0.2 + 8.5 + 4.17, 0.04 * 12.87);
}

TEST(simulated_device, a_hard_disk_reads_sequentially_at_its_rate) {
  const auto disk = platter_of_hdd();
  for (const std::size_t size : {4096U, 65536U, 1U << 20}) {
    for (const bool inner : {false, true}) {
      auto device = empty_device(simulated_disk::hdd);
      const std::uint64_t start = inner ? disk_size - (std::uint64_t{3} << 30) : 0;
      timed_read(device, start, size);
      constexpr std::uint64_t bytes = 100 << 20;
      nanoseconds all{};
      for (std::uint64_t at = size; at <= bytes; at += size)
        all += timed_read(device, start + at, size);
      const double rate = static_cast<double>(bytes) / std::chrono::duration<double>(all).count();
      const auto expected = static_cast<double>(inner ? disk.inner_rate : disk.outer_rate);
      EXPECT_NEAR(rate / expected, 1, 0.02) << size << (inner ? " inner" : " outer");
    }
  }
  auto device = empty_device(simulated_disk::hdd);
  const std::string block(65536, 'x');
  timed_write(device, 0, block);
  nanoseconds all{};
  for (std::uint64_t i = 1; i <= 1000; ++i) all += timed_write(device, i * block.size(), block);
  EXPECT_NEAR(65536 * 1000 / std::chrono::duration<double>(all).count() / 64.8e6, 1, 0.02);
}

TEST(simulated_device, an_append_takes_the_time_of_a_write_at_the_end) {
  auto in_order = empty_device(simulated_disk::hdd);
  const auto script = leat_test::new_script();
  script->traits.appends = true;
  simulated_device appends(leat_test::device_of(script), simulated_disk::hdd);
  const std::string block(4096, 'x');
  for (std::uint64_t i = 0; i != 10; ++i)
    EXPECT_EQ(timed_write(appends, 0, block), timed_write(in_order, i * block.size(), block)) << i;
}

TEST(simulated_device, a_hard_disk_waits_a_rotation_for_a_sector_that_has_passed) {
  auto device = empty_device(simulated_disk::hdd);
  timed_read(device, 4096, 4096);
  const auto rotation = timed_read(device, 0, 4096);
  EXPECT_NEAR(ms(rotation), 8.33, 0.2) << "a sector that has passed the head takes a rotation";
  timed_write(device, 8192, std::string(4096, 'x'));
  EXPECT_NEAR(ms(timed_write(device, 8192, std::string(4096, 'x'))), 8.33, 0.2);
  device.spend(3ms);
  EXPECT_GT(ms(timed_write(device, 16384, std::string(4096, 'x'))), 5)
      << "the sector has passed the head during the pause";
  // An idle drive reads 2 MB ahead, and no further.
  timed_read(device, 1 << 20, 4096);
  device.spend(1s);
  EXPECT_NEAR(ms(timed_read(device, (1 << 20) + 4096, 1'000'000)), 1e3 / 300, 0.05);
  EXPECT_GT(ms(timed_read(device, (1 << 20) + 3'000'000, 4096)), 1);
}

TEST(simulated_device, sorted_positions_are_faster_on_a_hard_disk) {
  constexpr std::uint64_t file = std::uint64_t{4} << 30;
  auto at = random_positions(20'000, file);
  const auto unsorted = [&] {
    auto device = empty_device(simulated_disk::hdd, file);
    return read_each(device, at);
  }();
  auto device = empty_device(simulated_disk::hdd, file);
  const auto queued = read_many(device, at);
  std::sort(at.begin(), at.end());
  const auto sorted = read_each(device, at);
  timed_read(device, 0, 4096);
  nanoseconds sequential{};
  for (std::uint64_t i = 1; i <= at.size(); ++i) sequential += timed_read(device, i * 4096, 4096);
  RecordProperty("unsorted_us", static_cast<int>(us(unsorted) / 20'000));
  RecordProperty("queued_us", static_cast<int>(us(queued) / 20'000));
  RecordProperty("sorted_us", static_cast<int>(us(sorted) / 20'000));
  EXPECT_LT(sequential * 10, sorted);
  EXPECT_LT(sorted * 5, unsorted * 4);
  EXPECT_LT(queued * 5, unsorted * 4);
}

TEST(simulated_device, command_queuing_is_faster_than_single_requests) {
  const auto at = random_positions(2000);
  auto device = empty_device(simulated_disk::hdd);
  const auto queued = read_many(device, at);
  auto other = empty_device(simulated_disk::hdd);
  const auto single = read_each(other, at);
  EXPECT_LT(queued * 2, single);
  auto without = leat::model_of(simulated_disk::hdd);
  auto platter = platter_of_hdd();
  platter.queue = 1;
  without.platter = platter;
  auto third = empty_device(without);
  EXPECT_NEAR(ms(read_many(third, at)) / ms(single), 1, 0.05) << "the gain comes from the order";
}

}  // namespace
