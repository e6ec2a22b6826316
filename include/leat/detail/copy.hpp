// Copies of short texts.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leat {
inline namespace v0 {

namespace detail {

/// The part of copy() that is not inline: up to 3 bytes, and more than 32.
LEAT_API char* copy_other(char* to, const char* from, std::size_t n) noexcept;

/// Copies n bytes and returns the end of the copy. Most words, fields and numbers have 4 to 32
/// bytes. Two loads and two stores that overlap copy these without a call.
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

}  // namespace detail

}  // namespace v0
}  // namespace leat
