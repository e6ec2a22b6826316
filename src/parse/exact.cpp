// Decimal numbers as exact fractions. Called by parse_exactly() in number.cpp.
#include "parse/exact.hpp"

#include <cstddef>

#include "base/large_object.hpp"
#include "number/big_number.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

// Each of up to `most_digits` digits takes less than 10/3 bits. The largest denominator is a power
// of five, which takes less than 7/3 bits for each digit and for each zero between the point and
// the first digit. There are fewer than most_digits / 3 such zeros: for double, at most 327 zeros
// and 1076 digits. Four additional words are for shifts.
template <class Float>
constexpr std::size_t capacity = most_digits<Float> * 10 / 3 / 32 + 4;

template <class Float>
struct fraction {
  big_number<capacity<Float>> numerator;
  big_number<capacity<Float>> denominator{1};
};

template <class Float>
leading_bits bits_of(fraction<Float>& value, const char* first, const char* end,
                     std::int64_t exponent, int bits) noexcept {
  auto& [numerator, denominator] = value;
  int digits_left = most_digits<Float>;
  bool sticky = false;
  for (const char* at = first; at != end;) {
    std::uint32_t part = 0;
    std::uint32_t scale = 1;
    for (; at != end && scale != 1'000'000'000; ++at) {
      if (*at == '.') continue;
      const auto digit = static_cast<unsigned>(*at - '0');
      if (digits_left != 0) {
        part = 10 * part + digit;
        scale *= 10;
        --digits_left;
      } else {
        sticky |= digit != 0;
        ++exponent;
      }
    }
    numerator.multiply(scale, part);
  }
  // 10 = 5 × 2: the powers of two are added to the binary exponent.
  numerator.multiply_by_power_of_five(static_cast<int>(exponent));
  denominator.multiply_by_power_of_five(static_cast<int>(-exponent));
  // Shifts the shorter number to the length of the other number. If the quotient is less than 1,
  // shifts the numerator by one more bit. So the quotient is between 1 and 2.
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
  return {quotient, exponent + shift - (bits - 1), sticky || !numerator.is_zero()};
}

}  // namespace

template <class Float>
leading_bits exact_bits(const char* first, const char* end, std::int64_t exponent,
                        int bits) noexcept {
  const auto find = [=](fraction<Float>& value) {
    return bits_of(value, first, end, exponent, bits);
  };
  constexpr std::size_t most_on_stack = 1024;
  if constexpr (sizeof(fraction<Float>) > most_on_stack) {
    return with_large_object<fraction<Float>>(find);
  } else {
    fraction<Float> value;
    return find(value);
  }
}

template leading_bits exact_bits<float>(const char*, const char*, std::int64_t, int) noexcept;
template leading_bits exact_bits<double>(const char*, const char*, std::int64_t, int) noexcept;
template leading_bits exact_bits<long double>(const char*, const char*, std::int64_t, int) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
