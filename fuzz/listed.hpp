// Calls C functions that take a va_list; the caller passes plain arguments.
#pragma once

#include <cstdarg>

namespace fuzz {

template <class Call, class Char>
int call_listed(const Call& call, const Char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = call(format, list);
  va_end(list);
  return result;
}

/// listed(leat_vfprintf, file)("%d", 7) is equivalent to leat_fprintf(file, "%d", 7).
template <class Function, class... Before>
auto listed(Function function, Before... before) {
  return [=](const auto* format, auto... arguments) {
    return call_listed(
        [=](const auto* form, va_list list) { return function(before..., form, list); }, format,
        arguments...);
  };
}

}  // namespace fuzz
