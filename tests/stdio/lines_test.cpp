// leat_next_line, and the list of line ends that fgets and getdelim find in advance. The driver
// fuzz/c_options.cpp makes random calls of these functions.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stdio/scripted_input.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

std::vector<std::string> lines_of(leat_file* f) {
  std::vector<std::string> lines;
  std::size_t size = 12345;
  while (const char* line = leat_next_line(f, &size)) lines.emplace_back(line, size);
  return lines;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

TEST(lines, are_whole_with_buffers_of_any_size) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(1);
  for (int round = 0; round != 60; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i != 0; --i) {
      text.append(random() % (round % 2 == 0 ? 4 : 40), static_cast<char>('a' + i % 26));
      if (random() % 10 == 0) text += '\0';
      text += '\n';
    }
    if (random() % 2 == 0) text += "last";
    write_file(path, text);
    for (const std::size_t size : {1u, 2u, 3u, 5u, 8u, 16u, 4096u}) {
      const file_ptr f = open_file(path, "r");
      leat_setvbuf(f.get(), nullptr, _IOFBF, size);
      ASSERT_EQ(lines_of(f.get()), lines_of(text)) << size;
      EXPECT_NE(leat_feof(f.get()), 0);
      EXPECT_EQ(leat_ferror(f.get()), 0);
      EXPECT_EQ(leat_ftell(f.get()), static_cast<long>(text.size()));
    }
  }
}

TEST(lines, longer_than_a_buffer_are_whole) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::string text(1'300'000, 'x');
  for (const std::size_t at : {0u, 1'000'000u, 1'000'001u, 1'000'003u}) text[at] = '\n';
  write_file(path, text);
  const file_ptr f = open_file(path, "r");
  EXPECT_EQ(lines_of(f.get()), lines_of(text));
}

TEST(lines, leat_next_line_returns_a_line_in_the_buffer_without_a_copy) {
  char memory[] = "first\n\nthird\nlast";
  const file_ptr f(leat_fmemopen(memory, std::strlen(memory), "r"));
  ASSERT_NE(f, nullptr);
  std::size_t size = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), memory);
  EXPECT_EQ(size, 5u);
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 6);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(leat_fgetc(f.get()), 't') << "reading goes on after the line";
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 8);
  const char* const last = leat_next_line(f.get(), &size);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(std::string_view(last, size), "last");
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_NE(leat_feof(f.get()), 0);
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
}

TEST(lines, include_pushed_back_bytes) {
  const temporary_folder folder;
  write_file(folder / "file", "bc\nde");
  const file_ptr f = open_file(folder / "file", "r");
  leat_ungetc('a', f.get());
  EXPECT_EQ(lines_of(f.get()), (std::vector<std::string>{"abc", "de"}));
  leat_ungetc('\n', f.get());
  leat_ungetc('x', f.get());
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"x"});
}

TEST(lines, that_an_error_cuts_off_are_not_returned) {
  scripted_input in{{"one\ntw", std::nullopt, "o\nthree"}};
  const file_ptr f = in.open();
  std::size_t size = 0;
  const char* const line = leat_next_line(f.get(), &size);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(std::string_view(line, size), "one");
  errno = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_EQ(errno, EIO);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_feof(f.get()), 0);
}

TEST(lines, an_error_at_the_start_of_a_line_is_reported) {
  scripted_input in{{"one\n", std::nullopt, "two\n"}};
  const file_ptr f = in.open();
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"one"});
  EXPECT_EQ(in.reads, 2) << "the library does not repeat the failed read";
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"two"})
      << "an earlier error is not reported again";
  EXPECT_NE(leat_feof(f.get()), 0);
}

TEST(lines, reading_a_line_of_a_write_only_stream_is_an_error) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w");
  std::size_t size = 0;
  errno = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_EQ(errno, EBADF);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

/// Owns the memory that leat_getdelim allocates.
struct line_memory {
  line_memory() = default;
  line_memory(const line_memory&) = delete;
  line_memory& operator=(const line_memory&) = delete;
  ~line_memory() { std::free(text); }

  /// Returns the bytes up to and including the delimiter, or up to the end of the file. Returns an
  /// empty string if there are no more bytes, and after an error.
  std::string next(leat_file* f, int delimiter = '\n') {
    const ssize_t got = leat_getdelim(&text, &size, delimiter, f);
    if (got < 0) return {};
    EXPECT_EQ(text[got], '\0');
    return {text, static_cast<std::size_t>(got)};
  }

  char* text = nullptr;
  std::size_t size = 0;
};

/// Calls fgets with memory of `size` bytes. Returns the stored bytes before the NUL, or an empty
/// string if fgets returns null. Expects that no byte after the NUL has changed.
std::string line_by_fgets(leat_file* f, std::size_t size) {
  std::vector<char> memory(size + 200, '\x7f');
  if (leat_fgets(memory.data(), static_cast<int>(size), f) == nullptr) return {};
  const auto end = std::find_if(memory.rbegin(), memory.rend(), [](char c) { return c != '\x7f'; });
  EXPECT_EQ(*end, '\0');
  return {memory.begin(), end.base() - 1};
}

