// The table of powers of ten, and the floors of logarithms, compared with exact arithmetic.
#include "number/powers_of_ten.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace leat::detail;

/// A non-negative integer of any size, the lowest 32 bits first. Slow and simple.
struct integer {
  std::vector<std::uint32_t> words{1};

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (auto& word : words) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
  }
  int bits() const {
    return static_cast<int>(32 * (words.size() - 1)) +
           static_cast<int>(std::bit_width(words.back()));
  }
  bool bit(int i) const {
    return i >= 0 && (words[static_cast<std::size_t>(i) / 32] >> (i % 32) & 1U) != 0;
  }
  /// The `count` highest bits, followed by zeros if the integer has fewer bits.
  unsigned __int128 top(int count) const {
    unsigned __int128 result = 0;
    for (int i = 1; i <= count; ++i) result = result << 1 | unsigned{bit(bits() - i)};
    return result;
  }
};

unsigned __int128 mantissa(int exponent) {
  const power_of_ten& power = power_of_ten_at(exponent);
  return static_cast<unsigned __int128>(power.high) << 64 | power.low;
}

TEST(powers_of_ten, with_non_negative_exponents_are_the_highest_bits_of_the_exact_value) {
  integer exact;
  for (int exponent = 0; exponent <= highest_power; ++exponent, exact.multiply(10)) {
    EXPECT_TRUE(mantissa(exponent) == exact.top(128)) << exponent;
    EXPECT_EQ(log2_of_power_of_10(exponent), exact.bits() - 1) << exponent;
  }
}

// m × 2^e <= 10^-n < (m + 1) × 2^e is equivalent to m × 10^n <= 2^-e < (m + 1) × 10^n.
TEST(powers_of_ten, with_negative_exponents_are_rounded_down) {
  for (int n = 1; n <= -lowest_power; ++n) {
    const auto times_power = [n](unsigned __int128 m) {
      integer product;
      product.words.clear();
      for (; m != 0; m >>= 32) product.words.push_back(static_cast<std::uint32_t>(m));
      for (int i = 0; i != n; ++i) product.multiply(10);
      return product;
    };
    const int exponent = log2_of_power_of_10(-n) - 127;
    ASSERT_NE(mantissa(-n) >> 127, 0U) << n;
    EXPECT_LE(times_power(mantissa(-n)).bits(), -exponent) << n;
    EXPECT_GE(times_power(mantissa(-n) + 1).bits(), -exponent + 1) << n;
  }
}

TEST(powers_of_ten, floors_of_logarithms_are_exact) {
  // No logarithm here is so close to an integer that a long double's rounding matters. 0 is exact.
  for (int e = -1700; e <= 1700; ++e)
    EXPECT_EQ(log10_of_power_of_2(e), std::floor(static_cast<long double>(e) * std::log10(2.0L)))
        << e;
  for (int e = -1200; e <= 1200; ++e)
    EXPECT_EQ(log10_of_three_quarters(e),
              std::floor(static_cast<long double>(e) * std::log10(2.0L) + std::log10(0.75L)))
        << e;
}

}  // namespace
