// Past the cache: alignment, requests side by side, batches, ends and failures.
#include "device/direct/direct.hpp"

#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "device/system.hpp"
#include "opening/open.hpp"
#if defined(_WIN32)
#  include "device/windows/file.hpp"
#else
#  include "device/posix/file.hpp"
#endif
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using namespace std::string_view_literals;

/// A file past the cache, or null where that can't be.
#if defined(_WIN32)
std::unique_ptr<leat::device> past_cache(const std::string& path) {
  auto file = std::make_unique<leat::windows_file>(open_to_share(path),
                                                   leat::windows_file::ownership::owned);
  const HANDLE direct =
      ::ReOpenFile(file->native_handle(), GENERIC_READ | GENERIC_WRITE, leat::share_all,
                   FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED);
  if (direct == leat::no_handle) return nullptr;
  file->go_direct(direct);
  return file;
}
#else
std::unique_ptr<leat::device> past_cache(const std::string& path) {
  const int descriptor = open_to_share(path);
  auto file = std::make_unique<leat::posix_file>(descriptor, leat::posix_file::ownership::owned,
                                                 leat::posix_file::offset::stays);
  std::error_code ec;
  leat::set_direct(descriptor, true, ec);
  if (ec) return nullptr;
  return file;
}
#endif

constexpr std::size_t page = 4096;

