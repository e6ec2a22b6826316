// Searches in files that are longer than a read: a search maps parts of a cached file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/print.hpp>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#  include <fcntl.h>
#  include <sys/mman.h>
#  include <sys/stat.h>
#  include <sys/uio.h>
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

constexpr std::size_t mib = 1 << 20;

class long_find : public testing::Test {
 protected:
  /// Letters without "n", so that "needle" occurs only where a test puts it.
  static std::string letters(std::size_t size) {
    random_engine random(48);
    std::string text(size, '\0');
    for (char& one : text) one = "abcdefghijklm \n"[below(random, 15)];
    return text;
  }
  void put(std::size_t at, std::string_view needle = "needle") {
    text_.replace(at, needle.size(), needle);
  }
  void write_text() const { write_file(path_, text_); }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file";
  std::string text_ = letters(20 * mib);
};

TEST_F(long_find, finds_a_needle_across_the_end_of_any_part) {
  write_text();
  for (std::size_t border = 64 << 10; border < text_.size();
       border += border < 2 * mib ? 64 << 10 : mib) {
    for (const std::size_t before : {0u, 1u, 5u, 6u}) {
      const std::size_t at = border - before;
      auto file = leat::update(path_);
      const std::string replaced = text_.substr(at, 6);
      file.seek(at);
      file.write("needle");
      file.flush();
      auto in = leat::open(path_);
      ASSERT_EQ(in.find("needle"), at);
      ASSERT_EQ(in.tell(), at);
      ASSERT_EQ(in.peek(6), "needle");
      in.skip(1);
      ASSERT_EQ(in.find("needle"), std::nullopt);
      ASSERT_EQ(in.tell(), text_.size());
      ASSERT_EQ(in.peek(1), "");
      file.seek(at);
      file.write(replaced);
      file.close();
    }
  }
}

