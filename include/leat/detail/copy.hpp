// Functions that copy short texts and C strings. Formats, writers, readers and iostreams call these
// functions.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leat {
inline namespace v0 {

namespace detail {

/// copy() for any n, as a call: used by copy() for up to 3 bytes and for more than 32 bytes, and by
/// copy_within() if there is little room.
LEAT_API char* copy_other(char* to, const char* from, std::size_t n) noexcept;

/// Copies n bytes and returns the end of the copy. Most words, fields and numbers have 4 to 32
/// bytes. Two loads and two stores that overlap copy 4 to 32 bytes without a call.
[[gnu::always_inline]] inline char* copy(char* to, const char* from, std::size_t n) noexcept {
  if (n - 8 <= 8) {
    std::uint64_t head, tail;
    std::memcpy(&head, from, 8);
    std::memcpy(&tail, from + n - 8, 8);
    std::memcpy(to, &head, 8);
    std::memcpy(to + n - 8, &tail, 8);
  } else if (n - 16 <= 16) {
    char head[16], tail[16];
    std::memcpy(head, from, 16);
    std::memcpy(tail, from + n - 16, 16);
    std::memcpy(to, head, 16);
    std::memcpy(to + n - 16, tail, 16);
  } else if (n - 4 <= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, from, 4);
    std::memcpy(&tail, from + n - 4, 4);
    std::memcpy(to, &head, 4);
    std::memcpy(to + n - 4, &tail, 4);
  } else {
    return copy_other(to, from, n);
  }
  return to + n;
}

/// The number of bytes that copy_with_room() may write even if n is smaller.
inline constexpr std::size_t copy_room = 64;

/// As copy_with_room(), but never inlined.
LEAT_API char* copy_any(char* to, const char* from, std::size_t n) noexcept;

/// The length of a C string. With AVX-512, the call takes constant time for strings shorter than 64
/// characters.
LEAT_API std::size_t length_of(const char* text) noexcept;

/// Measures and copies a C string in one pass, without its NUL. Returns the end of the copy; null
/// if the end would be after `limit`, or if `from` is null. In each case copy_room bytes after `to`
/// and after `limit` may be overwritten. With AVX-512, the call takes constant time for strings
/// shorter than 64 characters.
LEAT_API char* copy_c_text(char* to, char* limit, const char* from) noexcept;

/// As copy(); there must be room for max(n, copy_room) bytes. Constant time for texts of 1 to 64
/// bytes with AVX-512, and of 4 to 64 bytes with AVX2: no branch depends on the length, because
/// varying lengths would be mispredicted.
[[gnu::always_inline]] inline char* copy_with_room(char* to, const char* from,
                                                   std::size_t n) noexcept {
  return __builtin_constant_p(n) ? copy(to, from, n) : copy_any(to, from, n);
}

/// As copy_with_room() if stores may overwrite `room` >= copy_room bytes; else as copy().
[[gnu::always_inline]] inline char* copy_within(char* to, std::ptrdiff_t room, const char* from,
                                                std::size_t n) noexcept {
  if (__builtin_constant_p(n)) return copy(to, from, n);
  return room >= static_cast<std::ptrdiff_t>(copy_room) ? copy_any(to, from, n)
                                                        : copy_other(to, from, n);
}

}  // namespace detail

}  // namespace v0
}  // namespace leat
