// Implements allocations: replaces malloc and the related functions if the program is built with
// glibc and without sanitizers.
#include "sweep/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>

// Sanitizers have their own malloc. GCC defines a macro for each sanitizer, Clang has
// __has_feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define LEAT_SANITIZED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#    define LEAT_SANITIZED 1
#  endif
#endif
#if defined(__GLIBC__) && !defined(LEAT_SANITIZED)
#  define FAILS_ALLOCATIONS 1
#endif

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> failing_number{never};
std::atomic<bool> failing_onwards{false};
std::atomic<std::ptrdiff_t> live{0};

}  // namespace

namespace sweep {

bool allocations_can_fail() noexcept {
#if defined(FAILS_ALLOCATIONS)
  return true;
#else
  return false;
#endif
}

void fail_allocation(std::size_t number, bool onwards) noexcept {
  allocations = 0;
  failing_number = number;
  failing_onwards = onwards;
}

std::size_t stop_failing() noexcept {
  failing_number = never;
  failing_onwards = false;
  return allocations;
}

std::ptrdiff_t live_allocations() noexcept { return live; }

}  // namespace sweep

#if defined(FAILS_ALLOCATIONS)

// NOLINTBEGIN(readability-identifier-naming): names of glibc
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}
// NOLINTEND(readability-identifier-naming)

namespace {

bool should_fail() noexcept {
  const std::size_t number = allocations++;
  if (number != failing_number && !(failing_onwards && number > failing_number)) return false;
  errno = ENOMEM;
  return true;
}

void* count_live(void* memory) noexcept {
  if (memory != nullptr) ++live;
  return memory;
}

}  // namespace

// operator new calls these functions, so its allocations are counted, too.
extern "C" {
void* malloc(std::size_t size) noexcept {
  return should_fail() ? nullptr : count_live(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return should_fail() ? nullptr : count_live(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) noexcept {
  if (should_fail()) return nullptr;
  void* const moved = __libc_realloc(memory, size);
  return memory == nullptr ? count_live(moved) : moved;
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return should_fail() ? nullptr : count_live(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return should_fail() ? nullptr : count_live(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (should_fail()) return ENOMEM;
  *memory = count_live(__libc_memalign(alignment, size));
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) noexcept {
  if (memory != nullptr) --live;
  __libc_free(memory);
}
}

#endif
