// Positions of the frames of a file that has a table of frames. zstd_table.cpp fills frame_offsets;
// the decoding devices use it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Frame i begins at encoded[i] in the file and at content[i] in the content. Both vectors have one
/// more element, the end of the last frame. Example: two frames of 10 and 20 bytes at the file's
/// start have encoded = {0, 10, 30}. If the file has no table, both vectors are empty, and only
/// has_table() may be called.
struct frame_offsets {
  std::vector<std::uint64_t> encoded;
  std::vector<std::uint64_t> content;
  /// For each frame, the low half of its content's XXH64. Empty if the table has no checksums.
  std::vector<std::uint32_t> checksums;
  /// The file has a table that must not be used, because the table's own checksum is wrong.
  bool is_damaged = false;

  bool has_table() const noexcept { return !content.empty(); }
  std::size_t frame_count() const noexcept { return content.size() - 1; }
  std::uint64_t size() const noexcept { return content.back(); }
  /// The frame that contains the content's byte `at`, or the last frame if there is no such byte.
  std::size_t frame_at(std::uint64_t at) const noexcept {
    const auto above = std::upper_bound(content.begin(), content.end(), at) - content.begin();
    return std::min(static_cast<std::size_t>(above), frame_count()) - 1;
  }
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
