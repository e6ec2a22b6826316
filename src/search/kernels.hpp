// The loops that look at every byte of a text, once for each instruction set, and which of them
// this machine runs. Aggregates only: the file compiled for AVX2 includes this one (see
// vector.hpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace leat {
inline namespace v0 {
namespace search {

/// What a loop knows of a needle.
struct pattern {
  const char* data;
  size_t size;
  /// The bytes it looks for, at these offsets, before it compares the whole needle.
  size_t at[4];
  char byte[4];
  /// What a candidate that fails costs, in bytes of text.
  size_t cost;
};

/// One run of a loop over the starts [at, end) of a text.
struct run {
  const char* text;
  /// Where it has come: all starts before it are done.
  size_t at;
  /// Behind the last offset at which the needle fits.
  size_t end;
  /// Candidates may cost as much as this and the bytes passed together.
  size_t credit;
  /// What they did cost, and the bytes of text that were compared for it.
  size_t spent;
  size_t compared;
};

enum class outcome {
  absent,  // at == end
  found,   // at is the offset
  tired,   // too many candidates failed; to be continued in another way
};

struct kernels {
  const char* name;
  /// For one to four bytes to look for; at < end.
  outcome (*scan[4])(const pattern&, run&) noexcept;
  /// See delimiters.hpp.
  void (*mark)(const char* text, size_t size, char delimiter, uint64_t* masks) noexcept;
};

extern const kernels portable_kernels;
/// Null where there are none, or the build left them out.
extern const kernels* const baseline_kernels;
extern const kernels* const avx2_kernels;

/// The best that this machine runs. Works before main and in every thread.
const kernels& active_kernels() noexcept;

/// For tests: all that this machine runs, the best last, and a way to choose one.
inline constexpr size_t max_kernels = 3;
size_t usable_kernels(const kernels* (&all)[max_kernels]) noexcept;
void use_kernels(const kernels&) noexcept;

}  // namespace search
}  // namespace v0
}  // namespace leat
