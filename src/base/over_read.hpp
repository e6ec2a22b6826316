// Over-reading: one load of a fixed size that may reach beyond a text, without a branch on the
// length.
#pragma once

#include <cstddef>
#include <cstdint>

// Sanitizers report reads after the end of an object.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_HWADDRESS__)
#  define LEAT_MEMORY_IS_CHECKED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
      __has_feature(thread_sanitizer) || __has_feature(hwaddress_sanitizer)
#    define LEAT_MEMORY_IS_CHECKED 1
#  endif
#endif

namespace leat {
inline namespace v0 {

/// Returns true if a read of `size` bytes may begin at any byte of the text. Such a read may go
/// beyond the text's end, but not beyond the page of the text's last byte. Always false in builds
/// with a sanitizer of memory or threads. The text must not be empty, and `size` must be less than
/// 4096.
inline bool may_read_beyond([[maybe_unused]] const char* end_of_text,
                            [[maybe_unused]] std::size_t size) noexcept {
#if defined(LEAT_MEMORY_IS_CHECKED)
  return false;
#else
  constexpr std::uintptr_t page = 4096;  // the system's pages have this size or a multiple
  return ((reinterpret_cast<std::uintptr_t>(end_of_text) - 1) & (page - 1)) < page - size;
#endif
}

}  // namespace v0
}  // namespace leat
