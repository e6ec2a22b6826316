// The shortest text of a long double, after G. Steele and J. White, "How to print floating-point
// numbers accurately": exact integers, digit by digit, until no other number is nearer. Formats
// call write_value().
#include <leat/format.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/large_object.hpp"
#include "format/digits.hpp"
#include "format/exact.hpp"
#include "number/big_number.hpp"
#include "number/binary_float.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

using long_parts = binary_float<long double>;
constexpr int most_long_digits = std::numeric_limits<long double>::max_digits10;
/// Holds the integers of shortest_digits for exponents from -Exponent to Exponent: the bits of the
/// number and of its digits, and a few more.
template <int Exponent>
using long_number =
    big_number<static_cast<std::size_t>(2 * long_parts::digits + Exponent) / 32 + 4>;

template <class Number>
void multiply_by_power_of_ten(Number& number, int power) noexcept {
  number.multiply_by_power_of_five(power);
  number.shift_left(power);
}

/// The working memory of shortest_digits: 1 KiB for the exponents of a double, 12 KiB for all
/// exponents.
template <int Exponent>
struct long_numbers {
  using number = long_number<Exponent>;
  number rest, above, below, unit, ten, missing;

  /// Returns the sign of a + b - c. `b` is not zero.
  std::strong_ordering compare_sum(const number& a, const number& b, const number& c) noexcept {
    if (a >= c) return std::strong_ordering::greater;
    missing = c;
    missing.subtract(a);
    return b <=> missing;
  }
};

/// Writes the digits of a positive finite number to `to`, and returns them.
template <int Exponent>
decimal_text shortest_digits(long_numbers<Exponent>& numbers, char* to,
                             long double value) noexcept {
  using number = long_number<Exponent>;
  const auto [mantissa, exponent] = decompose(value);
  const bool even = mantissa % 2 == 0;  // if so, the midpoints round to the number
  // The next number below a power of two is half as far away as the next number above the power.
  const bool irregular =
      exponent != long_parts::lowest_exponent && (mantissa & (mantissa - 1)) == 0;

  // rest / unit is the number in units of 10^power. above / unit and below / unit are the distances
  // of the midpoints.
  const int up = std::max(exponent, 0);
  number& rest = numbers.rest;
  number& above = numbers.above;
  number& below = numbers.below;
  number& unit = numbers.unit;
  number& ten = numbers.ten;
  rest.set(mantissa, up + 2);
  above.set(2, up);
  below.set(irregular ? 1 : 2, up);
  unit.set(4, std::max(-exponent, 0));
  int power = static_cast<int>(std::floor((rest.bits() - unit.bits() - 1) * 0.30102999566398114));
  if (power >= 0) {
    multiply_by_power_of_ten(unit, power);
  } else {
    for (number* each : {&rest, &above, &below}) multiply_by_power_of_ten(*each, -power);
  }
  const auto reaches = [&](const number& limit) {
    const auto order = numbers.compare_sum(rest, above, limit);
    return order > 0 || (even && order == 0);
  };
  // The estimate may be too low, or the midpoint may need one digit more.
  for (ten = unit;; unit = ten, ++power) {
    ten.multiply(10);
    if (!reaches(ten)) break;
  }

  decimal_text text{to, 0, power};
  for (;;) {
    int digit = 0;
    for (; rest >= unit; ++digit) rest.subtract(unit);
    const auto order = rest <=> below;
    const bool down = order < 0 || (even && order == 0);
    bool round_up = reaches(unit);
    const bool last = down || round_up;
    if (down && round_up) {
      const auto half = numbers.compare_sum(rest, rest, unit);
      round_up = half > 0 || (half == 0 && digit % 2 != 0);
    }
    to[text.count++] = static_cast<char>('0' + digit + round_up);
    if (last) return text;
    for (number* each : {&rest, &above, &below}) each->multiply(10);
  }
}

/// Writes the digits as "{}" does: with an exponent if the exponent is below -4 or above 15.
char* put_shortest(char* to, const decimal_text& text) noexcept {
  const auto put = [&](const char* from, int count) {
    std::memcpy(to, from, static_cast<std::size_t>(count));
    to += count;
  };
  const auto put_zeros = [&](int count) { to = std::fill_n(to, count, '0'); };
  int whole = text.exponent + 1;  // digits before the point
  const bool scientific = whole < -3 || whole > 16;
  if (scientific) whole = 1;
  if (whole <= 0) {
    put("0.", 2);
    put_zeros(-whole);
    whole = 0;
  }
  const int before = std::min(whole, text.count);
  put(text.digits, before);
  put_zeros(whole - before);
  if (before != 0 && before != text.count) *to++ = '.';
  put(text.digits + before, text.count - before);
  return scientific ? put_exponent(to, text.exponent, 'e') : to;
}

}  // namespace

char* write_value(char* to, long double value) noexcept {
  // On some systems long double has the format of double.
  if constexpr (long_parts::digits == binary_float<double>::digits)
    return write_value(to, static_cast<double>(value));
  if (std::signbit(value)) *to++ = '-';
  value = std::fabs(value);
  if (!std::isfinite(value)) return std::copy_n(std::isnan(value) ? "nan" : "inf", 3, to);
  if (value == 0) {
    *to = '0';
    return to + 1;
  }
  char digits[most_long_digits + 2];
  constexpr int largest_usual_exponent = 1088;  // includes the exponents of doubles
  if (std::abs(decompose(value).exponent) <= largest_usual_exponent) {
    long_numbers<largest_usual_exponent> numbers;
    return put_shortest(to, shortest_digits(numbers, digits, value));
  }
  using numbers_of_all = long_numbers<-long_parts::lowest_exponent>;
  return put_shortest(to, with_large_object<numbers_of_all>([&](numbers_of_all& numbers) {
                        return shortest_digits(numbers, digits, value);
                      }));
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
