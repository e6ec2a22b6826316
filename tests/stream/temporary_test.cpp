// Ranges of lines, words, rows and matches: a range of a temporary stream owns the stream, and a
// range of a named stream refers to the stream.
#include <gtest/gtest.h>
#include <leat/fields.hpp>
#include <leat/file_stream.hpp>
#include <leat/follow.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <concepts>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using strings = std::vector<std::string>;

static_assert(std::same_as<decltype(std::declval<leat::reader&>().lines()), leat::line_range>);
static_assert(std::same_as<decltype(std::declval<leat::file_reader&>().lines()), leat::line_range>);
static_assert(std::same_as<decltype(leat::in.find_all("x")), leat::match_range>);
static_assert(std::ranges::input_range<decltype(leat::open("x").lines())>);
static_assert(std::same_as<decltype(leat::fields("a,b")), leat::field_range>);

/// A text larger than a buffer, so that a destroyed stream would be noticed.
std::string long_text() { return numbered_text(100'000); }

class temporaries : public testing::Test {
 protected:
  temporaries() { write_file(path, text); }

  template <class Make>
  void expect_lines_and_matches(const Make& make) const {
    std::string joined;
    for (const std::string_view line : make().lines()) joined.append(line).append("\n");
    joined.pop_back();  // the last line has no delimiter
    EXPECT_EQ(joined, text);

    std::vector<std::uint64_t> positions;
    for (const std::uint64_t at : make().find_all("77")) positions.push_back(at);
    std::vector<std::uint64_t> expected;
    for (auto at = text.find("77"); at != std::string::npos; at = text.find("77", at + 2))
      expected.push_back(at);
    EXPECT_EQ(positions, expected);
  }

  const temporary_folder folder;
  const std::string path = folder / "text";
  const std::string text = long_text();
};

TEST_F(temporaries, of_files_live_as_long_as_the_range) {
  expect_lines_and_matches([&] { return leat::open(path); });
  expect_lines_and_matches([&] { return leat::update(path); });
  expect_lines_and_matches([&] { return leat::map_file(path); });
  expect_lines_and_matches([&] { return leat::follow(path, {.timeout = {}}); });
}

TEST_F(temporaries, over_memory_live_as_long_as_the_range) {
  expect_lines_and_matches([&] { return leat::memory_reader(text); });
}

TEST_F(temporaries, are_closed_with_the_range) {
  auto script = new_script();
  script->content = text;
  {
    auto&& lines = leat::file_reader(device_of(script)).lines();
    EXPECT_EQ(*lines.begin(), "0 1 2 3 4 5 6 7");
    EXPECT_EQ(script->destructions, 0);
  }
  EXPECT_EQ(script->destructions, 1);
}

TEST_F(temporaries, can_be_moved_into_views) {
  const auto after = std::views::drop(1);
  const auto joined = [](auto&& range) {
    std::string all;
    for (const auto& part : range) all.append(part).append("|");
    return all;
  };
  const std::string some = "a b\nc d\n\ne,f\n";
  const std::string named = folder / "some";
  write_file(named, some);
  EXPECT_EQ(joined(leat::open(named).lines() | after), "c d||e,f|");
  EXPECT_EQ(joined(leat::memory_reader(some).words() | after), "b|c|d|e,f|");
  EXPECT_EQ(joined(leat::open(named).lines_backwards() | after), "|c d|a b|");
  EXPECT_EQ(joined(leat::fields(std::string("x,y,z")) | after), "y|z|");
  std::string fields;
  for (const auto& row : leat::open(named).rows({.quotes = true}) | after)
    fields += joined(row) + '/';
  EXPECT_EQ(fields, "c d|/|/e|f|/");
  std::vector<std::uint64_t> positions;
  for (const std::uint64_t at : leat::open(named).find_all("\n") | after) positions.push_back(at);
  EXPECT_EQ(positions, (std::vector<std::uint64_t>{7, 8, 12}));

  auto in = leat::open(path);
  const auto is_long = [](std::string_view line) { return line.size() > 15; };
  std::string expected;
  for (const auto line : in.lines())
    if (is_long(line)) expected.append(line).append("|");
  in.seek(0);
  EXPECT_EQ(joined(in.lines() | std::views::filter(is_long)), expected);
}

// A copy of a lazy iterator would not know that the other iterator has taken the element.
template <class Iterator>
constexpr bool can_only_be_moved = std::input_iterator<Iterator> && !std::copyable<Iterator>;
static_assert(can_only_be_moved<leat::line_range::iterator>);
static_assert(can_only_be_moved<leat::backward_line_range::iterator>);
static_assert(can_only_be_moved<leat::word_range::iterator>);
static_assert(can_only_be_moved<leat::match_range::iterator>);
static_assert(can_only_be_moved<leat::row_range::iterator>);

TEST_F(temporaries, can_be_used_by_views_and_algorithms) {
  const std::string named = folder / "numbers";
  write_file(named, "1\n20\n300\n4000\n50000\n");
  const auto lines = [&] { return leat::open(named).lines(); };
  const auto size = [](std::string_view line) { return line.size(); };
  const auto is_odd = [](std::size_t n) { return n % 2 == 1; };
  const auto is_short = [](std::string_view line) { return line.size() < 4; };
  std::vector<std::size_t> sizes;
  std::ranges::copy(lines() | std::views::transform(size) | std::views::filter(is_odd) |
                        std::views::drop(1) | std::views::take(5),
                    std::back_inserter(sizes));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 5}));
  std::string joined;
  for (const char c : lines() | std::views::take_while(is_short) | std::views::join) joined += c;
  EXPECT_EQ(joined, "120300");
  EXPECT_EQ(*(lines() | std::views::drop_while(is_short)).begin(), "4000");
  EXPECT_EQ(std::ranges::count_if(lines(), is_short), 3);
  EXPECT_EQ(std::ranges::distance(lines()), 5);
  auto in = leat::open(named);
  auto range = in.lines();
  EXPECT_EQ(*std::ranges::find(range, "20"), "20");
  auto at = range.begin();
  ++at;
  const auto moved = std::move(at);
  EXPECT_EQ(*moved, "4000");
}

