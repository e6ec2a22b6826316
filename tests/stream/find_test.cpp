// Searching a stream: every place is found, wherever windows end, and nothing behind it is read.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using positions = std::vector<std::uint64_t>;

positions all_places(std::string_view text, std::string_view needle) {
  positions result;
  auto at = text.begin();
  for (;;) {
    at = std::search(at, text.end(), needle.begin(), needle.end());
    if (at == text.end() && !needle.empty()) return result;
    result.push_back(static_cast<std::uint64_t>(at - text.begin()));
    if (at == text.end()) return result;
    at += needle.empty() ? 1 : static_cast<std::ptrdiff_t>(needle.size());
  }
}

positions found_in(leat::reader& in, std::string_view needle) {
  positions result;
  for (const std::uint64_t at : in.find_all(needle)) {
    EXPECT_EQ(in.tell(), at);
    EXPECT_EQ(in.peek(needle.size()), needle);
    result.push_back(at);
  }
  return result;
}

TEST(find, sees_needles_across_every_border) {
  for (const std::size_t window : {1u, 2u, 7u, 16u, 4096u, 8192u}) {
    for (const std::size_t size : {1u, 2u, 3u, 8u, 17u, 40u}) {
      const std::string needle = std::string(size - 1, 'a') + "b";
      for (std::size_t at = window < 50 ? 0 : window - size - 1; at != window + 2; ++at) {
        std::string text(at, '.');
        text.append(needle).append("...");
        reader_over r(home::memory_device, text, window);
        ASSERT_EQ(r.get().find(needle), at) << "window " << window << ", size " << size;
        ASSERT_EQ(r.get().tell(), at);
        ASSERT_EQ(r.get().find(needle), at) << "the reader stands at it";
        ASSERT_EQ(r.get().get(), needle[0]);
        ASSERT_EQ(r.get().find(needle), std::nullopt);
        ASSERT_EQ(r.get().tell(), text.size());
      }
    }
  }
}

TEST(find, is_like_std_search_for_any_text_and_needle) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round != rounds(1500); ++round) {
    const std::size_t letters = 1 + below(3);
    std::string text(below(4) == 0 ? below(20000) : below(200), ' ');
    for (char& c : text) c = static_cast<char>('a' + below(letters));
    std::string needle(below(4) == 0 ? below(300) : below(5), ' ');
    for (char& c : needle) c = static_cast<char>('a' + below(letters));
    if (below(2) == 0) needle = text.substr(below(text.size() + 1), needle.size());
    const home where = homes[below(std::size(homes))];
    const std::size_t window = window_sizes[below(std::size(window_sizes))];
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << where << ", window " << window
                                    << ", needle " << needle);
    const auto expected = all_places(text, needle);
    reader_over all(where, text, window, static_cast<unsigned>(round));
    ASSERT_EQ(found_in(all.get(), needle), expected);
    ASSERT_EQ(all.get().get(), leat::reader::end_of_file);
    reader_over first(where, text, window);
    leat::finder prepared(needle);
    ASSERT_EQ(first.get().find(prepared),
              expected.empty() ? std::nullopt : std::optional(expected.front()));
  }
}

TEST(find, stands_everywhere_for_an_empty_needle) {
  for (const home where : homes) {
    reader_over r(where, "abc", 2);
    EXPECT_EQ(r.get().find(""), 0u);
    EXPECT_EQ(r.get().skip(2), 2u);
    EXPECT_EQ(r.get().find(""), 2u);
    EXPECT_EQ(r.get().skip(2), 1u);
    EXPECT_EQ(r.get().find(""), 3u);
    if (!r.positional()) continue;
    r.get().seek(1);
    EXPECT_EQ(found_in(r.get(), ""), (positions{1, 2, 3}));
    r.get().seek(10);
    EXPECT_EQ(r.get().find(""), 10u);
  }
}

TEST(find, may_look_for_more_than_there_is) {
  for (const home where : homes) {
    for (const std::size_t window : window_sizes) {
      reader_over r(where, std::string(100, 'a'), window);
      EXPECT_EQ(r.get().find(std::string(101, 'a')), std::nullopt);
      EXPECT_EQ(r.get().tell(), 100u);
    }
  }
}

