// Reads numbers as std::istream does, for `>>` and for the facets of stream_core.cpp.
#pragma once

#include <leat/config.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "parse/digits.hpp"
#include "parse/number.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// True for a character that ends a number in every standard library. Some libraries take letters,
/// signs and points as a part of the number, and then fail.
template <class T>
constexpr bool ends_number(char c) noexcept {
  if constexpr (std::floating_point<T>)
    return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '+' || c == '-' || c == '.');
  else
    return true;  // `c` is not a digit
}

/// True if every standard library accepts this result. If the result is subnormal, some libraries
/// fail. No library accepts "inf" and "nan".
template <class T>
bool is_portable_value(T value) noexcept {
  if constexpr (std::floating_point<T>)
    return value == 0 || (std::fabs(value) >= std::numeric_limits<T>::min() &&
                          std::fabs(value) <= std::numeric_limits<T>::max());
  else
    return true;
}

/// Applies the sign without a branch. Compilers would turn the operator `?:` into a branch.
template <class Int>
[[gnu::always_inline]] inline Int with_sign(std::uint64_t magnitude, bool negative) noexcept {
  const std::uint64_t sign = std::uint64_t{0} - negative;
  return static_cast<Int>((magnitude ^ sign) - sign);
}

/// Reads an integer of up to fifteen characters; the first may be a minus sign. Returns null if
/// there is no integer of this length, if fewer than sixteen bytes can be loaded, or if the
/// absolute value exceeds the type's maximum (for example, -128 for a signed char). The end of one
/// integer decides where the next integer begins. So finding the end must be fast: no branch
/// depends on the sign, and one branch depends on the length (more than seven characters).
template <class Int>
[[gnu::always_inline]] inline const char* take_short_integer(const char* at, const char* end,
                                                             Int& value) noexcept {
  if (end - at < 16) [[unlikely]]
    return nullptr;
  constexpr bool is_signed = std::numeric_limits<Int>::is_signed;
  const std::uint64_t bytes = load_word<std::uint64_t>(at);
  std::uint64_t digits = bytes ^ '0' * every_byte;
  // As mark_non_digits(), but one step shorter. Carries and borrows come only from bytes that are
  // not digits.
  std::uint64_t others =
      ((bytes + (127 - '9') * every_byte) | (bytes - '0' * every_byte)) & 128 * every_byte;
  const bool negative = is_signed && static_cast<unsigned char>(digits) == ('-' ^ '0');
  // A sign then counts as a digit 0.
  const std::uint64_t taken = ~((std::uint64_t{0} - negative) & 0xFF);
  digits &= taken;
  others &= taken;
  unsigned count;
  std::uint64_t magnitude;
  if (others != 0) {
    count = first_mark(others);
    magnitude = join_some(digits, count);
    if (count == unsigned{negative}) [[unlikely]]
      return nullptr;
  } else {
    const std::uint64_t more = load_word<std::uint64_t>(at + 8) ^ '0' * every_byte;
    others = mark_non_digits(more);
    if (others == 0) [[unlikely]]
      return nullptr;
    count = first_mark(others);
    magnitude = join_eight(digits) * powers_of_ten_32[count] + join_some(more, count);
    count += 8;
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Int>::max());
  if (magnitude > most) [[unlikely]]
    return nullptr;
  value = with_sign<Int>(magnitude, negative);
  return at + count;
}

/// Reads a number that begins at `at`. Returns null if there is no number, if the number does not
/// fit the type, if standard libraries differ in how they read it, or if the text up to `end` does
/// not decide where the number ends. If `ends` is set, nothing follows the text, so `end` ends the
/// number.
template <class T>
[[gnu::always_inline]] inline const char* take_portable_number(const char* at, const char* end,
                                                               bool ends, T& value) noexcept {
  if constexpr (std::floating_point<T>) {
    const char first = *at == '-' && end - at > 1 ? at[1] : *at;
    if (!((first >= '0' && first <= '9') || first == '.')) return nullptr;  // "inf", "nan"
  } else if (const char* const stop = take_short_integer(at, end, value)) [[likely]] {
    return stop;
  }
  T result;
  const auto [stop, error] = parse_number(at, end, result);
  if (error != std::errc{} || !(stop == end ? ends : ends_number<T>(*stop)) ||
      !is_portable_value(result))
    return nullptr;
  value = result;
  return stop;
}

/// Skips blanks, and then does the same as take_portable_number(). Also declared in
/// <leat/detail/stream_buffer.hpp>, which this layer must not include.
template <class T>
LEAT_API const char* read_value(  // NOLINT(readability-redundant-declaration)
    const char* at, const char* end, bool ends, T& value) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
