// The choice of the library that formats the types that leat does not format itself: {fmt}, the
// standard library, or none. The choice is made when leat is built (LEAT_FORMAT), and recorded in
// format_choice.h, so that all files of a program agree.
//
// `formatting` is the chosen namespace: fmt, std, or a minimal namespace without a library. Each of
// these namespaces has the names that leat uses.
#pragma once

#if __has_include(<leat/detail/format_choice.h>)
#  include <leat/detail/format_choice.h>
#elif defined(LEAT_FORMAT_FMT) && defined(LEAT_FORMAT_STD)
// Build systems that generate no header define the choice in each command.
#elif __has_include(<fmt/core.h>)  // sources that were never configured
#  define LEAT_FORMAT_FMT 1
#  define LEAT_FORMAT_STD 0
#else
#  define LEAT_FORMAT_FMT 0
#  if __has_include(<format>)
#    define LEAT_FORMAT_STD 1
#  else
#    define LEAT_FORMAT_STD 0
#  endif
#endif

#if LEAT_FORMAT_FMT
#  if __has_include(<fmt/base.h>)  // from 11 on: core.h of 11 and 12.0 brings all of {fmt}
#    include <fmt/base.h>
#  else
#    include <fmt/core.h>
#  endif
#elif LEAT_FORMAT_STD
#  if !__has_include(<format>)
#    error "this leat was built with LEAT_FORMAT=std, and this standard library has no <format>"
#  endif
#  include <format>
#else
#  include <exception>
#  include <string_view>
#endif
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

#if LEAT_FORMAT_FMT

namespace formatting = ::fmt;

/// True if `formatting` can print a T.
template <class T>
inline constexpr bool can_format = fmt::is_formattable<T>::value;

/// Does not compile if a T can't be printed; the compiler's message has the name of T.
template <class T>
consteval void check_formatter() {
  static_assert(can_format<T>,
                "an argument has no fmt::formatter. For your own type write: template <> struct "
                "fmt::formatter<T> : leat::formatted<\"{}\", &T::member> {}; or a function "
                "format_as(const T&). For standard types include <fmt/ranges.h>, <fmt/chrono.h> "
                "or <fmt/std.h>");
}

#elif LEAT_FORMAT_STD

namespace formatting = ::std;

template <class T>
inline constexpr bool can_format = std::is_default_constructible_v<std::formatter<T>>;

template <class T>
consteval void check_formatter() {
  static_assert(can_format<T>,
                "an argument has no std::formatter. For your own type write: template <> struct "
                "std::formatter<T> : leat::formatted<\"{}\", &T::member> {}; or a function "
                "format_as(const T&). For standard types include the header that has it (this "
                "leat was built with LEAT_FORMAT=std)");
}

#else

/// The `formatting` namespace without a library: minimal, so that the compiler prints only the
/// message of check_formatter.
namespace formatting {
using std::string_view;
template <class T>
struct formatter {
  formatter() = delete;
};
template <class... Args>
struct format_string {
  consteval explicit format_string(std::string_view) {}
};
struct format_args {};
template <class... Args>
format_args make_format_args(Args&...) {
  return {};
}
struct format_error : std::exception {};
}  // namespace formatting

template <class T>
inline constexpr bool can_format = std::is_default_constructible_v<formatting::formatter<T>>;

template <class T>
consteval void check_formatter() {
  static_assert(can_format<T>,
                "an argument of this type needs {fmt} or std::format, but leat was built with "
                "LEAT_FORMAT=none");
}

#endif

/// True if T has a formatter or a function format_as().
template <class T>
concept has_format = std::is_default_constructible_v<formatting::formatter<T>> ||
                     requires(T value) { format_as(value); };

/// True if special cases of the grammar are as in the linked version of {fmt}; else as in the
/// standard.
inline constexpr bool has_fmt_corner_cases = LEAT_FORMAT_FMT;

}  // namespace detail
}  // namespace v0
}  // namespace leat