TEST(lines, fgets_changes_no_byte_of_later_lines) {
  const temporary_folder folder;
  std::string text;
  for (std::size_t size = 0; size != 300; ++size) text += std::string(size, 'x') + '\n';
  write_file(folder / "file", text);
  const file_ptr f = open_file(folder / "file", "r");
  for (std::size_t size = 0; size != 300; ++size)
    EXPECT_EQ(line_by_fgets(f.get(), 1000), std::string(size, 'x') + '\n');
  EXPECT_EQ(line_by_fgets(f.get(), 1000), "");
  leat_rewind(f.get());
  for (std::size_t size = 0; size != 300; ++size)
    EXPECT_EQ(line_by_fgets(f.get(), size + 2), std::string(size, 'x') + '\n')
        << "memory for exactly the line and its NUL";
}

TEST(lines, fgets_with_room_for_one_byte_reads_no_bytes) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 100; ++i) text += "line\n";
  write_file(folder / "file", text);
  const file_ptr f = open_file(folder / "file", "r");
  for (int i = 0; i != 100; ++i) {
    char room[] = "??";
    EXPECT_EQ(leat_fgets(room, 1, f.get()), room);
    EXPECT_STREQ(room, "");
    EXPECT_EQ(room[1], '?');
    EXPECT_EQ(leat_fgets(room, 0, f.get()), nullptr);
    EXPECT_EQ(line_by_fgets(f.get(), 3), "li");
    EXPECT_EQ(leat_fgets(room, 1, f.get()), room);
    EXPECT_EQ(line_by_fgets(f.get(), 4), "ne\n");
  }
  EXPECT_EQ(leat_fgetc(f.get()), EOF);
}

TEST(lines, read_after_a_write_to_the_stream_have_the_written_bytes) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 100; ++i) text += "0123456\n";
  for (const std::size_t buffer : {0u, 256u, 1024u}) {
    write_file(folder / "file", text);
    const file_ptr f = open_file(folder / "file", "r+");
    if (buffer != 0) leat_setvbuf(f.get(), nullptr, _IOFBF, buffer);
    for (int i = 0; i != 4; ++i) EXPECT_EQ(line_by_fgets(f.get(), 100), "0123456\n");
    const long position = leat_ftell(f.get());
    leat_fseek(f.get(), position + 3, SEEK_SET);
    leat_fputc('\n', f.get());
    leat_fseek(f.get(), position, SEEK_SET);
    EXPECT_EQ(line_by_fgets(f.get(), 100), "012\n");
    EXPECT_EQ(line_by_fgets(f.get(), 100), "456\n");
    EXPECT_EQ(line_by_fgets(f.get(), 100), "0123456\n");
  }
}

TEST(lines, are_found_again_in_another_buffer_at_the_same_address) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 64; ++i) text += "0123456\n";
  for (int i = 0; i != 64; ++i) text += "01\n345\n\n";
  write_file(folder / "file", text);
  const file_ptr f = open_file(folder / "file", "r");
  leat_setvbuf(f.get(), nullptr, _IOFBF, 512);
  for (int i = 0; i != 4; ++i) EXPECT_EQ(line_by_fgets(f.get(), 100), "0123456\n");
  leat_fseek(f.get(), 512, SEEK_SET);
  for (int i = 0; i != 32; ++i) leat_fgetc(f.get());
  EXPECT_EQ(line_by_fgets(f.get(), 100), "01\n");
  EXPECT_EQ(line_by_fgets(f.get(), 100), "345\n");
}

TEST(lines, have_the_bytes_that_the_program_has_changed_in_its_memory) {
  std::string text;
  for (int i = 0; i != 100; ++i) text += "0123456\n";
  const file_ptr f(leat_fmemopen(text.data(), text.size(), "r"));
  ASSERT_NE(f, nullptr);
  for (int i = 0; i != 4; ++i) EXPECT_EQ(line_by_fgets(f.get(), 100), "0123456\n");
  text[35] = '\n';
  EXPECT_EQ(line_by_fgets(f.get(), 100), "012\n");
}

TEST(lines, before_a_failed_read_are_returned) {
  std::string many;
  for (int i = 0; i != 50; ++i) many += "0123456\n";
  scripted_input in{{many + "be", std::nullopt, "gun\n" + many}};
  const file_ptr f = in.open();
  for (int i = 0; i != 50; ++i) ASSERT_EQ(line_by_fgets(f.get(), 100), "0123456\n");
  EXPECT_EQ(line_by_fgets(f.get(), 100), "")
      << "fgets returns null for a line that an error cuts off";
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(line_by_fgets(f.get(), 100), "gun\n");
  EXPECT_NE(leat_ferror(f.get()), 0) << "the error indicator stays";
  line_memory memory;
  for (int i = 0; i != 50; ++i) ASSERT_EQ(memory.next(f.get()), "0123456\n");
  EXPECT_EQ(memory.next(f.get()), "");
  EXPECT_NE(leat_feof(f.get()), 0);
}

}  // namespace
