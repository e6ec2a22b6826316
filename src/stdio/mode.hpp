// The modes of fopen, and the device of a descriptor with a mode. Used by the files that make C's
// streams.
#pragma once

#include <memory>

#include "device/cursor_device.hpp"
#include "device/descriptor.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

using leat::open_mode;

/// Parses a mode such as "rb+". Returns false (EINVAL) if the first letter is unknown. Unknown
/// later letters are ignored, because other libraries have letters that leat does not have.
bool parse_mode(const char* text, open_mode& mode) noexcept;

/// True if a stream with this mode begins at the end of the file.
inline bool begins_at_end(const open_mode& mode) noexcept {
  return mode.appends && !mode.readable && !mode.already_appends;
}

/// Makes a device that owns the descriptor, with the mode's behaviour. If there is no memory,
/// returns null, and the descriptor stays open.
std::unique_ptr<cursor_device> open_cursor(int descriptor, const open_mode& mode) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
