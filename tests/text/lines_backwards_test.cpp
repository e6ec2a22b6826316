// Lines from the end to the start, and the line around a position.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using strings = std::vector<std::string>;

strings reversed_lines(leat::reader& in, const leat::line_options& options = {}) {
  strings result;
  for (const std::string_view line : in.lines_backwards(options)) {
    result.emplace_back(line);
    const std::uint64_t start = in.tell();
    EXPECT_EQ(in.peek(line.size()), line) << "the reader is at the start of the line";
    if (result.size() % 3 == 0) in.seek(0);  // the program may seek between lines
    if (result.size() % 3 == 1) in.seek(start);
  }
  std::reverse(result.begin(), result.end());
  return result;
}
strings lines(leat::reader& in, const leat::line_options& options = {}) {
  strings result;
  for (const std::string_view line : in.lines(options)) result.emplace_back(line);
  return result;
}

TEST(lines_backwards, read_mappings_streams_and_temporaries) {
  const temporary_folder folder;
  const std::string text = numbered_text(100'000);
  leat::write_file(folder / "text", text);
  auto plain = leat::open(folder / "text");
  const strings expected = lines(plain);
  auto mapped = leat::map_file(folder / "text");
  EXPECT_TRUE(reversed_lines(mapped) == expected);
  auto both = leat::update(folder / "text");
  EXPECT_TRUE(reversed_lines(both) == expected);
  both.seek(text.size());
  both.write("\nlast");
  EXPECT_EQ(*both.lines_backwards().begin(), "last");
  EXPECT_EQ(*leat::open(folder / "text").lines_backwards().begin(), "last");
}

TEST(lines_backwards, leave_the_reader_before_the_lines_that_were_read) {
  leat::memory_reader in("1\n2\n3\n4\n");
  int n = 0;
  for ([[maybe_unused]] auto line : in.lines_backwards())
    if (++n == 2) break;
  EXPECT_EQ(in.read_all(), "3\n4\n");
}

TEST(lines_backwards, read_each_byte_of_the_file_about_once) {
  auto script = new_script();
  script->content = numbered_text(1'000'000);
  leat::file_reader in(device_of(script));
  std::size_t size = 0;
  for (const auto line : in.lines_backwards()) size += line.size() + 1;
  EXPECT_EQ(size, 1'000'001u);
  std::size_t bytes = 0;
  for (const auto& read : script->reads) bytes += read.returned;
  EXPECT_LT(bytes, 1'300'000u);
}

TEST(lines_backwards, continue_with_the_remaining_lines_of_a_file_that_becomes_shorter) {
  for (const std::string_view end : {"\n", "", "00", "\n\n"}) {
    auto script = new_script();
    for (int i = 0; i != 100'000; ++i) script->content += "line " + std::to_string(i) + '\n';
    leat::file_reader in(device_of(script));
    strings got;
    for (const auto line : in.lines_backwards()) {
      if (got.empty()) script->content.resize(script->content.find("\nline 100\n"));
      if (got.empty()) script->content += end;
      got.emplace_back(line);
    }
    std::reverse(got.begin(), got.end());
    leat::memory_reader left(script->content);
    const strings expected = lines(left);
    ASSERT_GT(got.size(), expected.size());
    got.resize(expected.size());
    EXPECT_EQ(got, expected);
  }
}

TEST(lines_backwards, report_failures) {
  std::error_code ec;
  test_reader pipe(reader_kind::pipe, "a\nb\n");
  EXPECT_THROW(reversed_lines(pipe.get()), leat::io_error);
  for ([[maybe_unused]] auto line : pipe.get().lines_backwards(ec)) ADD_FAILURE();
  EXPECT_TRUE(ec);
  for ([[maybe_unused]] auto line : leat::file_reader().lines_backwards(ec)) ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::closed);

  strings got;
  leat::memory_reader longs("long\na\n");
  for (const auto line : longs.lines_backwards({.longest = 2}, ec)) got.emplace_back(line);
  EXPECT_EQ(got, strings{"a"});
  EXPECT_EQ(ec, leat::errc::line_too_long);

  auto script = new_script();
  script->content = "a\nb\n";
  script->read_limit = 2;
  leat::file_reader broken(device_of(script));
  for ([[maybe_unused]] auto line : broken.lines_backwards(ec)) ADD_FAILURE();
  EXPECT_EQ(ec, std::errc::io_error);
}

TEST(line_around, finds_no_line_at_the_end_of_the_text) {
  for (const std::string_view text : {"", "a\n", "a\nlast", "a\n\n"}) {
    leat::memory_reader in(text);
    in.seek(text.size());
    const leat::placed_line line = in.line_around({.longest = 1});
    EXPECT_EQ(line.text.data(), nullptr) << text;
    EXPECT_EQ(in.tell(), text.size());
  }
}

TEST(line_around, does_not_move_the_reader_if_it_fails) {
  std::string text;
  for (int i = 0; i != 40'000; ++i) text += std::to_string(i) + "\n";
  leat::fault_plan plan;
  leat::file_reader in(
      std::make_unique<leat::failing_device>(std::make_unique<leat::memory_device>(text), plan));
  in.seek(150'000);
  plan.add({.in = leat::device_operation::read,
            .nth = 1,
            .ec = std::make_error_code(std::errc::io_error)});
  EXPECT_THROW(in.line_around(), leat::io_error);
  EXPECT_EQ(in.tell(), 150'000u);
  std::error_code ec;
  const leat::placed_line line = in.line_around(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(line.start, text.rfind('\n', 150'000) + 1);

  const std::string long_line = "first\n" + std::string(200, 'x') + "error\nlast error\n";
  leat::memory_reader lines(long_line);
  int failures = 0;
  std::vector<std::string> found;
  while (lines.find("error")) {
    const std::uint64_t hit = lines.tell();
    const auto around = lines.line_around({.longest = 50}, ec);
    if (!ec) {
      found.emplace_back(around.text);
      continue;
    }
    ++failures;
    EXPECT_EQ(ec, leat::errc::line_too_long);
    ASSERT_EQ(lines.tell(), hit);
    lines.skip(5);
  }
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(found, std::vector<std::string>{"last error"});
}

TEST(line_around, in_a_pipe_needs_the_start_of_the_line_in_the_buffer) {
  test_reader near(reader_kind::pipe, "a line\n");
  near.get().peek(7);  // a pipe delivers pieces; peek() brings the text into one buffer
  near.get().skip(3);
  std::error_code ec = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(near.get().line_around(ec).text, "a line");
  EXPECT_FALSE(ec);
  test_reader far(reader_kind::pipe, std::string(1 << 20, 'x'));
  far.get().skip((1 << 20) - 1);
  EXPECT_EQ(far.get().line_around(ec).text, "");
  EXPECT_EQ(ec, std::errc::invalid_seek);
  EXPECT_EQ(far.get().get(), 'x') << "the reader has not moved";
  far.get().close();
}

}  // namespace
