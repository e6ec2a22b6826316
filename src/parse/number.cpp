// Integers and floating-point numbers from text, in the form of std::from_chars. Called by the
// other parsers of src/parse, by reader::parse and by scanf.
#include "parse/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "number/powers_of_ten.hpp"
#include "parse/digits.hpp"
#include "parse/exact.hpp"
#include "parse/round_quickly.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

using wide = unsigned __int128;

/// Removes the point, which is the first marked byte of `others`: moves the digits before the point
/// by one byte.
[[gnu::always_inline]] inline std::uint64_t without_point(std::uint64_t digits,
                                                          std::uint64_t others) noexcept {
  const std::uint64_t to_point = others ^ (others - 1);
  return (digits << 8 & to_point) | (digits & ~to_point);
}

/// Appends digits to `value`: multiplies `value` by `scale` and adds `digits`. If the result is too
/// large, returns false, and the result's highest bits are lost.
template <class Unsigned>
[[gnu::always_inline]] inline bool append(Unsigned& value, std::uint32_t scale,
                                          std::uint64_t digits) noexcept {
  const bool too_large = __builtin_mul_overflow(value, Unsigned{scale}, &value);
  return !(__builtin_add_overflow(value, Unsigned{digits}, &value) | too_large);
}

/// Calls append(scale, digits) for the digits from `at` on. Returns the end of the digits.
template <class Append>
[[gnu::always_inline]] inline const char* take_digits(const char* at, const char* end,
                                                      Append append) noexcept {
  for (;; at += 8) {
    const std::uint64_t digits = load_digits(at, end);
    const std::uint64_t others = mark_non_digits(digits);
    if (others != 0) {
      const unsigned count = first_mark(others);
      append(powers_of_ten_32[count], join_some(digits, count));
      return at + count;
    }
    append(powers_of_ten_32[8], join_eight(digits));
  }
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// The values of all characters as digits in bases up to 36; 36 if the character is not a digit. A
/// table, because a branch on whether a hexadecimal digit is a letter can't be predicted.
constexpr auto digit_values = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::size_t i = 0; i != values.size(); ++i) {
    const char c = lower(static_cast<char>(i));
    values[i] = static_cast<std::uint8_t>(is_digit(c)            ? c - '0'
                                          : c >= 'a' && c <= 'z' ? c - 'a' + 10
                                                                 : 36);
  }
  return values;
}();
constexpr unsigned digit_value(char c) noexcept {
  return digit_values[static_cast<unsigned char>(c)];
}

// Some standard libraries have no traits for 128 bits.
template <class Int>
using magnitude_of = std::conditional_t<(sizeof(Int) > 8), wide, std::uint64_t>;
template <class Int>
constexpr bool has_sign = static_cast<Int>(-1) < Int{1};

/// Stores the integer whose text is [first, at).
template <class Int>
[[gnu::always_inline]] inline std::from_chars_result store_integer(const char* first,
                                                                   const char* at, bool negative,
                                                                   magnitude_of<Int> magnitude,
                                                                   bool fits, Int& value) noexcept {
  constexpr int unused_bits = 8 * (sizeof(magnitude) - sizeof(Int)) + has_sign<Int>;
  constexpr auto most =
      static_cast<magnitude_of<Int>>(static_cast<magnitude_of<Int>>(-1) >> unused_bits);
  if (at == first + negative) return {first, std::errc::invalid_argument};
  if (!fits || magnitude > most + negative) return {at, std::errc::result_out_of_range};
  value = static_cast<Int>(negative ? 0 - magnitude : magnitude);
  return {at, std::errc{}};
}

