// Parses printf's conversions. format.cpp, format_quickly.cpp and print_arguments.cpp call this
// parser.
#include "stdio/print_conversion.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

using length = print_conversion::length;

constexpr bool is_digit(auto c) noexcept { return c >= '0' && c <= '9'; }

/// Parses a number and moves `at` to the number's end. Returns 0 if there is no digit, and
/// too_large for a number above INT_MAX.
template <class Char>
int read_number(const Char*& at) noexcept {
  int value = 0;
  for (; is_digit(*at); ++at)
    if (value < 0 || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, static_cast<int>(*at - '0'), &value))
      value = print_conversion::too_large;
  return value;
}

/// Parses "3$", as in "%3$d" and "*3$". If the text has another form, returns 0 and leaves `at`
/// unchanged.
template <class Char>
int read_position(const Char*& at) noexcept {
  const Char* end = at;
  if (!is_digit(*end) || *end == '0') return 0;
  const int position = read_number(end);
  if (*end != '$') return 0;
  at = end + 1;
  return position < 0 ? INT_MAX : position;
}

/// Parses a width or a precision.
template <class Char>
int read_count(const Char*& at, int& argument) noexcept {
  if (*at != '*') return read_number(at);
  argument = read_position(++at);
  return print_conversion::from_arguments;
}

/// The length of a type with this size in bytes. On 64-bit Windows a size_t has 8 bytes, and a long
/// has 4.
constexpr length length_of(std::size_t size) noexcept {
  return size == 1              ? length::hh
         : size == 2            ? length::h
         : size == sizeof(int)  ? length::none
         : size == sizeof(long) ? length::l
                                : length::ll;
}

/// Parses a size in bits, after the 'w' of C23's "w32" and "wf32". Returns false for sizes other
/// than 8, 16, 32 and 64.
template <class Char>
bool read_bits(const Char*& at, length& size) noexcept {
  const bool fast = *at == 'f';
  if (fast) ++at;
  switch (read_number(at)) {
    case 8:
      size = length_of(fast ? sizeof(std::int_fast8_t) : 1);
      return true;
    case 16:
      size = length_of(fast ? sizeof(std::int_fast16_t) : 2);
      return true;
    case 32:
      size = length_of(fast ? sizeof(std::int_fast32_t) : 4);
      return true;
    case 64:
      size = length_of(fast ? sizeof(std::int_fast64_t) : 8);
      return true;
    default:
      return false;
  }
}

template <class Char>
bool read_length(const Char*& at, length& size) noexcept {
  switch (*at) {
    case 'h':
      size = *++at == 'h' ? (++at, length::hh) : length::h;
      return true;
    case 'l':
      size = *++at == 'l' ? (++at, length::ll) : length::l;
      return true;
    case 'q':
      ++at;
      size = length::ll;
      return true;
    case 'j':
      ++at;
      size = length_of(sizeof(std::intmax_t));
      return true;
    case 'z':
    case 'Z':
    case 't':
      static_assert(sizeof(std::ptrdiff_t) == sizeof(std::size_t));
      ++at;
      size = length_of(sizeof(std::size_t));
      return true;
    case 'L':
      ++at;
      size = length::big_l;
      return true;
    case 'w':
      return read_bits(++at, size);
    default:
      return true;
  }
}

template <class Char>
void read_flags(const Char*& at, print_conversion& c) noexcept {
  for (;; ++at) {
    if (*at > '0' && *at != 'I') return;  // most conversions have no flags
    if (*at == '-')
      c.left = true;
    else if (*at == '+')
      c.plus = true;
    else if (*at == ' ')
      c.blank = true;
    else if (*at == '#')
      c.alternate = true;
    else if (*at == '0')
      c.zero = true;
    else if (*at != '\'' && *at != 'I')  // the locale's grouping and digits: ignored
      return;
  }
}

}  // namespace

template <class Char>
bool read_conversion(const Char*& at, print_conversion& c) noexcept {
  c = {};
  c.precision = -1;
  if (*at >= '1' && *at <= '9') {  // a width without flags, or the argument's number
    c.width = read_number(at);
    if (*at == '$') {
      ++at;
      c.argument = c.width < 0 ? INT_MAX : c.width;
      c.width = 0;
    }
  }
  if (c.width == 0) {
    read_flags(at, c);
    c.width = read_count(at, c.width_argument);
  }
  if (*at == '.') {
    // A negative precision counts as absent.
    const bool negative = *++at == '-';
    if (negative) ++at;
    c.precision = read_count(at, c.precision_argument);
    if (negative) c.precision = -1;
  }
  if (!read_length(at, c.size)) return false;
  if (*at <= 0 || *at > 'z') return false;
  c.type = static_cast<char>(*at++);
  if (c.type == 'C' || c.type == 'S') {
    c.type = c.type == 'C' ? 'c' : 's';
    c.size = print_conversion::length::l;
  }
  return true;
}
template bool read_conversion(const char*&, print_conversion&) noexcept;
template bool read_conversion(const wchar_t*&, print_conversion&) noexcept;

argument_type print_conversion::type_of_value() const noexcept {
  switch (type) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
      return size == length::l                             ? argument_type::long_int
             : size == length::ll || size == length::big_l ? argument_type::long_long_int
                                                           : argument_type::plain_int;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      // "%llf" is "%Lf", as in scanf.
      return size == length::big_l || size == length::ll ? argument_type::long_double
                                                         : argument_type::plain_double;
    case 'c':
      return size == length::l ? argument_type::wide_char : argument_type::plain_int;
    case 's':
    case 'p':
    case 'n':
      return argument_type::pointer;
    default:
      return argument_type::none;
  }
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
