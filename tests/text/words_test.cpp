// Words: text between white space.
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <string>
#include <vector>

#include "support/handles.hpp"
#include "support/platform.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using strings = std::vector<std::string>;

strings words_of(leat::reader& in) {
  strings result;
  for (const std::string_view word : in.words()) result.emplace_back(word);
  return result;
}

TEST(words, of_a_temporary_keep_it) {
  strings got;
  for (const auto word : leat::memory_reader("a b").words()) got.emplace_back(word);
  std::error_code ec;
  for (const auto word : leat::memory_reader("c").words(ec)) got.emplace_back(word);
  EXPECT_EQ(got, (strings{"a", "b", "c"}));
}

#if defined(HAS_SYSTEM_FILES)
// A range keeps marks of blanks in the reader's buffer. After a move the marks are invalid, because
// the reader, which the range owns, has moved.
TEST(words, of_a_range_that_moves_while_the_input_grows) {
  pipe_pair pipe;
  std::string expected, got;
  const auto write = [&](std::string_view text) {
    ASSERT_EQ(::write(pipe.writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    expected += text;
  };
  write("aaaaaaa aaaaaaa aaaaaaa aaaaaaa aaaaaaa aaaaaaa aaaaaaa aaaaaaa aaaaaaa bbb ");
  auto range = leat::open("/dev/fd/" + std::to_string(pipe.reader())).words();
  auto word = range.begin();
  for (int i = 0; i != 10; ++i) {
    got.append(*word) += ' ';
    if (i != 9) ++word;
  }
  for (const std::string_view more : {"cc dd e ffff ", "g ", "hhhhhhhhhhhhhhhhhhhhhhhh i "}) {
    auto moved = std::move(range);
    write(more);
    if (more.front() == 'h') pipe.close_writer();
    for (auto at = moved.begin(); at != moved.end(); ++at) {
      got.append(*at) += ' ';
      if (got.size() == expected.size() && more.front() != 'h') break;
    }
    range = std::move(moved);
  }
  EXPECT_EQ(got, expected);
}
#endif

TEST(words, that_a_failure_cuts_off_are_not_delivered) {
  for (const std::size_t window : buffer_sizes) {
    auto script = new_script();
    script->content = "one two three";
    script->read_limit = 10;
    leat::file_reader in(device_of(script), {.buffer_size = window});
    strings got;
    std::error_code ec;
    for (const auto word : in.words(ec)) got.emplace_back(word);
    EXPECT_EQ(got, (strings{"one", "two"}));
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_EQ(in.buffered(), "th");
    EXPECT_THROW(words_of(in), leat::io_error);
  }
}

}  // namespace
