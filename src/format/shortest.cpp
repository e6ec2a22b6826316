// The shortest text of a float or double, after R. Giulietti, "The Schubfach way to render
// doubles": in units of the right power of ten, there is always an integer and at most one multiple
// of ten between the midpoints to a number's neighbours. Formats call write_value().
//
// One multiplication with a 128-bit power of ten scales a mantissa to tens of these units, with 64
// bits after the point. The product has an error in its last bits. Nearly all comparisons with the
// midpoints are certain in spite of this error. If a comparison is not certain, exact arithmetic
// decides. Exact arithmetic is far slower, but rarely needed.
#include <leat/format.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"
#include "format/digits.hpp"
#include "format/double_scale.hpp"
#include "format/exact.hpp"
#include "format/shortest.hpp"
#include "number/binary_float.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// The number (10 * tens + ones) * 10^power. A normal double has 16 or 17 digits, a normal float 7
/// to 9 digits. The digits may end in zeros.
struct decimal {
  std::uint64_t tens;
  std::uint64_t ones;  // less than 10
  int power;
};

/// mantissa * 2^exponent in units of 10^(power + 1). The power is chosen so that 2^exponent is
/// between 0.1 and 4/3 of a unit.
struct scaled {
  int power;
  std::uint64_t tens;      // before the point
  std::uint64_t fraction;  // after the point, in 2^-64; too small by less than error<Float>
  std::uint64_t half;      // of 2^exponent: the distance of the midpoints; too small by less than 2
};

template <class Float>
constexpr std::uint64_t error = sizeof(Float) == 8 ? 2 : std::uint64_t{1} << 25;

/// For a double the result has up to 53 bits before the point, for a float up to 24 bits. So for a
/// float the upper half of the power is exact enough.
template <class Float, bool Irregular>
[[gnu::always_inline]] inline scaled scale(std::uint64_t mantissa, int exponent) noexcept {
  const std::int64_t e = exponent;
  const std::int64_t power = Irregular ? log10_of_three_quarters(e) : log10_of_power_of_2(e);
  const power_of_ten& ten = power_of_ten_at(-power - 1);
  const std::int64_t shift = e + log2_of_power_of_10(-power - 1);  // -4 to 0
  const std::uint64_t shifted = mantissa << (shift + 5);
  auto product = static_cast<unsigned __int128>(shifted) * ten.high;
  if constexpr (sizeof(Float) == 8)
    product += static_cast<unsigned __int128>(shifted) * ten.low >> 64;
  const auto high = static_cast<std::uint64_t>(product >> 64);
  return {static_cast<int>(power), high >> 4, high << 60 | static_cast<std::uint64_t>(product) >> 4,
          ten.high >> -shift};
}

/// Finds the shortest digits. If a multiple of ten is between the midpoints, takes this multiple,
/// otherwise one digit more. Returns false if the digits are not certain: the value is too close to
/// a midpoint, or to the middle between two digits.
template <class Float, bool Irregular>
[[gnu::always_inline]] inline bool shortest(decimal& out, std::uint64_t mantissa,
                                            int exponent) noexcept {
  const scaled x = scale<Float, Irregular>(mantissa, exponent);
  // The distance of the midpoint to the previous number.
  const std::uint64_t to_previous = Irregular ? x.half / 2 : x.half;
  const std::uint64_t above = x.fraction;
  const std::uint64_t below = ~x.fraction;
  // Adds half a digit to round. If the sum overflows, the next multiple of ten is near enough.
  constexpr std::uint64_t half_digit = ~std::uint64_t{0} / 20;
  const auto ones = static_cast<unsigned __int128>(x.fraction + half_digit) * 10;
  const auto rest = static_cast<std::uint64_t>(ones);

  constexpr std::uint64_t margin = 16 * error<Float>;
  if (std::min({above - to_previous + margin, below - x.half + margin, rest + margin}) <=
      2 * margin) [[unlikely]]
    return false;
  // At most one multiple of ten is between the midpoints. If no multiple of ten is between the
  // midpoints, takes the nearest integer.
  const std::uint64_t down = mask_if(above < to_previous);
  const std::uint64_t up = mask_if(below < x.half);
  auto digit = static_cast<std::uint64_t>(ones >> 64);
  // The nearest integer may lie beyond the nearer midpoint. Then the next integer lies between the
  // midpoints.
  if (Irregular && rest / 10 > half_digit + to_previous) ++digit;
  out = {x.tens - up, digit & ~(down | up), x.power};
  return true;
}

