// Words of a reader: text between white space.
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "search/every_kernel.hpp"
#include "support/guarded_memory.hpp"
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

TEST(words, of_a_temporary_stream_own_the_stream) {
  strings got;
  for (const auto word : leat::memory_reader("a b").words()) got.emplace_back(word);
  std::error_code ec;
  for (const auto word : leat::memory_reader("c").words(ec)) got.emplace_back(word);
  EXPECT_EQ(got, (strings{"a", "b", "c"}));
}

#if defined(HAS_SYSTEM_FILES)
// A range keeps marks of where words begin and end in the reader's buffer. A move of the range
// drops the marks, because the range owns the reader, which moves, too.
TEST(words, are_whole_in_a_range_that_moves_while_the_input_grows) {
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

TEST(words, are_read_on_after_the_file_has_grown) {
  for (const std::string first : {"", "a", "a b", "a b ", "a b\n\n"}) {
    auto script = new_script();
    script->content = first;
    leat::file_reader in(device_of(script));
    auto range = in.words();
    strings got;
    const auto take_all = [&] {
      for (auto word = range.begin(); word != range.end(); ++word) got.emplace_back(*word);
    };
    take_all();
    take_all();
    for (const char* const more : {" c d", "\ne"}) {
      script->content += more;
      take_all();
    }
    leat::memory_reader all(script->content);
    EXPECT_EQ(got, words_of(all)) << first;
  }
}

TEST(words, that_a_failure_cuts_off_are_not_delivered) {
  for (const std::size_t buffer : buffer_sizes) {
    auto script = new_script();
    script->content = "one two three";
    script->read_limit = 10;
    leat::file_reader in(device_of(script), {.buffer_size = buffer});
    strings got;
    std::error_code ec;
    for (const auto word : in.words(ec)) got.emplace_back(word);
    EXPECT_EQ(got, (strings{"one", "two"}));
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_EQ(in.buffered(), "th");
    EXPECT_THROW(words_of(in), leat::io_error);
  }
}

class words_of_kernels : public leat::test::every_kernel {};
LEAT_TEST_EVERY_KERNEL(words_of_kernels);

TEST_P(words_of_kernels, are_the_texts_between_blanks) {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int i = 0; i != 300; ++i) {
    const std::uint64_t longest = std::uint64_t{1} << (1 + below(10));
    std::string text;
    strings expected;
    for (auto left = below(200); left != 0; --left) {
      for (auto blanks = below(8) == 0 ? 1 + below(100) : 1; blanks != 0; --blanks)
        text += " \t\n\v\f\r"[below(6)];
      // Most of these characters are next to a blank in ASCII, or differ from a blank in one bit.
      std::string word;
      for (auto size = 1 + below(longest); size != 0; --size)
        word += "\x08\x0E\x1F!a\x7F\x89\xA0\xFF"[below(9)];
      text += word;
      expected.push_back(word);
    }
    text.append(below(2), ' ');
    leat::memory_reader memory(text);
    ASSERT_EQ(words_of(memory), expected);
    // Blanks and letters after the text belong to no word.
    const std::string longer = text + std::string("\n! !").substr(below(4));
    leat::memory_reader before_bytes(std::string_view(longer).substr(0, text.size()));
    ASSERT_EQ(words_of(before_bytes), expected);
    leat::test::guarded_memory guarded(text.size() + 1);
    leat::memory_reader at_end(guarded.at_end(text));
    ASSERT_EQ(words_of(at_end), expected);
    // Between two words, the program sometimes seeks back into the word that it has just read.
    test_reader file(reader_kind::file, text, 64);
    strings got;
    std::string again;
    for (const std::string_view word : file.get().words()) {
      if (!again.empty()) {
        ASSERT_EQ(word, again);
        again.clear();
        continue;
      }
      got.emplace_back(word);
      if (below(3) == 0) {
        again = word.substr(below(word.size()));
        file.get().seek_by(-static_cast<std::int64_t>(again.size()));
      }
    }
    ASSERT_EQ(got, expected);
  }
}

TEST(words, go_on_where_another_call_has_moved_the_reader) {
  constexpr std::string_view blank = " \n";
  std::mt19937 random(11);
  const auto below = [&](std::size_t end) { return random() % end; };
  std::string text;
  while (text.size() < 30'000) {
    text.append(below(20) == 0 ? below(200) : below(12), static_cast<char>('a' + below(26)));
    text.append(1 + below(3), blank[below(2)]);
  }
  for (const std::size_t buffer_size : {64u, 1000u, 4096u, 65536u}) {
    test_reader file(reader_kind::file, text, buffer_size);
    leat::reader& in = file.get();
    auto words = in.words();
    for (int step = 0; step != 5000; ++step) {
      switch (below(12)) {
        case 0:
          in.seek(below(text.size()));
          break;
        case 1:
          in.skip(in.buffered().size());
          break;
        case 2:
          in.skip(below(300));
          break;
        case 3:
          in.get();
          break;
        default:
          break;
      }
      const std::size_t begin = text.find_first_not_of(blank, in.tell());
      const std::size_t end = std::min(text.find_first_of(blank, begin), text.size());
      const auto found = words.begin();
      ASSERT_EQ(found == words.end(), begin == text.npos) << buffer_size << ' ' << step;
      if (begin == text.npos) {
        in.seek(0);
        continue;
      }
      ASSERT_EQ(*found, text.substr(begin, end - begin)) << buffer_size << ' ' << step;
      ASSERT_EQ(in.tell(), end);
    }
  }
}

}  // namespace
