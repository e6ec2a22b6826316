// Batches that are too small to be measured: the choice between single calls and sorted ranges, and
// sizes near the limits of this choice.
#include <leat/file.hpp>
#include <leat/records.hpp>
#include <leat/testing.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/page_cache.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/random_engine.hpp"

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;

constexpr std::size_t page = 4096;
using number = std::uint64_t;
using positions = std::vector<std::uint64_t>;

/// `count` positions, each in a page of its own and far from the others.
positions far_positions(std::size_t count) {
  positions far(count);
  for (std::size_t i = 0; i != count; ++i) far[i] = i * 7919 % 1024 * (3 * page / sizeof(number));
  return far;
}

/// Counts requests, as if they were made to a file of the system.
class counted_file final : public counted_device {
 public:
  counted_file(std::shared_ptr<request_log> log, const std::string& path)
      : counted_device(std::move(log)), opened_(leat::file::open(path)) {}
  leat::device_traits traits() const noexcept override {
    leat::device_traits all = counted_device::traits();
    all.reads_ahead = true;
    return all;
  }
  leat::native_handle_type native_handle() const noexcept override {
    return opened_.native_handle();
  }

 private:
  leat::file opened_;
};

struct disk {
  explicit disk(std::size_t size) {
    log->content.assign(size, 'x');
    write_file(folder / "f", log->content);
  }
  std::unique_ptr<leat::device> device() const {
    return std::make_unique<counted_file>(log, folder / "f");
  }
  records<number> open(mode how = mode::read) const {
    return records<number>(leat::file(device(), how));
  }
  const temporary_folder folder;
  const std::shared_ptr<request_log> log = std::make_shared<request_log>();
};

constexpr number of_x = 0x7878'7878'7878'7878;

