// After R. Giulietti's "The Schubfach way to render doubles": between a number and the midpoints to
// its neighbours there is, in units of the right power of ten, always an integer and at most one
// multiple of ten.
//
// A mantissa is scaled to these units by one multiplication with a 128-bit power of ten, with 60
// bits behind the point. That leaves an error of a few of the last bits, so nearly all comparisons
// with the midpoints are certain; where one is not, which is far rarer, the exact comparison
// decides, which is far slower.
#include <fmt/format.h>
#include <leat/print.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "format/digits.hpp"
#include "format/exact.hpp"
#include "number/binary_float.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// digits 10^exponent; the digits may end in zeros.
struct decimal {
  std::uint64_t digits;
  int exponent;
};

/// mantissa 2^exponent in units of a power of ten for which 2^exponent is between 1 and 13 1/3.
struct scaled {
  int power;
  int shift;  // 0 to 3: how 2^exponent relates to `scale`
  std::uint64_t scale;
  std::uint64_t whole;
  std::uint64_t fraction;  // 2^-64 units; too small by less than `error`
};

constexpr int point = 60;  // bits behind it, so that 10 fits before it

/// By how much values with 60 bits behind the point may be wrong.
template <class Float>
constexpr std::uint64_t error = sizeof(Float) == 8 ? 4 : std::uint64_t{1} << 25;

/// Of a double the result has up to 57 bits before the point, of a float 28: for it the higher half
/// of the power is exact enough.
template <class Float, bool Irregular>
[[gnu::always_inline]] inline scaled scale(std::uint64_t mantissa, int exponent) noexcept {
  const int power = Irregular ? log10_of_three_quarters(exponent) : log10_of_power_of_2(exponent);
  const power_of_ten& ten = power_of_ten_at(-power);
  const int shift = exponent + log2_of_power_of_10(-power);
  const std::uint64_t shifted = mantissa << (shift + 1);
  auto product = static_cast<unsigned __int128>(shifted) * ten.high;
  if constexpr (sizeof(Float) == 8)
    product += static_cast<unsigned __int128>(shifted) * ten.low >> 64;
  return {power, shift, ten.high, static_cast<std::uint64_t>(product >> 64),
          static_cast<std::uint64_t>(product)};
}

/// False: too close to a midpoint to be sure.
template <class Float, bool Irregular>
[[gnu::always_inline]] inline bool shortest(decimal& out, std::uint64_t mantissa,
                                            int exponent) noexcept {
  const scaled x = scale<Float, Irregular>(mantissa, exponent);
  const std::uint64_t ten = x.whole / 10 * 10;
  const std::uint64_t fraction = x.fraction >> (64 - point);
  const std::uint64_t above = (x.whole - ten) << point | fraction;
  const std::uint64_t below = (std::uint64_t{10} << point) - above;
  const std::uint64_t to_next = x.scale >> (64 - point - x.shift);  // midpoint
  const std::uint64_t to_previous = Irregular ? to_next / 2 : to_next;
  constexpr std::uint64_t half = std::uint64_t{1} << (point - 1);

  constexpr std::uint64_t margin = error<Float>;
  if (std::min({above - to_previous + margin, below - to_next + margin,
                fraction - half + margin}) <= 2 * margin) [[unlikely]]
    return false;
  std::uint64_t digits = x.whole + (fraction >= half);
  // The nearest integer may lie beyond the nearer midpoint; then the next one does not.
  if (Irregular && fraction < half && fraction > to_previous) ++digits;
  if (below < to_next) digits = ten + 10;
  if (above < to_previous) digits = ten;
  out = {digits, x.power};
  return true;
}

/// The same by exact comparisons.
template <class Float, bool Irregular>
[[gnu::cold, gnu::noinline]] decimal shortest_exactly(std::uint64_t mantissa,
                                                      int exponent) noexcept {
  const scaled x = scale<Float, Irregular>(mantissa, exponent);
  // A midpoint itself belongs to the even mantissa.
  const int inside = mantissa % 2 == 0 ? 0 : 1;
  const auto is_inside = [&](std::uint64_t candidate) {
    const std::uint64_t quarters = 4 * mantissa;
    return compare_exactly(quarters - (Irregular ? 1 : 2), exponent - 2, candidate, x.power) <=
               -inside &&
           compare_exactly(quarters + 2, exponent - 2, candidate, x.power) >= inside;
  };
  const std::uint64_t ten = x.whole / 10 * 10;
  if (is_inside(ten)) return {ten, x.power};
  if (is_inside(ten + 10)) return {ten + 10, x.power};
  // Twice the value against twice the middle; to even on a tie.
  const int side = compare_exactly(mantissa, exponent + 1, 2 * x.whole + 1, x.power);
  const bool up = side > 0 || (side == 0 && x.whole % 2 != 0);
  return {is_inside(x.whole + up) ? x.whole + up : x.whole + !up, x.power};
}

constexpr int lowest_fixed_exponent = -4;

/// From which exponent on "{}" writes an exponent. For float that depends on the version of {fmt}.
template <class Float>
[[gnu::always_inline]] inline int first_exponent() {
  if constexpr (std::is_same_v<Float, float>) {
    static const int first = fmt::format("{}", 1e15F) == "1e+15" ? 7 : 16;
    return first;
  } else {
    return 16;
  }
}

/// What the number of all digits is at least: those of a double are 17, of a float 9.
template <class Float>
constexpr std::uint64_t all_digits = sizeof(Float) == 8 ? sixteen_digits : eight_digits;

