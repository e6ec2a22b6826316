// Memory of the system: what grows without a copy, and what begins where a page does. Each platform
// has its own implementation of these.
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

// Memory of the heap of which some begins at a multiple of more than malloc knows of. Not all
// systems let realloc and free have that.

/// Null without memory. The alignment is a power of two.
char* allocate_bytes(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept;
/// Keeps what it has, but no larger alignment. Null without memory, and then nothing has changed.
char* reallocate_bytes(char* memory, std::size_t size) noexcept;
void free_bytes(char* memory) noexcept;

}  // namespace v0
}  // namespace leat
