// Numbers as std::istream reads them.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include "parse/number.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// True for a character that ends a number for every standard library. Some take letters, signs and
/// points along, and fail then.
template <class T>
constexpr bool ends_number(char c) noexcept {
  if constexpr (std::floating_point<T>)
    return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '+' || c == '-' || c == '.');
  else
    return true;  // every character that is no digit
}

/// True if every standard library takes this result. Some fail if it is subnormal.
template <class T>
bool is_usual_value(T value) noexcept {
  if constexpr (std::floating_point<T>)
    return value == 0 || std::fabs(value) >= std::numeric_limits<T>::min();
  else
    return true;
}

/// Takes a number that begins at `at`. Null if the text up to `end` does not decide where it ends
/// (but for `ends`: nothing follows), or if standard libraries differ in it.
template <class T>
[[gnu::always_inline]] inline const char* take_usual(const char* at, const char* end, bool ends,
                                                     T& value) noexcept {
  if constexpr (std::floating_point<T>) {
    const char first = *at == '-' && end - at > 1 ? at[1] : *at;
    if (!((first >= '0' && first <= '9') || first == '.')) return nullptr;  // "inf", "nan"
  }
  T result;
  const auto [stop, error] = parse_number(at, end, result);
  if (error != std::errc{} || !(stop == end ? ends : ends_number<T>(*stop)) ||
      !is_usual_value(result))
    return nullptr;
  value = result;
  return stop;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
