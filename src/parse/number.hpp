// Reads numbers from text, for the other parsers of src/parse, for reader::parse and for scanf.
// first.cpp and whole.cpp read common forms faster, with the same results. The functions follow the
// rules of std::from_chars: no blanks, no '+', no locale. The functions read nothing beyond the
// end, and leave the value unchanged on errors.
#pragma once

#include <charconv>
#include <concepts>

namespace leat {
inline namespace v0 {
namespace detail {

/// Reads an integer of any type, also of 128 bits, in a base from 2 to 36.
template <class Int>
std::from_chars_result parse_integer(const char* first, const char* end, Int& value,
                                     int base = 10) noexcept;

/// Reads a decimal number. Rounds to nearest, ties to even, in every rounding mode. A finite text
/// is out of range if rounding makes it infinite, or makes a nonzero number zero.
template <std::floating_point Float>
std::from_chars_result parse_floating(const char* first, const char* end, Float& value) noexcept;

/// Reads a hexadecimal number, in the form of std::chars_format::hex: without "0x". Rounds and
/// reports errors as parse_floating() does. The exponent is a power of two and may be missing.
template <std::floating_point Float>
std::from_chars_result parse_hexadecimal(const char* first, const char* end, Float& value) noexcept;

constexpr bool is_base(int base) noexcept { return base >= 2 && base <= 36; }

/// Reads a number of any type. The base is for integers only.
template <class Number>
std::from_chars_result parse_number(const char* first, const char* end, Number& value,
                                    int base = 10) noexcept {
  if constexpr (std::floating_point<Number>)
    return parse_floating(first, end, value);
  else
    return parse_integer(first, end, value, base);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
