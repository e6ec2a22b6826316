// Calls C functions that take a va_list, such as leat_vfprintf, with plain arguments. For the
// drivers printf, scanf, c_print and c_wide.
#pragma once

#include <cstdarg>

namespace fuzz {

template <class Call, class Char>
int call_with_va_list(const Call& call, const Char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = call(format, list);
  va_end(list);
  return result;
}

/// with_va_list(leat_vfprintf, file)("%d", 7) is equivalent to leat_fprintf(file, "%d", 7).
template <class Function, class... Leading>
auto with_va_list(Function function, Leading... leading) {
  return [=](const auto* format, auto... arguments) {
    return call_with_va_list(
        [=](const auto* form, va_list list) { return function(leading..., form, list); }, format,
        arguments...);
  };
}

}  // namespace fuzz
