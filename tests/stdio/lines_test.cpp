// leat_next_line.
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

TEST(lines, lines_however_long_and_whatever_the_buffer) {
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
      const owned f = opened(path, "r");
      leat_setvbuf(f.get(), nullptr, _IOFBF, size);
      ASSERT_EQ(lines_of(f.get()), lines_of(text)) << size;
      EXPECT_NE(leat_feof(f.get()), 0);
      EXPECT_EQ(leat_ferror(f.get()), 0);
      EXPECT_EQ(leat_ftell(f.get()), static_cast<long>(text.size()));
    }
  }
}

TEST(lines, long_lines) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::string text(1'300'000, 'x');
  for (const std::size_t at : {0u, 1'000'000u, 1'000'001u, 1'000'003u}) text[at] = '\n';
  write_file(path, text);
  const owned f = opened(path, "r");
  EXPECT_EQ(lines_of(f.get()), lines_of(text));
}

TEST(lines, lines_in_the_window_are_not_copied) {
  char memory[] = "first\n\nthird\nlast";
  const owned f(leat_fmemopen(memory, std::strlen(memory), "r"));
  ASSERT_NE(f, nullptr);
  std::size_t size = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), memory);
  EXPECT_EQ(size, 5u);
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 6);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(leat_fgetc(f.get()), 't') << "reading goes on behind the line";
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 8);
  const char* const last = leat_next_line(f.get(), &size);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(std::string_view(last, size), "last");
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_NE(leat_feof(f.get()), 0);
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
}

TEST(lines, lines_with_what_was_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", "bc\nde");
  const owned f = opened(folder / "file", "r");
  leat_ungetc('a', f.get());
  EXPECT_EQ(lines_of(f.get()), (std::vector<std::string>{"abc", "de"}));
  leat_ungetc('\n', f.get());
  leat_ungetc('x', f.get());
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"x"});
}

TEST(lines, no_line_on_errors) {
  scripted_input in{{"one\ntw", std::nullopt, "o\nthree"}};
  const owned f = in.open();
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

TEST(lines, an_error_where_a_line_begins_is_told) {
  scripted_input in{{"one\n", std::nullopt, "two\n"}};
  const owned f = in.open();
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"one"});
  EXPECT_EQ(in.reads, 2) << "not tried again by itself";
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"two"})
      << "an error of before is no new one";
  EXPECT_NE(leat_feof(f.get()), 0);
}

TEST(lines, no_line_of_what_is_only_written) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  std::size_t size = 0;
  errno = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_EQ(errno, EBADF);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

}  // namespace
