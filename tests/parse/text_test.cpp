// leat::parse: numbers from a text in memory, compared with parse_number().
#include <gtest/gtest.h>
#include <leat/parse.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "parse/number.hpp"
#include "parse/whole.hpp"
#include "support/guarded_memory.hpp"

namespace {

using leat::parse;

TEST(parse_text, returns_the_rest_of_the_text) {
  const auto n = parse<int>(" \t42 apples");
  EXPECT_TRUE(n);
  EXPECT_EQ(n.value, 42);
  EXPECT_EQ(n.rest, " apples");
  const auto x = parse<double>("1.5e3");
  EXPECT_TRUE(x);
  EXPECT_EQ(x.value, 1500);
  EXPECT_EQ(x.rest, "");
}

TEST(parse_text, can_continue_at_the_rest) {
  std::string_view text = "1 2 3";
  int sum = 0;
  while (const auto n = parse<int>(text)) {
    sum += n.value;
    text = n.rest;
  }
  EXPECT_EQ(sum, 6);
}

TEST(parse_text, reports_errors) {
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

TEST(parse_text, reads_no_byte_after_the_view) {
  EXPECT_EQ(parse<int>(std::string_view("123", 2)).value, 12);
  EXPECT_FALSE(parse<int>(std::string_view()));
}

TEST(parse_text, parses_numbers_of_each_base) {
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

/// Compares parse() and all implementations for whole texts with parse_number(). In parse(), a text
/// that is a single number takes another code path than a number with text after it.
template <class T>
void expect_same(std::string_view text) {
  T value{};
  const auto [stop, error] =
      leat::detail::parse_number(text.data(), text.data() + text.size(), value);
  const auto n = parse<T>(text);
  ASSERT_EQ(n.ec, error) << text;
  ASSERT_EQ(n.rest.data(), stop) << text;
  ASSERT_EQ(n.rest.data() + n.rest.size(), text.data() + text.size()) << text;
  if constexpr (std::floating_point<T>)
    ASSERT_TRUE((n.value == value || std::isnan(value)) &&
                std::signbit(n.value) == std::signbit(value))
        << text;
  else
    ASSERT_EQ(n.value, value) << text;
  // All implementations that this processor supports. An implementation may refuse a text. The list
  // is made once, because CPUID takes microseconds in a virtual machine.
  static const auto implementations = leat::detail::whole_implementations();
  for (const auto& implementation : implementations) {
    T found{};
    if (!leat::detail::parse_whole(implementation, text.data(), text.size(), found)) continue;
    ASSERT_EQ(stop, text.data() + text.size()) << implementation.name << ' ' << text;
    ASSERT_EQ(found, value) << implementation.name << ' ' << text;
    ASSERT_EQ(std::signbit(static_cast<double>(found)), std::signbit(static_cast<double>(value)))
        << implementation.name << ' ' << text;
  }
}

/// Each implementation accepts texts of 1 to 19 digits with at most one point.
TEST(parse_text, up_to_19_digits_with_at_most_one_point_are_parsed_by_every_implementation) {
  leat::test::guarded_memory memory(4096);
  for (const auto& implementation : leat::detail::whole_implementations()) {
    std::uint64_t digits = 0;
    std::string text;
    for (std::uint32_t size = 1; size != 20; ++size) {
      text += static_cast<char>('0' + (size * 7 + 3) % 10);
      digits = digits * 10 + (size * 7 + 3) % 10;
      for (std::uint32_t decimals = 0; decimals <= size + 1; ++decimals) {
        std::string number = text;
        if (decimals <= size) number.insert(size - decimals, ".");
        for (const std::string_view placed : {memory.at_end(number), memory.at_begin(number)}) {
          const auto n = implementation.decimal(placed.data(), placed.size());
          ASSERT_TRUE(n.is_valid) << implementation.name << ' ' << number;
          ASSERT_EQ(n.digits, digits) << implementation.name << ' ' << number;
          ASSERT_EQ(n.decimals, decimals <= size ? decimals : 0)
              << implementation.name << ' ' << number;
          const auto whole = implementation.integer(placed.data(), placed.size());
          ASSERT_EQ(whole.is_valid, decimals > size && size <= 19)
              << implementation.name << ' ' << number;
          if (whole.is_valid) {
            ASSERT_EQ(whole.digits, digits) << implementation.name << ' ' << number;
          }
        }
      }
    }
  }
}

TEST(parse_text, returns_the_same_as_parse_number_for_random_texts) {
  std::mt19937_64 random(3);
  leat::test::guarded_memory memory(4096);
  const auto check = [&](const std::string& text) {
    const std::string_view with_digits = memory.at_begin(text + "12345678");
    for (const std::string_view placed :
         {memory.at_end(text), with_digits.substr(0, text.size())}) {
      ASSERT_EQ(placed, text);
      expect_same<signed char>(placed);
      expect_same<unsigned short>(placed);
      expect_same<int>(placed);
      expect_same<unsigned>(placed);
      expect_same<long long>(placed);
      expect_same<unsigned long long>(placed);
      expect_same<float>(placed);
      expect_same<double>(placed);
    }
  };
  for (const char* text : {"-",
                           ".",
                           "-.",
                           "5.",
                           ".5",
                           "-.5",
                           "-5.",
                           "0",
                           "-0",
                           "0.0",
                           "-0.000",
                           "127",
                           "128",
                           "-128",
                           "-129",
                           "2147483647",
                           "2147483648",
                           "-2147483648",
                           "-2147483649",
                           "9223372036854775807",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "9999999999999999999",
                           "18446744073709551615",
                           "18446744073709551616",
                           "1.2.3",
                           "..",
                           "0.9999999999999999999",
                           "1234567890123456789.",
                           ".1234567890123456789",
                           "--1",
                           "1-",
                           "9007199254740993",
                           "0.000000000000000000",
                           "1e5",
                           "e5",
                           "1e",
                           "-1e+",
                           "1.5E-300",
                           "1.5e-301",
                           "1e300",
                           "1e301",
                           "1e999",
                           "0e-7",
                           "1,5",
                           "12345678901234567.89"})
    check(text);
  for (int i = 0; i != 40'000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    for (std::size_t left = random() % 24; left != 0; --left)
      text += static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0 && !text.empty()) text.insert(random() % text.size(), 1, '.');
    if (random() % 3 == 0) {
      text += "eE"[random() % 2];
      if (random() % 2 == 0) text += "+-"[random() % 2];
      for (std::size_t left = random() % 5; left != 0; --left)
        text += static_cast<char>('0' + random() % 10);
    }
    // A byte from '!' on, at any position: no blanks, because parse() skips leading blanks.
    if (random() % 8 == 0 && !text.empty())
      text[random() % text.size()] = static_cast<char>('!' + random() % 220);
    check(text);
    char shortest[40];
    const auto bits = std::bit_cast<double>(random());
    const auto tame = static_cast<double>(random() >> 11) * 0x1p-53;
    for (const double x : {bits, tame, tame * 1000})
      check({shortest, std::to_chars(shortest, shortest + sizeof shortest, x).ptr});
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
