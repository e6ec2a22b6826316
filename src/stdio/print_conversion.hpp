// Parsing printf's conversions: flags, width, precision and length between '%' and the letter.
#pragma once

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

/// A parsed conversion, for example "%-8.3f".
struct print_conversion {
  enum class length : unsigned char { none, hh, h, l, ll, big_l };
  /// The value of a width or precision that the format takes from the arguments ('*').
  static constexpr int from_arguments = -2;
  /// The value of a width or precision above INT_MAX.
  static constexpr int too_large = -3;

  /// The type of the value's argument; `none` for an unknown letter.
  argument_type type_of_value() const noexcept;

  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  length size = length::none;
  char type = '\0';
  int width = 0;
  int precision = -1;
  // The numbers of the arguments, as in "%3$*1$.*2$f"; 0: the next argument.
  int width_argument = 0;
  int precision_argument = 0;
  int argument = 0;
};

/// Parses the conversion after a '%' and moves `at` to the conversion's end. Returns false if the
/// text is not a conversion; an unknown letter is found only by type_of_value().
template <class Char>
bool read_conversion(const Char*& at, print_conversion& c) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