/// Finds the shortest digits by exact comparisons.
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
  if (is_inside(10 * x.tens)) return {x.tens, 0, x.power};
  if (is_inside(10 * (x.tens + 1))) return {x.tens + 1, 0, x.power};
  const std::uint64_t whole =
      10 * x.tens +
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(x.fraction) * 10 >> 64);
  // Compares twice the value with twice the middle. A tie goes to the even digit.
  const int side = compare_exactly(mantissa, exponent + 1, 2 * whole + 1, x.power);
  const bool up = side > 0 || (side == 0 && whole % 2 != 0);
  const std::uint64_t digits = is_inside(whole + up) ? whole + up : whole + !up;
  return {digits / 10, digits % 10, x.power};
}

/// The smallest positive exponent for which "{}" uses scientific notation. For float, the exponent
/// depends on the version of {fmt}.
template <class Float>
[[gnu::always_inline]] inline int first_exponent() {
  if constexpr (has_fmt_corner_cases && std::is_same_v<Float, float>) {
    static const int first = first_exponent_of_floats();
    return first;
  } else {
    return highest_fixed_exponent + 1;
  }
}

/// The digits of a number as they are written: a block of 16 digits (8 digits for a float), and one
/// digit after the block. The block begins with a nonzero digit.
struct digit_block {
  std::uint64_t block;
  std::uint64_t last;
  int exponent;  // exponent of the first digit
};

template <class Float>
constexpr int block_size = sizeof(Float) == 8 ? 16 : 8;
/// All blocks are below this number.
template <class Float>
constexpr std::uint64_t block_end = sizeof(Float) == 8 ? sixteen_digits : eight_digits;

template <class Float>
[[gnu::always_inline]] inline digit_block to_block(decimal number) noexcept {
  constexpr std::uint64_t least_block = block_end<Float> / 10;
  // If the block has room for the ones digit, too, all bits are set. A test of the sign is faster
  // than a comparison.
  const std::uint64_t few = mask_if(static_cast<std::int64_t>(number.tens - least_block) < 0);
  digit_block result{number.tens + (9 * number.tens & few) + (number.ones & few),
                     number.ones & ~few, number.power + block_size<Float> + static_cast<int>(few)};
  if constexpr (sizeof(Float) == 4) {
    const bool fewer = result.block < least_block;
    result.block *= 1 + 9 * std::uint64_t{fewer};
    result.exponent -= fewer;
  }
  return result;
}

