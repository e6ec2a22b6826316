// Numbers from a text that is in memory.
#include <gtest/gtest.h>
#include <leat/parse.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace {

using leat::parse;

TEST(parse_text, tells_how_far_it_went) {
  const auto n = parse<int>(" \t42 apples");
  EXPECT_TRUE(n);
  EXPECT_EQ(n.value, 42);
  EXPECT_EQ(n.rest, " apples");
  const auto x = parse<double>("1.5e3");
  EXPECT_TRUE(x);
  EXPECT_EQ(x.value, 1500);
  EXPECT_EQ(x.rest, "");
}

TEST(parse_text, goes_on_at_the_rest) {
  std::string_view text = "1 2 3";
  int sum = 0;
  while (const auto n = parse<int>(text)) {
    sum += n.value;
    text = n.rest;
  }
  EXPECT_EQ(sum, 6);
}

TEST(parse_text, says_what_is_wrong) {
  for (const std::string_view text : {"", " ", "x", "+1", " -", "- 1"}) {
    const auto n = parse<int>(text);
    EXPECT_FALSE(n);
    EXPECT_EQ(n.ec, std::errc::invalid_argument) << text;
    EXPECT_EQ(n.rest, text);
    EXPECT_EQ(n.value, 0);
  }
  const auto large = parse<signed char>(" 128,5");
  EXPECT_EQ(large.ec, std::errc::result_out_of_range);
  EXPECT_EQ(large.rest, ",5");
  EXPECT_EQ(large.value, 0);
  EXPECT_EQ(parse<float>("1e99").ec, std::errc::result_out_of_range);
  EXPECT_EQ(parse<unsigned>("-1").ec, std::errc::invalid_argument);
}

TEST(parse_text, reads_nothing_behind_the_view) {
  EXPECT_EQ(parse<int>(std::string_view("123", 2)).value, 12);
  EXPECT_FALSE(parse<int>(std::string_view()));
}

TEST(parse_text, knows_bases) {
  EXPECT_EQ(parse<unsigned>("ff", 16).value, 255u);
  EXPECT_EQ(parse<int>("-zZ;", 36).value, -(35 * 36 + 35));
  EXPECT_EQ(parse<int>("-zZ;", 36).rest, ";");
  EXPECT_EQ(parse<std::int64_t>("0x10", 16).rest, "x10");
  EXPECT_EQ(parse<unsigned long long>("1777777777777777777777", 8).value,
            std::numeric_limits<unsigned long long>::max());
  for (const int wrong : {-1, 0, 1, 37}) {
    const auto n = parse<int>("1", wrong);
    EXPECT_EQ(n.ec, std::errc::invalid_argument);
    EXPECT_EQ(n.rest, "1");
  }
}

}  // namespace
