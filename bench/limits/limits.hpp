// How far from the machine? For lines that bench_print and others write, the quickest loop that we
// could write by hand: it does what is indispensable and nothing else. It knows what its column
// holds, keeps the cursor in a register, and has the latest instructions. Where a processor lacks
// these, there is no limit.
#pragma once

#include <cstddef>
#include <span>

#include "rows.hpp"

namespace limits {

/// What a line may store.
constexpr std::size_t line_room = 128;

struct limit {
  const char* line;                        // as in bench_print
  void (*write)(std::size_t lines);        // to /dev/null
  char* (*put)(char* to, const row& row);  // one line, for a check of its bytes
};

/// Empty if the processor can't run them.
std::span<const limit> of_texts();
std::span<const limit> of_numbers();

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

}  // namespace limits