/// Writes a number with all its digits, without the zeros at their end.
template <class Float>
[[gnu::always_inline]] inline char* put_all(char* to, decimal number) noexcept {
  std::uint64_t upper = number.digits;
  const auto rest = [&upper] {
    const std::uint64_t low = upper % eight_digits;
    upper /= eight_digits;
    if constexpr (sizeof(Float) == 4) {
      return eight_characters(low);
    } else {
      const std::uint64_t high = upper % eight_digits;
      upper /= eight_digits;
      return sixteen_characters(high, low);
    }
  }();
  const auto first = static_cast<char>('0' + upper);
  const int count = 1 + rest.significant();

  const int exponent = number.exponent + (sizeof(Float) == 8 ? 16 : 8);
  // One comparison each: the sign of an exponent is a coin's toss too.
  if (static_cast<unsigned>(exponent) < static_cast<unsigned>(first_exponent<Float>())) {
    to[0] = first;
    if (sizeof(Float) == 8 || exponent < 8) {
      rest.store(to + 1, exponent);
    } else {
      rest.store(to + 1);
      store(to + 9, zeros);
    }
    return to + (count > exponent + 1 ? count : exponent) + 1;
  }
  if (static_cast<unsigned>(exponent - lowest_fixed_exponent) <
      static_cast<unsigned>(-lowest_fixed_exponent)) {
    store(to, 0x3030'3030'3030'2E30);  // "0.000000"
    to -= exponent;
    to[1] = first;
    rest.store(to + 2);
    return to + count + 1;
  }
  to[0] = first;
  to[1] = '.';
  rest.store(to + 2);
  return put_exponent(to + count + (count != 1), exponent, 'e');
}

/// Makes all digits of a normal number: of a double there are 16 or 17, of a float 7 to 9.
template <class Float>
[[gnu::always_inline]] inline char* put_normal(char* to, decimal number) noexcept {
  for (int i = 0; i != (sizeof(Float) == 8 ? 1 : 2); ++i) {
    const bool few = number.digits < all_digits<Float>;
    number.digits *= 1 + 9 * std::uint64_t{few};  // a branch here would be a coin's toss
    number.exponent -= few;
  }
  return put_all<Float>(to, number);
}

template <class Float>
[[gnu::noinline]] char* write_power_of_two(char* to, int exponent) noexcept {
  constexpr std::uint64_t mantissa = std::uint64_t{1} << (binary_float<Float>::digits - 1);
  decimal number;
  if (!shortest<Float, true>(number, mantissa, exponent))
    number = shortest_exactly<Float, true>(mantissa, exponent);
  return put_normal<Float>(to, number);
}

template <class Float>
[[gnu::noinline]] char* write_exactly(char* to, std::uint64_t mantissa, int exponent) noexcept {
  return put_normal<Float>(to, shortest_exactly<Float, false>(mantissa, exponent));
}

/// Zero, subnormal numbers and what is no number.
template <class Float>
[[gnu::noinline]] char* write_unusual(char* to, Float value) noexcept {
  if (!std::isfinite(value)) {
    return std::copy_n(std::isnan(value) ? "nan" : "inf", 3, to);
  }
  const auto [mantissa, exponent] = decompose(value);
  if (mantissa == 0) {
    *to = '0';
    return to + 1;
  }
  decimal number;
  if (!shortest<Float, false>(number, mantissa, exponent))
    number = shortest_exactly<Float, false>(mantissa, exponent);
  for (; number.digits < all_digits<Float>; --number.exponent) number.digits *= 10;
  return put_all<Float>(to, number);
}

template <class Float>
[[gnu::always_inline]] inline char* write(char* to, Float value) noexcept {
  using parts = binary_float<Float>;
  using integer = typename parts::integer;
  const auto bits = std::bit_cast<integer>(value);
  *to = '-';
  to += bits >> (8 * sizeof bits - 1);
  constexpr integer implied = integer{1} << (parts::digits - 1);
  constexpr auto most = static_cast<int>(~integer{0} >> parts::digits);
  const integer fraction = bits & (implied - 1);
  const auto biased = static_cast<int>(bits >> (parts::digits - 1)) & most;
  // What is rare is a call at the end: so it keeps no register from what is not.
  if (biased == 0 || biased == most) [[unlikely]]
    return write_unusual(to, value);
  const int exponent = biased - 1 + parts::lowest_exponent;
  if (fraction == 0) [[unlikely]]
    return write_power_of_two<Float>(to, exponent);
  // An integer below 2^53 is its own shortest text.
  if (static_cast<unsigned>(-exponent) <=
          static_cast<unsigned>(std::countr_zero(fraction | implied)) &&
      (sizeof(Float) == 8 || first_exponent<Float>() == first_exponent<double>()))
    return put_decimal(to, (fraction | implied) >> -exponent);
  decimal number;
  if (!shortest<Float, false>(number, fraction | implied, exponent)) [[unlikely]]
    return write_exactly<Float>(to, fraction | implied, exponent);
  return put_normal<Float>(to, number);
}

}  // namespace

char* write_value(char* to, float value) noexcept { return write(to, value); }
char* write_value(char* to, double value) noexcept { return write(to, value); }
char* write_value(char* to, long double value) noexcept { return fmt::format_to(to, "{}", value); }

}  // namespace detail
}  // namespace v0
}  // namespace leat