TEST_F(long_find, finds_the_same_as_a_search_in_memory) {
  random_engine random(7);
  for (int i = 0; i != 40; ++i) put(below(random, text_.size() - 6));
  write_text();
  for (int i = 0; i != 60; ++i) {
    const std::size_t size = 1 + below(random, i % 4 == 0 ? 100'000 : 12);
    const std::string needle =
        i % 3 == 0 ? "needle" : text_.substr(below(random, text_.size() - size), size);
    const std::size_t start = below(random, text_.size());
    auto in = leat::open(
        path_, {.pattern = i % 2 == 0 ? leat::pattern::sequential : leat::pattern::automatic});
    in.seek(start);
    int most = 100;
    for (std::size_t from = start; most != 0; --most) {
      const std::size_t expected = text_.find(needle, from);
      const auto found = in.find(needle);
      ASSERT_EQ(found, expected == std::string::npos ? std::nullopt
                                                     : std::optional(std::uint64_t{expected}));
      if (!found) break;
      ASSERT_EQ(in.peek(needle.size()).substr(0, needle.size()), needle);
      const auto line = in.line_around();
      const std::size_t newline = text_.rfind('\n', expected - (expected != 0));
      if (text_[expected] != '\n') {
        ASSERT_EQ(line.start, newline == std::string::npos ? 0 : newline + 1);
      }
      from = expected + needle.size();
      in.seek(from);
    }
  }
}

/// The distances are from 6 bytes to 2 MiB, and mostly short.
TEST_F(long_find, finds_all_occurrences_at_any_distance) {
  random_engine random(49);
  std::vector<std::uint64_t> expected;
  for (std::size_t at = below(random, mib); at + 6 <= text_.size();
       at += 6 + below(random, std::size_t{16} << below(random, 18))) {
    put(at);
    expected.push_back(at);
  }
  write_text();
  for (int run = 0; run != 8; ++run) {
    // Reads bytes at no occurrence, at one occurrence in 10, or at each occurrence.
    const std::size_t reads = run % 3 == 0 ? 0 : run % 3 == 1 ? 10 : 1;
    auto in = leat::open(path_);
    std::vector<std::uint64_t> found;
    for (const std::uint64_t at : in.find_all("needle")) {
      ASSERT_EQ(in.tell(), at);
      found.push_back(at);
      if (reads != 0 && below(random, reads) == 0) {
        const std::size_t size = 1 + below(random, 100);
        ASSERT_TRUE(in.peek(size).starts_with(text_.substr(at, size)));
      }
      if (below(random, 50) == 0) leat::guard_mappings(below(random, 3) != 0);
    }
    leat::guard_mappings(true);
    ASSERT_EQ(found, expected);
    ASSERT_EQ(in.tell(), text_.size());
  }
}

TEST_F(long_find, skips_bytes_of_an_occurrence) {
  for (std::size_t at = mib; at < text_.size(); at += 100'000) put(at, "needle needle");
  write_text();
  for (std::size_t skipped = 1; skipped != 60; ++skipped) {
    auto in = leat::open(path_);
    ASSERT_EQ(in.find("needle needle"), mib);
    for (std::size_t at = mib; at < text_.size(); at += 100'000) {
      ASSERT_EQ(in.skip(skipped), skipped);
      ASSERT_EQ(in.tell(), at + skipped);
      const std::size_t next = text_.find("needle", at + skipped);
      ASSERT_EQ(in.find("needle"),
                next == std::string::npos ? std::nullopt : std::optional(std::uint64_t{next}));
      ASSERT_EQ(in.find("needle n"), at + 100'000 < text_.size()
                                         ? std::optional(std::uint64_t{at + 100'000})
                                         : std::nullopt);
    }
  }
}

TEST_F(long_find, skips_no_bytes_of_a_closed_stream) {
  put(2 * mib);
  write_text();
  auto in = leat::open(path_);
  ASSERT_EQ(in.find("needle"), 2 * mib);
  in.close();
  std::error_code ec;
  EXPECT_EQ(in.skip(6, ec), 0u);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(in.tell(), 2 * mib);
}

TEST_F(long_find, continues_in_a_file_that_has_grown) {
  write_text();
  auto in = leat::open(path_);
  EXPECT_EQ(in.find("needle"), std::nullopt);
  EXPECT_EQ(in.tell(), text_.size());
  auto more = leat::append(path_);
  more.print("{}needle", letters(9 * mib));
  more.close();
  EXPECT_EQ(in.find("needle"), 29 * mib);
}

#if defined(RWF_NOWAIT)
TEST_F(long_find, copies_few_bytes_of_a_cached_file) {
  if (emulated) GTEST_SKIP() << "qemu reads for the program";
  write_text();
  if (!is_known_to_be_cached(path_)) GTEST_SKIP() << "this file system does not say what is cached";
  const std::uint64_t before = io_of_process("rchar");
  EXPECT_EQ(leat::open(path_).find("needle"), std::nullopt);
  EXPECT_LT(io_of_process("rchar") - before, 2 * mib);
  EXPECT_EQ(leat::open(path_, {.buffer_size = 64 << 10}).find("needle"), std::nullopt);
  EXPECT_GT(io_of_process("rchar") - before, text_.size())
      << "if the program chooses a buffer size, the search reads into a buffer";
}

TEST_F(long_find, copies_few_bytes_between_occurrences) {
  if (emulated) GTEST_SKIP() << "qemu reads for the program";
  for (std::size_t at = mib; at < text_.size(); at += 100'000) put(at);
  write_text();
  if (!is_known_to_be_cached(path_)) GTEST_SKIP() << "this file system does not say what is cached";
  const std::uint64_t before = io_of_process("rchar");
  auto in = leat::open(path_);
  std::size_t count = 0;
  for ([[maybe_unused]] const auto at : in.find_all("needle")) ++count;
  EXPECT_EQ(count, (text_.size() - mib + 99'999) / 100'000);
  EXPECT_LT(io_of_process("rchar") - before, 4 * mib);
}
#endif

#if defined(__linux__)
/// A mapping would fill the holes of a memfd.
TEST_F(long_find, does_not_fill_the_holes_of_a_memfd) {
  const int file = ::memfd_create("holes", 0);
  if (file < 0) GTEST_SKIP() << "no memfd_create";
  ASSERT_EQ(::ftruncate(file, 20 * mib), 0);
  auto in = leat::open("/proc/self/fd/" + std::to_string(file));
  EXPECT_EQ(in.find("needle"), std::nullopt);
  struct stat status{};
  ASSERT_EQ(::fstat(file, &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
  ::close(file);
}
#endif

#if defined(HAS_SHRINKING_FILES)
/// Searches while another thread makes the file shorter and longer.
void search_in_a_changing_file(const std::string& path, std::size_t size) {
  std::atomic<bool> stop = false;
  std::thread changes([&] {
    while (!stop) {
      std::filesystem::resize_file(path, 1000);
      std::filesystem::resize_file(path, size);
    }
  });
  std::error_code ec;
  for (int i = 0; i != 150 && !ec; ++i) {
    auto in = leat::open(path);
    require(!in.find("needle", ec));
    require(in.tell() <= size);
  }
  stop = true;
  changes.join();
  require(!ec);
}

TEST_F(long_find, finds_no_occurrence_beyond_the_new_end_of_a_shortened_file) {
  for (std::size_t at = mib; at < text_.size(); at += mib) put(at);
  write_text();
  auto in = leat::open(path_);
  std::vector<std::uint64_t> found;
  for (const std::uint64_t at : in.find_all("needle")) {
    found.push_back(at / mib);
    if (at == 3 * mib) std::filesystem::resize_file(path_, 5 * mib + 1000);
    if (at == 5 * mib) write_file(path_, text_.substr(0, 7 * mib) + "needle");
  }
  EXPECT_EQ(found, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7}));
}

/// The system fills the file's last page with zeros.
TEST_F(long_find, zeros_after_the_end_of_the_file_are_no_occurrence) {
  put(2 * mib);
  put(3 * mib);
  write_text();
  auto in = leat::open(path_);
  ASSERT_EQ(in.find("needle"), 2 * mib);
  std::filesystem::resize_file(path_, 3 * mib + 1);
  EXPECT_EQ(in.find(std::string_view("n\0\0\0", 4)), std::nullopt);
  EXPECT_EQ(in.tell(), 3 * mib + 1);
}

TEST_F(long_find, skips_no_bytes_beyond_the_new_end_of_a_shortened_file) {
  put(2 * mib);
  write_text();
  auto in = leat::open(path_);
  ASSERT_EQ(in.find("needle"), 2 * mib);
  std::filesystem::resize_file(path_, mib);
  std::string bytes(100'000, ' ');
  EXPECT_EQ(in.read(std::span<char>(bytes)), 0u);
  EXPECT_EQ(in.skip(6), 0u);
}

#  if defined(HAS_FORK)
TEST_F(long_find, continues_if_the_file_becomes_shorter) {
  write_text();
  const auto child = run_in_child([&] { search_in_a_changing_file(path_, text_.size()); });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST_F(long_find, does_not_map_in_a_thread_that_blocks_sigbus) {
  write_text();
  const auto child = run_in_child([&] {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGBUS);
    require(::pthread_sigmask(SIG_BLOCK, &blocked, nullptr) == 0);
    search_in_a_changing_file(path_, text_.size());
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST_F(long_find, does_not_map_if_another_handler_of_sigbus_was_installed) {
  write_text();
  const auto child = run_in_child([&] {
    const auto first = leat::map_file(path_);  // installs leat's handler
    require(std::signal(SIGBUS, SIG_DFL) != SIG_ERR);
    search_in_a_changing_file(path_, text_.size());
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}
#  endif
#endif

TEST_F(long_find, finds_all_occurrences_if_mappings_are_forbidden) {
  put(15 * mib);
  write_text();
  const bool before = leat::guard_mappings(false);
  EXPECT_EQ(leat::open(path_).find("needle"), 15 * mib);
  leat::guard_mappings(before);
}

}  // namespace
