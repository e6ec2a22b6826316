// leat::little and leat::big: numbers in a fixed byte order behave like plain numbers.
#include <leat/endian.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using leat::big;
using leat::little;

struct packed {
  little<std::uint16_t> first;
  big<double> second;
  little<char> third;
};
static_assert(sizeof(packed) == 11 && alignof(packed) == 1);
static_assert(std::is_trivially_copyable_v<packed> &&
              std::is_trivially_default_constructible_v<packed>);
static_assert(std::totally_ordered<little<int>>);
static_assert(std::is_assignable_v<little<int>&, int> && !std::is_assignable_v<little<int>, int>);
static_assert(std::is_assignable_v<little<int>&, little<int>> &&
              !std::is_assignable_v<little<int>, little<int>>);

template <class T>
concept has_remainder = requires(T& number) { number %= 2; };
static_assert(has_remainder<big<short>> && !has_remainder<big<float>>);

std::string raw(const auto& value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

TEST(endian, bytes_in_memory_have_the_order_of_the_type) {
  EXPECT_EQ(raw(little<std::uint32_t>(0x01020304)), "\4\3\2\1");
  EXPECT_EQ(raw(big<std::uint32_t>(0x01020304)), "\1\2\3\4");
  EXPECT_EQ(big<std::uint32_t>(7).value(), 7U);
  static_assert(std::is_same_v<decltype(big<std::uint16_t>(7).value()), std::uint16_t>);
  static_assert(little<int>(-5).value() == -5);
}

/// Makes the same change to stored numbers and to a plain number. Expects the same value.
template <class T, class F>
void expect_same_change(T start, F change) {
  little<T> low = start;
  big<T> high = start;
  change(start);
  change(low);
  change(high);
  EXPECT_EQ(low.value(), start);
  EXPECT_EQ(high.value(), start);
}

template <class T>
class endian_operators : public testing::Test {};
using numbers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(endian_operators, numbers);

TYPED_TEST(endian_operators, change_the_value_like_operators_of_plain_numbers) {
  using T = TypeParam;
  for (const T start : {T{0}, T{1}, T{77}, T{100}}) {
    const T operand = 5;
    expect_same_change<T>(start, [&](auto& n) { n += operand; });
    expect_same_change<T>(start, [&](auto& n) { n *= static_cast<T>(1); });
    expect_same_change<T>(start, [&](auto& n) { n /= operand; });
    expect_same_change<T>(start, [&](auto& n) { n %= operand; });
    expect_same_change<T>(start, [&](auto& n) { n &= operand; });
    expect_same_change<T>(start, [&](auto& n) { n |= operand; });
    expect_same_change<T>(start, [&](auto& n) { n ^= operand; });
    expect_same_change<T>(start, [&](auto& n) { n >>= 2; });
    expect_same_change<T>(start, [&](auto& n) { n = static_cast<T>(n & 15), n <<= 2; });
    expect_same_change<T>(start, [&](auto& n) { n = static_cast<T>(~n & 127); });
    expect_same_change<T>(start, [&](auto& n) { ++n, n -= T{1}, ++n; });
    expect_same_change<T>(start, [&](auto& n) { n++, n--, n++; });
    expect_same_change<T>(
        start, [&](auto& n) { n = static_cast<T>(n % operand + (n << 1) + (n >> 1) + (n | 1)); });
  }
}

TEST(endian, compound_assignments_convert_like_plain_numbers) {
  little<int> n = 10;
  n *= 1.5;  // 15, not 10 times 1
  EXPECT_EQ(n, 15);
  n += big<std::int64_t>(5);
  EXPECT_EQ(n, 20);
  n <<= big<int>(2);
  EXPECT_EQ(n, 80);
  little<std::uint8_t> small = 250;
  small += 10;
  EXPECT_EQ(small, 4);
  big<float> part = 1.5F;
  part += 0.25;
  part /= 2;
  EXPECT_EQ(part, 0.875F);
  little<std::int64_t> large = 1;
  large <<= 40;
  EXPECT_EQ(large, std::int64_t{1} << 40);
  big<bool> set = false;
  set |= true;
  EXPECT_TRUE(set);
}

TEST(endian, numbers_of_both_orders_are_compared) {
  const little<int> a = 3;
  const big<int> b = 4;
  EXPECT_TRUE(a < b && a != b && a == 3 && 4 == b && b >= a && a <= 3 && b > 3.5);
  EXPECT_TRUE((a <=> 4) < 0);
  std::vector<big<std::uint16_t>> list{300, 2, 70};
  std::ranges::sort(list);
  EXPECT_TRUE(list[0] == 2 && list[1] == 70 && list[2] == 300);
}

TEST(endian, numbers_can_be_operands_of_conditional_expressions) {
  const little<int> a = 3;
  const big<int> b = 4;
  for (const bool on : {true, false}) {
    EXPECT_EQ(on ? a : b, on ? 3 : 4);  // operands with different byte orders
    EXPECT_EQ(on ? a : little<int>(9), on ? 3 : 9);
    EXPECT_EQ(on ? a.value() : 9, on ? 3 : 9);
  }
}

}  // namespace
