// Reading past the cache: alignment, requests side by side, ends and failures.
#include "device/direct.hpp"

#include <gtest/gtest.h>
#include <leat/file.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t page = 4096;

/// What a disk asks of its readers, and what it has seen of them.
struct disk_state {
  std::string content;
  std::uint64_t fails_from = ~std::uint64_t{0};
  std::mutex lock;
  std::condition_variable met;
  int busy = 0, most_busy = 0;
  int wait_for = 0;  ///< hold each read back until so many are there, or a while has passed
  std::atomic<int> calls{0};
  std::atomic<bool> aligned{true};

  /// While requests may be in flight.
  template <class Change>
  void change(Change how) {
    const std::lock_guard guard(lock);
    how();
  }
};

class aligned_disk final : public leat::device {
 public:
  explicit aligned_disk(disk_state& state) : state_(&state) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    disk_state& s = *state_;
    ++s.calls;
    if (at % page != 0 || into.size() % page != 0 ||
        reinterpret_cast<std::uintptr_t>(into.data()) % page != 0)
      s.aligned = false;
    {
      std::unique_lock guard(s.lock);
      s.most_busy = std::max(s.most_busy, ++s.busy);
      s.met.notify_all();
      s.met.wait_for(guard, std::chrono::seconds(5), [&] { return s.most_busy >= s.wait_for; });
      --s.busy;
    }
    ec.clear();
    const std::lock_guard guard(s.lock);
    if (at + into.size() > s.fails_from) {
      ec = std::make_error_code(std::errc::io_error);
      return 0;
    }
    if (at >= s.content.size()) return 0;
    return s.content.copy(into.data(), into.size(), static_cast<std::size_t>(at));
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return state_->content.size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  disk_state* state_;
};

std::unique_ptr<leat::device> over(disk_state& state) {
  return std::make_unique<leat::direct_device>(std::make_unique<aligned_disk>(state));
}

std::string rest_of(leat::reader& from) {
  std::string text;
  for (auto w = from.window(); !w.empty(); w = from.window()) {
    text.append(w);
    from.skip(w.size());
  }
  return text;
}

class direct : public testing::TestWithParam<std::size_t> {};

TEST_P(direct, reads_all_of_any_size_aligned) {
  disk_state disk;
  disk.content = numbered_text(GetParam());
  leat::file_reader file(over(disk));
  EXPECT_TRUE(rest_of(file) == disk.content);
  file.close();
  EXPECT_TRUE(disk.aligned);
}

INSTANTIATE_TEST_SUITE_P(sizes, direct,
                         testing::Values(0, 1, page - 1, page, page + 1, 8192, 100'000, 1 << 20,
                                         (1 << 20) + 1, 7'000'000));

TEST(direct, keeps_two_requests_in_flight) {
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(over(disk));
  file.seek(16 << 10);
  EXPECT_EQ(file.peek(1).size(), 1u);  // alone: nothing follows it yet
  disk.wait_for = 2;
  EXPECT_TRUE(rest_of(file) == std::string_view(disk.content).substr(16 << 10));
  file.close();
  EXPECT_GE(disk.most_busy, 2);
}

TEST(direct, an_early_hit_costs_one_small_read) {
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(over(disk));
  EXPECT_TRUE(file.find("100"));
  EXPECT_EQ(disk.calls, 1);
}

TEST(direct, jumps_anywhere) {
  disk_state disk;
  disk.content = numbered_text(5'000'000);
  leat::file_reader file(over(disk));
  std::mt19937 random(3);
  for (int i = 0; i != rounds(300); ++i) {
    const std::size_t at = random() % (disk.content.size() + 5000);
    std::string into(random() % 3 == 0 ? random() % 2'000'000 : random() % 5000, '?');
    file.seek(at);
    const std::size_t n = file.read(std::span(into));
    const auto expected = at < disk.content.size()
                              ? std::string_view(disk.content).substr(at, into.size())
                              : std::string_view{};
    ASSERT_EQ(n, expected.size());
    ASSERT_TRUE(std::string_view(into).substr(0, n) == expected) << at;
  }
  EXPECT_TRUE(disk.aligned);
}

TEST(direct, sees_what_is_added_behind_the_end) {
  disk_state disk;
  disk.content = numbered_text(3'000'001);
  leat::file_reader file(over(disk));
  EXPECT_TRUE(rest_of(file) == disk.content);
  disk.change([&] { disk.content += "more"; });
  EXPECT_EQ(rest_of(file), "more");
}

TEST(direct, delivers_what_is_before_a_failure_and_goes_on_after_it) {
  disk_state disk;
  disk.content = numbered_text(4'000'000);
  disk.fails_from = 3 << 20;
  leat::file_reader file(over(disk));
  std::string into(disk.content.size(), '?');
  EXPECT_EQ(file.read(std::span(into)), std::size_t{3 << 20});
  std::error_code ec;
  EXPECT_EQ(file.read(std::span(into), ec), 0u);
  EXPECT_EQ(ec, std::errc::io_error);
  disk.change([&] { disk.fails_from = ~std::uint64_t{0}; });
  EXPECT_TRUE(rest_of(file) == std::string_view(disk.content).substr(3 << 20));
}

TEST(direct, closing_waits_for_the_requests) {
  for (int i = 0; i != 20; ++i) {
    disk_state disk;
    disk.content = numbered_text(6 << 20);
    leat::file_reader file(over(disk));
    file.skip(8192);
    std::string into(300'000, '?');
    file.read(std::span(into));
    file.close();
    const std::lock_guard guard(disk.lock);
    EXPECT_EQ(disk.busy, 0);
  }
}

TEST(direct, a_forked_child_reads_on_by_itself) {
  if (under_tsan) GTEST_SKIP() << "no threads may start behind a fork there";
  disk_state disk;
  disk.content = numbered_text(6 << 20);
  leat::file_reader file(over(disk));
  std::string into(2 << 20, '?');
  for (int i = 0; i != 2; ++i) file.read(std::span(into));
  disk.lock.lock();  // so that no thread holds it at the fork
  EXPECT_TRUE(succeeded(run_in_child([&] {
    disk.lock.unlock();
    require(rest_of(file) == std::string_view(disk.content).substr(4 << 20));
    file.close();
  })));
  disk.lock.unlock();
  EXPECT_TRUE(rest_of(file) == std::string_view(disk.content).substr(4 << 20));
}

TEST(direct, real_files) {
  const temporary_folder folder;
  const std::string text = numbered_text(5'000'003);
  write_file(folder / "file", text);
  std::error_code ec;
  auto file = leat::open(folder / "file", {.caching = leat::caching::direct}, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << "this file system has no O_DIRECT";
  ASSERT_FALSE(ec) << ec.message();
  EXPECT_TRUE(rest_of(file) == text);
  file.seek(1'234'567);
  EXPECT_EQ(file.peek(20), std::string_view(text).substr(1'234'567, 20));
}

TEST(direct, is_refused_where_it_does_not_exist) {
  std::error_code ec;
  EXPECT_FALSE(leat::open("/proc/self/status", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(leat::open("/dev/null", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

}  // namespace
