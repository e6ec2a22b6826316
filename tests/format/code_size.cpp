// The size of the code of one call: the same line with leat, and with FMT_COMPILE into memory. Both
// lines call out-of-line functions, and neither line makes a system call. To measure by hand:
//
//   c++ -std=c++20 -O2 -Iinclude -c tests/format/code_size.cpp -o code_size.o
//   nm -S --demangle code_size.o | grep -i ' t leat_\| t fmt_'     # with each function's cold part
//
// The test code_size.sh measures with -DCALLS_OF_FMT_PRINT: the other call is then fmt::print to a
// FILE. The test uses -Os, because leat's calls are not inlined with -Os.
#include <fmt/compile.h>
#include <leat/leat.hpp>

#include <cstdint>
#include <cstdio>
#include <string_view>

#define LEAT_LIST(...) __VA_ARGS__
#if defined(CALLS_OF_FMT_PRINT)
#  define FMT_CALL(line, format, parameters, ...) \
    void fmt_##line(std::FILE* out, LEAT_LIST parameters) { fmt::print(out, format, __VA_ARGS__); }
#else
#  define FMT_CALL(line, format, parameters, ...)                           \
    void fmt_##line(fmt::memory_buffer& out, LEAT_LIST parameters) {        \
      fmt::format_to(fmt::appender(out), FMT_COMPILE(format), __VA_ARGS__); \
    }
#endif
#define LEAT_CALL(line, format, parameters, ...)                                                \
  void leat_##line(leat::writer& out, LEAT_LIST parameters) { out.print(format, __VA_ARGS__); } \
  FMT_CALL(line, format, parameters, __VA_ARGS__)

LEAT_CALL(text, "{}\n", (std::string_view a), a)
LEAT_CALL(c_string, "{}\n", (const char* a), a)
LEAT_CALL(two_ints, "The answer is {}, and {}.\n", (int a, int b), a, b)
LEAT_CALL(real, "{}\n", (double a), a)
LEAT_CALL(fixed, "{:.3f}\n", (double a), a)
LEAT_CALL(json, "{{\"name\": \"{}\", \"x\": {}}}\n", (const char* a, int b), a, b)
LEAT_CALL(csv, "{},{},{},{}\n", (int a, std::int64_t b, double c, std::string_view d), a, b, c, d)
