#include "parse/exact.hpp"

#include <cstddef>

#include "number/big_number.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

// Each digit takes less than 10/3 bits. The largest denominator is a power of five. It takes less
// than 7/3 bits for each digit and for each zero in front of the digits, and there are less than a
// third as many zeros as digits. The last words are for shifts.
constexpr std::size_t capacity = most_digits<long double> * 10 / 3 / 32 + 4;

}  // namespace

leading_bits exact_bits(const char* first, const char* end, std::int64_t exponent, int most,
                        int bits) noexcept {
  big_number<capacity> numerator;
  bool more = false;
  for (const char* at = first; at != end;) {
    std::uint32_t part = 0;
    std::uint32_t scale = 1;
    for (; at != end && scale != 1'000'000'000; ++at) {
      if (*at == '.') continue;
      const auto digit = static_cast<unsigned>(*at - '0');
      if (most != 0) {
        part = 10 * part + digit;
        scale *= 10;
        --most;
      } else {
        more |= digit != 0;
        ++exponent;
      }
    }
    numerator.multiply(scale, part);
  }
  // 10 = 5 × 2: the powers of two go into the binary exponent.
  big_number<capacity> denominator(1);
  numerator.multiply_by_power_of_five(static_cast<int>(exponent));
  denominator.multiply_by_power_of_five(static_cast<int>(-exponent));
  // Shifts both to the same length, and then so that the quotient is between 1 and 2.
  int shift = numerator.bits() - denominator.bits();
  if (shift > 0)
    denominator.shift_left(shift);
  else
    numerator.shift_left(-shift);
  if (numerator < denominator) {
    numerator.shift_left(1);
    --shift;
  }
  unsigned __int128 quotient = 0;
  for (int i = 0; i != bits; ++i) {
    quotient <<= 1;
    if (!(numerator < denominator)) {
      numerator.subtract(denominator);
      quotient |= 1;
    }
    numerator.shift_left(1);
  }
  return {quotient, exponent + shift - (bits - 1), more || !numerator.is_zero()};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
