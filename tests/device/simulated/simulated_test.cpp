// Simulated disks: times, requests and failures.
#include <gtest/gtest.h>
#include <leat/simulated.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory.hpp"
#include "device/simulated/simulated.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using leat::simulated_device;
using leat::simulated_disk;
using std::chrono::nanoseconds;

constexpr std::array all_disks{simulated_disk::hdd, simulated_disk::ssd, simulated_disk::nvme,
                               simulated_disk::nfs, simulated_disk::s3};

TEST(simulated_device, starts_at_time_zero_and_asking_for_the_size_takes_no_time) {
  for (const auto disk : all_disks) {
    auto device = empty_device(disk);
    EXPECT_EQ(device.now(), 0ns);
    std::error_code ec;
    EXPECT_EQ(device.size(ec), disk_size);
    EXPECT_EQ(device.now(), 0ns);
    EXPECT_EQ(device.native_handle(), leat::no_handle) << "no caller can bypass the model";
    EXPECT_FALSE(device.traits().concurrent);
    device.spend(3us);
    EXPECT_EQ(device.now(), 3us);
  }
}

TEST(simulated_device, takes_the_same_time_in_every_run) {
  const auto run = [](simulated_disk disk) {
    auto device = empty_device(disk);
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> at;
    char into[512];
    for (int i = 0; i < 2000; ++i) {
      const auto position = random() % disk_size;
      switch (random() % 5) {
        case 0:
          timed_read(device, position / 2, 1 + random() % 100'000);
          break;
        case 1:
          timed_write(device, position / 2, std::string(1 + random() % 5000, 'x'));
          break;
        case 2:
          device.announce(position, 4096);
          break;
        case 3:
          at.push_back(position / 2);
          break;
        default: {
          std::error_code ec;
          device.read_ready(position, into, ec);
        }
      }
      if (at.size() == 64) {
        read_many(device, at);
        at.clear();
      }
    }
    return device.now();
  };
  for (const auto disk : all_disks) EXPECT_EQ(run(disk), run(disk));
  // The values do not matter, but must be the same with every compiler and machine.
  EXPECT_EQ(run(simulated_disk::hdd), 17'070'068'695ns);
  EXPECT_EQ(run(simulated_disk::nvme), 34'225'222ns);
}

TEST(simulated_device, flash_takes_the_times_of_its_data_sheet) {
  struct row {
    simulated_disk disk;
    double single, many, rate;
  };
  for (const row& sheet : {row{simulated_disk::ssd, 13'000, 98'000, 560e6},
                           row{simulated_disk::nvme, 22'000, 1'000'000, 7e9}}) {
    const auto at = random_positions(10'000);
    auto device = empty_device(sheet.disk);
    EXPECT_NEAR(1e4 / (us(read_each(device, at)) * 1e-6) / sheet.single, 1, 0.01);
    EXPECT_NEAR(1e4 / (us(read_many(device, at)) * 1e-6) / sheet.many, 1, 0.01);
    constexpr std::size_t size = 64 << 20;
    EXPECT_NEAR(size / (us(timed_read(device, 0, size)) * 1e-6) / sheet.rate, 1, 0.01);
  }
}

TEST(simulated_device, announced_reads_use_all_channels) {
  leat::simulated_model model;
  model.read.latency = 45us;
  model.channels = 16;
  auto device = empty_device(model);
  for (std::uint64_t i = 0; i < 128; ++i) device.announce(i << 20, 4096);
  EXPECT_EQ(device.now(), 0ns) << "an announcement does not wait";
  for (std::uint64_t i = 0; i < 128; ++i) {
    timed_read(device, i << 20, 4096);
    EXPECT_EQ(device.now(), (i / 16 + 1) * 45us);
  }
  EXPECT_EQ(device.statistics().reads, 128U);
  EXPECT_EQ(device.statistics().bytes_read, 128U * 4096);
  EXPECT_EQ(timed_read(device, 0, 4096), 45us)
      << "the announced bytes are used up: a disk does not cache announced bytes";

  auto nvme = empty_device(simulated_disk::nvme);
  for (std::uint64_t i = 0; i < 128; ++i) nvme.announce(i << 20, 4096);
  for (std::uint64_t i = 0; i < 128; ++i) timed_read(nvme, i << 20, 4096);
  EXPECT_NEAR(us(nvme.now()), 45 + 128, 3) << "one latency, then a million reads a second";
}

TEST(simulated_device, read_many_takes_as_long_as_announced_reads) {
  for (const auto disk : all_disks) {
    const auto at = random_positions(500);
    auto batch = empty_device(disk), announced = empty_device(disk);
    read_many(batch, at);
    for (const auto one : at) announced.announce(one, 4096);
    for (const auto one : at) timed_read(announced, one, 4096);
    EXPECT_EQ(batch.now(), announced.now());
    EXPECT_EQ(batch.statistics().reads, announced.statistics().reads);
  }
}

TEST(simulated_device, write_many_writes_in_parallel) {
  leat::simulated_model model;
  model.write.latency = 10us;
  model.channels = 4;
  auto device = empty_device(model);
  const std::string bytes(100, 'x');
  std::vector<leat::write_request> requests;
  requests.reserve(10);
  for (std::uint64_t i = 0; i < 10; ++i)
    requests.push_back({.at = i * 4096, .bytes = bytes, .done = 0, .ec = {}});
  device.write_many(requests);
  EXPECT_EQ(device.now(), 30us);
  EXPECT_EQ(device.statistics().writes, 10U);
  EXPECT_EQ(device.statistics().bytes_written, 1000U);
  const std::array<std::string_view, 3> pieces{"a", "bc", "def"};
  std::error_code ec;
  EXPECT_EQ(device.write_at(0, pieces, ec), 6U);
  EXPECT_EQ(device.statistics().writes, 11U) << "several pieces are one request";
}

TEST(simulated_device, the_total_rate_limits_all_channels) {
  leat::simulated_model model;
  model.channels = 100;
  model.read = {.latency = 1ms, .rate = 1'000'000'000, .stream_rate = 100'000'000};
  auto device = empty_device(model);
  EXPECT_EQ(timed_read(device, 0, 1'000'000), 1ms + 10ms) << "one stream: 1 MB at 100 MB/s";
  std::vector<char> into(1'000'000);
  std::vector<leat::read_request> requests;
  requests.reserve(100);
  for (std::uint64_t i = 0; i < 100; ++i)
    requests.push_back({.at = i * into.size(), .into = into, .done = 0, .ec = {}});
  const auto before = device.now();
  device.read_many(requests);
  EXPECT_EQ(device.now() - before, 1ms + 100ms) << "100 MB at 1 GB/s";
}

TEST(simulated_device, read_ready_returns_announced_bytes_that_have_arrived) {
  auto device = empty_device(simulated_disk::nvme, 10'000);
  char into[4096];
  std::error_code ec;
  const auto blocked = std::make_error_code(std::errc::operation_would_block);
  EXPECT_EQ(device.read_ready(0, into, ec), 0U);
  EXPECT_EQ(ec, blocked);
  EXPECT_EQ(device.statistics().reads, 0U);
  device.announce(0, 2000);
  device.announce(2000, 1000);
  device.announce(2500, 1000);
  EXPECT_EQ(device.statistics().reads, 3U);
  EXPECT_EQ(device.statistics().bytes_read, 3500U) << "no byte is counted twice";
  EXPECT_EQ(device.read_ready(0, into, ec), 0U);
  EXPECT_EQ(ec, blocked);
  device.spend(1ms);
  const auto before = device.now();
  EXPECT_EQ(device.read_ready(100, {into, 400}, ec), 400U);
  EXPECT_EQ(device.read_ready(500, into, ec), 3000U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(device.now(), before);
  EXPECT_EQ(device.read_ready(500, into, ec), 0U) << "the announced bytes are used up";
  EXPECT_EQ(ec, blocked);
  EXPECT_EQ(device.read_ready(10'000, into, ec), 0U);
  EXPECT_FALSE(ec) << "the end of the file needs no waiting";
  device.announce(9'000, 1 << 20);
  EXPECT_EQ(device.statistics().bytes_read, 4500U) << "an announcement ends at the end of the disk";
  int polls = 0;
  while (polls < 1000 && device.read_ready(9'000, into, ec) == 0) ++polls;
  EXPECT_GT(polls, 10);
  EXPECT_LT(polls, 1000) << "polling takes simulated time, too";
}

TEST(simulated_device, a_read_requests_only_the_bytes_that_were_not_announced) {
  auto device = empty_device(simulated_disk::ssd);
  device.announce(1000, 1000);
  device.announce(4000, 1000);
  timed_read(device, 500, 6000);
  EXPECT_EQ(device.statistics().reads, 5U) << "two announced, three between and around them";
  EXPECT_EQ(device.statistics().bytes_read, 6000U);
  device.announce(10'000, 1000);
  timed_read(device, 10'000, 600);
  timed_read(device, 10'600, 400);
  EXPECT_EQ(device.statistics().reads, 6U);
  timed_read(device, 10'600, 400);
  EXPECT_EQ(device.statistics().reads, 7U);
}

TEST(simulated_device, forgets_the_oldest_announcements) {
  auto device = empty_device(simulated_disk::nvme);
  constexpr std::uint64_t n = 10'000;
  for (std::uint64_t i = 0; i < n; ++i) device.announce(i << 20, 4096);
  EXPECT_GT(us(device.now()), 5000) << "the number of reads in flight is bounded";
  for (std::uint64_t i = n; i-- > 0;) timed_read(device, i << 20, 4096);
  EXPECT_EQ(device.statistics().reads, n + n - 4096);
}

TEST(simulated_device, requests_to_an_object_store_cost_the_price_of_the_model) {
  auto device = empty_device(simulated_disk::s3);
  read_many(device, random_positions(1000));
  std::string megabyte(1'000'000, 'x');
  for (int i = 0; i < 10; ++i) timed_write(device, 0, megabyte);
  EXPECT_NEAR(device.cost(), 0.0004 + 1000 * 4096 * 0.09e-9 + 10 * 0.005e-3, 1e-12);
  EXPECT_GT(device.now(), 1s) << "the writes came one by one";
  EXPECT_EQ(empty_device(simulated_disk::hdd).cost(), 0);
  auto other = empty_device(simulated_disk::s3);
  read_many(other, random_positions(128));
  EXPECT_LT(other.now(), 130ms) << "the requests run in parallel";
}

TEST(simulated_device, positions_beyond_the_capacity_of_the_model_are_valid) {
  for (const auto disk : all_disks) {
    auto device = empty_device(disk, ~std::uint64_t{0});
    for (const auto at : {std::uint64_t{1} << 63, ~std::uint64_t{0} - 4096}) {
      device.announce(at, 100);
      EXPECT_LT(timed_read(device, at, 4096), 1s);
    }
    device.announce(1, ~std::uint64_t{0});
    EXPECT_EQ(device.statistics().reads, 5U);
  }
}

/// A simulated disk over a device whose reads fail from byte 50,000 on, whose writes fail after 10
/// bytes, and whose sync and close fail.
class failing_disk : public testing::Test {
 protected:
  failing_disk() {
    script_->content = std::string(100'000, 'x');
    script_->read_limit = 50'000;
    script_->sync_failure = std::make_error_code(std::errc::not_enough_memory);
    script_->close_failure = std::make_error_code(std::errc::io_error);
    script_->room = 10;
  }

  std::shared_ptr<leat_test::device_script> script_ = leat_test::new_script();
  simulated_device device_{leat_test::device_of(script_), simulated_disk::ssd};
  std::vector<char> into_ = std::vector<char>(4096);
  std::error_code ec_;
};

TEST_F(failing_disk, a_failed_read_takes_the_time_of_a_read) {
  EXPECT_EQ(device_.read_at(60'000, into_, ec_), 0U);
  EXPECT_EQ(ec_, script_->read_failure);
  EXPECT_GT(device_.now(), 50us);
  EXPECT_EQ(device_.statistics().bytes_read, into_.size());
  EXPECT_EQ(device_.read_at(200'000, into_, ec_), 0U);
}

TEST_F(failing_disk, one_request_of_a_batch_can_fail) {
  std::vector<leat::read_request> requests;
  for (const std::uint64_t at : {10'000U, 70'000U, 20'000U})
    requests.push_back({.at = at, .into = into_, .done = 0, .ec = {}});
  device_.read_many(requests);
  EXPECT_EQ(requests[0].done, into_.size());
  EXPECT_FALSE(requests[0].ec);
  EXPECT_EQ(requests[1].ec, script_->read_failure);
  EXPECT_EQ(requests[2].done, into_.size());
  EXPECT_EQ(device_.statistics().reads, 3U);
}

TEST_F(failing_disk, announced_reads_can_fail) {
  device_.announce(60'000, 100);
  EXPECT_EQ(device_.read_at(60'000, {into_.data(), 100}, ec_), 0U);
  EXPECT_EQ(ec_, script_->read_failure);
  EXPECT_EQ(device_.statistics().reads, 1U);
}

TEST_F(failing_disk, a_failed_write_takes_the_time_of_a_write) {
  std::string_view bytes = "0123456789abc";
  EXPECT_EQ(device_.write_at(0, {&bytes, 1}, ec_), 10U);
  EXPECT_EQ(device_.statistics().bytes_written, 10U);
  const auto before = device_.now();
  EXPECT_EQ(device_.write_at(10, {&bytes, 1}, ec_), 0U);
  EXPECT_EQ(ec_, script_->failure);
  EXPECT_GT(device_.now(), before);
}

TEST_F(failing_disk, a_failed_sync_takes_the_time_of_a_sync) {
  device_.sync(ec_);
  EXPECT_EQ(ec_, script_->sync_failure);
  EXPECT_EQ(device_.now(), leat::model_of(simulated_disk::ssd).sync);
}

TEST_F(failing_disk, closing_can_fail) {
  device_.close(ec_);
  EXPECT_EQ(ec_, script_->close_failure);
  EXPECT_EQ(script_->closes, 1);
}

TEST(simulated_device, random_calls_read_and_write_the_bytes_of_the_device_below) {
  for (const auto disk : all_disks) {
    std::string content(300'000, '\0');
    std::mt19937 random(3);
    for (auto& c : content) c = static_cast<char>(random());
    simulated_device device(std::make_unique<leat::memory_device>(content), disk);
    std::error_code ec;
    for (int i = 0; i < 5000; ++i) {
      const std::size_t at = random() % content.size();
      const std::size_t size = random() % 3 == 0 ? random() % 20'000 : random() % 100;
      std::string bytes(size, static_cast<char>(random()));
      switch (random() % 5) {
        case 0:
          bytes.resize(std::min(size, content.size() - at));
          timed_write(device, at, bytes);
          content.replace(at, bytes.size(), bytes);
          break;
        case 1:
          device.announce(at, size);
          break;
        case 2: {
          const std::size_t n = device.read_ready(at, bytes, ec);
          ASSERT_EQ(content.compare(at, n, bytes, 0, n), 0);
          break;
        }
        case 3: {
          leat::read_request one{.at = at, .into = bytes, .done = 0, .ec = {}};
          device.read_many({&one, 1});
          ASSERT_EQ(one.done, std::min(size, content.size() - at));
          ASSERT_EQ(content.compare(at, one.done, bytes, 0, one.done), 0);
          break;
        }
        default: {
          const std::size_t n = device.read_at(at, bytes, ec);
          ASSERT_EQ(n, std::min(size, content.size() - at));
          ASSERT_EQ(content.compare(at, n, bytes, 0, n), 0);
        }
      }
    }
    device.resize(10, ec);
    EXPECT_EQ(device.size(ec), 10U);
    char into[100];
    EXPECT_EQ(device.read_at(5, into, ec), 5U);
  }
}

TEST(simulated_device, read_ready_has_no_bytes_before_the_latency_of_the_model) {
  leat::simulated_model model;
  model.read.latency = 45us;
  auto device = empty_device(model);
  device.announce(0, 100);
  char into[100];
  std::error_code ec;
  device.spend(45us - 1ns);
  EXPECT_EQ(device.read_ready(0, into, ec), 0U);
  EXPECT_EQ(ec, std::errc::operation_would_block);
  device.spend(1ns);
  EXPECT_EQ(device.now(), 45us);
  EXPECT_EQ(device.read_ready(0, into, ec), 100U);
  EXPECT_FALSE(ec);
}

TEST(simulated_device, simulates_a_hundred_thousand_reads_in_seconds) {
  const auto at = random_positions(static_cast<std::size_t>(leat_test::rounds(100'000)));
  for (const auto disk : all_disks) {
    const auto begin = std::chrono::steady_clock::now();
    auto device = empty_device(disk);
    read_many(device, at);
    for (const auto one : at) device.announce(one, 4096);
    for (const auto one : at) timed_read(device, one, 4096);
    const auto took = std::chrono::steady_clock::now() - begin;
    RecordProperty("ms_" + std::to_string(static_cast<int>(disk)),
                   static_cast<int>(ms(std::chrono::duration_cast<nanoseconds>(took))));
    EXPECT_LT(took, 20s)
        << "the limit is far above the usual time, for busy machines and slow sanitizers";
  }
}

}  // namespace