TEST(small_batches, of_any_size_return_the_bytes_of_the_file) {
  const temporary_folder folder;
  std::vector<number> model(200'000);
  std::iota(model.begin(), model.end(), 1);
  records<number>::create(folder / "f").append(model);
  auto numbers = records<number>::open(folder / "f", mode::update);
  random_engine random(3);
  for (int round = 0; round != rounds(60); ++round) {
    for (const std::size_t count : {1U, 2U, 3U, 4U, 17U, 48U, 49U, 100U, 254U, 255U, 256U, 257U}) {
      // Far positions, positions in a few pages, and both.
      positions at(count);
      const std::uint64_t base = random() % (model.size() - 2000);
      for (auto& one : at)
        one = round % 3 == 0 || (round % 3 == 1 && random() % 4 == 0) ? random() % model.size()
                                                                      : base + random() % 2000;
      std::vector<number> values(count);
      numbers.gather(at, std::span(values));
      for (std::size_t i = 0; i != count; ++i) ASSERT_EQ(values[i], model[at[i]]) << count;
      EXPECT_EQ(numbers.last_plan().positions, count);
      EXPECT_NE(numbers.last_plan().taken, leat::route::automatic);
      for (auto& value : values) value = random();
      numbers.scatter(at, std::span<const number>(values));
      for (std::size_t i = 0; i != count; ++i) model[at[i]] = values[i];
      EXPECT_EQ(numbers.last_plan().positions, count);
      numbers.update(at, [](number& one, std::size_t index) { one = one * 3 + index; });
      for (std::size_t i = 0; i != count; ++i) model[at[i]] = model[at[i]] * 3 + i;
      EXPECT_EQ(numbers.last_plan().positions, count);
    }
  }
  std::vector<leat::byte_range> ranges;
  for (std::size_t i = 0; i != 40; ++i) ranges.push_back({i * 30'000, i * 397 % 10'000});
  numbers.underlying().read_ranges(ranges, [&](std::string_view bytes, std::size_t i) {
    const auto* const all = reinterpret_cast<const char*>(model.data());
    EXPECT_EQ(bytes, std::string_view(all + ranges[i].at, ranges[i].size)) << i;
  });
  for (std::size_t i = 0; i != model.size(); ++i) ASSERT_EQ(numbers[i], model[i]) << i;
}

TEST(small_batches, read_far_positions_by_single_calls_in_the_order_of_the_caller) {
  const disk cached(16 << 20);
  const auto numbers = cached.open(mode::update);
  for (const std::size_t count : {1U, 10U, 255U}) {
    cached.log->reads = cached.log->bytes_read = 0;
    EXPECT_EQ(numbers.gather(far_positions(count)), std::vector<number>(count, of_x));
    EXPECT_EQ(cached.log->reads, count);
    EXPECT_EQ(cached.log->bytes_read, count * sizeof(number));
    const auto plan = numbers.last_plan();
    EXPECT_EQ(plan.requests, count);
    EXPECT_EQ(plan.bytes, count * sizeof(number));
    EXPECT_FALSE(plan.why.empty());
    EXPECT_EQ(plan.total.count(), 0);
  }
  // Batches without positions do not count.
  EXPECT_TRUE(numbers.gather(positions{}).empty());
  EXPECT_EQ(numbers.last_plan().requests, 255U);
  // A larger batch samples the page cache, and stores a plan of its own.
  static_cast<void>(numbers.gather(far_positions(256)));
  EXPECT_EQ(numbers.last_plan().cached, 1);
  EXPECT_GT(numbers.last_plan().total.count(), 0);
}

TEST(small_batches, read_near_positions_as_one_range) {
  const disk cached(16 << 20);
  auto numbers = cached.open(mode::update);
  positions near(200);
  for (std::size_t i = 0; i != near.size(); ++i) near[i] = 5000 + i * 77 % 500;
  static_cast<void>(numbers.gather(near));
  EXPECT_EQ(cached.log->reads, 1U);
  EXPECT_EQ(numbers.last_plan().requests, 1U);
  numbers.update(near, [](number& one) { ++one; });
  EXPECT_EQ(cached.log->writes, 1U);
  // Far positions first.
  cached.log->reads = 0;
  near.insert(near.begin(), {1'000'000, 1'500'000});
  static_cast<void>(numbers.gather(near));
  EXPECT_EQ(cached.log->reads, 3U);
}

TEST(small_batches, announce_positions_that_are_not_in_the_page_cache) {
  for (const std::size_t in_cache : {0U, 1U, 5U, 30U}) {
    const disk cold(16 << 20);
    cold.log->cached = false;
    const positions far = far_positions(40);
    for (std::size_t i = 0; i != in_cache; ++i)
      cold.log->announced.insert(far[i] * sizeof(number) / page);
    const auto numbers = cold.open();
    EXPECT_EQ(numbers.gather(far), std::vector<number>(40, of_x));
    // After 16 reads that were ready, only one read in 16 checks whether its bytes are ready.
    const std::size_t announced = cold.log->announced.size() - in_cache;
    EXPECT_GE(announced, in_cache < 16 ? 40 - in_cache : 5U) << in_cache;
  }
}

TEST(small_batches, change_nothing_if_a_position_is_not_in_the_file) {
  const disk cached(1 << 20);
  auto numbers = cached.open(mode::update);
  for (const std::size_t count : {1U, 2U, 20U, 255U}) {
    positions at = far_positions(count);
    for (auto& one : at) one %= numbers.size();
    at.back() = numbers.size();
    std::vector<number> values(count, 7);
    std::error_code ec;
    numbers.gather(at, std::span(values), ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    EXPECT_EQ(values, std::vector<number>(count, 7)) << count;
    numbers.scatter(at, std::span<const number>(values), ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    numbers.update(at, [](number& one) { one = 0; }, ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    numbers.gather(std::vector<std::int32_t>(count, -1), std::span(values), ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
  }
  EXPECT_EQ(cached.log->reads + cached.log->writes, 0U);
}

TEST(small_batches, keep_the_changes_before_an_exception) {
  const disk cached(16 << 20);
  auto numbers = cached.open(mode::update);
  const positions far = far_positions(20);
  const auto change = [](number& one, std::size_t index) {
    one = index;
    if (index == 12) throw std::runtime_error("stop");
  };
  EXPECT_THROW(numbers.update(far, change), std::runtime_error);
  for (std::size_t i = 0; i != 20; ++i) EXPECT_EQ(numbers[far[i]], i < 12 ? i : of_x) << i;
  numbers.update(far, [](number& one) { one = 1; });  // the locks are free
}

TEST(small_batches, report_failed_calls) {
  for (const bool reads : {true, false}) {
    const disk cached(16 << 20);
    leat::fault_plan faults(
        {{.in = reads ? leat::device_operation::read : leat::device_operation::write,
          .onwards = true,
          .ec = std::make_error_code(std::errc::io_error)}});
    auto numbers = records<number>(
        leat::file(std::make_unique<leat::failing_device>(cached.device(), faults), mode::update));
    std::error_code ec;
    std::size_t calls = 0;
    numbers.update(far_positions(8), [&](number&) { ++calls; }, ec);
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_EQ(calls, reads ? 0U : 1U) << "a record whose write has failed is not changed again";
  }
}

#if defined(HAS_SHRINKING_FILES)
TEST(small_batches, of_a_file_that_has_shrunk_report_the_end) {
  const temporary_folder folder;
  write_file(folder / "f", std::string(4 << 20, 'x'));
  auto numbers = records<number>::open(folder / "f", mode::update);
  const auto fails = [&](const positions& at) {
    std::vector<number> values(at.size());
    std::error_code ec;
    numbers.gather(at, std::span(values), ec);
    EXPECT_EQ(ec, leat::errc::ended_early);
    numbers.update(at, [](number& one) { ++one; }, ec);
    EXPECT_EQ(ec, leat::errc::ended_early);
    EXPECT_EQ(std::filesystem::file_size(folder / "f"), 1U << 20);
  };
  for (int round = 0; round != 2; ++round) {
    // In the second round, the blocks are read through the mapping.
    for (std::uint64_t i = 0; round == 1 && i < numbers.size() - 1; i += 50)
      ASSERT_EQ(numbers.gather(positions{i, i + 1}), std::vector<number>(2, of_x));
    std::filesystem::resize_file(folder / "f", 1 << 20);
    fails({400'000});
    fails({5, 100'000, 200'000, 400'000});
    fails({131'072, 131'073, 131'074, 131'075, 1, 2, 3});
    EXPECT_EQ(numbers.gather(positions{131'071}), std::vector<number>{of_x}) << round;
    std::filesystem::resize_file(folder / "f", 0);
    write_file(folder / "f", std::string(4 << 20, 'x'));
  }
}
#endif

#if defined(RWF_NOWAIT)
/// A range counts as one read of each of its records. So blocks that batches read in ranges are
/// mapped, too.
TEST(small_batches, that_are_repeated_make_few_system_calls) {
  const temporary_folder folder;
  write_file(folder / "f", std::string(8 << 20, 'x'));
  if (emulated || !is_known_to_be_cached(folder / "f")) GTEST_SKIP() << "no mapped reads";
  const auto numbers = records<number>::open(folder / "f");
  random_engine random(5);
  const std::uint64_t before = io_of_process("syscr");
  for (int round = 0; round != 3000; ++round) {
    // 60 near positions.
    const std::uint64_t base = random() % (numbers.size() - 32'768);
    positions at(60);
    for (auto& one : at) one = base + random() % 32'768;
    ASSERT_EQ(numbers.gather(at), std::vector<number>(60, of_x));
  }
  EXPECT_LT(io_of_process("syscr") - before, 4000U);
}
#endif

}  // namespace
