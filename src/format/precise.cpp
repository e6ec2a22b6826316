// Floating-point numbers with a precision, as printf's e, f, g and a write them. print, printf and
// the iostreams call these functions.
//
// If the bits that are cut off decide the rounding with certainty, up to 17 significant digits come
// from one multiplication with a 128-bit power of ten. If the number is an integer from 2^52 to
// below 2^64, or the number times 10^decimals is below 2^64, up to 17 decimals come from an exact
// product. All other numbers go to the exact expansion.
#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "format/digits.hpp"
#include "format/exact.hpp"
#include "format/few_decimals.hpp"
#include "format/number_text.hpp"
#include "number/binary_float.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr int most_digits = 17;

/// A positive number rounded to a given count of digits, 1 to 17. Zeros follow the digits, so `all`
/// always has 17 digits. Example: 3.14 with three digits is 31400000000000000 with the exponent 0.
struct rounded_digits {
  std::uint64_t all;
  int exponent;
};

/// Rounds to `digits` digits. Returns false if 128 bits do not decide the rounding.
[[gnu::always_inline]] inline bool round_digits(rounded_digits& out, double value,
                                                int digits) noexcept {
  const auto [mantissa, exponent] = decompose(value);
  const int unused = std::countl_zero(mantissa);
  const std::uint64_t top = mantissa << unused;
  // The estimate may be one too low. Then `whole` has one digit too many.
  const int estimate = log10_of_power_of_2(exponent + 63 - unused);
  const int scale = digits - 1 - estimate;
  const power_of_ten& ten = power_of_ten_at(scale);
  const unsigned __int128 product = static_cast<unsigned __int128>(top) * ten.high +
                                    (static_cast<unsigned __int128>(top) * ten.low >> 64);
  // The scaled number is larger than product × 2^-shift by less than two units of the product.
  const int shift = 63 - exponent + unused - log2_of_power_of_10(scale);  // 70 to 126
  auto whole = static_cast<std::uint64_t>(product >> shift);
  const auto fraction = static_cast<std::uint64_t>(product << (128 - shift) >> 64);

  constexpr int point = 60;  // bits after the point, so that a digit fits before it
  std::uint64_t rest = fraction >> (64 - point);
  std::uint64_t half = std::uint64_t{1} << (point - 1);
  const bool more = whole >= small_power_of_ten(digits);
  if (more) {
    rest |= whole % 10 << point;
    half *= 10;
    whole /= 10;
  }
  constexpr std::uint64_t error = 4;
  if (rest - half + error <= 2 * error) return false;
  whole += rest >= half;
  out.exponent = estimate + more;
  if (whole == small_power_of_ten(digits)) {  // 9.99 became 10.0
    whole /= 10;
    ++out.exponent;
  }
  out.all = whole * small_power_of_ten(most_digits - digits);
  return true;
}

/// Returns the digits after the first digit.
[[gnu::always_inline]] inline sixteen_characters after_first(
    const rounded_digits& digits) noexcept {
  const std::uint64_t rest = digits.all % sixteen_digits;
  return {rest / eight_digits, rest % eight_digits};
}
[[gnu::always_inline]] inline char first_of(const rounded_digits& digits) noexcept {
  return static_cast<char>('0' + digits.all / sixteen_digits);
}

/// Writes a value rounded to `digits` digits. Needs room for 17 bytes. Returns false if 128 bits do
/// not decide the rounding.
bool write_digits(decimal_text& out, double value, int digits) noexcept {
  rounded_digits rounded;
  if (!round_digits(rounded, value, digits)) return false;
  out.digits[0] = first_of(rounded);
  after_first(rounded).store(out.digits + 1);
  out.exponent = rounded.exponent;
  out.count = digits;
  return true;
}

/// Rounds to a number of significant digits.
template <class Float>
decimal_text rounded(char* expansion, Float value, int significant) noexcept {
  decimal_text text{expansion, 0, 0};
  if constexpr (std::is_same_v<Float, double>)
    if (value != 0 && significant <= most_digits && write_digits(text, value, significant))
      return text;
  return write_exact(expansion, value, significant, INT_MAX);
}

/// Writes `count` digits of a number, starting at the index `begin`. A negative index is a zero
/// before the first digit. If the number has fewer digits, writes fewer digits. Returns the end of
/// the output.
char* put(char* to, const decimal_text& text, int begin, int count) noexcept {
  const int blank = std::clamp(-begin, 0, count);
  std::memset(to, '0', static_cast<std::size_t>(blank));
  const int given = std::clamp(text.count - (begin + blank), 0, count - blank);
  std::memcpy(to + blank, text.digits + begin + blank, static_cast<std::size_t>(given));
  return to + blank + given;
}

