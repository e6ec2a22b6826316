#include "stdio/mode.hpp"

#include <fcntl.h>

#include <cerrno>

#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

int open_mode::flags() const noexcept {
  int flags = readable && writable ? O_RDWR : writable ? O_WRONLY : O_RDONLY;
  if (truncates) flags |= O_CREAT | O_TRUNC;
  if (appends) flags |= O_CREAT | O_APPEND;
  if (exclusive && (flags & O_CREAT) != 0) flags |= O_EXCL;
  if (close_on_exec) flags |= O_CLOEXEC;
  return flags;
}

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
  // A comma begins what glibc knows of encodings.
  for (const char* c = text + 1; *c != '\0' && *c != ','; ++c) {
    if (*c == '+') mode.readable = mode.writable = true;
    if (*c == 'x') mode.exclusive = true;
    if (*c == 'e') mode.close_on_exec = true;
  }
  return true;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
