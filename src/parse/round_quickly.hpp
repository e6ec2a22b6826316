// Decimal numbers to floating-point numbers, by one or two multiplications. The parsers of
// src/parse call round_quickly().
//
// A number is digits × 10^exponent. If the digits fit 64 bits, multiplying them by 64 or 128 bits
// of the power of ten nearly always decides the result (D. Lemire, "Number Parsing at a Gigabyte
// per Second"). Here the powers are truncated. So a product is never too large, and may be too
// small by less than `digits` units of the product's last place.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Multiplies by 64 bits of the power. If the result is close to a midpoint, multiplies by 128
/// bits. Returns false, with `value` unchanged, if the product does not decide the result, or if
/// the result is subnormal, infinite or at least half the largest number. `digits` must not be
/// zero, and the table must have the power.
template <class Float>
[[gnu::always_inline]] inline bool round_quickly(std::uint64_t digits, int exponent, bool negative,
                                                 Float& value) noexcept {
  using limits = std::numeric_limits<Float>;
  using bits_type = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(Float) == sizeof(bits_type) && limits::is_iec559);
  const int leading_zeros = std::countl_zero(digits);
  const power_of_ten& power = power_of_ten_at(exponent);
  using wide = unsigned __int128;
  const wide product = static_cast<wide>(digits << leading_zeros) * power.high;
  auto high = static_cast<std::uint64_t>(product >> 64);
  int top = static_cast<int>(high >> 63);
  high <<= 1 - top;
  // The true product is higher by less than two units. If the product was shifted, the true product
  // is higher by less than four units.
  constexpr int dropped = 64 - limits::digits;
  constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  if (((high - (half - 4)) & (2 * half - 1)) <= 4) [[unlikely]] {
    // The other half of the power is added, and the same test is made 64 bits further down.
    const wide low = static_cast<wide>(digits << leading_zeros) * power.low;
    wide both = product + (low >> 64);
    top = static_cast<int>(both >> 127);
    both <<= 1 - top;
    if (((both - ((wide{half} << 64) - 8)) & ((wide{half} << 65) - 1)) <= 8) return false;
    high = static_cast<std::uint64_t>(both >> 64);
  }
  const int biased =
      log2_of_power_of_10(exponent) - leading_zeros + top + 63 + limits::max_exponent - 1;
  // Undecided: subnormal results, and results so large that rounding could make them infinite.
  if (biased < 1 || biased >= 2 * limits::max_exponent - 2) [[unlikely]]
    return false;
  // The first bit of the mantissa adds one to the exponent. A carry adds one to the exponent, too.
  const std::uint64_t mantissa = ((high >> (dropped - 1)) + 1) >> 1;
  const auto bits = (static_cast<std::uint64_t>(biased - 1) << (limits::digits - 1)) + mantissa;
  const auto sign = bits_type{negative} << (8 * sizeof(bits_type) - 1);
  value = std::bit_cast<Float>(static_cast<bits_type>(static_cast<bits_type>(bits) | sign));
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
