// base/memory_block.hpp on Windows. Large blocks reserve addresses, so that the blocks can grow
// without a copy. Streams and batches call these functions.
#include <windows.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/memory_block.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// A large block reserves addresses for reserve_factor times its size. Reserved addresses cost
/// nothing until memory is committed for the addresses. Example: a block of 2 MiB can grow to 32
/// MiB without a move.
constexpr std::size_t reserve_factor = 16;
constexpr std::size_t unit = std::size_t{2} << 20;
constexpr std::size_t largest = SIZE_MAX / reserve_factor - unit;

bool is_mapped(const memory_block& block) noexcept {
  return block.size > memory_block::largest_on_heap;
}

bool grow_on_heap(memory_block& block, std::size_t size) noexcept {
  void* const data = std::realloc(block.data, size);
  if (data == nullptr) return false;
  block = {static_cast<char*>(data), size};
  return true;
}

bool commit(char* data, std::size_t size) noexcept {
  return ::VirtualAlloc(data, size, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

/// Returns the number of addresses of a block, with the reserved addresses after the block's
/// memory.
std::size_t reserved_size(const memory_block& block) noexcept {
  MEMORY_BASIC_INFORMATION about;
  std::size_t size = block.size;
  while (::VirtualQuery(block.data + size, &about, sizeof about) != 0 &&
         about.AllocationBase == block.data)
    size += about.RegionSize;
  return size;
}

/// Reserves addresses for reserve_factor times `size` bytes, or fewer addresses if not enough are
/// free. Commits `size` bytes at the start of these addresses. Returns null if there is no memory.
char* allocate(std::size_t size) noexcept {
  for (std::size_t factor = reserve_factor; factor != 0; factor /= 2) {
    void* const data = ::VirtualAlloc(nullptr, size * factor, MEM_RESERVE, PAGE_READWRITE);
    if (data == nullptr) continue;
    if (commit(static_cast<char*>(data), size)) return static_cast<char*>(data);
    ::VirtualFree(data, 0, MEM_RELEASE);
    return nullptr;
  }
  return nullptr;
}

/// The heap has only one alignment, and callers may need a larger alignment. So the memory that
/// allocate_bytes() returns has this header before its first byte.
struct heap_header {
  void* base;
  std::size_t size;
};

heap_header& header_of(char* memory) noexcept {
  return *reinterpret_cast<heap_header*>(memory - sizeof(heap_header));
}

}  // namespace

bool grow(memory_block& block, std::size_t size) noexcept {
  if (size <= memory_block::largest_on_heap) return grow_on_heap(block, size);
  if (size > largest) return false;
  size = (size + unit - 1) / unit * unit;
  if (size == block.size) return true;
  if (is_mapped(block) && size <= reserved_size(block)) {
    if (!commit(block.data + block.size, size - block.size)) return false;
    block.size = size;
    return true;
  }
  char* const data = allocate(size);
  if (data == nullptr) return false;
  if (block.size != 0) std::memcpy(data, block.data, block.size);
  release(block);
  block = {data, size};
  return true;
}

void release(memory_block block) noexcept {
  is_mapped(block) ? static_cast<void>(::VirtualFree(block.data, 0, MEM_RELEASE))
                   : std::free(block.data);
}

char* allocate_bytes(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t extra = sizeof(heap_header) + alignment;
  void* const base = size > SIZE_MAX - extra ? nullptr : std::malloc(size + extra);
  if (base == nullptr) return nullptr;
  char* const begin = static_cast<char*>(base) + sizeof(heap_header);
  char* const memory = begin + -reinterpret_cast<std::uintptr_t>(begin) % alignment;
  header_of(memory) = {base, size};
  return memory;
}

char* reallocate_bytes(char* memory, std::size_t size) noexcept {
  char* const fresh = allocate_bytes(size);
  if (fresh == nullptr || memory == nullptr) return fresh;
  const std::size_t old_size = header_of(memory).size;
  std::memcpy(fresh, memory, old_size < size ? old_size : size);
  free_bytes(memory);
  return fresh;
}

void free_bytes(char* memory) noexcept {
  if (memory != nullptr) std::free(header_of(memory).base);
}

bool is_writable(const void* begin, std::size_t size) noexcept {
  constexpr DWORD writable =
      PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
  const auto* const end = static_cast<const char*>(begin) + size;
  MEMORY_BASIC_INFORMATION about;
  for (const auto* at = static_cast<const char*>(begin); at < end;
       at = static_cast<const char*>(about.BaseAddress) + about.RegionSize)
    if (::VirtualQuery(at, &about, sizeof about) == 0 || (about.Protect & writable) != 0)
      return true;
  return false;
}

}  // namespace v0
}  // namespace leat
