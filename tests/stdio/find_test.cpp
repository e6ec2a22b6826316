// leat_find: positions, small buffers, large files, pipes, pushed-back bytes, errors.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "stdio/scripted_input.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

/// Expects that leat_find finds the occurrences in order. Reads the byte after each occurrence, and
/// continues after this byte.
void expect_finds(leat_file* f, std::string_view text, std::string_view needle) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t expected = text.find(needle, from);
    leat_off_t at = -77;
    const int found = leat_find(f, needle.data(), needle.size(), &at);
    ASSERT_EQ(found, expected == std::string_view::npos ? 0 : 1) << text << ", " << needle << from;
    if (found == 0) {
      EXPECT_EQ(at, -77);
      EXPECT_NE(leat_feof(f), 0);
      EXPECT_EQ(leat_ferror(f), 0);
      return;
    }
    ASSERT_EQ(at, static_cast<leat_off_t>(expected)) << text << ", " << needle << from;
    from = expected + needle.size();
    ASSERT_EQ(leat_ftello(f), static_cast<leat_off_t>(from));
    ASSERT_EQ(leat_fgetc(f), from < text.size() ? text[from] : EOF);
    from = std::min(from + 1, text.size());
  }
}

TEST(find, finds_all_occurrences_with_small_buffers) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(2);
  for (int round = 0; round != 150; ++round) {
    std::string text(random() % 60, ' '), needle(1 + random() % 6, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    for (char& c : needle) c = static_cast<char>('a' + random() % 2);
    write_file(path, text);
    for (std::size_t size = 0; size != 10; ++size) {
      const file_ptr f = open_file(path, "r");
      leat_setvbuf(f.get(), nullptr, _IOFBF, size);
      expect_finds(f.get(), text, needle);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(find, finds_occurrences_after_partial_matches) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const std::string_view needle : {"aab", "abab", "aaaaaaaaaab", "b", "xaab"})
    for (const std::string text : {"aaab", "aab", "ababab", "xaaab", "aaaaaaaaaaaaaab", ""}) {
      write_file(path, text);
      for (std::size_t size = 0; size != 10; ++size) {
        const file_ptr f = open_file(path, "r");
        leat_setvbuf(f.get(), nullptr, _IOFBF, size);
        expect_finds(f.get(), text, needle);
      }
    }
}

TEST(find, finds_occurrences_in_large_files) {
  const temporary_folder folder;
  std::string text = numbered_text(700'000);
  text.replace(0, 6, "needle");
  text.replace(262'140, 6, "needle");
  text.replace(text.size() - 6, 6, "needle");
  write_file(folder / "file", text);
  const file_ptr f = open_file(folder / "file", "r");
  expect_finds(f.get(), text, "needle");
}

TEST(find, finds_occurrences_in_a_pipe) {
  int ends[2];
  make_pipe(ends);
  EXPECT_GE(leat_fputs("..aaab..aab.", file_ptr(leat_fdopen(ends[1], "w")).get()), 0);
  const file_ptr f(leat_fdopen(ends[0], "r"));
  ASSERT_NE(f, nullptr);
  leat_setvbuf(f.get(), nullptr, _IOFBF, 2);
  leat_off_t at = -1;
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 1);
  EXPECT_EQ(at, 3);
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 1);
  EXPECT_EQ(at, 8);
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 0);
  EXPECT_EQ(at, 8);
}

TEST(find, finds_occurrences_in_pushed_back_bytes) {
  const temporary_folder folder;
  write_file(folder / "file", "..cd..");
  const file_ptr f = open_file(folder / "file", "r");
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  leat_ungetc('b', f.get());
  leat_ungetc('a', f.get());
  leat_off_t at = -1;
  EXPECT_EQ(leat_find(f.get(), "bcd", 3, &at), 1);
  EXPECT_EQ(at, 1);
  EXPECT_EQ(rest_of(f.get()), "..");
}

TEST(find, refuses_an_empty_needle) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const file_ptr f = open_file(folder / "file", "r");
  errno = 0;
  EXPECT_EQ(leat_find(f.get(), "", 0, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_find(f.get(), "ex", 2, nullptr), 1);
  EXPECT_EQ(rest_of(f.get()), "t") << "the refused search took no bytes";
}

TEST(find, continues_after_errors) {
  scripted_input in{{"abc", std::nullopt, "def"}};
  const file_ptr f = in.open();
  leat_off_t at = -1;
  EXPECT_EQ(leat_find(f.get(), "x", 1, &at), -1);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_find(f.get(), "e", 1, &at), 1);
  EXPECT_EQ(leat_find(f.get(), "x", 1, &at), 0) << "the error indicator is from an earlier call";
}

TEST(find, finds_no_bytes_before_the_position_of_a_write) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const file_ptr f = open_file(folder / "file", "r+");
  leat_fputs("5", f.get());
  leat_off_t at = -1;
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(leat_find(f.get(), "5", 1, &at), 1);
  EXPECT_EQ(at, 5);
  EXPECT_EQ(rest_of(f.get()), "6789");
}

}  // namespace
