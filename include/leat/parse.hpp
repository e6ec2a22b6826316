// Numbers from text, without a locale: parse and parse_result.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>
#include <leat/detail/blank.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// A type that parse() reads: a number, not a character.
template <class T>
concept parsable =
    std::floating_point<T> || std::same_as<T, signed char> || std::same_as<T, unsigned char> ||
    std::same_as<T, short> || std::same_as<T, unsigned short> || std::same_as<T, int> ||
    std::same_as<T, unsigned> || std::same_as<T, long> || std::same_as<T, unsigned long> ||
    std::same_as<T, long long> || std::same_as<T, unsigned long long>;
/// An integer that parse() reads, also in other bases.
template <class T>
concept parsable_integer = parsable<T> && std::integral<T>;

/// The result of leat::parse(), similar to std::from_chars_result.
template <class T>
struct parse_result {
  T value{};              ///< 0 if there is an error
  std::string_view rest;  ///< the text after the number; the whole text if there is no number
  std::errc ec{};  ///< invalid_argument: no number; result_out_of_range: the number does not fit

  explicit operator bool() const noexcept { return ec == std::errc{}; }
};

namespace detail {

// Exported functions have no constraints: some compilers put constraints into a symbol's name, and
// a program of one compiler must link with a library of another compiler.
template <class T>
LEAT_API parse_result<T> parse_text(std::string_view text) noexcept;
template <class T>
LEAT_API parse_result<T> parse_text(std::string_view text, int base) noexcept;

/// A number and the end of its text.
template <class Number>
struct first_number {
  const char* end;
  Number value;
};
/// Skips blanks and reads the number after them. The text is from `at` to `end`. The `end` of the
/// result is null if there is no number, if the number is too large, or if bytes after the text may
/// belong to the number. Number: std::int64_t, std::uint64_t, float or double.
template <class Number>
[[gnu::pure]] LEAT_API first_number<Number> take_first(const char* at, const char* end) noexcept;
/// The type that take_first() uses to read a T.
template <class T>
using first_type =
    std::conditional_t<std::floating_point<T>, T,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

}  // namespace detail

/// Skips blanks and takes a number, as reader::parse() does: in the form of std::from_chars, no
/// '+', no locale. `rest` begins after the number.
///
///     if (auto n = leat::parse<int>(field); n && n.rest.empty()) sum += n.value;
template <parsable T>
[[nodiscard]] parse_result<T> parse(std::string_view text) noexcept {
  return detail::parse_text<T>(text);
}
/// Skips blanks and takes a number in a base from 2 to 36, without a prefix such as "0x". Any
/// other base is invalid_argument.
template <parsable_integer T>
[[nodiscard]] parse_result<T> parse(std::string_view text, int base) noexcept {
  return detail::parse_text<T>(text, base);
}

}  // namespace v0
}  // namespace leat
