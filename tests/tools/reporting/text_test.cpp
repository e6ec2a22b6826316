// Numbers, ratios and wrapped text in reports.
#include "reporting/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bench {
namespace {

TEST(text, numbers_have_about_three_digits) {
  EXPECT_EQ(digits(0), "0.00");
  EXPECT_EQ(digits(0.04123), "0.0412");
  EXPECT_EQ(digits(7.3091), "7.31");
  EXPECT_EQ(digits(48.94), "48.9");
  EXPECT_EQ(digits(1830.4), "1830");
}

TEST(text, ratios_have_about_two_digits) {
  EXPECT_EQ(times(0.0052), "0.005×");
  EXPECT_EQ(times(0.66), "0.66×");
  EXPECT_EQ(times(1), "1.0×");
  EXPECT_EQ(times(6.27), "6.3×");
  EXPECT_EQ(times(217.4), "217×");
  // A ratio of numbers from a report can be infinite.
  EXPECT_EQ(times(std::numeric_limits<double>::infinity()), "inf×");
}

TEST(text, thousands_are_grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(10485760), "10,485,760");
}

TEST(text, the_width_is_counted_in_characters_not_bytes) {
  EXPECT_EQ(width_of("abc"), 3);
  EXPECT_EQ(width_of("6.3×"), 4);
  EXPECT_EQ(width_of("█▌…"), 3);
}

TEST(text, lines_are_broken_between_words) {
  EXPECT_EQ(wrapped("aaa bbb ccc ddd", 7), "aaa bbb\n  ccc\n  ddd\n");
  EXPECT_EQ(wrapped("short", 80), "short\n");
}

TEST(text, a_word_wider_than_the_page_is_on_a_line_of_its_own) {
  EXPECT_EQ(wrapped("a bbbbbbbbbb c", 6), "a\n  bbbbbbbbbb\n  c\n");
}

}  // namespace
}  // namespace bench
