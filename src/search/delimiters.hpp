// The offsets of the delimiters in a text. Used by the functions that read lines, and by
// find_all().
#pragma once

#include "search/kernels.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace search {

/// list_delimiters() may write up to this many numbers after the last offset.
inline constexpr std::size_t offset_padding = 3;

/// Writes first + i for each byte i of the text that is the delimiter, in ascending order. Returns
/// the number of delimiters. The sums must fit into 16 bits. May read bytes after the text in the
/// same page, and ignores these bytes.
inline std::size_t list_delimiters(const char* text, std::size_t size, char delimiter,
                                   std::size_t first, std::uint16_t* offsets) noexcept {
  return active_kernels().list(text, size, delimiter, first, offsets);
}

/// Returns the number of bytes before the first delimiter (all bytes if there is none), rounded
/// down to whole blocks of vectors. For long lines.
inline std::size_t skip_to_delimiter(const char* text, std::size_t size, char delimiter) noexcept {
  return active_kernels().skip(text, size, delimiter);
}

/// Returns the offset of the last delimiter, or `size` if there is none.
inline std::size_t find_last_delimiter(const char* text, std::size_t size,
                                       char delimiter) noexcept {
  constexpr std::size_t block = 64;
  const auto mark = active_kernels().mark;
  for (std::size_t end = size; end != 0;) {
    const std::size_t length = end < block ? end : block;
    const std::uint64_t marks = mark(text + end - length, length, delimiter);
    end -= length;
    if (marks != 0) return end + static_cast<std::size_t>(std::bit_width(marks)) - 1;
  }
  return size;
}

}  // namespace search
}  // namespace v0
}  // namespace leat
