// scanf's floating-point numbers: reading and storing. scanner.hpp calls this code.
#pragma once

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#include "parse/number.hpp"
#include "stdio/scan/directive.hpp"
#include "stdio/scan/input.hpp"
#include "stdio/scan/small_array.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Returns whether a number out of range is too large (true for "1e999") or too small (false for
/// "1e-999"). The text is an optional sign, digits with an optional point, and an optional
/// exponent.
inline bool is_huge(const char* at, const char* end, bool hexadecimal) noexcept {
  constexpr std::int64_t enough = INT64_MAX / 32;
  const std::int64_t weight = hexadecimal ? 4 : 1;
  std::int64_t size = 0;  // in digits of the exponent's base
  bool after_point = false;
  bool any = false;
  for (; at != end; ++at) {
    const char c = static_cast<char>(*at | 0x20);
    if (c == (hexadecimal ? 'p' : 'e')) break;
    if (*at == '-') continue;
    if (*at == '.') {
      after_point = true;
      continue;
    }
    any |= *at != '0';
    if (any && !after_point) size += weight;
    if (!any && after_point) size -= weight;
  }
  if (at == end) return size > 0;
  ++at;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::int64_t exponent = 0;
  for (; at != end; ++at)
    if (exponent < enough) exponent = 10 * exponent + (*at - '0');
  return size + (negative ? -exponent : exponent) > 0;
}

/// Stores a parsed number. A number out of range becomes infinity or zero. Sets errno to ERANGE for
/// a number out of range and for a subnormal number, as strtod does.
template <class Float>
void store_floating(void* to, std::from_chars_result result, Float value, const char* text,
                    bool hexadecimal) noexcept {
  if (result.ec == std::errc::result_out_of_range) {
    errno = ERANGE;
    value = is_huge(text, result.ptr, hexadecimal) ? std::numeric_limits<Float>::infinity() : 0;
    if (*text == '-') value = -value;
  } else if (std::fpclassify(value) == FP_SUBNORMAL) {
    errno = ERANGE;
  }
  *static_cast<Float*>(to) = value;
}

template <class Float>
void store_text(void* to, const char* text, const char* end, bool hexadecimal) noexcept {
  Float value = 0;
  const std::from_chars_result result = hexadecimal ? detail::parse_hexadecimal(text, end, value)
                                                    : detail::parse_floating(text, end, value);
  store_floating(to, result, value, text, hexadecimal);
}

/// The fast path: reads a decimal number that is in the buffer together with the byte after it.
/// Returns false, and takes nothing, if the buffer is not enough to decide, or if the text may be
/// something other than a decimal number.
template <class Float, class Input>
bool quick_floating(Input& in, const scan_directive& directive, void* to) noexcept {
  if constexpr (Input::has_buffer) {
    const char* at = after_space(in);
    const char* const first = at;
    const char* end = in.end();
    const bool cut = directive.width <= static_cast<std::size_t>(end - at);
    if (cut) end = at + directive.width;
    if (at == end) return false;
    if (*at == '+') ++at;
    const char* const digits = at + (at != end && *at == '-' && at == first);
    if (digits == end || (!is_digit(static_cast<unsigned char>(*digits)) && *digits != '.'))
      return false;
    Float value = 0;
    const std::from_chars_result result = detail::parse_floating(at, end, value);
    if (result.ec == std::errc::invalid_argument) return false;
    if (result.ptr == end) {
      if (!cut) return false;
    } else {
      // "1e+" and "0x": the next characters decide whether the field is a number.
      const char next = static_cast<char>(*result.ptr | 0x20);
      if (next == 'e' || next == 'x') return false;
    }
    in.advance_to(result.ptr);
    store_floating(to, result, value, at, false);
    return true;
  } else {
    return false;
  }
}

using number_text = small_array<char, 256>;

template <class Input>
outcome take_infinity(field<Input>& text, number_text& number) noexcept {
  if (!text.take_word("inf")) return outcome::mismatch;
  if (text.take('i', 'I') && !text.take_word("nity")) return outcome::mismatch;
  for (const char c : {'i', 'n', 'f'}) number.add(c);
  return outcome::matched;
}

template <class Input>
outcome take_nan(field<Input>& text, number_text& number) noexcept {
  const auto is_word = [](auto c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!text.take_word("nan")) return outcome::mismatch;
  if (text.take('(', '(')) {
    while (text.peek() != Input::none && is_word(text.peek())) text.take();
    if (!text.take(')', ')')) return outcome::mismatch;
  }
  for (const char c : {'n', 'a', 'n'}) number.add(c);
  return outcome::matched;
}

/// Takes digits and adds them to the number. If there are digits, sets `any` to true. Returns false
/// if there is no memory.
template <class Input>
[[gnu::always_inline]] inline bool take_digits(field<Input>& text, int base, number_text& number,
                                               bool& any) noexcept {
  for (auto c = text.peek(); c != Input::none && is_digit_of(c, base); c = text.peek()) {
    text.take();
    any = true;
    if (!number.add(static_cast<char>(c))) return false;
  }
  return true;
}

/// Takes the longest text that can begin a number. Text that is not a number, such as "1e+", is a
/// mismatch. `number` gets the text without '+' and "0x".
template <class Input>
outcome take_floating(field<Input>& text, number_text& number, bool& hexadecimal) noexcept {
  if (text.peek() == '-') number.add('-');
  text.take('-', '+');
  const auto first = text.peek();
  if (first == 'i' || first == 'I') return take_infinity(text, number);
  if (first == 'n' || first == 'N') return take_nan(text, number);
  bool any = false;
  if (text.take('0', '0')) {
    hexadecimal = text.take('x', 'X');
    any = !hexadecimal;
    if (any) number.add('0');
  }
  const int base = hexadecimal ? 16 : 10;
  if (!take_digits(text, base, number, any)) return outcome::no_memory;
  if (text.take('.', '.') && !(number.add('.') && take_digits(text, base, number, any)))
    return outcome::no_memory;
  if (!any) return outcome::mismatch;
  if (hexadecimal ? text.take('p', 'P') : text.take('e', 'E')) {
    const bool negative = text.peek() == '-';
    text.take('-', '+');
    any = false;
    if (!number.add(hexadecimal ? 'p' : 'e') || (negative && !number.add('-')) ||
        !take_digits(text, 10, number, any))
      return outcome::no_memory;
    if (!any) return outcome::mismatch;
  }
  return outcome::matched;
}

/// Reads any number from any input, symbol by symbol. Leading white space has been taken already.
template <class Float, class Input>
[[gnu::noinline]] outcome read_floating(Input& in, const scan_directive& directive,
                                        void* to) noexcept {
  if (in.peek() == Input::none) return outcome::no_input;
  field text(in, directive.width);
  number_text number;
  bool hexadecimal = false;
  const outcome result = take_floating(text, number, hexadecimal);
  if (result == outcome::matched) store_text<Float>(to, number.begin(), number.end(), hexadecimal);
  return result;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
