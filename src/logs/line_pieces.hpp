// Borders of lines in a write that consists of several pieces. For example, the pieces "ab\nc" and
// "d\n" have the lines "ab\n" and "cd\n". Used by rotating_device.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {

inline std::size_t total_size(std::span<const std::string_view> pieces) noexcept {
  std::size_t total = 0;
  for (const auto& piece : pieces) total += piece.size();
  return total;
}

/// End of the line that contains `begin`. If no newline follows, the end of the pieces.
inline std::size_t end_of_line(std::span<const std::string_view> pieces,
                               std::size_t begin) noexcept {
  std::size_t at = 0;
  for (const auto& piece : pieces) {
    if (begin < at + piece.size()) {
      const auto newline = piece.find('\n', begin - at);
      if (newline != std::string_view::npos) return at + newline + 1;
      begin = at + piece.size();
    }
    at += piece.size();
  }
  return at;
}

/// End of the last line that ends in [begin, end). If no line ends in this range, `begin`.
inline std::size_t end_of_lines(std::span<const std::string_view> pieces, std::size_t begin,
                                std::size_t end) noexcept {
  std::size_t at = total_size(pieces);
  for (const std::string_view piece : std::views::reverse(pieces)) {
    at -= piece.size();
    if (end <= at) continue;
    if (at + piece.size() <= begin) break;
    const auto newline = piece.substr(0, end - at).rfind('\n');
    if (newline != std::string_view::npos && at + newline >= begin) return at + newline + 1;
  }
  return begin;
}

}  // namespace v0
}  // namespace leat
