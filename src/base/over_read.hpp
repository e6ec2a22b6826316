// Over-reading: one load of a fixed size that may reach beyond a text, without a branch on the
// length. Search, parsers, formats and quoted texts use over-reading. Files that are compiled for
// AVX2 include this file, too. So this file includes only C headers, and every function is always
// inline (see vector.hpp).
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/// True if the program runs under Valgrind, which reports reads after the end of an object, too.
/// False before the constructors of static objects.
extern bool is_run_by_valgrind;

/// Returns true if a read of `size` bytes may begin at any byte of the text. Such a read may go
/// beyond the text's end, but not beyond the page of the text's last byte. Always false in builds
/// with a sanitizer of memory or threads, and under Valgrind. The text must not be empty, and
/// `size` must be less than 4096.
[[gnu::always_inline]] inline bool may_read_beyond([[maybe_unused]] const char* end_of_text,
                                                   [[maybe_unused]] size_t size) noexcept {
#if defined(LEAT_MEMORY_IS_CHECKED)
  return false;
#else
  constexpr uintptr_t page = 4096;  // the system's pages have this size or a multiple
  return ((reinterpret_cast<uintptr_t>(end_of_text) - 1) & (page - 1)) < page - size &&
         !is_run_by_valgrind;
#endif
}

/// Returns a pointer to `Size` readable bytes that begin with the text. The text has 1 to `Size`
/// bytes. The result points to the text itself, or to a copy of the text in `copy`. The values of
/// the bytes after the text are unspecified.
template <size_t Size>
[[gnu::always_inline]] inline const char* extend_to(const char* text, size_t size,
                                                    char (&copy)[Size]) noexcept {
  if (may_read_beyond(text + size, Size)) [[likely]]
    return text;
  memset(copy, 0, Size);
  memcpy(copy, text, size);
  return copy;
}

}  // namespace v0
}  // namespace leat
