// The fields of a line.
#include <gtest/gtest.h>
#include <leat/fields.hpp>
#include <leat/reader.hpp>

#include <iterator>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include "support/guarded_memory.hpp"

namespace {

static_assert(std::forward_iterator<leat::field_range::iterator>);
static_assert(std::ranges::forward_range<leat::field_range>);
static_assert(std::ranges::input_range<leat::line_range>);
static_assert(std::ranges::input_range<leat::match_range>);

using strings = std::vector<std::string>;

strings fields_of(std::string_view line, char delimiter = ',') {
  strings result;
  for (std::string_view field : leat::fields(line, delimiter)) result.emplace_back(field);
  return result;
}

TEST(fields, are_one_more_than_delimiters) {
  EXPECT_EQ(fields_of(""), strings{""});
  EXPECT_EQ(fields_of(std::string_view()), strings{""});
  EXPECT_EQ(fields_of("a"), strings{"a"});
  EXPECT_EQ(fields_of(","), (strings{"", ""}));
  EXPECT_EQ(fields_of("a,b,,c"), (strings{"a", "b", "", "c"}));
  EXPECT_EQ(fields_of(",a,"), (strings{"", "a", ""}));
  EXPECT_EQ(fields_of("a;b,c", ';'), (strings{"a", "b,c"}));
  EXPECT_EQ(fields_of("\"a,b\""), (strings{"\"a", "b\""}));
  EXPECT_EQ(fields_of(std::string_view("a\0b", 3), '\0'), (strings{"a", "b"}));
}

TEST(fields, can_be_gone_through_twice) {
  const auto all = leat::fields("a,b,c");
  EXPECT_EQ(std::ranges::distance(all), 3);
  auto i = all.begin();
  auto second = std::ranges::next(i);
  EXPECT_EQ(*i++, "a");
  EXPECT_TRUE(i == second);
  EXPECT_EQ(i->size(), 1u);
  ++i;
  EXPECT_FALSE(i == second);
  EXPECT_EQ(*i, "c");
  ++i;
  EXPECT_TRUE(i == all.end());
  EXPECT_TRUE(i == std::ranges::next(all.begin(), 3));
}

TEST(fields, are_those_of_a_plain_loop) {
  std::mt19937 random(5);
  leat::test::guarded_memory memory(4096);
  for (int i = 0; i != 5'000; ++i) {
    std::string line(random() % 200, 'x');
    for (char& c : line)
      if (random() % (i % 2 == 0 ? 8 : 50) == 0) c = ',';
    strings expected(1);
    for (const char c : line) {
      if (c == ',')
        expected.emplace_back();
      else
        expected.back() += c;
    }
    ASSERT_EQ(fields_of(memory.at_end(line)), expected) << line;
    ASSERT_EQ(fields_of(memory.at_begin(line)), expected) << line;
  }
}

}  // namespace
