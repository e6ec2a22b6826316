// Defines the functions of the printf family, each in four forms: with arguments or a va_list, as
// leat_… where "%n" is refused and as leat_stdio_… where it is what C says.
#pragma once

#include <leat/leat.h>

#include <cstdarg>

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists with a last comma
#define LEAT_UNPACK(...) __VA_ARGS__

#define LEAT_PRINTF_AS(name, vname, percent_n, char_type, print, parameters, arguments)         \
  extern "C" LEAT_API int vname(LEAT_UNPACK parameters const char_type* format, va_list list) { \
    return print(LEAT_UNPACK arguments format, list, percent_n);                                \
  }                                                                                             \
  extern "C" LEAT_API int name(LEAT_UNPACK parameters const char_type* format, ...) {           \
    va_list list;                                                                               \
    va_start(list, format);                                                                     \
    const int count = print(LEAT_UNPACK arguments format, list, percent_n);                     \
    va_end(list);                                                                               \
    return count;                                                                               \
  }

#define LEAT_PRINTF(name, char_type, print, parameters, arguments)                          \
  LEAT_PRINTF_AS(leat_##name, leat_v##name, false, char_type, print, parameters, arguments) \
  LEAT_PRINTF_AS(leat_stdio_##name, leat_stdio_v##name, true, char_type, print, parameters, \
                 arguments)
// NOLINTEND(bugprone-macro-parentheses)
