// Parses the modes of fopen, and makes a device for a mode. Called by the files that make C's
// streams.
#include "stdio/mode.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "device/text.hpp"
#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

bool parse_mode(const char* text, open_mode& mode) noexcept {
  mode = {};
  switch (*text) {
    case 'r':
      mode.readable = true;
      break;
    case 'w':
      mode.writable = mode.truncates = true;
      break;
    case 'a':
      mode.writable = mode.appends = true;
      break;
    default:
      return fail(EINVAL, false);
  }
  // After a comma, glibc accepts an encoding: "r,ccs=UTF-8".
  for (const char* c = text + 1; *c != '\0' && *c != ','; ++c) {
    if (*c == '+') mode.readable = mode.writable = true;
    if (*c == 'x') mode.exclusive = true;
    if (*c == 'e') mode.close_on_exec = true;
    if (*c == 't') mode.text = has_text_mode();
  }
  return true;
}

std::unique_ptr<cursor_device> open_cursor(int descriptor, const open_mode& mode) noexcept {
  auto device = leat::open_cursor(descriptor, mode.appends, mode.just_opened);
  if (device == nullptr || !mode.text) return device;
  try {
    return std::make_unique<text_device>(std::move(device), mode.readable);
  } catch (const std::bad_alloc&) {
    std::error_code ignored;
    device->release(0, ignored);  // NOLINT(bugprone-use-after-move): text_device has not taken it
    return nullptr;
  }
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
