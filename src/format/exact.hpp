// The exact decimal expansion of a binary number: the slow way that is always right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A decimal number as text: d.ddd 10^exponent, without leading zeros. Zero has no digits. Digits
/// that were asked for and are missing here are zeros.
struct decimal_text {
  char* digits;
  int count;
  int exponent;
};

/// How many bytes write_exact needs: the most digits that a value can have (767 for a double, 11514
/// for an 80-bit number, 11563 for a 128-bit number), and a few more, as it makes several digits at
/// a time.
template <class Float>
inline constexpr std::size_t exact_size =
    static_cast<std::size_t>(std::numeric_limits<Float>::digits -
                             std::numeric_limits<Float>::min_exponent) *
        7 / 10 +
    64;

/// Writes a non-negative finite value. Rounds it to `significant` digits or to `decimals` digits
/// behind the point, whichever keeps fewer digits; a tie goes to the even digit. Either may be
/// INT_MAX.
template <class Float>
decimal_text write_exact(char* to, Float value, int significant, int decimals) noexcept;

/// The smallest exponent with which the linked {fmt} writes "{}" of a float with an exponent.
int first_exponent_of_floats();

/// The sign of mantissa 2^exponent - digits 10^power, for values of doubles.
int compare_exactly(std::uint64_t mantissa, int exponent, std::uint64_t digits, int power) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
