// Limits of the machine: for some loops, the fastest handwritten code that we know. Such code does
// only what is indispensable, handles only values that the loop's data can have, keeps the cursor
// in a register (except in the C loops), and uses the latest instructions. On a CPU without these
// instructions, loops that need the instructions have no limit. print.cpp, parse.cpp and stdio.cpp
// in the folder loops/ measure the limits.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/c_loops.h"
#include "experiments/loops/rows.hpp"

namespace bench::limits {

using rows::row;

/// Maximum number of bytes that a line may store, including bytes after its end.
constexpr std::size_t line_capacity = 128;

struct limit {
  const char* line;                        // the name in print.cpp
  void (*write)(std::size_t lines);        // writes to /dev/null
  char* (*put)(char* to, const row& row);  // one line, for the check; returns the line's end
};

/// Returns the limits of lines; no limits if the CPU or the build lacks the instructions.
std::span<const limit> line_limits();
/// The limits of the C loops. A member is NULL if its loop has no limit. The loops over lines
/// return ENOTSUP if the CPU or the build lacks the instructions.
extern const c_loops c_limits;
/// Return the sum of the numbers in lines: unsigned integers, or decimal numbers with a point. 64
/// readable bytes must precede and follow the text. Callers must check has_avx512(). If the build
/// lacks the instructions, the functions return 0. For sum_decimals() each number must have a
/// point, at most 16 digits after the point, and digits that make an integer below 2^53. Otherwise
/// sum_decimals() aborts.
unsigned long sum_integers(std::string_view lines);
double sum_decimals(std::string_view lines);

/// True if the CPU has AVX-512 with VL, BW, VBMI, VBMI2 and IFMA.
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512ifma");
#else
  return false;
#endif
}

}  // namespace bench::limits
