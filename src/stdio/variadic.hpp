// Defines the functions that take arguments of any number, with those that take a va_list.
//
// The printf family has each in four forms: as leat_… where "%n" is refused and as leat_stdio_…
// where it is what C says. Each first tries `quick`, which returns -1, having done nothing, where
// it does not suffice. It uses up the arguments. They are fetched anew then and not copied before:
// a va_list read as a whole just after its parts were written stalls longer than a short format
// takes.
#pragma once

#include <leat/leat.h>

#include <cstdarg>

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists with a last comma
#define LEAT_UNPACK(...) __VA_ARGS__

#define LEAT_PRINTF_AS(name, vname, percent_n, char_type, quick, print, parameters, passed) \
  extern "C" LEAT_API int vname(LEAT_UNPACK parameters const char_type* format,             \
                                va_list arguments) {                                        \
    va_list copy;                                                                           \
    va_copy(copy, arguments);                                                               \
    int count = quick(LEAT_UNPACK passed format, copy);                                     \
    va_end(copy);                                                                           \
    if (count < 0) count = print(LEAT_UNPACK passed format, arguments, percent_n);          \
    return count;                                                                           \
  }                                                                                         \
  extern "C" LEAT_API int name(LEAT_UNPACK parameters const char_type* format, ...) {       \
    va_list arguments;                                                                      \
    va_start(arguments, format);                                                            \
    int count = quick(LEAT_UNPACK passed format, arguments);                                \
    va_end(arguments);                                                                      \
    if (count < 0) {                                                                        \
      va_start(arguments, format);                                                          \
      count = print(LEAT_UNPACK passed format, arguments, percent_n);                       \
      va_end(arguments);                                                                    \
    }                                                                                       \
    return count;                                                                           \
  }

#define LEAT_PRINTF(name, char_type, quick, print, parameters, passed)                             \
  LEAT_PRINTF_AS(leat_##name, leat_v##name, false, char_type, quick, print, parameters, passed)    \
  LEAT_PRINTF_AS(leat_stdio_##name, leat_stdio_v##name, true, char_type, quick, print, parameters, \
                 passed)

#define LEAT_SCANF(name, char_type, scan, parameters, passed)                           \
  int leat_v##name(LEAT_UNPACK parameters const char_type* format, va_list arguments) { \
    pointer_arguments pointers;                                                         \
    va_copy(pointers.list, arguments);                                                  \
    const int result = scan(LEAT_UNPACK passed format, pointers);                       \
    va_end(pointers.list);                                                              \
    return result;                                                                      \
  }                                                                                     \
  int leat_##name(LEAT_UNPACK parameters const char_type* format, ...) {                \
    pointer_arguments pointers;                                                         \
    va_start(pointers.list, format);                                                    \
    const int result = scan(LEAT_UNPACK passed format, pointers);                       \
    va_end(pointers.list);                                                              \
    return result;                                                                      \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace leat {
inline namespace v0 {
namespace stdio {

/// For functions without a quick way.
template <class... Arguments>
constexpr int not_quick(const Arguments&...) noexcept {
  return -1;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
