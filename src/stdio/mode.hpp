// The modes of fopen.
#pragma once

#include <memory>

#include "device/cursor_device.hpp"
#include "device/descriptor.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

using leat::open_mode;

/// Reads a mode as "rb+"; false (EINVAL) if its first letter is unknown. Unknown letters behind
/// that are ignored: other libraries have letters that leat does not have.
bool parse_mode(const char* text, open_mode& mode) noexcept;

inline bool begins_at_end(const open_mode& mode) noexcept {
  return mode.appends && !mode.readable && !mode.in_place;
}

/// A device that owns the descriptor and behaves as the mode says. Null without memory; then the
/// descriptor is closed.
std::unique_ptr<cursor_device> open_cursor(int descriptor, const open_mode& mode) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
