// Integers around each change of length, in every base.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "format/compiled_field.hpp"
#include "format/outcome.hpp"

namespace leat::test {
namespace {

using int128 = __int128;
using uint128 = unsigned __int128;

/// Returns zero, the powers of two and ten, their neighbours, and the negatives of all these
/// numbers.
template <class Int>
std::vector<Int> edges() {
  std::vector<Int> values{0, std::numeric_limits<Int>::min(), std::numeric_limits<Int>::max()};
  for (const uint128 base : {2U, 10U}) {
    const uint128 largest = ~uint128{0} >> (128 - 8 * sizeof(Int));
    for (uint128 power = 1;; power *= base) {
      for (const uint128 value : {power - 1, power, power + 1}) {
        values.push_back(static_cast<Int>(value));
        values.push_back(static_cast<Int>(0 - value));
      }
      if (power > largest / base) break;
    }
  }
  return values;
}

template <class Int>
class integer : public testing::Test {};
using integer_types =
    testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long,
                   unsigned long, long long, unsigned long long, int128, uint128>;
TYPED_TEST_SUITE(integer, integer_types);

TYPED_TEST(integer, extreme_values_in_every_form_are_the_same_as_with_fmt) {
  for (const TypeParam value : edges<TypeParam>()) {
    const outcome decimal = by_fmt("{}", value);
    EXPECT_EQ(leat::format("{}", value), decimal.text);
    EXPECT_EQ(leat::format("<{}{}>", value, value), "<" + decimal.text + decimal.text + ">");
    for (const char* form : {"{:d}", "{:x}", "{:#X}", "{:o}", "{:#o}", "{:#b}", "{:B}", "{:#034x}",
                             "{:<50}|", "{:>50}", "{:*^51}", "{:060}", "{:#0140b}", "{:1}"})
      EXPECT_EQ(by_leat(form, value), by_fmt(form, value)) << form << " of " << decimal;
    if constexpr (static_cast<TypeParam>(-1) < 0) {
      for (const char* form : {"{:+}", "{: }", "{:-}", "{:+#x}", "{: #b}", "{:+08}"})
        EXPECT_EQ(by_leat(form, value), by_fmt(form, value)) << form << " of " << decimal;
    }
  }
}

/// With glibc, the code path of a number depends on the numbers before it.
TYPED_TEST(integer, compiled_fields_of_all_sizes_are_the_same_as_with_fmt) {
  std::mt19937_64 random(11);
  constexpr unsigned bits = 8 * sizeof(TypeParam);
  for (int run = 0; run != 400; ++run) {
    const auto shift = static_cast<unsigned>(random() % bits);
    const bool mixed = random() % 2 != 0;
    for (auto count = random() % 60; count != 0; --count) {
      const uint128 any = (uint128{random()} << 64 | random()) >> (128 - bits);
      const auto value = static_cast<TypeParam>(any >> (mixed ? random() % bits : shift));
      EXPECT_EQ(compiled_field(value, {}), by_fmt("{}", value).text);
    }
  }
}

TYPED_TEST(integer, fields_stay_within_their_maximum_size) {
  for (const TypeParam value : edges<TypeParam>())
    EXPECT_EQ(compiled_field(value, {}), by_fmt("{}", value).text);
}

TEST(integer_as_character, is_the_character_with_the_code_of_the_integer) {
  EXPECT_EQ(leat::format("{:c}{:c}", 65, 66U), "AB");
  EXPECT_EQ(leat::format("{:*^5c}", 'x'), "**x**");
  EXPECT_EQ(by_leat("{:c}", 300), by_fmt("{:c}", 300));
  EXPECT_EQ(by_leat("{:c}", -1), by_fmt("{:c}", -1));
}

TEST(character, is_written_as_a_character_and_as_a_number) {
  for (int c = 0; c != 256; ++c) {
    const char value = static_cast<char>(c);
    for (const char* form : {"{}", "{:d}", "{:x}", "{:#b}", "{:05d}", "{:>4}", "{:c}"})
      EXPECT_EQ(by_leat(form, value), by_fmt(form, value)) << form << " of " << c;
  }
  EXPECT_EQ(leat::format("{:+d}", 'a'), "+97");
}

TEST(boolean, is_written_as_text_and_as_a_number) {
  EXPECT_EQ(leat::format("{} {:s} {:d} {:#x} {:02b}", true, false, true, true, false),
            "true false 1 0x1 00");
  EXPECT_EQ(leat::format("{:>6}|{:<6}|{:^7}|", true, false, true), "  true|false | true  |");
}

}  // namespace
}  // namespace leat::test
