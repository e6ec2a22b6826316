// The number of this process: connections belong to the process that made them.
#pragma once

#if defined(_WIN32)
#  include <process.h>
#else
#  include <unistd.h>
#endif

namespace leat {
inline namespace v0 {
namespace remote {

inline long this_process() noexcept {
#if defined(_WIN32)
  return ::_getpid();
#else
  return ::getpid();
#endif
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
