// Macros that define variadic functions together with their va_list forms. printf.cpp, wprintf.cpp,
// scanf.cpp and wscanf.cpp use these macros.
//
// Each function of the printf family has six forms: three kinds, each with and without va_list.
// leat_… refuses "%n". leat_stdio_… treats "%n" as C says. If "%n" is in a format in writable
// memory, leat_checked_… ends the program, as glibc does with _FORTIFY_SOURCE=2. Each function of
// the scanf family has four forms: two kinds, each with and without va_list. leat_… follows C23,
// and leat_c17_… follows earlier C.
#pragma once

#include <leat/c/files.h>

#include <cstdarg>

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists with a trailing comma
#define LEAT_UNPACK(...) __VA_ARGS__

#define LEAT_PRINTF_AS(name, vname, n_policy, char_type, print, parameters, call_arguments) \
  extern "C" LEAT_API int vname(LEAT_UNPACK parameters const char_type* format,             \
                                va_list arguments) {                                        \
    leat::stdio::print_arguments values;                                                    \
    va_copy(values.list, arguments);                                                        \
    const int count = print(LEAT_UNPACK call_arguments format, values, n_policy);           \
    va_end(values.list);                                                                    \
    return count;                                                                           \
  }                                                                                         \
  extern "C" LEAT_API int name(LEAT_UNPACK parameters const char_type* format, ...) {       \
    leat::stdio::print_arguments values;                                                    \
    va_start(values.list, format);                                                          \
    const int count = print(LEAT_UNPACK call_arguments format, values, n_policy);           \
    va_end(values.list);                                                                    \
    return count;                                                                           \
  }

#define LEAT_PRINTF(name, char_type, print, parameters, call_arguments)                        \
  LEAT_PRINTF_AS(leat_##name, leat_v##name, leat::stdio::percent_n::refused, char_type, print, \
                 parameters, call_arguments)                                                   \
  LEAT_PRINTF_AS(leat_stdio_##name, leat_stdio_v##name, leat::stdio::percent_n::allowed,       \
                 char_type, print, parameters, call_arguments)                                 \
  LEAT_PRINTF_AS(leat_checked_##name, leat_checked_v##name,                                    \
                 leat::stdio::percent_n::allowed_in_constants, char_type, print, parameters,   \
                 call_arguments)

#define LEAT_SCANF_AS(name, vname, binary, char_type, scan, parameters, call_arguments) \
  extern "C" LEAT_API int vname(LEAT_UNPACK parameters const char_type* format,         \
                                va_list arguments) {                                    \
    pointer_arguments pointers(binary);                                                 \
    va_copy(pointers.list, arguments);                                                  \
    const int result = scan(LEAT_UNPACK call_arguments format, pointers);               \
    va_end(pointers.list);                                                              \
    return result;                                                                      \
  }                                                                                     \
  extern "C" LEAT_API int name(LEAT_UNPACK parameters const char_type* format, ...) {   \
    pointer_arguments pointers(binary);                                                 \
    va_start(pointers.list, format);                                                    \
    const int result = scan(LEAT_UNPACK call_arguments format, pointers);               \
    va_end(pointers.list);                                                              \
    return result;                                                                      \
  }

#define LEAT_SCANF(name, char_type, scan, parameters, call_arguments)                         \
  LEAT_SCANF_AS(leat_##name, leat_v##name, true, char_type, scan, parameters, call_arguments) \
  LEAT_SCANF_AS(leat_c17_##name, leat_c17_v##name, false, char_type, scan, parameters,        \
                call_arguments)
// NOLINTEND(bugprone-macro-parentheses)
