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

TEST(words, are_the_same_for_every_reader) {
  struct {
    std::string text;
    strings words;
  } const cases[] = {
      {"", {}},
      {" \n\t ", {}},
      {"a", {"a"}},
      {" a ", {"a"}},
      {"one two\r\nthree\v\ffour", {"one", "two", "three", "four"}},
      {std::string("a\0b \xA0 c", 7), {std::string("a\0b", 3), "\xA0", "c"}},
      {std::string(70'000, 'x') + std::string(70'000, ' ') + "y", {std::string(70'000, 'x'), "y"}}};
  for (const auto& [text, words] : cases) {
    for (const home where : homes) {
      for (const std::size_t window : window_sizes) {
        if (text.size() > 1000 && window < 1000 && where == home::short_reads) continue;
        SCOPED_TRACE(testing::Message() << text.substr(0, 40) << ", " << where << ", " << window);
        reader_over r(where, text, window);
        EXPECT_TRUE(words_of(r.get()) == words);
        EXPECT_EQ(r.get().tell(), text.size());
      }
    }
  }
}

TEST(words, leave_the_reader_behind_them) {
  for (const home where : homes) {
    reader_over r(where, "size 12 rest of it");
    leat::reader& in = r.get();
    for (const std::string_view word : in.words()) {
      if (word != "size") {
        EXPECT_EQ(word, "rest");
        break;
      }
      EXPECT_EQ(in.tell(), 4u);
      EXPECT_EQ(in.parse<int>(), 12);
    }
    EXPECT_EQ(in.peek(100), " of it");
  }
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
