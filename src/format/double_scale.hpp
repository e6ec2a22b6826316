// The first step to the shortest text of a double: two numbers for the digits, and a table row for
// the decimal exponent. shortest.cpp and shortest_by_avx512.cpp call these functions; shortest.cpp
// describes the algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// A row of the table, for all doubles whose unit in the last place is between 10^power and
/// 10^(power + 1). Half a cache line, with everything that depends on the power.
struct alignas(32) double_scale {
  /// The mantissa of 10^-(power + 1), shifted right by 3 bits: its first 125 bits, truncated.
  std::uint64_t high;
  std::uint64_t low;
  /// The text after the digits if the first digit has the exponent power + 15: "e+20", or nothing.
  /// The last byte is the count of characters.
  std::array<char, 8> suffix;
  /// The sum of `shift` and the biased exponent, modulo 64, is the shift of the mantissa: 0 to 3
  /// bits.
  std::uint16_t shift;
  /// Offset in bytes of the layout for this power (shortest_by_avx512.cpp).
  std::uint16_t layout;
};

/// The powers in the table. Normal numbers have the powers -324 to 292. The smaller powers are only
/// for the suffixes of subnormal numbers. The largest power is only for a suffix, too.
inline constexpr int lowest_scale = -339;
inline constexpr int highest_scale = 293;
extern const std::array<double_scale, highest_scale - lowest_scale + 1> double_scales;

/// The lowest and the highest exponent of the first digit for which a text has no exponent.
/// Example: 0.0001 has the lowest exponent, -4.
inline constexpr int lowest_fixed_exponent = -4;
inline constexpr int highest_fixed_exponent = 15;

/// Layouts come in pairs for each power. The first layout of a pair is for a first digit with the
/// exponent power + 15, the second layout for the exponent power + 16. `lowest_layout` is the first
/// power, and `fixed_layouts` is the number of powers. After the pairs of these powers comes the
/// pair for all texts with an exponent.
inline constexpr int lowest_layout = lowest_fixed_exponent - 16;
inline constexpr int fixed_layouts = highest_fixed_exponent - 15 - lowest_layout + 1;
inline constexpr std::size_t bytes_of_layouts = 128;

/// The number is (10 × tens + ones) × 10^power, with the power of its scale. `tens` has 15 or 16
/// digits. If `tens` is enough, `ones` is 0.
struct double_digits {
  const double_scale* scale;
  std::uint64_t tens;
  std::uint64_t ones;
  bool is_certain;  // false: the digits may be wrong by one, because the value is close to a border
};

/// Returns all ones if the condition is true, otherwise 0. The asm keeps GCC from making a branch,
/// because a branch on these conditions cannot be predicted.
[[gnu::always_inline]] inline std::uint64_t mask_if(bool condition) noexcept {
  std::uint64_t mask = 0 - std::uint64_t{condition};
  asm("" : "+r"(mask));
  return mask;
}

/// Makes the digits of a normal number whose mantissa is not a power of two.
[[gnu::always_inline]] inline double_digits digits_of_double(std::uint64_t mantissa,
                                                             std::uint32_t biased) noexcept {
  // The offset in the table: log10_of_power_of_2, with its last bits cut off.
  constexpr std::uint32_t log10_of_2 = 315653, bias = 1075, size = sizeof(double_scale);
  constexpr std::uint32_t least =
      bias * log10_of_2 + (static_cast<std::uint32_t>(lowest_scale) << 20);
  static_assert(size == 32);
  const std::uint32_t offset = (biased * log10_of_2 - least) >> 15 & ~(size - 1);
  const auto& scale = *reinterpret_cast<const double_scale*>(
      reinterpret_cast<const char*>(double_scales.data()) + offset);

  const std::uint32_t shift = (biased + scale.shift) & 63;
  const std::uint64_t shifted = mantissa << shift;  // below 2^56
  // The value in tens, with 64 bits after the point. Without `more`, the value would be too small
  // by less than 65/64 units of the last bit. With `more`, the value is too large by 6 to 8 units
  // of the last bit. A value a little above a border is doubtful, and one comparison detects such a
  // value.
  constexpr std::uint64_t more = 8, doubt = 32;
  const std::uint64_t lower =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(shifted) * scale.low >> 64) + more;
  const unsigned __int128 value = static_cast<unsigned __int128>(shifted) * scale.high + lower;
  const auto fraction = static_cast<std::uint64_t>(value);
  // The distance of the midpoints, too small by less than 5 units of the last bit.
  const std::uint64_t half = (scale.high << shift) >> 1;
  std::uint64_t above;  // the distance of the fraction above the midpoint
  std::uint64_t sum;
  const bool down = __builtin_sub_overflow(fraction, half, &above);
  const bool up = __builtin_add_overflow(fraction, half, &sum);
  // Adds half a digit to round. If the sum overflows, the next multiple of ten is near enough.
  constexpr std::uint64_t half_digit = ~std::uint64_t{0} / 20;
  const auto ones = static_cast<unsigned __int128>(fraction + half_digit) * 10;
  const bool is_certain =
      above >= doubt && sum >= doubt && static_cast<std::uint64_t>(ones) >= 10 * doubt;
  // At most one multiple of ten is between the midpoints. If no multiple of ten is between the
  // midpoints, takes the nearest integer.
  return {&scale, static_cast<std::uint64_t>(value >> 64) + up,
          static_cast<std::uint64_t>(ones >> 64) & ~mask_if(down || up), is_certain};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
