// Memory that grows, as far as the system helps without a copy.
#pragma once

#include <cstddef>

namespace leat {
inline namespace v0 {

/// A block of the heap while it is small. Above `largest_on_heap` it is a mapping of huge pages,
/// which the system moves by moving page tables. The size tells which it is.
struct memory_block {
  static constexpr std::size_t largest_on_heap = std::size_t{1} << 20;

  char* data = nullptr;
  std::size_t size = 0;
};

/// Grows the block to at least `size` bytes, more than it has. Where memory runs out it returns
/// false and leaves the block as it was.
bool grow(memory_block& block, std::size_t size) noexcept;

void release(memory_block block) noexcept;

}  // namespace v0
}  // namespace leat
