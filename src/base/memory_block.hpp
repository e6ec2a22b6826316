// Memory that grows without a copy, and memory with a large alignment. Each platform implements
// these.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace leat {
inline namespace v0 {

/// Up to `largest_on_heap` bytes it is a block of the heap. A larger one is a mapping of huge
/// pages, which the system moves by moving page tables. The size tells which of them it is.
struct memory_block {
  static constexpr std::size_t largest_on_heap = std::size_t{1} << 20;

  char* data = nullptr;
  std::size_t size = 0;
};

/// Grows the block to at least `size` bytes, which must be more than it has. If memory runs out it
/// returns false and leaves the block unchanged.
bool grow(memory_block& block, std::size_t size) noexcept;

void release(memory_block block) noexcept;

/// True if the texts share a byte.
inline bool overlap(std::string_view a, std::string_view b) noexcept {
  const std::less<const char*> before;  // of any two pointers
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// Memory whose alignment may be larger than malloc's, for example a page. Not all systems let
// realloc and free take such memory.

/// Returns null if memory runs out. The alignment is a power of two.
char* allocate_bytes(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept;
/// Keeps the bytes, but not a large alignment. If memory runs out it returns null and leaves
/// `memory` unchanged.
char* reallocate_bytes(char* memory, std::size_t size) noexcept;
void free_bytes(char* memory) noexcept;

/// True if the program may write to one of these bytes, or if that can't be found out now. False
/// where the system does not tell.
bool is_writable(const void* begin, std::size_t size) noexcept;

}  // namespace v0
}  // namespace leat
