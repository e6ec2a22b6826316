// Single reads (leat::file::read_at and leat::records::operator[]) that are repeated, so that they
// go through a mapping.
#include <gtest/gtest.h>
#include <leat/file.hpp>
#include <leat/mapped_file.hpp>
#include <leat/records.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#  include <sys/mman.h>
#  include <sys/stat.h>
#  include <unistd.h>
#endif

#include "support/files.hpp"
#include "support/page_cache.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/random_engine.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using leat::mode;

constexpr std::size_t page = 4096, block = 64 << 10;

class mapped_reads : public testing::Test {
 protected:
  /// Writes a file of `size` bytes, a third of them zeros, some in long runs.
  void write_content(std::size_t size) {
    random_engine random(7);
    content_.assign(size, '\0');
    for (std::size_t i = 0; i != size; ++i)
      if (i / 1000 % 5 != 0 && random() % 6 != 0) content_[i] = static_cast<char>(random());
    write_file(path_, content_);
  }
  /// Reads many times in each block, so that the following reads use the mapping.
  static void warm(const leat::file& file, std::size_t size) {
    for (std::size_t at = 0; at < size; at += 64) EXPECT_EQ(read(file, at, 1).size(), 1U) << at;
  }
  /// The bytes at `at`, or the message of the error.
  static std::string read(const leat::file& file, std::uint64_t at, std::size_t size) {
    std::string bytes(size, '?');
    std::error_code ec;
    file.read_at(at, std::span(bytes), ec);
    return ec ? ec.message() : bytes;
  }
  std::string part(std::size_t at, std::size_t size) const { return content_.substr(at, size); }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "f";
  std::string content_;
  const std::string ended_early_ = leat::make_error_code(leat::errc::ended_early).message();
};

