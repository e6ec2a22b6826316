// The table of frames at the end of a seekable zstd file, as in zstd's "contrib/seekable_format".
// zstd.cpp and codecs.cpp call these functions. The format has no checksum of the table: a changed
// content size would shift all later frames. So leat writes a skippable frame with the checksum
// before the table.
#pragma once

#include <leat/device.hpp>

#include "codecs/frame_offsets.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Content size, in bytes, of each frame that leat writes, except the last frame.
inline constexpr std::size_t seekable_frame_size = 1 << 20;

/// The message for a table that does not match its file.
inline constexpr const char* wrong_table_message = "the table of frames is wrong";

/// The sizes of a frame and of its content, in bytes.
struct zstd_frame {
  std::size_t encoded = 0;
  std::size_t content = 0;
};

/// Returns two skippable frames: the first has the table's checksum, the second the table. Throws
/// std::bad_alloc.
std::string make_table(std::span<const zstd_frame> frames);

/// Reads the table of a device with positions. Returns an empty frame_offsets if the file has no
/// valid table, if the file's size is unknown, if the table needs more memory than allowed, or if
/// reading fails (`ec`). If the table's own checksum is wrong, only is_damaged is set. Throws
/// std::bad_alloc.
frame_offsets read_frame_offsets(device& file, std::uint64_t most_memory, std::error_code& ec);

}  // namespace codecs
}  // namespace v0
}  // namespace leat
