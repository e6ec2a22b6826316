// The parser of printf's conversions: flags, width, precision and length between '%' and the
// letter. Called by format.cpp, format_quickly.cpp and print_arguments.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace stdio {

/// The type that an argument is passed as.
enum class argument_type : unsigned char {
  none,
  plain_int,
  long_int,
  long_long_int,
  plain_double,
  long_double,
  pointer,
  wide_char,
};

/// A parsed conversion, for example "%-8.3f". The members have no initializers: print_arguments has
/// a conversion, and each call of printf would initialize it.
struct print_conversion {
  enum class length : unsigned char { none, hh, h, l, ll, big_l };
  /// The value of a width or precision that the format takes from the arguments ('*').
  static constexpr int from_arguments = -2;
  /// The value of a width or precision above INT_MAX.
  static constexpr int too_large = -3;

  /// The type of the value's argument. `none` for '%' and 'm', which take no argument, and for an
  /// unknown letter.
  argument_type type_of_value() const noexcept;

  bool left, plus, blank, alternate, zero;
  length size;
  char type;
  int width;
  int precision;  ///< -1 if none was given
  // The numbers of the arguments, as in "%3$*1$.*2$f"; 0: the next argument.
  int width_argument;
  int precision_argument;
  int argument;
};

/// The value of an integer that the conversion narrows, for example to a char by "%hhd".
template <class Int>  // std::int64_t or std::uint64_t
constexpr Int narrowed(Int value, print_conversion::length size) noexcept {
  using length = print_conversion::length;
  const std::size_t bytes = size == length::hh     ? sizeof(char)
                            : size == length::h    ? sizeof(short)
                            : size == length::none ? sizeof(int)
                            : size == length::l    ? sizeof(long)
                                                   : sizeof(long long);
  const auto unused = 64 - 8 * bytes;
  return static_cast<Int>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

/// Parses the conversion after a '%', sets all of `c`, and moves `at` to the conversion's end.
/// Returns false if the text is not a conversion; an unknown letter is found only by
/// type_of_value().
template <class Char>
bool read_conversion(const Char*& at, print_conversion& c) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
