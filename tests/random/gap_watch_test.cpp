// gap_watch: while a batch is visited, a wide gap that costs far more time than single positions
// becomes narrow. So a measurement that is wrong because other programs used the disk does not
// last.
#include "random/gap_watch.hpp"

#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using leat::batch_page;
using leat::gap_watch;

constexpr std::size_t wide_gap = 200'000;

/// Returns a watch after parts that took these times. `single` is the time of a position without a
/// gap. All times are nanoseconds per position.
gap_watch watch_after(double single, std::initializer_list<double> parts) {
  gap_watch watch(wide_gap, single, 0);
  double now = 0;
  for (const double each : parts)
    watch.record(gap_watch::part, now += each * static_cast<double>(gap_watch::part));
  return watch;
}

TEST(gap_watch, keeps_a_gap_that_saves_time) {
  EXPECT_EQ(watch_after(8'000, {9'000, 20'000, 7'000}).gap(), wide_gap);
  EXPECT_EQ(watch_after(5e6, {3e5, 3e5}).gap(), wide_gap);  // a hard disk
}

TEST(gap_watch, narrows_a_gap_that_costs_far_more_than_single_positions) {
  EXPECT_EQ(watch_after(8'000, {142'000}).gap(), batch_page);
  EXPECT_EQ(watch_after(8'000, {9'000, 142'000}).gap(), batch_page);
  // The first narrow part does not count: it still reads ranges that were advised before.
  EXPECT_EQ(watch_after(8'000, {142'000, 300'000}).gap(), batch_page);
  EXPECT_EQ(watch_after(8'000, {142'000, 300'000, 9'000, 900'000}).gap(), batch_page);
}

TEST(gap_watch, widens_the_gap_again_if_single_positions_are_slower) {
  EXPECT_EQ(watch_after(8'000, {142'000, 300'000, 150'000, 900'000}).gap(), wide_gap);
}

TEST(gap_watch, reports_a_change_of_the_gap_once) {
  gap_watch watch(wide_gap, 1, 0);
  EXPECT_FALSE(watch.record(gap_watch::part - 1, 1e9));
  EXPECT_TRUE(watch.record(1, 1e9));
  EXPECT_FALSE(watch.record(gap_watch::part, 1e9 + 1));
  EXPECT_FALSE(watch.record(gap_watch::part, 1e9 + 2));
}

/// The number and the bytes of a test disk's reads, and its clock.
struct disk_log {
  std::uint64_t reads = 0, bytes = 0;
  double now = 0;  // nanoseconds
};

/// A disk of 1 GiB of zeros with its own clock. A read takes 8 µs; reads 40 to 599 (counted from 0)
/// take 100 µs, as if other programs used the disk. In addition, each byte takes 0.2 ns until 32
/// MiB have been read, and then 4 ns.
class busy_disk final : public leat::device {
 public:
  explicit busy_disk(std::shared_ptr<disk_log> log) : log_(std::move(log)) {}

  leat::device_traits traits() const noexcept override {
    leat::device_traits mine;
    mine.reads_ahead = true;
    return mine;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return std::uint64_t{1} << 30;
  }
  std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(log_->now));
  }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override {
    ec.clear();
    const bool busy = log_->reads >= 40 && log_->reads < 600;
    const double byte = log_->bytes < std::uint64_t{32} << 20 ? 0.2 : 4;
    ++log_->reads;
    log_->bytes += into.size();
    log_->now += (busy ? 100'000 : 8'000) + byte * static_cast<double>(into.size());
    std::ranges::fill(into, '\0');
    return into.size();
  }
  std::size_t read_ready(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::operation_would_block);
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::not_supported);
    return 0;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::shared_ptr<disk_log> log_;
};

TEST(gap_watch, narrows_the_gaps_of_a_batch_after_other_processes_used_the_disk) {
  const auto log = std::make_shared<disk_log>();
  const leat::records<std::uint32_t> numbers(
      leat::file(std::make_unique<busy_disk>(log), leat::mode::read));
  std::mt19937 random(1);
  std::vector<std::uint32_t> positions(20'000);
  for (auto& one : positions) one = static_cast<std::uint32_t>(random() % (1U << 28));
  const auto values = numbers.gather(positions);
  EXPECT_EQ(std::ranges::count(values, 0U), 20'000);
  // If the gaps stayed wide, the batch would read the whole gibibyte.
  EXPECT_LT(log->bytes, std::uint64_t{200} << 20);
  EXPECT_EQ(numbers.last_plan().taken, leat::route::merged);
}

}  // namespace
