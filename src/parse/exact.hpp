// Decimal numbers as exact fractions, for the few texts for which 128 bits are not enough. Called
// by number.cpp.
#pragma once

#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// The highest bits of a number: mantissa × 2^exponent. If `sticky` is set, the number is a little
/// larger than this product. `sticky` is named after the sticky bit of rounding
/// hardware.
struct leading_bits {
  unsigned __int128 mantissa;
  std::int64_t exponent;
  bool sticky;
};

/// No number of the type, and no midpoint between two neighbours, has more significant digits than
/// `most_digits`. Reason: all these numbers are multiples of half the smallest positive number, so
/// each of them has at most `most_digits` decimals.
template <class Float>
inline constexpr int most_digits =
    std::numeric_limits<Float>::digits - std::numeric_limits<Float>::min_exponent + 2;

/// Returns the first `bits` bits of digits × 10^exponent. The digits are the integer between
/// `first` and `end`, in which a point is skipped. The first digit is not zero. For the digits
/// after the first `most_digits`, it only matters whether all of them are zero. The value must be
/// in the range of the type, or near it.
template <class Float>
leading_bits exact_bits(const char* first, const char* end, std::int64_t exponent,
                        int bits) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