TEST(find, reads_no_further_than_the_window_with_the_hit) {
  auto script = new_script();
  script->content = std::string(20000, '.') + "needle" + std::string(1 << 20, '.');
  leat::file_reader in(device_of(script));
  EXPECT_EQ(in.find("needle"), 20000u);
  const auto last = script->reads.back();
  EXPECT_LE(last.at, 20005u);
  const std::size_t reads = script->reads.size();
  EXPECT_EQ(in.find("needle"), 20000u);
  EXPECT_EQ(in.peek(6), "needle");
  EXPECT_EQ(script->reads.size(), reads);
}

TEST(find, in_a_stream_does_not_wait_for_what_is_behind_the_hit) {
  pipe_pair pipe;
  leat::file_reader in(leat::borrow(pipe.reader()));
  ASSERT_EQ(write_once(pipe.writer(), "..needle"), 8);
  EXPECT_EQ(in.find("needle"), 2u);
  ASSERT_EQ(write_once(pipe.writer(), "7\nline\n5x"), 9);
  in.skip(6);
  EXPECT_EQ(in.parse<int>(), 7);
  EXPECT_EQ(in.get(), '\n');
  std::string line;
  EXPECT_TRUE(in.read_line(line));
  EXPECT_EQ(line, "line");
  EXPECT_EQ(in.parse<int>(), 5) << "an integer ends before a letter, whatever comes behind it";
  EXPECT_EQ(in.buffered(), "x");
}

TEST(find, all_goes_on_wherever_the_reader_is) {
  const std::string text = "aaaa..aa.aaa";
  for (const home where : {home::memory, home::file, home::random_reads}) {
    for (const std::size_t window : window_sizes) {
      reader_over r(where, text, window);
      leat::reader& in = r.get();
      auto range = in.find_all("aa");
      auto i = range.begin();
      EXPECT_EQ(*i, 0u);
      in.seek(1);
      ++i;
      EXPECT_EQ(*i, 2u) << "not overlapping the one before";
      in.seek(0);
      ++i;
      EXPECT_EQ(*i, 6u);
      in.seek(10);
      auto copy = i;
      i++;
      EXPECT_EQ(*i, 10u) << "from where the reader has gone";
      EXPECT_EQ(*copy, 10u);
      EXPECT_EQ(*range.begin(), 10u) << "begin searches from where the reader stands";
      in.seek(100);
      ++i;
      EXPECT_TRUE(i == range.end());
    }
  }
}

TEST(find, all_with_a_moved_finder_leaves_an_empty_needle) {
  leat::memory_reader in(std::string_view("abab"));
  leat::finder needle("b");
  leat::finder taken = std::move(needle);
  EXPECT_EQ(in.find(needle), 0u);
  EXPECT_EQ(in.find(taken), 1u);
}

TEST(find, tells_of_a_failed_read_and_can_be_repeated) {
  for (const std::size_t window : window_sizes) {
    for (std::uint64_t limit = 0; limit != 30; ++limit) {
      SCOPED_TRACE(testing::Message() << "window " << window << ", limit " << limit);
      auto script = new_script();
      script->content = "..needle...........needle....";
      script->read_limit = limit;
      leat::file_reader in(device_of(script), {.buffer_size = window});
      positions got;
      std::error_code ec;
      for (const std::uint64_t at : in.find_all("needle", ec)) got.push_back(at);
      EXPECT_EQ(ec, std::errc::io_error);
      EXPECT_EQ(got.size(), limit < 8 ? 0u : limit < 25 ? 1u : 2u);
      EXPECT_LE(in.tell(), limit);
      EXPECT_THROW(in.find("needle"), leat::io_error);
      if (limit < 19) {
        script->read_limit = 100;
        EXPECT_EQ(in.find("needle", ec), limit < 8 ? 2u : 19u);
        EXPECT_FALSE(ec);
      }
      in.close();
    }
  }
}

}  // namespace
