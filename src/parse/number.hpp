// Numbers out of text: the one place where digits are read. All functions keep the rules of
// std::from_chars: no blanks, no '+', no locale, no byte behind the end looked at; the value is
// left alone on errors.
#pragma once

#include <charconv>
#include <concepts>

namespace leat {
inline namespace v0 {
namespace detail {

/// For all integer types, those of 128 bits included, and bases from 2 to 36.
template <class Int>
std::from_chars_result parse_integer(const char* first, const char* end, Int& value,
                                     int base = 10) noexcept;

/// Rounded to nearest, ties to even, whatever the rounding mode: a finite text is out of range if
/// that makes it infinite, or zero though it isn't.
template <std::floating_point Float>
std::from_chars_result parse_floating(const char* first, const char* end, Float& value) noexcept;

/// The same for std::chars_format::hex: no "0x", the exponent is one of two and may be left out.
template <std::floating_point Float>
std::from_chars_result parse_hexadecimal(const char* first, const char* end, Float& value) noexcept;

/// A decimal number of any type.
template <class Number>
std::from_chars_result parse_number(const char* first, const char* end, Number& value) noexcept {
  if constexpr (std::floating_point<Number>)
    return parse_floating(first, end, value);
  else
    return parse_integer(first, end, value);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
