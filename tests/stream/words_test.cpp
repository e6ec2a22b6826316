// Words: texts between blanks.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <string>
#include <vector>

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

TEST(words, that_a_failure_cuts_off_are_not_delivered) {
  for (const std::size_t window : window_sizes) {
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
