// The arguments of the printf family: in order, or numbered. The functions of variadic.hpp make the
// arguments; format.cpp and format_quickly.cpp take them.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <memory>

#include "stdio/print_conversion.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

union argument {
  std::int64_t integer;  ///< an int or a long is sign-extended
  double real;
  long double long_real;
  const void* pointer;
};

/// The state in which format_quickly() stopped.
struct unfinished_conversion {
  const char* at;  ///< the rest of the format
  char* to;        ///< the end of the text written so far
  // A conversion before `at`, for example "%.2f" of 1e300. The conversion's arguments are taken. At
  // most a part of the conversion's text is written. The type '\0': no conversion was begun.
  print_conversion conversion;
  argument value;
};

/// The arguments of a function of the printf family. A va_list passed as a parameter may be copied,
/// so that the caller does not see which arguments were taken. With this struct, all functions take
/// from the same list.
struct print_arguments {
  va_list list;
  /// `rest` is in this struct, because a second pointer would cost format_quickly() a register.
  unfinished_conversion rest;
};

/// Takes the next argument.
void take_argument(print_arguments& arguments, argument_type type, argument& value) noexcept;

/// If the format has '*' for the width or the precision, takes them from the arguments.
/// `take(number)` returns an int.
template <class Take>
void take_counts(print_conversion& c, const Take& take) noexcept {
  if (c.width == print_conversion::from_arguments) {
    c.width = take(c.width_argument);
    if (c.width < 0) {
      c.left = true;
      c.width = c.width == INT_MIN ? print_conversion::too_large : -c.width;
    }
  }
  if (c.precision == print_conversion::from_arguments)
    c.precision = std::max(take(c.precision_argument), -1);
}

/// Access to the arguments, in order or by number.
class argument_list {
 public:
  /// Takes arguments from `arguments`, which must outlive this object.
  explicit argument_list(print_arguments& arguments) noexcept : arguments_(arguments) {}
  argument_list(const argument_list&) = delete;
  argument_list& operator=(const argument_list&) = delete;

  /// Returns the next argument, or argument `number` if the format numbers its arguments. The
  /// reference is valid until the next call.
  const argument& take(argument_type type, int number) noexcept {
    if (values_ != nullptr) return values_[number - 1];
    take_argument(arguments_, type, inline_values_[0]);
    return inline_values_[0];
  }
  int take_int(int number) noexcept {
    return values_ != nullptr ? static_cast<int>(values_[number - 1].integer)
                              : va_arg(arguments_.list, int);
  }
  /// Returns the next argument, an int. Faster than take(). Only for formats that do not number
  /// their arguments.
  int next_int() noexcept { return va_arg(arguments_.list, int); }
  const char* next_text() noexcept { return va_arg(arguments_.list, const char*); }
  bool is_numbered() const noexcept { return values_ != nullptr; }

  /// Fetches all arguments of a format that numbers its arguments, as "%2$s %1$d" does. Returns
  /// false with errno: EINVAL if a conversion is wrong or has no number ("%2$s %d"), an argument
  /// has no conversion ("%2$s" alone) or a number is above 4096; ENOMEM if there is no memory.
  template <class Char>
  bool fetch_numbered(const Char* text) noexcept;

 private:
  static constexpr int inline_count = 16;
  static constexpr int most_numbered = 4096;  // as glibc's NL_ARGMAX

  print_arguments& arguments_;
  argument* values_ = nullptr;
  argument inline_values_[inline_count];
  std::unique_ptr<argument[]> allocated_values_;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