/// A function of its own, because its loops would take registers from the usual base.
template <class Int>
[[gnu::noinline]] std::from_chars_result parse_in_base(const char* first, const char* end,
                                                       Int& value, unsigned base) noexcept {
  const bool negative = has_sign<Int> && first != end && *first == '-';
  const char* at = first + negative;
  const auto take = [&](const char* stop, auto append_digit) __attribute__((always_inline)) {
    for (; at != stop; ++at) {
      const unsigned digit = digit_value(*at);
      if (digit >= base) return false;
      append_digit(digit);
    }
    return true;
  };
  const bool shifts = std::has_single_bit(base);
  const int shift = std::countr_zero(base);
  const std::ptrdiff_t digits_that_fit = base == 16 ? 16 : 12;  // in 64 bits: 36^12 is below 2^64
  const char* const first_stop = at + std::min(end - at, digits_that_fit);
  std::uint64_t first_digits = 0;
  const bool goes_on =
      shifts
          ? take(first_stop, [&](unsigned digit) { first_digits = first_digits << shift | digit; })
          : take(first_stop, [&](unsigned digit) { first_digits = first_digits * base + digit; });
  magnitude_of<Int> magnitude = first_digits;
  bool fits = true;
  if (goes_on) take(end, [&](unsigned digit) { fits &= append(magnitude, base, digit); });
  return store_integer(first, at, negative, magnitude, fits, value);
}

}  // namespace

template <class Int>
std::from_chars_result parse_integer(const char* first, const char* end, Int& value,
                                     int base) noexcept {
  if (base != 10) [[unlikely]]
    return parse_in_base(first, end, value, static_cast<unsigned>(base));
  const bool negative = has_sign<Int> && first != end && *first == '-';
  const char* at = first + negative;
  magnitude_of<Int> magnitude = 0;
  bool fits = true;
  const std::uint64_t digits = load_digits(at, end);
  if (const std::uint64_t others = mark_non_digits(digits)) {
    const unsigned count = first_mark(others);
    magnitude = join_some(digits, count);
    at += count;
  } else {
    magnitude = join_eight(digits);
    at = take_digits(at + 8, end, [&](std::uint32_t scale, std::uint64_t more) {
      fits &= append(magnitude, scale, more);
    });
  }
  return store_integer(first, at, negative, magnitude, fits, value);
}

