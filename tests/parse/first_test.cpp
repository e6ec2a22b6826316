// Every implementation that reads the number at the start of a text, compared with parse_number().
#include "parse/first.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "parse/number.hpp"
#include "support/guarded_memory.hpp"

namespace {

/// Checks a text that begins with a blank and a number.
template <class Number>
void expect_first_in(std::string_view placed) {
  const std::string text(placed);
  const char* const end = placed.data() + placed.size();
  Number expected{};
  const auto [stop, error] = leat::detail::parse_number(placed.data() + 1, end, expected);
  // If one of these characters follows a floating-point number, the character may continue the
  // number. An implementation may refuse such a text.
  const bool may_continue = std::floating_point<Number> && stop != end &&
                            std::string_view("eEfiInxX(").find(*stop) != std::string_view::npos;
  static const auto implementations = leat::detail::first_implementations<Number>();
  for (const auto implementation : implementations) {
    const auto found = implementation(placed.data(), end);
    if (error != std::errc{} || stop == end) {
      ASSERT_EQ(found.end, nullptr) << text;
    } else if (found.end != nullptr || !may_continue) {
      ASSERT_EQ(found.end, stop) << text;
      ASSERT_TRUE(found.value == expected || found.value != found.value) << text;
      if constexpr (std::floating_point<Number>) {
        ASSERT_EQ(std::signbit(found.value), std::signbit(expected)) << text;
        ASSERT_EQ(std::isnan(found.value), std::isnan(expected)) << text;
      }
    }
  }
}

/// Checks the text at the end of readable memory, and before bytes that could continue a number.
template <class Number>
void expect_first(leat::test::guarded_memory& memory, const std::string& text) {
  ASSERT_NO_FATAL_FAILURE(expect_first_in<Number>(memory.at_end(text)));
  for (const char* const after : {"12345678901234567890123456789012345678901", ".5e3 ", "e5 ", " "})
    ASSERT_NO_FATAL_FAILURE(
        expect_first_in<Number>(memory.at_begin(text + after).substr(0, text.size())));
}

template <class Number>
class first_numbers : public testing::Test {};
using numbers = testing::Types<std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(first_numbers, numbers);

TYPED_TEST(first_numbers, have_the_values_of_parse_number_in_each_implementation) {
  leat::test::guarded_memory memory(4096);
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto check = [&](const std::string& number) {
    // If fewer than 39 bytes are left in the text, implementations take another path.
    for (const std::size_t rest : {0u, 1u, 15u, 37u, 60u})
      for (const char next : {'\n', ',', 'x', 'e', '-', '.', '/', ':', '\xF1'})
        ASSERT_NO_FATAL_FAILURE(expect_first<TypeParam>(
            memory, ' ' + number + next + std::string(rest, static_cast<char>('0' + below(10)))));
    ASSERT_NO_FATAL_FAILURE(expect_first<TypeParam>(memory, ' ' + number));
  };
  for (const char* const text : {"",
                                 "-",
                                 "--1",
                                 "-x",
                                 "x",
                                 "/",
                                 ":",
                                 ".",
                                 "-.",
                                 "..",
                                 "1..2",
                                 "1.2.3",
                                 "1/2",
                                 "/1",
                                 "1e",
                                 "1e+",
                                 "1e-",
                                 "1e5",
                                 "1E+05",
                                 "-1.5e-7",
                                 "1e0000001",
                                 "1e309",
                                 "1e-400",
                                 "0e9999",
                                 "inf",
                                 "-inf",
                                 "nan",
                                 "nan(1)",
                                 "infinity",
                                 "9223372036854775807",
                                 "-9223372036854775808",
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "0.000000000000000000",
                                 "-0",
                                 "-0.0",
                                 "0x10",
                                 "9007199254740993",
                                 "1 2"})
    ASSERT_NO_FATAL_FAILURE(check(text));
  for (int i = 0; i != 4000; ++i) {
    std::string number(below(4) == 0 ? below(12) : 0, '0');
    for (auto size = below(22); size != 0; --size) number += static_cast<char>('0' + below(10));
    if (below(3) != 0) number.insert(below(number.size() + 1), ".");
    if (below(2) == 0) number.insert(0, "-");
    if (below(4) == 0) number += "e" + std::to_string(static_cast<int>(below(700)) - 350);
    ASSERT_NO_FATAL_FAILURE(check(number));
  }
}

TEST(first_numbers_in_every_rounding_mode, are_rounded_to_nearest) {
  for (const char* const number : {"0.1", "0.3", "1.05", "123456.789", "0.12345678901234567"}) {
    const std::string text = ' ' + std::string(number) + '\n' + std::string(40, ' ');
    const double nearest = std::stod(number);
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      for (const auto implementation : leat::detail::first_implementations<double>())
        EXPECT_EQ(implementation(text.data(), text.data() + text.size()).value, nearest)
            << text << mode;
    }
    std::fesetround(FE_TONEAREST);
  }
}

}  // namespace