TEST_F(mapped_reads, return_the_bytes_of_the_file) {
  write_content(5 * block + 777);
  const auto file = leat::file::open(path_);
  random_engine random(8);
  for (int round = 0; round != rounds(20'000); ++round) {
    // Some reads end at the end of the file, at the end of a page or of a block.
    const std::size_t size = std::array<std::size_t, 6>{0, 1, 24, 700, 8192, 8193}[random() % 6];
    std::size_t at = random() % (content_.size() - size);
    if (round % 4 == 0) at -= std::min(at, (at + size) % page);
    if (round % 9 == 0) at = content_.size() - size;
    ASSERT_EQ(read(file, at, size), part(at, size)) << at << ' ' << size;
  }
  EXPECT_EQ(read(file, content_.size() - 3, 4), ended_early_);
  EXPECT_EQ(read(file, content_.size(), 1), ended_early_);
}

#if defined(RWF_NOWAIT)
TEST_F(mapped_reads, make_few_system_calls_in_a_loop) {
  if (emulated) GTEST_SKIP() << "qemu reads for the program";
  write_content(40 * block);
  if (!is_known_to_be_cached(path_)) GTEST_SKIP() << "this file system does not say what is cached";
  struct record {
    char bytes[20];
    std::uint32_t is_not_zero;
  };
  leat::records<record>::create(folder_ / "r").append(std::vector<record>(100'000, {{}, 1}));
  const auto records = leat::records<record>::open(folder_ / "r");
  const std::uint64_t before = io_of_process("syscr");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != records.size(); ++i) sum += records[i].is_not_zero;
  for (std::size_t i = records.size(); i-- != 0;) sum += records[i].is_not_zero;
  EXPECT_EQ(sum, 200'000U);
  EXPECT_LT(io_of_process("syscr") - before, 2'000U);

  const auto file = leat::file::open(folder_ / "r", mode::read, {.caching = leat::caching::direct});
  const std::uint64_t before_direct = io_of_process("syscr");
  for (std::size_t at = 0; at != 1000; ++at) read(file, at, 24);
  EXPECT_GE(io_of_process("syscr") - before_direct, 1000U) << "direct I/O was requested";
}

TEST_F(mapped_reads, are_not_used_if_each_block_is_read_only_a_few_times) {
  if (emulated) GTEST_SKIP() << "qemu reads for the program";
  write_content(80 * block);
  const auto file = leat::file::open(path_);
  const std::uint64_t before = io_of_process("syscr");
  for (std::size_t i = 0; i != 20; ++i)
    for (std::size_t b = 0; b != 80; ++b) read(file, b * 7 % 80 * block + i * 100, 8);
  // Reads in order, too, but few reads in each block.
  for (std::size_t at = 0; at < content_.size(); at += block / 10) read(file, at, 8);
  EXPECT_GE(io_of_process("syscr") - before, 80U * 30U);
}
#endif

TEST_F(mapped_reads, return_bytes_that_other_objects_have_written) {
  write_content(3 * block);
  const auto file = leat::file::open(path_);
  warm(file, content_.size());
  auto other = leat::file::open(path_, mode::update);
  random_engine random(9);
  for (int round = 0; round != rounds(3000); ++round) {
    const std::string bytes = numbered_text(1 + random() % 300);
    const std::size_t at = random() % (content_.size() - 300);
    other.write_at(at, std::string_view(bytes));
    content_.replace(at, bytes.size(), bytes);
    ASSERT_EQ(read(file, at - std::min<std::size_t>(at, 10), 300),
              part(at - std::min<std::size_t>(at, 10), 300));
  }
}

TEST_F(mapped_reads, return_bytes_that_the_same_object_has_written) {
  for (const mode how : {mode::update, mode::copy}) {
    leat::records<std::uint32_t>::create(path_).append(std::vector<std::uint32_t>(50'000, 1));
    for (const auto route : {leat::route::automatic, leat::route::mapped, leat::route::direct}) {
      auto numbers = leat::records<std::uint32_t>::open(path_, how, {.access = {.route = route}});
      std::vector<std::uint32_t> model(numbers.size(), numbers[0]);
      const auto check = [&] {
        for (std::uint32_t i = 0; i != model.size(); ++i) ASSERT_EQ(numbers[i], model[i]) << i;
      };
      check();
      std::vector<std::uint32_t> positions(20'000);
      for (std::uint32_t i = 0; i != positions.size(); ++i) positions[i] = i * 7919 % 50'000;
      numbers.update(positions, [](std::uint32_t& number) { number += 5; });
      for (const std::uint32_t at : positions) model[at] += 5;
      check();
      for (std::uint32_t i = 0; i != model.size(); i += 10) numbers.set(i, model[i] = i);
      check();
      numbers.append(77);
      model.push_back(77);
      check();
      numbers.resize(10'000);
      EXPECT_THROW(static_cast<void>(numbers[10'000]), leat::io_error);
      numbers.resize(30'000);
      model.resize(10'000);
      model.resize(30'000);
      check();
      numbers.resize(50'000);
      std::vector<std::uint32_t> all(50'000);
      for (std::uint32_t i = 0; i != all.size(); ++i) all[i] = i;
      numbers.scatter(all, std::span<const std::uint32_t>(std::vector<std::uint32_t>(50'000, 1)));
    }
  }
}

TEST_F(mapped_reads, of_a_file_that_grows_return_the_new_bytes) {
  write_content(block + 10);
  const auto file = leat::file::open(path_);
  warm(file, content_.size());
  for (int round = 0; round != 100; ++round) {
    const std::size_t before = content_.size();
    EXPECT_EQ(read(file, before - 1, 2), ended_early_);
    content_ += numbered_text(1 + static_cast<std::size_t>(round) * 50);
    leat::file::open(path_, mode::update)
        .write_at(before, std::string_view(content_).substr(before));
    const std::size_t size = std::min<std::size_t>(content_.size() - before + 7, 4096);
    ASSERT_EQ(read(file, before - 7, size), part(before - 7, size));
    ASSERT_EQ(read(file, content_.size() - 1, 1), part(content_.size() - 1, 1));
  }
}

/// Small batches read their ranges as single reads do.
TEST_F(mapped_reads, of_small_batches_return_the_bytes_of_the_file) {
  std::vector<std::uint64_t> model(50'000, 1);
  leat::records<std::uint64_t>::create(path_).append(model);
  auto numbers = leat::records<std::uint64_t>::open(path_, mode::update);
  random_engine random(13);
  std::vector<std::uint64_t> positions(10), values(10);
#if defined(RWF_NOWAIT)
  const bool counts_calls = !emulated && is_known_to_be_cached(path_);
  const std::uint64_t before = counts_calls ? io_of_process("syscr") : 0;
#endif
  for (int round = 0; round != 2000; ++round) {
    for (auto& position : positions) position = random() % model.size();
    numbers.gather(positions, std::span(values));
    for (std::size_t i = 0; i != 10; ++i) ASSERT_EQ(values[i], model[positions[i]]) << round;
    numbers.update(positions, [](std::uint64_t& number) { ++number; });
    for (const std::uint64_t position : positions) ++model[position];
  }
#if defined(RWF_NOWAIT)
  const std::uint64_t calls = counts_calls ? io_of_process("syscr") - before : 0;
  EXPECT_LT(calls, 3000U) << "of 40,000 ranges";
#endif
  for (std::size_t i = 0; i != model.size(); ++i) ASSERT_EQ(numbers[i], model[i]);
#if defined(HAS_SHRINKING_FILES)
  std::filesystem::resize_file(path_, 200'000);
  positions = {1, 2, 30'000};
  std::error_code ec;
  numbers.gather(positions, std::span(values).first(3), ec);
  EXPECT_EQ(ec, leat::errc::ended_early);
  numbers.update(positions, [](std::uint64_t& number) { ++number; }, ec);
  EXPECT_EQ(ec, leat::errc::ended_early);
  EXPECT_EQ(std::filesystem::file_size(path_), 200'000U);
#endif
}

#if defined(HAS_SHRINKING_FILES)
TEST_F(mapped_reads, of_a_file_that_shrinks_report_the_end) {
  // 0: the file then ends where a page ends. With the other sizes, the file ends within a page, and
  // the mapping still has the whole page.
  for (const std::size_t rest : {std::size_t{0}, std::size_t{1}, page - 1, std::size_t{100}}) {
    write_content(3 * block);
    const auto file = leat::file::open(path_);
    warm(file, content_.size());
    const std::size_t end = block + 5 * page + rest;
    std::filesystem::resize_file(path_, end);
    for (const std::size_t size : {1U, 8U, 24U, 4096U}) {
      EXPECT_EQ(read(file, end, size), ended_early_) << rest;
      EXPECT_EQ(read(file, end - size + 1, size), ended_early_) << rest;
      EXPECT_EQ(read(file, end - size, size), part(end - size, size)) << rest;
      EXPECT_EQ(read(file, 2 * block, size), ended_early_) << rest;
    }
    // The new bytes are found, also where the mapping has had no bytes.
    write_content(4 * block);
    for (std::size_t at = 0; at + 24 <= content_.size(); at += 24)
      ASSERT_EQ(read(file, at, 24), part(at, 24)) << rest;
  }
}

TEST_F(mapped_reads, have_old_bytes_or_zeros_while_the_file_shrinks_and_grows) {
  content_.assign(4 * block, 'x');
  write_file(path_, content_);
  const auto file = leat::file::open(path_);
  warm(file, content_.size());
  std::atomic<bool> stop = false;
  std::thread changes([&] {
    random_engine random(11);
    while (!stop) {
      std::filesystem::resize_file(path_, random() % content_.size());
      std::filesystem::resize_file(path_, content_.size());
    }
  });
  random_engine random(12);
  for (int round = 0; round != rounds(100'000); ++round) {
    const std::string bytes = read(file, random() % (content_.size() - 100), 100);
    const auto zeros = std::ranges::find(bytes, '\0');
    ASSERT_TRUE(bytes == ended_early_ ||
                (std::ranges::all_of(bytes.begin(), zeros, [](char c) { return c == 'x'; }) &&
                 std::ranges::all_of(zeros, bytes.end(), [](char c) { return c == '\0'; })));
  }
  stop = true;
  changes.join();
}

#  if defined(HAS_FORK)
TEST_F(mapped_reads, are_not_used_without_the_guard) {
  write_content(3 * block);
  enum class reason { forbidden, blocked, replaced };
  for (const auto why : {reason::forbidden, reason::blocked, reason::replaced}) {
    const auto child = run_in_child([&] {
      const auto file = leat::file::open(path_, mode::update);
      warm(file, content_.size());
      const auto shrink = [&] {
        std::filesystem::resize_file(path_, block);
        require(read(file, 2 * block, 10) == ended_early_);
      };
      if (why == reason::forbidden) {
        leat::guard_mappings(false);
        shrink();
        leat::guard_mappings(true);
        for (std::size_t i = 0; i != 100; ++i)
          require(read(file, block - i, 1) == part(block - i, 1) || i == 0);
        return;
      }
      if (why == reason::replaced) require(std::signal(SIGBUS, SIG_DFL) != SIG_ERR);
      // Each thread looks at its own signals, and at the handler.
      std::thread([&] {
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGBUS);
        if (why == reason::blocked) require(::pthread_sigmask(SIG_BLOCK, &blocked, nullptr) == 0);
        shrink();
      }).join();
    });
    EXPECT_TRUE(succeeded(child)) << child.err;
    write_file(path_, content_);
  }
}
#  endif
#endif

#if defined(HAS_FORK)
TEST_F(mapped_reads, work_in_a_child_process_and_after_a_move) {
  write_content(2 * block);
  auto first = leat::file::open(path_);
  warm(first, content_.size());
  auto file = std::move(first);
  const auto child = run_in_child([&] {
    for (std::size_t at = 0; at < content_.size() - 24; at += 24)
      require(read(file, at, 24) == part(at, 24));
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(read(file, 500, 24), part(500, 24));
}

#endif

#if defined(__linux__)
/// A mapping would fill the holes of a file in memory.
TEST_F(mapped_reads, leave_the_holes_of_a_file_in_memory) {
  const int memory = ::memfd_create("holes", 0);
  if (memory < 0) GTEST_SKIP() << "no memfd_create";
  ASSERT_EQ(::ftruncate(memory, 10 * block), 0);
  const auto file = leat::file::open("/proc/self/fd/" + std::to_string(memory));
  for (std::size_t i = 0; i != 10'000; ++i)
    ASSERT_EQ(read(file, i * 60, 24), std::string(24, '\0'));
  struct stat status{};
  ASSERT_EQ(::fstat(memory, &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
  ::close(memory);
}
#endif

TEST_F(mapped_reads, of_several_threads_see_the_changes_of_each_thread) {
  constexpr std::uint64_t count = 60'000, threads = 4;
  leat::records<std::uint64_t>::create(path_).append(std::vector<std::uint64_t>(count, 1));
  auto numbers = leat::records<std::uint64_t>::open(path_, mode::update);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> running;
  for (std::uint64_t thread = 0; thread != threads; ++thread) {
    running.emplace_back([&, thread] {
      // Each thread has its own records, next to the records of the other threads.
      std::vector<std::uint64_t> mine;
      for (std::uint64_t i = thread; i < count; i += threads) mine.push_back(i);
      for (int round = 1; round <= std::max(3, rounds(10)); ++round) {
        for (const std::uint64_t i : mine)
          if (numbers[i] != static_cast<std::uint64_t>(round)) ++wrong;
        if (thread % 2 == 0)
          numbers.update(mine, [](std::uint64_t& number) { ++number; });
        else
          for (const std::uint64_t i : mine) numbers.set(i, numbers[i] + 1);
      }
    });
  }
  for (auto& thread : running) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