/// Writes the digits without the zeros at their end.
template <class Float>
[[gnu::always_inline]] inline char* put_block(char* to, digit_block number) noexcept {
  constexpr int size = block_size<Float>;
  const auto block = [&] {
    if constexpr (size == 8)
      return eight_characters(number.block);
    else
      return sixteen_characters(number.block / eight_digits, number.block % eight_digits);
  }();
  const auto last = static_cast<char>('0' + number.last);
  const int count = block.significant(number.last != 0);

  const int exponent = number.exponent;
  // One comparison for both bounds, because a branch on the sign of an exponent cannot be predicted
  // either.
  if (static_cast<unsigned>(exponent) < static_cast<unsigned>(first_exponent<Float>())) {
    if (size == 8 && exponent >= size) {
      block.store(to);
      store(to + size, zeros + number.last);
    } else {
      block.store(to, exponent + 1);
      to[size + 1] = last;
    }
    return to + (count > exponent + 1 ? count : exponent) + 1;
  }
  if (static_cast<unsigned>(exponent - lowest_fixed_exponent) <
      static_cast<unsigned>(-lowest_fixed_exponent)) {
    store(to, 0x3030'3030'3030'2E30);  // "0.000000"
    to += 1 - exponent;
    block.store(to);
    to[size] = last;
    return to + count;
  }
  block.store(to, 1);
  to[size + 1] = last;
  to += count + (count != 1);
  if constexpr (sizeof(Float) == 8) {
    const auto& suffix =
        double_scales[static_cast<std::size_t>(exponent - 15 - lowest_scale)].suffix;
    std::memcpy(to, suffix.data(), suffix.size());
    return to + suffix[7];
  } else {
    return put_exponent(to, exponent, 'e');
  }
}

template <class Float>
[[gnu::noinline]] char* write_power_of_two(char* to, int exponent) noexcept {
  constexpr std::uint64_t mantissa = std::uint64_t{1} << (binary_float<Float>::digits - 1);
  decimal number;
  if (!shortest<Float, true>(number, mantissa, exponent))
    number = shortest_exactly<Float, true>(mantissa, exponent);
  return put_block<Float>(to, to_block<Float>(number));
}

/// Decomposes the value again, so that the fast path keeps nothing in registers for this rare call.
template <class Float>
[[gnu::noinline]] char* write_exactly(char* to, Float value) noexcept {
  const auto [mantissa, exponent] = decompose(value);
  return put_block<Float>(to, to_block<Float>(shortest_exactly<Float, false>(mantissa, exponent)));
}

/// Writes zero, subnormal numbers, infinity and NaN.
template <class Float>
[[gnu::noinline]] char* write_special(char* to, Float value) noexcept {
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
  std::uint64_t digits = 10 * number.tens + number.ones;
  for (; digits < block_end<Float> / 10; --number.power) digits *= 10;
  return put_block<Float>(to, to_block<Float>({digits / 10, digits % 10, number.power}));
}

/// Finds the shortest digits by the fast path. Returns false if the digits are not certain.
template <class Float>
[[gnu::always_inline]] inline bool shortest_quickly(decimal& out, std::uint64_t mantissa,
                                                    int biased) noexcept {
  if constexpr (sizeof(Float) == 8) {
    const double_digits number = digits_of_double(mantissa, static_cast<std::uint32_t>(biased));
    out = {number.tens, number.ones,
           static_cast<int>(number.scale - double_scales.data()) + lowest_scale};
    return number.is_certain;
  } else {
    return shortest<Float, false>(out, mantissa, biased - 1 + binary_float<Float>::lowest_exponent);
  }
}

template <class Float>
[[gnu::always_inline]] inline char* write_magnitude(char* to, Float value) noexcept {
  using parts = binary_float<Float>;
  using integer = typename parts::integer;
  const auto bits = std::bit_cast<integer>(value);
  constexpr integer implied = integer{1} << (parts::digits - 1);
  constexpr auto most = static_cast<int>(~integer{0} >> parts::digits);
  const integer fraction = bits & (implied - 1);
  const auto biased = static_cast<int>(bits >> (parts::digits - 1)) & most;
  // The rare cases are calls that end the function, so the usual case keeps no registers for them.
  if (biased == 0 || biased == most) [[unlikely]]
    return write_special(to, value);
  const int exponent = biased - 1 + parts::lowest_exponent;
  if (fraction == 0) [[unlikely]]
    return write_power_of_two<Float>(to, exponent);
  // An integer below 2^53 (float: 2^24) is its own shortest text.
  if (static_cast<unsigned>(-exponent) <=
          static_cast<unsigned>(std::countr_zero(fraction | implied)) &&
      (sizeof(Float) == 8 || first_exponent<Float>() == first_exponent<double>()))
    return write_value(to, std::uint64_t{(fraction | implied) >> -exponent});
  decimal number;
  if (!shortest_quickly<Float>(number, fraction | implied, biased)) [[unlikely]]
    return write_exactly(to, value);
  return put_block<Float>(to, to_block<Float>(number));
}

template <class Float>
[[gnu::always_inline]] inline char* put_sign(char* to, Float value) noexcept {
  const auto bits = std::bit_cast<typename binary_float<Float>::integer>(value);
  *to = '-';
  return to + (bits >> (8 * sizeof bits - 1));
}

}  // namespace

char* write_value(char* to, float value) noexcept {
  return write_magnitude(put_sign(to, value), value);
}

}  // namespace detail

namespace doubles {

char* magnitude_by_portable_code(char* to, double value) noexcept {
  return detail::write_magnitude(to, value);
}

char* by_portable_code(char* to, double value) noexcept {
  return magnitude_by_portable_code(detail::put_sign(to, value), value);
}

std::span<const implementation> implementations() noexcept {
  static constexpr implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &by_avx512,
#endif
      &by_portable_code};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx512_ifma_vbmi()) return std::span(all).subspan(1);
#endif
  return all;
}

}  // namespace doubles

char* detail::write_value(char* to, double value) noexcept {
  return cpu_dispatch<&doubles::implementations>::call(to, value);
}

}  // namespace v0
}  // namespace leat
