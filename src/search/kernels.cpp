#include "search/kernels.hpp"

#if defined(__x86_64__) || defined(__i386__)
#  include <cpuid.h>
#endif

#include <atomic>

namespace leat {
inline namespace v0 {
namespace search {
namespace {

// Constant-initialised, so that constructors of static objects can search too. If several threads
// find it null, they all choose the same kernels.
constinit std::atomic<const kernels*> active{nullptr};

#if defined(__x86_64__) || defined(__i386__)
/// As __builtin_cpu_supports, but without the part of the compiler's library that some systems
/// lack.
bool runs_avx2() noexcept {
  if (avx2_kernels == nullptr) return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0 || (c & bit_POPCNT) == 0)
    return false;
  // Does the system save the wide registers of each thread?
  constexpr unsigned wide = 6;
  unsigned kept = 0, rest = 0;
  __asm__("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
  if ((kept & wide) != wide) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0 && (b & bit_BMI) != 0;
}
#else
bool runs_avx2() noexcept { return false; }
#endif

[[gnu::cold]] const kernels& choose() noexcept {
  const kernels* all[max_kernels];
  const kernels* const best = all[usable_kernels(all) - 1];
  active.store(best, std::memory_order_relaxed);
  return *best;
}

}  // namespace

std::size_t usable_kernels(const kernels* (&all)[max_kernels]) noexcept {
  std::size_t count = 0;
  all[count++] = &portable_kernels;
  if (baseline_kernels != nullptr) all[count++] = baseline_kernels;
  if (runs_avx2()) all[count++] = avx2_kernels;
  return count;
}

const kernels& active_kernels() noexcept {
  const kernels* const chosen = active.load(std::memory_order_relaxed);
  return chosen != nullptr ? *chosen : choose();
}

void use_kernels(const kernels& chosen) noexcept {
  active.store(&chosen, std::memory_order_relaxed);
}

}  // namespace search
}  // namespace v0
}  // namespace leat
