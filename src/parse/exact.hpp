// Decimal numbers as exact fractions, for the few texts that 128 bits do not decide.
#pragma once

#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {
namespace detail {

/// The highest bits of a number: it is mantissa × 2^exponent, or a little more than that.
struct leading_bits {
  unsigned __int128 mantissa;
  std::int64_t exponent;
  bool more;
};

/// No number of the type, and none in the middle between two, has more significant digits: all are
/// multiples of half the least one, so have at most this many decimals.
template <class Float>
inline constexpr int most_digits =
    std::numeric_limits<Float>::digits - std::numeric_limits<Float>::min_exponent + 2;

/// The first `bits` bits of digits × 10^exponent, where the digits are those between `first` and
/// `end`, a point among them passed over, as an integer, and the first is no zero. Digits behind
/// the first `most` only count as zero or not. The value must be in the range of long double, or
/// near.
leading_bits exact_bits(const char* first, const char* end, std::int64_t exponent, int most,
                        int bits) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
