// The powers of ten to 128 bits, and logarithms that convert between binary and decimal exponents.
// Used by src/format and src/parse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace detail {

/// The 128 highest bits of a power of ten, truncated. The first bit is always set.
struct power_of_ten {
  std::uint64_t high;
  std::uint64_t low;
};

/// The range of the table. An integer of 19 digits times a power below 10^-342 rounds to zero as a
/// double. 10^342 scales the smallest positive double, 5 × 10^-324, to 19 digits before the point.
inline constexpr int lowest_power = -342;
inline constexpr int highest_power = 342;

extern const std::array<power_of_ten, highest_power - lowest_power + 1> powers_of_ten;

[[gnu::always_inline]] inline const power_of_ten& power_of_ten_at(std::int64_t exponent) noexcept {
  return powers_of_ten[static_cast<std::size_t>(exponent - lowest_power)];
}

/// 10^0 to 10^19: the powers that fit in 64 bits.
inline constexpr auto small_powers_of_ten = [] {
  std::array<std::uint64_t, 20> table{};
  std::uint64_t power = 1;
  for (auto& entry : table) {
    entry = power;
    power *= 10;
  }
  return table;
}();
constexpr std::uint64_t small_power_of_ten(int exponent) noexcept {
  return small_powers_of_ten[static_cast<std::size_t>(exponent)];
}

// Logarithms as fixed-point products, exact for every exponent in the ranges below. The tests try
// every exponent. A 64-bit result can be an index without a sign extension.

/// floor(log10(2^exponent)) for |exponent| <= 1700.
template <class Int>
constexpr Int log10_of_power_of_2(Int exponent) noexcept {
  return exponent * 315653 >> 20;
}
/// floor(log10(3/4 × 2^exponent)) for |exponent| <= 1200.
template <class Int>
constexpr Int log10_of_three_quarters(Int exponent) noexcept {
  return (exponent * 315653 - 131008) >> 20;
}
/// floor(log2(10^exponent)) for |exponent| <= 342.
template <class Int>
constexpr Int log2_of_power_of_10(Int exponent) noexcept {
  return exponent * 217706 >> 16;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
