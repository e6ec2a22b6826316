// CPU dispatch of the search loops. Called by the searches of src/search, rows() and words().
#include "search/kernels.hpp"

#include <atomic>

#include "base/processor.hpp"

namespace leat {
inline namespace v0 {
namespace search {
namespace {

// Constant-initialised, so that constructors of static objects can search too. Threads that find
// null at the same time all choose the same kernels.
constinit std::atomic<const kernels*> active{nullptr};

[[gnu::cold]] const kernels& choose() noexcept {
  const kernels* all[max_kernels];
  const kernels* const best = all[list_usable_kernels(all) - 1];
  active.store(best, std::memory_order_relaxed);
  return *best;
}

}  // namespace

std::size_t list_usable_kernels(const kernels* (&all)[max_kernels]) noexcept {
  std::size_t count = 0;
  all[count++] = &portable_kernels;
  if (baseline_kernels != nullptr) all[count++] = baseline_kernels;
  if (avx2_kernels != nullptr && processor::has_avx2()) all[count++] = avx2_kernels;
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
