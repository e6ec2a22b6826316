// The exact decimal expansion of a binary number: the slow way that is always right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A decimal number as text: d.ddd 10^exponent, without leading zeros; no digits for zero. Digits
/// that are asked for and not there are zeros.
struct decimal_text {
  char* digits;
  int count;
  int exponent;
};

/// How many bytes write_exact needs: the digits that the value with the most of them has (767 of a
/// double, 11514 of an 80-bit, 11563 of a 128-bit number), and some that it makes at a time.
template <class Float>
inline constexpr std::size_t exact_size =
    static_cast<std::size_t>(std::numeric_limits<Float>::digits -
                             std::numeric_limits<Float>::min_exponent) *
        7 / 10 +
    64;

/// Writes a non-negative finite value, rounded to `significant` digits and to `decimals` behind the
/// point, whichever are fewer; to even on a tie. Either may be INT_MAX.
template <class Float>
decimal_text write_exact(char* to, Float value, int significant, int decimals) noexcept;

/// The sign of mantissa 2^exponent - digits 10^power, for values of doubles.
int compare_exactly(std::uint64_t mantissa, int exponent, std::uint64_t digits, int power) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