/// What a disk asks of its readers, and what it has seen of them.
struct disk_state {
  std::string content;
  std::uint64_t fails_from = ~std::uint64_t{0}, writes_fail_from = ~std::uint64_t{0};
  std::mutex lock;
  std::condition_variable met;
  int busy = 0, most_busy = 0;
  int wait_for = 0;     ///< hold each read back until so many are there, or a while has passed
  int short_reads = 0;  ///< so many reads give one byte
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
    const std::size_t most = s.short_reads != 0 ? 1 : into.size();
    if (s.short_reads != 0) --s.short_reads;
    return s.content.copy(into.data(), most, static_cast<std::size_t>(at));
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    disk_state& s = *state_;
    const std::lock_guard guard(s.lock);
    const std::string_view bytes = pieces.front();
    ec.clear();
    if (at + bytes.size() > s.writes_fail_from) {
      ec = std::make_error_code(std::errc::io_error);
      return 0;
    }
    const auto from = static_cast<std::size_t>(at);
    if (s.content.size() < from + bytes.size()) s.content.resize(from + bytes.size());
    s.content.replace(from, bytes.size(), bytes);
    return bytes.size();
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

TEST(direct, a_short_read_is_not_the_end) {
  disk_state disk;
  disk.content = numbered_text(10'000);
  disk.short_reads = 1;
  std::string into(100, '?');
  std::error_code ec;
  EXPECT_EQ(over(disk)->read_at(5000, into, ec), 100U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(into, disk.content.substr(5000, 100));
}

TEST(direct, takes_only_some_of_many_pieces) {
  disk_state disk;
  const std::string_view pieces[]{"a", "", "b", "c", "d"};
  std::error_code ec;
  EXPECT_EQ(over(disk)->write_at(0, pieces, ec), 1U);
  EXPECT_FALSE(ec);
  EXPECT_EQ(disk.content, "a");
}

TEST(direct, changes_of_one_block_are_all_written_whatever_their_order) {
  disk_state disk;
  disk.content = numbered_text(3 * page);
  std::string expected = disk.content;
  std::array<leat::write_request, 3> writes{
      {{page + 10, "one", 0, {}}, {5, "two", 0, {}}, {page + 20, "three", 0, {}}}};
  for (const auto& one : writes)
    expected.replace(static_cast<std::size_t>(one.at), one.bytes.size(), one.bytes);
  over(disk)->write_many(writes);
  for (const auto& one : writes) EXPECT_EQ(one.done, one.bytes.size());
  EXPECT_TRUE(disk.content == expected);
}

TEST(direct, closing_waits_for_the_requests) {
  for (int i = 0; i != rounds(20); ++i) {
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

#if defined(HAS_FORK)
TEST(direct, a_forked_child_reads_on_by_itself) {
  if (emulated) GTEST_SKIP() << "qemu bears no new threads in such a child";
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
#endif

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

#if defined(HAS_SYSTEM_FILES)
TEST(direct, is_refused_where_it_does_not_exist) {
  std::error_code ec;
  EXPECT_FALSE(leat::open("/proc/self/status", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(leat::open("/dev/null", {.caching = leat::caching::direct}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

// Batches

constexpr unsigned no_queue = 0;

/// A file past the cache, with a queue and without.
class direct_batch : public testing::TestWithParam<unsigned> {
 protected:
  /// A device over a new file with this content. Null, and the test is to be skipped, where that
  /// can't be.
  std::unique_ptr<leat::device> open(std::string_view content) {
    write_file(path(), content);
    auto file = past_cache(path());
    if (file == nullptr) return nullptr;
    return std::make_unique<leat::direct_device>(std::move(file),
                                                 leat::direct_device::rests::direct,
                                                 leat::direct_device::reads::random, GetParam());
  }
  std::string path() const { return folder_ / "file"; }

 private:
  temporary_folder folder_;
};

constexpr const char* no_direct = "this file system has no O_DIRECT";

TEST_P(direct_batch, reads_what_is_there) {
  const std::string text = numbered_text(3'000'123);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(4);
  for (int round = 0; round != rounds(30); ++round) {
    std::vector<std::string> memory(random() % 300);
    std::vector<leat::read_request> requests;
    const std::size_t most = random() % 10 == 0 ? 2'500'000 : random() % 2 == 0 ? 10 : 9000;
    for (auto& one : memory) {
      one.assign(random() % most, '?');
      requests.push_back({random() % (text.size() + 5000), one, 5, {}});
    }
    if (round % 3 != 0) std::ranges::sort(requests, {}, &leat::read_request::at);
    disk->read_many(requests);
    for (const auto& one : requests) {
      const auto expected = one.at < text.size()
                                ? std::string_view(text).substr(one.at, one.into.size())
                                : std::string_view();
      ASSERT_FALSE(one.ec) << one.ec.message();
      ASSERT_EQ(one.done, expected.size()) << one.at;
      ASSERT_TRUE(std::string_view(one.into.data(), one.done) == expected) << one.at;
      ASSERT_TRUE(std::ranges::all_of(one.into.subspan(one.done), [](char c) { return c == '?'; }));
    }
  }
}

TEST_P(direct_batch, reads_more_than_its_memory) {
  const std::string text = numbered_text(20'000'003);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::string into(text.size() + 100, '?');
  leat::read_request whole{0, into, 0, {}};
  disk->read_many({&whole, 1});
  EXPECT_EQ(whole.done, text.size());
  EXPECT_TRUE(std::string_view(into).substr(0, text.size()) == text);
}

TEST_P(direct_batch, far_positions_are_behind_the_end_or_an_error) {
  const auto disk = open("short");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  char far[10], near[10];
  std::array<leat::read_request, 3> reads{{{~std::uint64_t{0} - 4, far, 0, {}},
                                           {3, near, 0, {}},
                                           {std::uint64_t{1} << 40, far, 0, {}}}};
  disk->read_many(reads);
  EXPECT_TRUE(reads[0].ec);
  EXPECT_EQ(reads[0].done, 0u);
  EXPECT_EQ(reads[1].done, 2u);
  EXPECT_EQ(reads[2].done, 0u);
  EXPECT_FALSE(reads[2].ec);
  std::array<leat::write_request, 2> writes{
      {{~std::uint64_t{0} - 4, "x", 0, {}}, {5, "er", 0, {}}}};
  disk->write_many(writes);
  EXPECT_EQ(writes[0].ec, std::errc::file_too_large);
  EXPECT_EQ(writes[1].done, 2u);
  EXPECT_EQ(read_all(path()), "shorter");
}

TEST_P(direct_batch, writes_what_it_was_given) {
  std::string text = numbered_text(2'000'123);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(5);
  const leat::aligned_memory aligned(
      static_cast<char*>(::operator new(1 << 20, std::align_val_t{page})));
  std::memset(aligned.get(), 'A', 1 << 20);
  for (int round = 0; round != rounds(30); ++round) {
    std::vector<std::string> memory;
    std::vector<leat::write_request> requests;
    const std::size_t most = round % 10 == 0 ? 1'500'000 : round % 2 == 0 ? 10 : 9000;
    const std::size_t gap = round % 3 == 0 ? 3 : 20'000;
    std::size_t at = random() % 5000;
    while (at < text.size() + 10'000 && memory.size() != 400) {
      memory.emplace_back(random() % most, static_cast<char>('a' + random() % 26));
      requests.push_back({at, {}, 9, {}});
      at += memory.back().size() + random() % gap;
    }
    for (std::size_t i = 0; i != memory.size(); ++i) requests[i].bytes = memory[i];
    if (round % 5 == 0)  // whole blocks that need no copy
      requests.push_back({at + page - at % page, {aligned.get(), 5 * page + 100}, 0, {}});
    for (const auto& one : requests) {
      const auto from = static_cast<std::size_t>(one.at);
      if (!one.bytes.empty() && text.size() < from + one.bytes.size())
        text.resize(from + one.bytes.size(), '\0');
      if (!one.bytes.empty()) text.replace(from, one.bytes.size(), one.bytes);
    }
    if (round % 4 == 0) std::ranges::shuffle(requests, random);
    disk->write_many(requests);
    for (const auto& one : requests) {
      ASSERT_FALSE(one.ec) << one.ec.message();
      ASSERT_EQ(one.done, one.bytes.size());
    }
    ASSERT_TRUE(read_all(path()) == text) << round;
    if (text.size() > 6'000'000) {
      text.resize(1'000'001);
      std::error_code ec;
      disk->resize(text.size(), ec);
    }
  }
}

TEST_P(direct_batch, writes_more_than_its_memory) {
  const std::string text = numbered_text(20'000'003);
  const auto disk = open("0123456789");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  leat::write_request whole{3, text, 0, {}};
  disk->write_many({&whole, 1});
  EXPECT_EQ(whole.done, text.size());
  EXPECT_TRUE(read_all(path()) == "012" + text);
}

TEST_P(direct_batch, nothing_is_nothing) {
  const auto disk = open("text");
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  disk->read_many({});
  disk->write_many({});
  leat::read_request none{1, {}, 4, std::make_error_code(std::errc::io_error)};
  disk->read_many({&none, 1});
  EXPECT_EQ(none.done, 0u);
  EXPECT_FALSE(none.ec);
  leat::write_request nothing{100'000, {}, 4, {}};
  disk->write_many({&nothing, 1});
  EXPECT_EQ(read_all(path()), "text");
}

TEST_P(direct_batch, of_a_closed_device_fails) {
  const auto disk = open(numbered_text(10'000));
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::error_code ec;
  disk->close(ec);
  EXPECT_FALSE(ec);
  char into[10];
  std::array<leat::read_request, 2> reads{{{0, into, 0, {}}, {9000, into, 0, {}}}};
  disk->read_many(reads);
  EXPECT_EQ(reads[0].ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(reads[1].ec, std::errc::bad_file_descriptor);
  const std::string bytes(5000, 'x');
  leat::write_request write{100, bytes, 0, {}};
  disk->write_many({&write, 1});
  EXPECT_EQ(write.ec, std::errc::bad_file_descriptor);
  EXPECT_EQ(write.done, 0u);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST_P(direct_batch, a_limit_is_reached_and_told) {
  for (const rlim_t limit : {0u, 100u, 8192u, 10'000u, 12'288u, 1'050'000u}) {
    const auto disk = open(numbered_text(50));
    if (disk == nullptr) GTEST_SKIP() << no_direct;
    const std::string bytes = numbered_text(3'000'000);
    const auto child = run_in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      limit_resource(RLIMIT_FSIZE, limit);
      std::array<leat::write_request, 2> writes{
          {{0, std::string_view(bytes).substr(0, 20), 0, {}}, {60, bytes, 0, {}}}};
      disk->write_many(writes);
      require(writes[0].done == std::min<rlim_t>(limit, 20));
      require(writes[0].ec ==
              (limit >= 20 ? std::error_code() : std::make_error_code(std::errc::file_too_large)));
      require(writes[1].ec == std::errc::file_too_large);
      const auto there = read_all(path());
      require(there.size() == 60 + writes[1].done || (writes[1].done == 0 && there.size() == 50));
      require(writes[1].done <= std::max<rlim_t>(limit, 60) - 60);
      require(there.substr(std::min<std::size_t>(there.size(), 60)) ==
              bytes.substr(0, writes[1].done));
    });
    EXPECT_TRUE(succeeded(child)) << limit;
  }
}
#endif

TEST_P(direct_batch, many_threads_read_and_write) {
  std::string text(400'000, '.');
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  EXPECT_TRUE(disk->traits().concurrent);
  constexpr std::size_t count = 4;
  const auto work = [&](std::size_t number) {
    const std::string mine(10, static_cast<char>('a' + number));
    for (int round = 0; round != rounds(10); ++round) {
      std::vector<leat::write_request> writes;
      for (std::size_t at = 10 * number; at < text.size(); at += 10 * count)
        writes.push_back({at, mine, 0, {}});
      disk->write_many(writes);
      std::string into(10 * writes.size(), '?');
      std::vector<leat::read_request> reads;
      for (std::size_t i = 0; i != writes.size(); ++i)
        reads.push_back({writes[i].at, std::span(into).subspan(10 * i, 10), 0, {}});
      disk->read_many(reads);
      ASSERT_EQ(into.find_first_not_of(mine[0]), std::string::npos);
      std::error_code ec;
      char one[1];
      ASSERT_EQ(disk->read_at(10 * number, one, ec), 1u);
      ASSERT_EQ(one[0], mine[0]);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != count; ++i) threads.emplace_back(work, i);
  for (auto& one : threads) one.join();
  for (std::size_t at = 0; at != text.size(); ++at)
    text[at] = static_cast<char>('a' + at / 10 % count);
  EXPECT_TRUE(read_all(path()) == text);
}

#if defined(HAS_FORK)
TEST_P(direct_batch, a_forked_child_has_its_own) {
  const std::string text = numbered_text(100'000);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  const auto read_some_of_it = [&] {
    std::string one(100, '?'), two(100, '?');
    std::array<leat::read_request, 2> reads{{{50'000, one, 0, {}}, {99'990, two, 0, {}}}};
    disk->read_many(reads);
    return one == text.substr(50'000, 100) && two.substr(0, reads[1].done) == text.substr(99'990);
  };
  EXPECT_TRUE(read_some_of_it());
  EXPECT_TRUE(succeeded(run_in_child([&] { require(read_some_of_it()); })));
  EXPECT_TRUE(read_some_of_it());
}
#endif

TEST_P(direct_batch, write_at_takes_any_offset_and_size) {
  std::string text = numbered_text(100'000);
  const auto disk = open(text);
  if (disk == nullptr) GTEST_SKIP() << no_direct;
  std::mt19937 random(6);
  for (int round = 0; round != rounds(200); ++round) {
    const std::size_t at = random() % 2 == 0 ? random() % 200'000 : random() % 40 * page;
    const std::string one(random() % (round % 20 == 0 ? 5'000'000 : 20'000), 'o');
    const std::string two(random() % 10'000, 't');
    const std::string all = one + two;
    for (std::size_t n = 0; n != all.size();) {
      const std::array<std::string_view, 2> pieces{
          std::string_view(one).substr(std::min(n, one.size())),
          std::string_view(two).substr(n - std::min(n, one.size()))};
      std::error_code ec;
      const std::size_t taken = disk->write_at(at + n, pieces, ec);
      ASSERT_FALSE(ec) << ec.message();
      ASSERT_GT(taken, 0u);
      n += taken;
    }
    if (!all.empty() && text.size() < at + all.size()) text.resize(at + all.size(), '\0');
    if (!all.empty()) text.replace(at, all.size(), all);
    ASSERT_TRUE(read_all(path()) == text);
  }
}

INSTANTIATE_TEST_SUITE_P(depth, direct_batch,
                         testing::Values(no_queue, 3u, leat::direct_device::usual_depth));

TEST(direct, a_failure_hurts_only_what_it_hits) {
  disk_state disk;
  disk.content = numbered_text(100'000);
  disk.fails_from = 5 * page;
  const auto over_it = over(disk);
  std::string memory(4 * page, '?');
  std::vector<leat::read_request> requests;
  for (std::size_t i = 0; i != 8; ++i)  // neighbours, which share a transfer
    requests.push_back({i * page + 100, std::span(memory).subspan(i * 100, 100), 0, {}});
  requests.push_back({4 * page + 200, std::span(memory).subspan(page, 2 * page), 0, {}});
  over_it->read_many(requests);
  for (std::size_t i = 0; i != 8; ++i) {
    EXPECT_EQ(requests[i].done, i < 5 ? 100u : 0u);
    EXPECT_EQ(requests[i].ec,
              i < 5 ? std::error_code() : std::make_error_code(std::errc::io_error));
  }
  EXPECT_EQ(memory.substr(400, 100), disk.content.substr(4 * page + 100, 100));
  EXPECT_EQ(requests[8].ec, std::errc::io_error);
  EXPECT_TRUE(disk.aligned);
}

TEST(direct, batches_share_the_reading_of_a_block) {
  disk_state disk;
  disk.content = numbered_text(100'000);
  const auto over_it = over(disk);
  char memory[300];
  std::vector<leat::read_request> requests;
  for (std::size_t i = 0; i != 300; ++i)
    requests.push_back({30'000 + i, std::span(memory).subspan(i, 1), 0, {}});
  over_it->read_many(requests);
  EXPECT_EQ(std::string_view(memory, 300), disk.content.substr(30'000, 300));
  EXPECT_EQ(disk.calls, 1);
}

TEST(direct, a_block_that_can_not_be_read_is_not_changed) {
  disk_state disk;
  disk.content = numbered_text(10 * page);
  const std::string before = disk.content;
  disk.fails_from = 3 * page;
  const auto over_it = over(disk);
  const std::string whole(page, 'w');
  std::array<leat::write_request, 4> writes{{{10, "one", 0, {}},
                                             {3 * page + 10, "two", 0, {}},
                                             {4 * page, whole, 0, {}},
                                             {6 * page - 2, whole, 0, {}}}};
  over_it->write_many(writes);
  EXPECT_EQ(writes[0].done, 3u);
  EXPECT_EQ(writes[1].ec, std::errc::io_error);
  EXPECT_EQ(writes[1].done, 0u);
  EXPECT_EQ(writes[2].done, page);
  EXPECT_EQ(writes[3].ec, std::errc::io_error);
  std::string expected = before;
  expected.replace(10, 3, "one");
  expected.replace(4 * page, page, whole);
  EXPECT_TRUE(disk.content == expected);
}

TEST(direct, a_block_that_can_not_be_written_is_not_counted) {
  disk_state disk;
  disk.content = numbered_text(10 * page);
  disk.writes_fail_from = 3 * page;
  const auto over_it = over(disk);
  const std::string whole(2 * page, 'w');
  std::array<leat::write_request, 3> writes{
      {{100, "one", 0, {}}, {2 * page - 1, whole, 0, {}}, {5 * page, "two", 0, {}}}};
  over_it->write_many(writes);
  EXPECT_FALSE(writes[0].ec);
  EXPECT_EQ(writes[1].done, 1 + page);
  EXPECT_EQ(writes[1].ec, std::errc::io_error);
  EXPECT_EQ(writes[2].done, 0u);
  EXPECT_EQ(writes[2].ec, std::errc::io_error);
}

// A second way to a file

TEST(direct_twin, sees_what_the_other_writes_and_is_seen) {
  const temporary_folder folder;
  auto file =
      leat::update((write_file(folder / "file", std::string(20'000, '.')), folder / "file"));
  const auto cached = leat::borrow(file.native_handle());
  std::error_code ec;
  const auto twin = leat::open_direct_twin(*cached, true, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << no_direct;
  ASSERT_FALSE(ec) << ec.message();
  for (int i = 0; i != 50; ++i) {
    const std::string there = std::to_string(1000 + i), back = std::to_string(2000 + i);
    const std::array<std::string_view, 1> pieces{there};
    EXPECT_EQ(cached->write_at(5000, pieces, ec), 4u);
    std::string got(4, '?');
    leat::read_request read{5000, got, 0, {}};
    twin->read_many({&read, 1});
    ASSERT_EQ(got, there);
    leat::write_request write{6000, back, 0, {}};
    twin->write_many({&write, 1});
    ASSERT_EQ(cached->read_at(6000, got, ec), 4u);
    ASSERT_EQ(got, back);
  }
  file.close();
  leat::read_request alone{0, {}, 0, {}};
  std::string got(4, '?');
  alone.into = got;
  twin->read_many({&alone, 1});
  EXPECT_EQ(got, "....");
}

TEST(direct_twin, is_for_reading_unless_asked) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const auto in = leat::open(folder / "file");
  const auto cached = leat::borrow(in.native_handle());
  std::error_code ec;
  const auto twin = leat::open_direct_twin(*cached, false, ec);
  if (ec == std::errc::operation_not_supported) GTEST_SKIP() << no_direct;
  ASSERT_FALSE(ec) << ec.message();
  leat::write_request write{0, "x", 0, {}};
  twin->write_many({&write, 1});
#if defined(_WIN32)
  EXPECT_EQ(write.ec, std::errc::permission_denied);
#else
  EXPECT_EQ(write.ec, std::errc::bad_file_descriptor);
#endif
  EXPECT_EQ(read_all(folder / "file"), "text");
}

#if defined(HAS_SYSTEM_FILES)
TEST(direct_twin, is_refused_where_it_does_not_exist) {
  std::error_code ec;
  disk_state disk;
  EXPECT_EQ(leat::open_direct_twin(aligned_disk(disk), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const pipe_pair pipe;
  EXPECT_EQ(leat::open_direct_twin(*leat::borrow(pipe.reader()), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  const auto status = leat::open("/proc/self/status");
  EXPECT_EQ(leat::open_direct_twin(*leat::borrow(status.native_handle()), false, ec), nullptr);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

// Streams

constexpr leat::caching direct_caching = leat::caching::direct;

bool can_write_directly(const std::string& path) {
  std::error_code ec;
  leat::create(path, {.caching = direct_caching}, ec).discard();
  return ec != std::errc::operation_not_supported;
}

class direct_writer : public testing::TestWithParam<std::size_t> {};

TEST_P(direct_writer, the_file_has_what_was_written) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  std::mt19937 random(7);
  for (int round = 0; round != rounds(20); ++round) {
    const auto durable = round % 4 == 1 ? leat::durability::system : leat::durability::none;
    const std::uint64_t reserved = round % 4 == 2 ? 10'000'000 : 0;
    auto out = round % 2 == 0 ? leat::create(folder / "file", {.buffer_size = GetParam(),
                                                               .durability = durable,
                                                               .preallocate = reserved,
                                                               .readable = round % 8 == 6,
                                                               .caching = direct_caching})
                              : leat::replace(folder / "file", {.buffer_size = GetParam(),
                                                                .durability = durable,
                                                                .preallocate = reserved,
                                                                .caching = direct_caching});
    std::string text;
    std::size_t at = 0;
    for (int i = 0; i != 30; ++i) {
      const std::string bytes = numbered_text(random() % (random() % 8 == 0   ? 3'000'000
                                                          : random() % 2 == 0 ? 100
                                                                              : 20'000));
      out.write(bytes);
      if (!bytes.empty() && text.size() < at + bytes.size()) text.resize(at + bytes.size(), '\0');
      text.replace(std::min(at, text.size()), bytes.size(), bytes);
      at += bytes.size();
      switch (random() % 6) {
        case 0:
          out.flush();
          // A replacement is not there yet.
          ASSERT_TRUE(round % 2 != 0 || read_all(folder / "file") == text);
          break;
        case 1:
          at = random() % (text.size() + 10'000);
          out.seek(at);
          break;
        case 2:
          if (at > 5) {
            out.patch(at / 2, "patch"sv.substr(0, std::min<std::size_t>(5, at - at / 2)));
            text.replace(at / 2, std::min<std::size_t>(5, at - at / 2),
                         "patch"sv.substr(0, std::min<std::size_t>(5, at - at / 2)));
          }
          break;
        default:
          break;
      }
      ASSERT_EQ(out.tell(), at);
    }
    out.close();
    ASSERT_TRUE(read_all(folder / "file") == text);
  }
}

INSTANTIATE_TEST_SUITE_P(windows, direct_writer, testing::Values(0, 1, 100, 4096, 10'000, 1 << 20));

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(direct_stream, counts_what_a_limit_cuts_off) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  if (!can_write_directly(path)) GTEST_SKIP() << no_direct;
  const std::string text = numbered_text(8'000'000);
  for (const bool large : {false, true})
    for (const rlim_t limit :
         {0u, 100u, 4096u, 1'000'000u, 2u << 20, 3'333'333u, (4u << 20) + 4096}) {
      const auto child = run_in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        limit_resource(RLIMIT_FSIZE, limit);
        auto out = leat::create(path, {.caching = direct_caching});
        const std::size_t step = large ? text.size() : 1000;
        for (std::size_t at = 0; at < text.size(); at += step)
          out.write(std::string_view(text).substr(at, step));
        std::error_code ec;
        out.close(ec);
        require(ec == std::errc::file_too_large);
        require(out.lost() == text.size() - limit);
      });
      EXPECT_TRUE(succeeded(child)) << limit;
      EXPECT_TRUE(read_all(path) == text.substr(0, limit)) << limit;
    }
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(direct_stream, gives_its_descriptor_away) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  const std::string text = numbered_text(5'000'001);
  out.write(text);
  const int descriptor = out.release();
  EXPECT_EQ(::write(descriptor, "more", 4), 4) << "where the stream was, and through the cache";
  ::close(descriptor);
  EXPECT_TRUE(read_all(folder / "file") == text + "more");
}
#endif

#if defined(HAS_FORK)
TEST(direct_stream, of_a_child_goes_on_alone) {
  if (under_tsan) GTEST_SKIP() << "no threads may start behind a fork there";
  const temporary_folder folder;
  if (!can_write_directly(folder / "file")) GTEST_SKIP() << no_direct;
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  const std::string text = numbered_text(5'000'000);
  out.write(text);
  out.flush();
  EXPECT_TRUE(succeeded(run_in_child([&] {
    out.write(text);
    out.close();
  })));
  out.discard();
  EXPECT_TRUE(read_all(folder / "file") == text + text);
}
#endif

#if defined(HAS_SYSTEM_FILES)
TEST(direct_stream, is_refused_where_it_does_not_exist) {
  std::error_code ec;
  EXPECT_FALSE(leat::create("/dev/null", {.caching = direct_caching}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}
#endif

TEST(direct_stream, empties_the_file_that_is_there) {
  const temporary_folder folder;
  if (!can_write_directly(folder / "other")) GTEST_SKIP() << no_direct;
  write_file(folder / "file", numbered_text(100'000));
  auto out = leat::create(folder / "file", {.caching = direct_caching});
  EXPECT_EQ(read_all(folder / "file"), "");
  out.print("{}", "short");
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "short");
}

}  // namespace
