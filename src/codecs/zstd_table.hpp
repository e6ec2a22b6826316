// The table of frames at the end of a seekable file of zstd, as the format's
// "contrib/seekable_format" describes it. The format has no checksum of the table. If a
// content size in it were changed, later frames would be looked for at wrong positions. So leat
// writes a frame without content before the table, which has the checksum.
#pragma once

#include <leat/device.hpp>

#include "codecs/places.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// How much content the frames have that are written.
inline constexpr std::size_t seekable_frame = 1 << 20;

/// The message for a table that does not fit its file.
inline constexpr const char* wrong_table = "the table of frames is wrong";

/// Sizes of a frame.
struct zstd_frame {
  std::size_t encoded = 0;
  std::size_t content = 0;
};

/// The frames that the table and its checksum are in.
std::string table_of(std::span<const zstd_frame> frames);

/// Reads the table of a device with positions; nothing if it has none that fits, or one that takes
/// more memory.
frame_places places_in(device& file, std::uint64_t most_memory, std::error_code& ec);

}  // namespace codecs
}  // namespace v0
}  // namespace leat