void put_fixed(number_text& out, char* buffer, const decimal_text& text, std::int64_t decimals,
               bool alternate) noexcept {
  char* at = buffer;
  if (text.exponent < 0 || text.count == 0) {
    *at++ = '0';
  } else {
    const int whole = text.exponent + 1;
    at = put(at, text, 0, whole);
    for (; at != buffer + whole; ++at) *at = '0';
  }
  if (decimals != 0 || alternate) *at++ = '.';
  const char* const point = at;
  if (decimals != 0 && text.count != 0) {
    const int most = std::max(text.count - 1 - text.exponent, 0);  // decimals that the text has
    const auto count = static_cast<int>(std::min<std::int64_t>(decimals, most));
    at = put(at, text, text.exponent + 1, count);
  }
  out.trailing_zeros = static_cast<std::size_t>(decimals - (at - point));
  out.digits = {buffer, static_cast<std::size_t>(at - buffer)};
}

void put_scientific(number_text& out, char* buffer, const decimal_text& text, int precision,
                    bool alternate, char letter) noexcept {
  char* at = buffer;
  *at++ = text.count != 0 ? text.digits[0] : '0';
  if (precision != 0 || alternate) *at++ = '.';
  const int given = std::min(std::max(text.count - 1, 0), precision);
  std::memcpy(at, text.digits + 1, static_cast<std::size_t>(given));
  out.trailing_zeros = static_cast<std::size_t>(precision - given);
  out.digits = {buffer, static_cast<std::size_t>(at + given - buffer)};
  out.suffix_size = static_cast<std::size_t>(
      put_exponent(out.suffix, text.count != 0 ? text.exponent : 0, letter) - out.suffix);
}

template <class Float>
void put_general(number_text& out, char* buffer, char* expansion, Float value, int precision,
                 bool alternate, char letter) noexcept {
  if (precision == 0) precision = 1;
  decimal_text text = rounded(expansion, value, precision);
  const int exponent = text.count != 0 ? text.exponent : 0;
  const bool fixed = exponent >= -4 && exponent < precision;
  if (!alternate) {
    while (text.count > 1 && text.digits[text.count - 1] == '0') --text.count;
    precision = std::max(text.count, 1);
    if (fixed) precision = std::max(precision, exponent + 1);
  }
  if (fixed)
    put_fixed(out, buffer, text, std::int64_t{precision} - 1 - exponent, alternate);
  else
    put_scientific(out, buffer, text, precision - 1, alternate, letter);
}

/// Writes digits of base 16, as glibc does. If the count of the mantissa's bits is not a multiple
/// of four, the first digit has the remaining bits: the 53 bits of a double are 1 bit and 13
/// digits.
template <class Float>
void put_hexadecimal(number_text& out, char* buffer, Float value, int precision, bool alternate,
                     bool upper) noexcept {
  using parts = binary_float<Float>;
  constexpr int digits = (parts::digits - 1) / 4;
  auto [mantissa, exponent] = decompose(value);
  exponent = mantissa != 0 ? exponent + 4 * digits : 0;
  int count = digits;
  if (precision < 0) {
    for (; count != 0 && mantissa % 16 == 0; --count) mantissa /= 16;
  } else if (precision < digits) {
    const int cut = 4 * (digits - precision);
    const auto half = static_cast<typename parts::integer>(1) << (cut - 1);
    const auto rest = mantissa & (2 * half - 1);
    mantissa >>= cut;
    mantissa += rest > half || (rest == half && mantissa % 2 != 0);
    count = precision;
    if (mantissa >> 4 * count == 16) {  // the first digit was f, and rounding made it 10
      mantissa >>= 4;
      exponent += 4;
    }
  }
  const char* const characters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const auto character = [&](int digit) {
    return characters[static_cast<unsigned>(mantissa >> 4 * digit) % 16];
  };
  out.add_prefix('0');
  out.add_prefix(upper ? 'X' : 'x');
  char* at = buffer;
  *at++ = character(count);
  if (count != 0 || precision > 0 || alternate) *at++ = '.';
  for (int digit = count; digit-- != 0;) *at++ = character(digit);
  out.trailing_zeros = static_cast<std::size_t>(std::max(precision - digits, 0));
  out.digits = {buffer, static_cast<std::size_t>(at - buffer)};
  out.suffix[0] = upper ? 'P' : 'p';
  out.suffix[1] = exponent < 0 ? '-' : '+';
  out.suffix_size = static_cast<std::size_t>(
      put_few(out.suffix + 2, static_cast<std::uint32_t>(std::abs(exponent))) - out.suffix);
}

/// Writes a finite, non-negative value as printf's 'e' does, with this letter before the exponent.
/// Returns null as write_general() does.
char* write_scientific(char* to, double value, int precision, char letter) noexcept {
  rounded_digits digits{0, 0};
  if (precision >= most_digits || (value != 0 && !round_digits(digits, value, precision + 1)))
    return nullptr;
  *to = first_of(digits);
  after_first(digits).store(to + 1, 0);
  return put_exponent(to + 1 + (precision != 0 ? precision + 1 : 0), digits.exponent, letter);
}

}  // namespace

