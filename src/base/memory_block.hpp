// Memory that grows without a copy, memory with a large alignment, and queries about memory. Each
// platform implements the functions that are not inline. Streams have their buffers in this memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A block of up to `largest_on_heap` bytes is on the heap. On Linux and Windows, a larger block is
/// a mapping, which grows without a copy if possible: Linux moves page tables. On other systems all
/// blocks are on the heap. Example: on Linux a block of 1 MiB is on the heap, a block of 2 MiB is a
/// mapping.
struct memory_block {
  static constexpr std::size_t largest_on_heap = std::size_t{1} << 20;

  char* data = nullptr;
  std::size_t size = 0;
};

/// Grows the block to at least `size` bytes. `size` must be more than the block's size. Returns
/// true on success. After success the block's bytes may have moved. If there is no memory, returns
/// false and leaves the block unchanged.
bool grow(memory_block& block, std::size_t size) noexcept;

/// Grows the block to at least `least` bytes. If there is memory, at least doubles the block, so
/// that the next longer line needs no new memory. Otherwise like grow().
inline bool grow_ahead(memory_block& block, std::size_t least) noexcept {
  return (least < 2 * block.size && grow(block, 2 * block.size)) || grow(block, least);
}

/// Frees the memory of a block. An empty block is allowed.
void release(memory_block block) noexcept;

/// Returns true if the texts share a byte, or if an empty text is inside the other text.
inline bool overlap(std::string_view a, std::string_view b) noexcept {
  const std::less<const char*>
      before;  // operator< is unspecified for pointers to different objects
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// Memory whose alignment may be larger than malloc's, for example a page. On some systems realloc
// and free do not accept such memory.

/// Allocates `size` bytes. Returns null if there is no memory. The alignment is a power of two.
/// free_bytes() releases the memory.
char* allocate_bytes(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept;
/// Changes the size of memory of allocate_bytes(). Keeps the bytes, but not a large alignment. If
/// there is no memory, returns null and leaves `memory` unchanged.
char* reallocate_bytes(char* memory, std::size_t size) noexcept;
/// Frees memory of allocate_bytes() or reallocate_bytes(). Null is allowed.
void free_bytes(char* memory) noexcept;

/// Returns true if one of these bytes is writable. If the query fails, for example because no
/// descriptor is free, returns true. On POSIX systems, also returns true if a byte is in no listed
/// mapping. If the system has no such query, or has no /proc, or forbids this query, returns false.
bool is_writable(const void* begin, std::size_t size) noexcept;

}  // namespace v0
}  // namespace leat
