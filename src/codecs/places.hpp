// Where frames are, in a file that tells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Frame i begins at encoded[i] of the file with content[i]. Each has one more, the end of the last
/// frame. Both are empty if the file does not tell.
struct frame_places {
  std::vector<std::uint64_t> encoded;
  std::vector<std::uint64_t> content;
  /// Of each frame's content, the low half of its XXH64; empty if the file has none.
  std::vector<std::uint32_t> checksums;
  /// The file has a table that must not be used: its own checksum is wrong.
  bool is_damaged = false;

  bool known() const noexcept { return !content.empty(); }
  std::size_t frames() const noexcept { return content.size() - 1; }
  std::uint64_t size() const noexcept { return content.back(); }
  /// The frame that has this byte of the content, or the last one.
  std::size_t frame_at(std::uint64_t at) const noexcept {
    const auto above = std::upper_bound(content.begin(), content.end(), at) - content.begin();
    return std::min(static_cast<std::size_t>(above), frames()) - 1;
  }
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