char* write_general(char* to, double value, int precision, char letter) noexcept {
  if (value == 0) {
    *to = '0';
    return to + 1;
  }
  rounded_digits digits;
  precision = std::max(precision, 1);
  if (precision > most_digits || !round_digits(digits, value, precision)) return nullptr;
  const int exponent = digits.exponent;
  const char first = first_of(digits);
  const sixteen_characters rest = after_first(digits);
  const int rest_size = rest.significant();
  if (exponent >= 0 && exponent < precision) [[likely]] {
    *to = first;
    rest.store(to + 1, exponent);
    return to + 1 + (rest_size > exponent ? rest_size + 1 : exponent);
  }
  if (exponent < 0 && exponent >= -4) {
    constexpr char before[] = {'0', '.', '0', '0', '0'};
    std::memcpy(to, before, sizeof before);
    to += 1 - exponent;
    *to = first;
    rest.store(to + 1);
    return to + 1 + rest_size;
  }
  *to = first;
  rest.store(to + 1, 0);
  return put_exponent(to + 1 + (rest_size != 0 ? rest_size + 1 : 0), exponent, letter);
}

// A double is m × 2^e with m < 2^53. The product m × 10^decimals has at most 110 bits. A right
// shift by -e cuts the product exactly at the point. The bits that are cut off decide the rounding.
// A tie goes to the even digit, as in printf.
char* write_fixed(char* to, double value, int decimals) noexcept {
  if (const few_decimals few(value, decimals); few.is_supported()) return few.store(to);
  if (decimals > most_digits) return nullptr;
  const auto [mantissa, exponent] = decompose(value);
  if (exponent > 64 - binary_float<double>::digits) return nullptr;
  const std::uint64_t scale = small_power_of_ten(decimals);
  std::uint64_t whole, fraction;
  if (exponent >= 0) {
    whole = mantissa << exponent;
    fraction = 0;
  } else {
    const auto scaled = static_cast<unsigned __int128>(mantissa) * scale;
    unsigned __int128 rounded = 0;
    if (const int cut = -exponent; cut < 128) {
      const unsigned __int128 half = static_cast<unsigned __int128>(1) << (cut - 1);
      const unsigned __int128 rest = scaled & (2 * half - 1);
      rounded = scaled >> cut;
      rounded += rest > half || (rest == half && (rounded & 1) != 0);
    }
    if (rounded > ~std::uint64_t{0}) return nullptr;
    whole = static_cast<std::uint64_t>(rounded) / scale;
    fraction = static_cast<std::uint64_t>(rounded) % scale;
  }
  to = put_decimal(to, whole);
  if (decimals == 0) return to;
  // 10^decimals is added so that the fraction has all its leading zeros, and a digit at the
  // position of the point. For example 0.05 with two decimals: 105 is "105", and the point replaces
  // the '1'.
  char* const end = put_decimal(to, fraction + scale);
  *to = '.';
  return end;
}

char* write_few(char* to, double value, char type, int precision, bool alternate) noexcept {
  const auto letter = static_cast<char>('E' | (type & 0x20));
  switch (type | 0x20) {
    case 'f': {
      char* end = write_fixed(to, value, precision);
      if (end != nullptr && precision == 0 && alternate) *end++ = '.';
      return end;
    }
    case 'e':
      return precision == 0 && alternate ? nullptr : write_scientific(to, value, precision, letter);
    case 'g':
      return alternate ? nullptr : write_general(to, value, precision, letter);
    default:
      return nullptr;
  }
}

template <class Float>
void write_precise(number_text& out, char* buffer, Float value, char type, int precision,
                   bool alternate) noexcept {
  char* const expansion = buffer + precise_size<Float> - exact_size<Float>;
  const auto letter = static_cast<char>('E' | (type & 0x20));
  if constexpr (std::is_same_v<Float, double>) {
    if (const char* const end = write_few(buffer, value, type, precision, alternate)) {
      out.digits = {buffer, static_cast<std::size_t>(end - buffer)};
      return;
    }
  }
  switch (type | 0x20) {
    case 'f':
      put_fixed(out, buffer, write_exact(expansion, value, INT_MAX, precision), precision,
                alternate);
      return;
    case 'e':
      put_scientific(out, buffer,
                     rounded(expansion, value, precision == INT_MAX ? precision : precision + 1),
                     precision, alternate, letter);
      return;
    case 'a':
      put_hexadecimal(out, buffer, value, precision, alternate, type == 'A');
      return;
    default:
      put_general(out, buffer, expansion, value, precision, alternate, letter);
      return;
  }
}

template void write_precise(number_text&, char*, double, char, int, bool) noexcept;
template void write_precise(number_text&, char*, long double, char, int, bool) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
