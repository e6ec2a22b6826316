// Defines the functions with any number of arguments, together with those that take a va_list.
//
// The printf family has each function in four forms: leat_… refuses "%n", and leat_stdio_… does
// with "%n" what C says.
#pragma once

#include <leat/leat.h>

#include <cstdarg>

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists with a last comma
#define LEAT_UNPACK(...) __VA_ARGS__

#define LEAT_PRINTF_AS(name, vname, percent_n, char_type, print, parameters, passed)  \
  extern "C" LEAT_API int vname(LEAT_UNPACK parameters const char_type* format,       \
                                va_list arguments) {                                  \
    leat::stdio::print_arguments given;                                               \
    va_copy(given.list, arguments);                                                   \
    const int count = print(LEAT_UNPACK passed format, given, percent_n);             \
    va_end(given.list);                                                               \
    return count;                                                                     \
  }                                                                                   \
  extern "C" LEAT_API int name(LEAT_UNPACK parameters const char_type* format, ...) { \
    leat::stdio::print_arguments given;                                               \
    va_start(given.list, format);                                                     \
    const int count = print(LEAT_UNPACK passed format, given, percent_n);             \
    va_end(given.list);                                                               \
    return count;                                                                     \
  }

#define LEAT_PRINTF(name, char_type, print, parameters, passed)                          \
  LEAT_PRINTF_AS(leat_##name, leat_v##name, false, char_type, print, parameters, passed) \
  LEAT_PRINTF_AS(leat_stdio_##name, leat_stdio_v##name, true, char_type, print, parameters, passed)

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