TEST(named_streams, keep_the_rest_after_a_range_is_cut_by_take) {
  leat::memory_reader in("a b\nc\nd,e\nf\n");
  for (const auto word : in.words() | std::views::take(1)) EXPECT_EQ(word, "a");
  for (const auto line : in.lines() | std::views::take(2)) EXPECT_TRUE(line == " b" || line == "c");
  for (const auto& row : in.rows() | std::views::take(1)) EXPECT_EQ(row.size(), 2u);
  EXPECT_EQ(in.read_all(), "f\n");
}

// A moved range goes on at the stream's position.
TEST_F(temporaries, ranges_continue_after_a_move_in_the_middle) {
  auto first = leat::open(path).lines();
  static_cast<void>(*first.begin());
  auto second = std::move(first);
  std::string all;
  for (const auto line : second) all.append(line).append("\n");
  all.pop_back();
  EXPECT_EQ(all, text.substr(text.find('\n') + 1));

  auto rows = leat::memory_reader("a,b\nc,d\n").rows();
  EXPECT_EQ((*rows.begin())[1], "b");
  auto others = leat::memory_reader("x\n").rows();
  static_cast<void>(others.begin());
  others = std::move(rows);
  EXPECT_EQ((*others.begin())[0], "c");

  // A range over the same memory, but with another delimiter.
  const std::string_view pieces = "a,b\nc,d\n";
  leat::memory_reader reader(pieces), other(pieces);
  auto by_lines = reader.lines();
  EXPECT_EQ(*by_lines.begin(), "a,b");
  other.seek(reader.tell());
  by_lines = other.lines({.delimiter = ','});
  EXPECT_EQ(*by_lines.begin(), "c");
  auto marked = leat::memory_reader("\xEF\xBB\xBFx\n").rows();
  others = std::move(marked);
  EXPECT_EQ((*others.begin())[0], "x") << "rows() skips the byte-order mark";

  auto words = leat::memory_reader(text).words();
  for (const char* const digit : {"0", "1", "2"}) {
    EXPECT_EQ(*words.begin(), digit);
    auto next = std::move(words);
    words = std::move(next);
  }
}

TEST_F(temporaries, accept_options_and_report_errors_by_code) {
  strings lines;
  std::error_code ec;
  for (auto line : leat::memory_reader("a;b;cd;e").lines({.delimiter = ';', .longest = 1}, ec))
    lines.emplace_back(line);
  EXPECT_EQ(lines, (strings{"a", "b"}));
  EXPECT_EQ(ec, leat::errc::line_too_long);

  for ([[maybe_unused]] auto line : leat::open(folder / "none", ec).lines(ec)) ADD_FAILURE();
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  for ([[maybe_unused]] auto at : leat::file_reader().find_all("x", ec)) ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::closed);
  for ([[maybe_unused]] auto at : leat::file_reader().find_all(leat::finder("x"), ec))
    ADD_FAILURE();
  EXPECT_EQ(ec, leat::errc::closed);
  std::size_t found = 0;
  for ([[maybe_unused]] auto at : leat::memory_reader("xaxa").find_all(leat::finder("a"))) ++found;
  EXPECT_EQ(found, 2u);
}

TEST_F(temporaries, report_a_failed_read) {
  auto script = new_script();
  script->content = "one\ntwo\nthr";
  script->read_limit = 9;
  strings lines;
  try {
    for (auto line : leat::file_reader(device_of(script)).lines()) lines.emplace_back(line);
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.path(), "<device>");
  }
  EXPECT_EQ(lines, (strings{"one", "two"}));
}

TEST_F(temporaries, made_by_a_move_leave_the_named_stream_closed) {
  leat::file_reader in = leat::open(path);
  auto lines = std::move(in).lines();
  EXPECT_FALSE(in.is_open());
  EXPECT_EQ(*lines.begin(), "0 1 2 3 4 5 6 7");
}

TEST(fields, of_a_temporary_string_own_the_string) {
  const auto make_line = [](std::size_t n) { return std::string(n, 'a') + ",b," + "c"; };
  for (const std::size_t n : {1u, 100u}) {
    strings got;
    for (auto field : leat::fields(make_line(n), ',')) got.emplace_back(field);
    EXPECT_EQ(got, (strings{std::string(n, 'a'), "b", "c"}));
  }
}

}  // namespace
