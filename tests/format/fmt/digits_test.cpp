// Digits made in registers: this machine's instructions, and the portable code.
#include "format/digits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace {

using namespace leat::detail;

constexpr std::uint64_t numbers[] = {0,        1,        9,        10,       99999999,
                                     10000000, 12345678, 12340000, 100,      90000009,
                                     1234567,  50000000, 99999990, 11111111, 7};

template <class Characters>
void expect_all_forms(const Characters& characters, const std::string& text) {
  const std::size_t last = text.find_last_not_of('0');
  EXPECT_EQ(characters.significant(), last == text.npos ? 0 : static_cast<int>(last) + 1) << text;
  EXPECT_EQ(characters.significant(true), static_cast<int>(text.size()) + 1) << text;
  std::array<char, 40> memory{};
  characters.store(memory.data());
  EXPECT_EQ(std::string_view(memory.data(), text.size()), text);
  for (std::size_t point = 0; point <= text.size(); ++point) {
    characters.store(memory.data(), static_cast<int>(point));
    EXPECT_EQ(std::string_view(memory.data(), text.size() + 1),
              text.substr(0, point) + '.' + text.substr(point));
  }
}

TEST(digits, of_eight_digit_numbers_are_the_same_as_with_fmt) {
  for (const std::uint64_t number : numbers)
    expect_all_forms(eight_characters(number), fmt::format("{:08}", number));
}

template <class Characters>
class sixteen_digits_of : public testing::Test {};
using forms = testing::Types<two_eight_characters, sixteen_characters>;
TYPED_TEST_SUITE(sixteen_digits_of, forms);

TYPED_TEST(sixteen_digits_of, any_two_numbers_are_the_same_as_with_fmt) {
  for (const std::uint64_t high : numbers)
    for (const std::uint64_t low : numbers)
      expect_all_forms(TypeParam(high, low), fmt::format("{:08}{:08}", high, low));
  std::mt19937_64 random(3);
  for (int i = 0; i != 10'000; ++i) {
    const std::uint64_t high = random() % eight_digits, low = random() % eight_digits;
    expect_all_forms(TypeParam(high, low), fmt::format("{:08}{:08}", high, low));
  }
}

TEST(digits, of_any_number_below_a_million_are_correct) {
  std::array<char, 16> memory{};
  for (std::uint32_t number = 0; number != six_digits; ++number) {
    const char* const end = put_small(memory.data(), number);
    ASSERT_EQ(std::string_view(memory.data(), static_cast<std::size_t>(end - memory.data())),
              fmt::format_int(number).c_str());
  }
}

template <class Unsigned>
void expect_branchless_digits(Unsigned number) {
  std::array<char, 20> memory{};
  const char* const end = put_branchless(memory.data(), number);
  ASSERT_EQ(std::string_view(memory.data(), static_cast<std::size_t>(end - memory.data())),
            fmt::format_int(number).c_str());
}

template <class Unsigned>
class digits_without_a_branch : public testing::Test {};
using unsigned_types = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(digits_without_a_branch, unsigned_types);

TYPED_TEST(digits_without_a_branch, of_any_number_are_correct) {
  for (const std::uint64_t base : {2U, 10U})
    for (std::uint64_t power = 1; power <= ~TypeParam{0} / base; power *= base)
      for (std::uint64_t times = 1; times <= base; ++times)
        for (std::uint64_t less = 0; less != 200; ++less)
          for (const std::uint64_t number : {power * times - less, power * times + less})
            expect_branchless_digits(static_cast<TypeParam>(number));
  expect_branchless_digits(TypeParam{0});
  expect_branchless_digits(static_cast<TypeParam>(~TypeParam{0}));
  std::mt19937_64 random(5);
  for (int i = 0; i != 300'000; ++i) {
    const auto number = static_cast<TypeParam>(random());
    expect_branchless_digits(
        static_cast<TypeParam>(number >> random() % std::numeric_limits<TypeParam>::digits));
  }
}

TEST(digits, exponents_have_at_least_two_digits) {
  std::array<char, 16> memory{};
  for (int exponent = -5000; exponent <= 5000; ++exponent) {
    const char* const end = put_exponent(memory.data(), exponent, 'e');
    ASSERT_EQ(
        std::string_view(memory.data(), static_cast<std::size_t>(end - memory.data())),
        fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent));
  }
}

}  // namespace
