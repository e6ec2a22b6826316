// How far from the machine? For some loops, the quickest one that we could write by hand: it does
// what is indispensable and nothing else. It knows what its column holds, keeps the cursor in a
// register, and has the latest instructions. Where a processor lacks these, there is no limit.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/c_loops.h"
#include "experiments/loops/rows.hpp"

namespace bench::limits {

using rows::row;

/// What a line may store.
constexpr std::size_t line_room = 128;

struct limit {
  const char* line;                        // as in print.cpp
  void (*write)(std::size_t lines);        // to /dev/null
  char* (*put)(char* to, const row& row);  // one line, for a check of its bytes
};

/// Empty if the processor can't run them.
std::span<const limit> of_lines();
/// The same for C's loops. NULL where there is no limit; ENOTSUP for lines where can_run() is
/// false.
extern const c_loops of_c;
/// The sums of lines of unsigned numbers, and of lines of numbers with decimals. There must be 64
/// readable bytes before the text and behind it.
unsigned long sum_integers(std::string_view lines);
double sum_decimals(std::string_view lines);

/// AVX-512 with VBMI and IFMA.
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
