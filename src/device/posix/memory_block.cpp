// base/memory_block.hpp on POSIX systems. On Linux, large blocks are mappings, which grow without a
// copy. Streams and batches call these functions.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/errno.hpp"
#include "base/memory_block.hpp"
#include "base/no_cancel.hpp"
#include "device/posix/resolved_path.hpp"

namespace leat {
inline namespace v0 {

namespace {

bool grow_on_heap(memory_block& block, std::size_t size) noexcept {
  void* const data = std::realloc(block.data, size);
  if (data == nullptr) return false;
  block = {static_cast<char*>(data), size};
  return true;
}

#ifdef MREMAP_FIXED

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Maps memory that starts at a multiple of huge_page. Some kernels do not align large mappings by
/// themselves. Returns MAP_FAILED if there is no memory.
void* map_aligned(std::size_t size) noexcept {
  void* const mapped =
      ::mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return mapped;
  char* const begin = static_cast<char*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
  if (before != 0) ::munmap(begin, before);
  ::munmap(begin + before + size, huge_page - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);  // an error only makes the memory slower
  return begin + before;
}

/// Grows a mapping to `size` bytes: moves the mapping to an aligned address. If the aligned move
/// fails, lets the kernel choose the address. If there is no memory, returns MAP_FAILED and keeps
/// the mapping.
void* remap(const memory_block& block, std::size_t size) noexcept {
  void* const to = map_aligned(size);
  if (to != MAP_FAILED) {
    void* const moved = ::mremap(block.data, block.size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (moved != MAP_FAILED) return moved;
    // `to` is not unmapped here. The failed call may have unmapped `to`, and another thread may
    // have got the addresses of `to` since then.
  }
  return ::mremap(block.data, block.size, size, MREMAP_MAYMOVE);
}

bool is_mapped(const memory_block& block) noexcept {
  return block.size > memory_block::largest_on_heap;
}

bool grow_mapping(memory_block& block, std::size_t size) noexcept {
  if (size > PTRDIFF_MAX - 2 * huge_page) return false;
  size = (size + huge_page - 1) / huge_page * huge_page;
  const bool moves = is_mapped(block);
  void* const data = moves ? remap(block, size) : map_aligned(size);
  if (data == MAP_FAILED) return false;
  if (!moves) {
    if (block.size != 0) std::memcpy(data, block.data, block.size);
    std::free(block.data);
  }
  block = {static_cast<char*>(data), size};
  return true;
}

#endif

}  // namespace

#ifdef MREMAP_FIXED

bool grow(memory_block& block, std::size_t size) noexcept {
  return size > memory_block::largest_on_heap ? grow_mapping(block, size)
                                              : grow_on_heap(block, size);
}

void release(memory_block block) noexcept {
  is_mapped(block) ? static_cast<void>(::munmap(block.data, block.size)) : std::free(block.data);
}

#else

bool grow(memory_block& block, std::size_t size) noexcept { return grow_on_heap(block, size); }

void release(memory_block block) noexcept { std::free(block.data); }

#endif

char* allocate_bytes(std::size_t size, std::size_t alignment) noexcept {
  if (alignment <= alignof(std::max_align_t)) return static_cast<char*>(std::malloc(size));
  return static_cast<char*>(
      std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}

char* reallocate_bytes(char* memory, std::size_t size) noexcept {
  return static_cast<char*>(std::realloc(memory, size));
}

void free_bytes(char* memory) noexcept { std::free(memory); }

// On Linux, /proc/self/maps has a line for each range of mapped memory:
// "7f00c000-7f00e000 rw-p …" [proc_pid_maps(5)].
bool is_writable(const void* begin, std::size_t size) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  const unique_descriptor maps(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  if (maps.get() < 0) return errno != ENOENT && errno != EACCES;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t end = first + size;
  std::uintptr_t read_only_bytes = 0;
  std::array<std::uintptr_t, 2> bounds{};
  // The part of the line. 0: the first bound. 1: the second bound. After the bounds, `part` is 2
  // plus the number of characters after the bounds. Example: 4 at the "w" of "rw-p".
  int part = 0;
  std::array<char, 4096> text;
  for (::ssize_t n; (n = ::read(maps.get(), text.data(), text.size())) > 0;)
    for (const char c : std::string_view(text.data(), static_cast<std::size_t>(n))) {
      if (c == '\n') {
        bounds = {};
        part = 0;
      } else if (part < 2 && (c == '-' || c == ' ')) {
        ++part;
      } else if (part < 2) {
        std::uintptr_t& bound = bounds[static_cast<std::size_t>(part)];
        bound = bound * 16 + static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      } else if (++part == 4 && bounds[0] < end && first < bounds[1]) {
        if (c == 'w') return true;
        read_only_bytes += std::min(bounds[1], end) - std::max(bounds[0], first);
      }
    }
  return read_only_bytes < size;
}

}  // namespace v0
}  // namespace leat