namespace {

/// A rounded non-negative number: mantissa × 2^exponent. The mantissa has at most as many bits as a
/// mantissa of the type, or is the next power of two. An exponent that is too large means infinity.
struct rounded_number {
  wide mantissa;
  int exponent;
  bool operator==(const rounded_number&) const = default;
};

/// Rounds mantissa × 2^exponent. If `sticky` is set, rounds a number that is a little larger.
template <class Float>
rounded_number round_to(wide mantissa, std::int64_t exponent, bool sticky) noexcept {
  using limits = std::numeric_limits<Float>;
  const auto high = static_cast<std::uint64_t>(mantissa >> 64);
  const int leading_zeros = high != 0 ? std::countl_zero(high)
                                      : 64 + std::countl_zero(static_cast<std::uint64_t>(mantissa));
  mantissa <<= leading_zeros;
  exponent -= leading_zeros;
  // The exponent of the result's last bit. Subnormal numbers have fewer bits, so the exponent has a
  // lower limit.
  constexpr int least = limits::min_exponent - limits::digits;
  const std::int64_t last = std::max<std::int64_t>(exponent + 128 - limits::digits, least);
  if (last > limits::max_exponent) return {1, limits::max_exponent};
  const std::int64_t dropped = last - exponent;
  if (dropped > 128) return {0, least};
  const wide half = wide{1} << (dropped - 1);
  const wide rest = mantissa & (half | (half - 1));
  wide kept = mantissa >> (dropped - 1) >> 1;
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  return {kept, static_cast<int>(last)};
}

/// Stores the number in `value`. If the number is infinite or zero, returns result_out_of_range and
/// leaves `value` unchanged.
template <class Float>
std::errc store_rounded(const rounded_number& number, bool negative, Float& value) noexcept {
  using limits = std::numeric_limits<Float>;
  const wide above = wide{1} << limits::digits;
  if (number.mantissa == 0 || number.exponent > limits::max_exponent - limits::digits ||
      (number.mantissa == above && number.exponent == limits::max_exponent - limits::digits))
    return std::errc::result_out_of_range;
  // The result is exact, so the rounding mode has no effect.
  const Float magnitude = std::ldexp(static_cast<Float>(number.mantissa), number.exponent);
  value = negative ? -magnitude : magnitude;
  return {};
}

/// Multiplies `digits` by 128 bits of 10^exponent, and rounds. If `sticky` is set, the number is
/// between `digits` and `digits` + 1. Returns false if the two ends of the possible range round
/// differently.
template <class Float>
bool round_by_table(std::uint64_t digits, bool sticky, int exponent,
                    rounded_number& result) noexcept {
  const auto product = [exponent](std::uint64_t factor, bool upper) {
    // If the power is exact, the only error is the truncation to 128 bits.
    constexpr int last_exact = 55;  // 5^55 < 2^128
    const bool exact = exponent >= 0 && exponent <= last_exact;
    const int leading_zeros = std::countl_zero(factor);
    const power_of_ten& power = power_of_ten_at(exponent);
    const wide low = static_cast<wide>(factor << leading_zeros) * power.low;
    const wide high = static_cast<wide>(factor << leading_zeros) * power.high + (low >> 64);
    return round_to<Float>(high + (upper && !exact),
                           log2_of_power_of_10(exponent) + 1 - 64 - leading_zeros,
                           !exact || static_cast<std::uint64_t>(low) != 0);
  };
  result = product(digits, false);
  return result == product(digits + sticky, true);
}

/// If a valid exponent begins at `at`, skips this exponent and adds its value to `exponent`.
/// Returns the end of the exponent, or `at` if there is none.
[[gnu::always_inline]] inline const char* take_exponent(const char* at, const char* end,
                                                        char letter,
                                                        std::int64_t& exponent) noexcept {
  if (at == end || (*at | 0x20) != letter) return at;
  const char* digits = at + 1;
  const bool negative = digits != end && *digits == '-';
  digits += negative || (digits != end && *digits == '+');
  if (digits == end || !is_digit(*digits)) return at;
  constexpr std::int64_t enough = 1'000'000'000'000'000'000;  // a sum of two cannot overflow
  std::int64_t magnitude = 0;
  for (at = digits; at != end && is_digit(*at); ++at)
    if (magnitude < enough / 10) magnitude = 10 * magnitude + (*at - '0');
  exponent += negative ? -magnitude : magnitude;
  return at;
}

bool starts_with(const char* at, const char* end, std::string_view word) noexcept {
  if (static_cast<std::size_t>(end - at) < word.size()) return false;
  for (const char c : word)
    if (lower(*at++) != c) return false;
  return true;
}

/// Reads "inf", "infinity", "nan" and "nan(…)". For other texts returns `first` with
/// invalid_argument.
template <class Float>
[[gnu::noinline]] std::from_chars_result take_special(const char* first, const char* at,
                                                      const char* end, bool negative,
                                                      Float& value) noexcept {
  using limits = std::numeric_limits<Float>;
  const auto sign = negative ? Float{-1} : Float{1};
  if (starts_with(at, end, "inf")) {
    value = sign * limits::infinity();
    return {at + (starts_with(at, end, "infinity") ? 8 : 3), std::errc{}};
  }
  if (!starts_with(at, end, "nan")) return {first, std::errc::invalid_argument};
  value = std::copysign(limits::quiet_NaN(), sign);
  at += 3;
  if (at == end || *at != '(') return {at, std::errc{}};
  const char* stop = at + 1;
  while (stop != end && (digit_value(*stop) != 36 || *stop == '_')) ++stop;
  return {stop != end && *stop == ')' ? stop + 1 : at, std::errc{}};
}

/// Reads any text from its start, always correctly. Called for a long double of more than 8 bytes.
/// For other types, called if the quick way did not decide, for example for zero, for infinity and
/// for more than 19 digits.
template <class Float>
[[gnu::noinline]] std::from_chars_result parse_exactly(const char* text, const char* end,
                                                       Float& value) noexcept {
  using limits = std::numeric_limits<Float>;
  const bool negative = text != end && *text == '-';
  const char* const unsigned_text = text + negative;

  // The digits without leading zeros: the first, the end of the last, their count, and the value of
  // the first 19.
  const char* first = nullptr;
  const char* last = unsigned_text;
  std::int64_t count = 0;
  std::int64_t exponent = 0;
  constexpr int most_in_64_bits = 19;
  std::uint64_t digits = 0;
  bool sticky = false;
  bool has_digit = false;
  bool after_point = false;
  for (; last != end; ++last) {
    if (*last == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(*last)) break;
    has_digit = true;
    exponent -= after_point;
    if (count == 0) {
      if (*last == '0') continue;
      first = last;
    }
    if (count++ < most_in_64_bits)
      digits = 10 * digits + static_cast<unsigned>(*last - '0');
    else
      sticky |= *last != '0';
  }
  if (!has_digit) return take_special(text, unsigned_text, end, negative, value);
  const char* const stop = take_exponent(last, end, 'e', exponent);
  if (count == 0) {
    value = negative ? -Float{0} : Float{0};
    return {stop, std::errc{}};
  }
  // 10^(size - 1) <= the number < 10^size.
  const std::int64_t size = exponent + count;
  if (size > limits::max_exponent10 + 1 || size < limits::min_exponent10 - limits::digits10 - 5)
    return {stop, std::errc::result_out_of_range};

  const std::int64_t power = size - std::min<std::int64_t>(count, most_in_64_bits);
  rounded_number result;
  if (power < lowest_power || power > highest_power ||
      !round_by_table<Float>(digits, sticky, static_cast<int>(power), result)) {
    // One bit more than the type has, and `exact.sticky`, show on which side of the midpoint the
    // number is.
    const leading_bits exact = exact_bits<Float>(first, last, exponent, limits::digits + 1);
    result = round_to<Float>(exact.mantissa, exact.exponent, exact.sticky);
  }
  return {stop, store_rounded(result, negative, value)};
}

/// Reads the exponent, if any, after up to 19 digits, and stores the number.
template <class Float>
[[gnu::always_inline]] inline std::from_chars_result finish(const char* first, const char* at,
                                                            const char* end, std::uint64_t digits,
                                                            std::int64_t exponent,
                                                            Float& value) noexcept {
  at = take_exponent(at, end, 'e', exponent);
  if (digits != 0 && exponent >= lowest_power && exponent <= highest_power &&
      round_quickly(digits, static_cast<int>(exponent), *first == '-', value)) [[likely]]
    return {at, std::errc{}};
  return parse_exactly(first, end, value);
}

/// Reads any number. Quick for numbers with up to 19 digits.
template <class Float>
[[gnu::noinline]] std::from_chars_result parse_any(const char* first, const char* end,
                                                   Float& value) noexcept {
  const char* const start = first + (first != end && *first == '-');
  std::uint64_t digits = 0;
  const auto append = [&digits](std::uint32_t scale, std::uint64_t more) {
    digits = digits * scale + more;  // may overflow: then `count` is above 19
  };
  const char* at = take_digits(start, end, append);
  std::int64_t count = at - start;
  std::int64_t exponent = 0;
  if (at != end && *at == '.') {
    const char* const point = at;
    at = take_digits(at + 1, end, append);
    exponent = point + 1 - at;
    count -= exponent;
  }
  if (count == 0 || count > 19) [[unlikely]]
    return parse_exactly(first, end, value);
  return finish(first, at, end, digits, exponent, value);
}

/// Reads a number with a point among the first eight bytes after the sign. The other seven bytes
/// are the digits `head`; the first `whole` of them are before the point.
template <class Float>
[[gnu::noinline]] std::from_chars_result parse_long(const char* first, const char* end,
                                                    Float& value, std::uint64_t head,
                                                    unsigned whole) noexcept {
  const char* const start = first + (*first == '-');
  const char* at = start + 8;
  if (end - at < 16) [[unlikely]]
    return parse_any(first, end, value);
  std::uint64_t digits = join_eight(head);
  std::uint64_t block = load_word<std::uint64_t>(at) ^ '0' * every_byte;
  std::uint64_t others = mark_non_digits(block);
  if (others == 0) {
    digits = digits * powers_of_ten_32[8] + join_eight(block);
    at += 8;
    block = load_word<std::uint64_t>(at) ^ '0' * every_byte;
    others = mark_non_digits(block);
    if (others == 0) [[unlikely]]
      return parse_exactly(first, end, value);
  }
  const unsigned count = first_mark(others);
  digits = digits * powers_of_ten_32[count] + join_some(block, count);
  at += count;
  const std::int64_t all = at - start - 1;
  if (all > 19) [[unlikely]]
    return parse_exactly(first, end, value);
  return finish(first, at, end, digits, static_cast<std::int64_t>(whole) - all, value);
}

}  // namespace

