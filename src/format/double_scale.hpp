// The first part of the shortest text of a double: two numbers, and what stands in a table for the
// decimal exponent. shortest.cpp tells how it works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// What doubles have in common whose unit in the last place is between 10^power and 10^(power + 1).
/// Half a line of the cache, with everything that depends on the power.
struct alignas(32) double_scale {
  /// 10^-(power + 1), below 2^-3 of its unit: 125 bits, without rounding.
  std::uint64_t high;
  std::uint64_t low;
  /// What stands behind digits of which the first one has the exponent power + 15: "e+20", or
  /// nothing. The last byte is the count of characters.
  std::array<char, 8> suffix;
  /// Plus the biased exponent, modulo 64: by how many bits the mantissa is shifted, 0 to 3.
  std::uint16_t shift;
  /// Where the layout for this power is, in bytes (shortest_by_avx512.cpp).
  std::uint16_t layout;
};

/// Of a normal number, -324 to 292. With smaller ones, for their suffix only, which subnormal
/// numbers have; and one larger one.
inline constexpr int lowest_scale = -339;
inline constexpr int highest_scale = 293;
extern const std::array<double_scale, highest_scale - lowest_scale + 1> double_scales;

/// Of the first digit. Outside of these, a text has an exponent.
inline constexpr int lowest_fixed_exponent = -4;
inline constexpr int highest_fixed_exponent = 15;

/// Layouts come in pairs for each power: for a first digit of the exponent power + 15, and one
/// more. The first of these powers, and how many there are; then comes the pair for all texts that
/// have an exponent.
inline constexpr int lowest_layout = lowest_fixed_exponent - 16;
inline constexpr int fixed_layouts = highest_fixed_exponent - 15 - lowest_layout + 1;
inline constexpr std::size_t bytes_of_layouts = 128;

/// The number is (10 tens + ones) 10^power of its scale; tens has 15 or 16 digits. Where the ones
/// are not needed they are 0.
struct double_digits {
  const double_scale* scale;
  std::uint64_t tens;
  std::uint64_t ones;
  bool sure;  // else the numbers may be wrong by one: the value is too close to where they change
};

/// All bits if the condition is true, else none. Written so that GCC makes no branch: the
/// conditions here can't be predicted.
[[gnu::always_inline]] inline std::uint64_t all_if(bool condition) noexcept {
  std::uint64_t mask = 0 - std::uint64_t{condition};
  asm("" : "+r"(mask));
  return mask;
}

/// Of a normal number whose mantissa is no power of two.
[[gnu::always_inline]] inline double_digits digits_of_double(std::uint64_t mantissa,
                                                             std::uint32_t biased) noexcept {
  // The offset in the table: log10_of_power_of_2, whose last bits are cut off.
  constexpr std::uint32_t log10_of_2 = 315653, bias = 1075, size = sizeof(double_scale);
  constexpr std::uint32_t least =
      bias * log10_of_2 + (static_cast<std::uint32_t>(lowest_scale) << 20);
  static_assert(size == 32);
  const std::uint32_t offset = (biased * log10_of_2 - least) >> 15 & ~(size - 1);
  const auto& scale = *reinterpret_cast<const double_scale*>(
      reinterpret_cast<const char*>(double_scales.data()) + offset);

  const std::uint32_t shift = (biased + scale.shift) & 63;
  const std::uint64_t shifted = mantissa << shift;  // below 2^56
  // The value in tens, with 64 bits behind the point. It is too small by less than 1 1/64 of the
  // last bit. With a few more it is too large by 6 to 8. Where it is a little above a border, it is
  // doubtful; and one comparison finds that.
  constexpr std::uint64_t more = 8, doubt = 32;
  const std::uint64_t lower =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(shifted) * scale.low >> 64) + more;
  const unsigned __int128 value = static_cast<unsigned __int128>(shifted) * scale.high + lower;
  const auto fraction = static_cast<std::uint64_t>(value);
  // How far the midpoints are, too small by less than 5.
  const std::uint64_t half = (scale.high << shift) >> 1;
  std::uint64_t above;  // what the fraction is above the midpoint
  std::uint64_t sum;
  const bool down = __builtin_sub_overflow(fraction, half, &above);
  const bool up = __builtin_add_overflow(fraction, half, &sum);
  // Half a digit more, to round. Where that overflows, the next multiple of ten is near enough.
  constexpr std::uint64_t half_digit = ~std::uint64_t{0} / 20;
  const auto ones = static_cast<unsigned __int128>(fraction + half_digit) * 10;
  const bool sure =
      above >= doubt && sum >= doubt && static_cast<std::uint64_t>(ones) >= 10 * doubt;
  // Only one multiple of ten is between the midpoints. If there is none, the nearest integer is.
  return {&scale, static_cast<std::uint64_t>(value >> 64) + up,
          static_cast<std::uint64_t>(ones >> 64) & ~all_if(down || up), sure};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
