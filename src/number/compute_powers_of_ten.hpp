// Computes the table of the powers of ten at compile time. Included by files that need the values
// at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

// Each power is computed from its neighbour, with 256 bits. The rounding errors of 342 steps stay
// far below the last of the 128 bits that are kept.

struct wide_power {
  std::uint64_t words[4];  // the lowest word first; the highest bit is set

  static constexpr wide_power one() { return {{0, 0, 0, std::uint64_t{1} << 63}}; }

  constexpr wide_power times_ten() const {
    wide_power result{};
    std::uint64_t carry = 0;
    for (int i = 0; i != 4; ++i) {
      const auto product = static_cast<unsigned __int128>(words[i]) * 5 + carry;
      result.words[i] = static_cast<std::uint64_t>(product);
      carry = static_cast<std::uint64_t>(product >> 64);
    }
    const int shift = carry >= 4 ? 3 : carry >= 2 ? 2 : 1;  // the carry is 2 to 4
    for (int i = 0; i != 4; ++i) {
      const std::uint64_t above = i != 3 ? result.words[i + 1] : carry;
      result.words[i] = result.words[i] >> shift | above << (64 - shift);
    }
    return result;
  }

  constexpr wide_power divided_by_ten() const {
    // Divides by 5, with 64 bits after the point. The shift moves the highest of these bits into
    // the result.
    std::uint64_t quotient[5]{};
    std::uint64_t rest = 0;
    for (int i = 4; i >= 0; --i) {
      const auto part = static_cast<unsigned __int128>(rest) << 64 | (i != 0 ? words[i - 1] : 0);
      quotient[i] = static_cast<std::uint64_t>(part / 5);
      rest = static_cast<std::uint64_t>(part % 5);
    }
    const int shift = quotient[4] >> 61 != 0 ? 2 : 3;
    wide_power result{};
    for (int i = 0; i != 4; ++i)
      result.words[i] = quotient[i + 1] << shift | quotient[i] >> (64 - shift);
    return result;
  }
};

constexpr auto compute_powers_of_ten() {
  std::array<power_of_ten, highest_power - lowest_power + 1> table{};
  const auto set = [&table](int exponent, const wide_power& value) {
    table[static_cast<std::size_t>(exponent - lowest_power)] = {value.words[3], value.words[2]};
  };
  wide_power up = wide_power::one();
  wide_power down = wide_power::one();
  set(0, up);
  for (int exponent = 1; exponent <= highest_power; ++exponent) {
    set(exponent, up = up.times_ten());
    set(-exponent, down = down.divided_by_ten());
  }
  return table;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