template <std::floating_point Float>
std::from_chars_result parse_floating(const char* first, const char* end, Float& value) noexcept {
  // A long double of more than 8 bytes needs more than 64 bits of the power.
  if constexpr (sizeof(Float) > 8) {
    return parse_exactly(first, end, value);
  } else {
    // Most numbers are short: one register holds the number and the byte after it. Other cases have
    // functions of their own, because their code would cost time here.
    if (end - first <= 8) [[unlikely]]
      return parse_any(first, end, value);
    const bool negative = *first == '-';
    const char* at = first + negative;
    const std::uint64_t block = load_word<std::uint64_t>(at) ^ '0' * every_byte;
    const std::uint64_t others = mark_non_digits(block);
    if (others == 0) return parse_any(first, end, value);
    const auto mark = static_cast<unsigned>(std::countr_zero(others));
    if ((block >> (mark - 7) & 0xFF) != ('.' ^ '0')) return parse_any(first, end, value);
    const std::uint64_t rest = without_point(block, others);
    const std::uint64_t later_marks = others & (others - 1);
    if (later_marks == 0) return parse_long(first, end, value, rest, mark / 8);
    const auto last = static_cast<unsigned>(std::countr_zero(later_marks));
    at += last / 8;
    if ((*at | 0x20) == 'e') [[unlikely]]
      return parse_any(first, end, value);
    // Shifts the last digit to the end of the register: by 64 bits minus the bits before `last`.
    const std::uint64_t digits = join_eight(rest << ((7 - last) & 63));
    if (digits == 0 || !round_quickly(digits, 1 - static_cast<int>((last - mark) / 8), negative,
                                      value)) [[unlikely]]
      return parse_exactly(first, end, value);
    return {at, std::errc{}};
  }
}

