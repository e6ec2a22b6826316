// Arithmetic of big numbers, compared with 128-bit integers and with repeated multiplication.
#include "number/big_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace {

using number = leat::detail::big_number<32>;
using wide = unsigned __int128;

TEST(big_number, has_the_results_of_128_bit_integers) {
  std::mt19937_64 random(1);
  for (int i = 0; i != 10000; ++i) {
    const wide value = (wide{random()} << 64 | random()) >> (33 + random() % 90);
    const auto factor = static_cast<std::uint32_t>(random());
    const auto more = static_cast<std::uint32_t>(random());

    number product(value);
    product.multiply(factor, more);
    EXPECT_TRUE(product == number(value * factor + more));

    number difference = product;
    difference.subtract(number(value));
    EXPECT_EQ(difference <=> product, number(0) <=> number(value));
    number back(value);
    back.multiply(1, more);
    back.subtract(number(more));
    EXPECT_TRUE(back == number(value));

    number quotient(value);
    EXPECT_EQ(quotient.divide(factor | 1), static_cast<std::uint32_t>(value % (factor | 1)));
    EXPECT_TRUE(quotient == number(value / (factor | 1)));
  }
}

TEST(big_number, shift_left_multiplies_by_powers_of_two_and_bits_counts_the_bits) {
  EXPECT_TRUE(number(0, 100).is_zero());
  for (int shift = 0; shift != 900; ++shift) {
    number shifted(5);
    shifted.shift_left(shift);
    EXPECT_EQ(shifted.bits(), 3 + shift);
    number doubled(5);
    for (int i = 0; i != shift; ++i) doubled.multiply(2);
    EXPECT_TRUE(shifted == doubled);
    EXPECT_TRUE(shifted == number(5, shift));
  }
}

TEST(big_number, multiplies_by_powers_of_five) {
  for (int exponent = 0; exponent != 300; ++exponent) {
    number power(1);
    power.multiply_by_power_of_five(exponent);
    number plain(1);
    for (int i = 0; i != exponent; ++i) plain.multiply(5);
    EXPECT_TRUE(power == plain);
  }
}

}  // namespace
