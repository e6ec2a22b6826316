// The exact decimal expansion of a binary number, and exact comparisons: slow, always right. The
// fallback of precise.cpp and shortest.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A decimal number as text: d.ddd × 10^exponent, without leading zeros. Zero has no digits. If the
/// text has fewer digits than requested, the missing digits are zeros.
struct decimal_text {
  char* digits;
  int count;
  int exponent;
};

/// The bytes that write_exact needs. A double has at most 767 digits, an 80-bit number 11514
/// digits, a 128-bit number 11563 digits. A few more bytes are needed, because write_exact makes
/// several digits at a time.
template <class Float>
inline constexpr std::size_t exact_size =
    static_cast<std::size_t>(std::numeric_limits<Float>::digits -
                             std::numeric_limits<Float>::min_exponent) *
        7 / 10 +
    64;

/// Writes the digits of a non-negative finite value to `to`, which has room for exact_size<Float>
/// bytes. Rounds the value to `significant` digits or to `decimals` digits after the point: the
/// count that keeps fewer digits decides. A tie goes to the even digit. Either count may be
/// INT_MAX. Returns the digits, which are in `to`.
template <class Float>
decimal_text write_exact(char* to, Float value, int significant, int decimals) noexcept;

/// The smallest positive exponent for which the linked {fmt} writes "{}" of a float with "e+".
int first_exponent_of_floats();

/// Returns the sign of mantissa × 2^exponent - digits × 10^power, for values of doubles.
int compare_exactly(std::uint64_t mantissa, int exponent, std::uint64_t digits, int power) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
