// Limits of the machine: for some loops, the fastest handwritten code that we know. Such code does
// only what is indispensable, knows its column's values, keeps the cursor in a register, and uses
// the latest instructions. On a CPU without these, there is no limit.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/c_loops.h"
#include "experiments/loops/rows.hpp"

namespace bench::limits {

using rows::row;

/// Maximum number of bytes that a line may store.
constexpr std::size_t line_room = 128;

struct limit {
  const char* line;                        // the name in print.cpp
  void (*write)(std::size_t lines);        // writes to /dev/null
  char* (*put)(char* to, const row& row);  // one line, to check its bytes
};

/// The limits of lines. Empty if the CPU cannot run them.
std::span<const limit> of_lines();
/// The limits of the C loops. NULL if there is no limit. The loops over lines return ENOTSUP if
/// can_run() is false.
extern const c_loops of_c;
/// The sum of lines of unsigned numbers, and of lines of decimal numbers. 64 readable bytes must
/// precede and follow the text.
unsigned long sum_integers(std::string_view lines);
double sum_decimals(std::string_view lines);

/// True if the CPU has AVX-512 with VBMI and IFMA.
inline bool can_run() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512ifma");
#else
  return false;
#endif
}

}  // namespace bench::limits