template <std::floating_point Float>
std::from_chars_result parse_hexadecimal(const char* first, const char* end,
                                         Float& value) noexcept {
  const bool negative = first != end && *first == '-';
  const char* at = first + negative;
  wide mantissa = 0;
  std::int64_t exponent = 0;
  bool sticky = false;
  bool has_digit = false;
  bool after_point = false;
  for (; at != end; ++at) {
    if (*at == '.' && !after_point) {
      after_point = true;
      continue;
    }
    const unsigned digit = digit_value(*at);
    if (digit >= 16) break;
    has_digit = true;
    if (mantissa >> 124 == 0) {
      mantissa = mantissa << 4 | digit;
      exponent -= after_point ? 4 : 0;
    } else {
      sticky |= digit != 0;
      exponent += after_point ? 0 : 4;
    }
  }
  if (!has_digit) return take_special(first, first + negative, end, negative, value);
  at = take_exponent(at, end, 'p', exponent);
  if (mantissa == 0) {
    value = negative ? -Float{0} : Float{0};
    return {at, std::errc{}};
  }
  return {at, store_rounded(round_to<Float>(mantissa, exponent, sticky), negative, value)};
}

template std::from_chars_result parse_integer(const char*, const char*, signed char&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned char&,
                                              int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, short&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned short&,
                                              int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, int&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, long&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned long&,
                                              int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, long long&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned long long&,
                                              int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, __int128&, int) noexcept;
template std::from_chars_result parse_integer(const char*, const char*, unsigned __int128&,
                                              int) noexcept;
template std::from_chars_result parse_floating(const char*, const char*, float&) noexcept;
template std::from_chars_result parse_floating(const char*, const char*, double&) noexcept;
template std::from_chars_result parse_floating(const char*, const char*, long double&) noexcept;
template std::from_chars_result parse_hexadecimal(const char*, const char*, float&) noexcept;
template std::from_chars_result parse_hexadecimal(const char*, const char*, double&) noexcept;
template std::from_chars_result parse_hexadecimal(const char*, const char*, long double&) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
