// The number of this process: connections, and what is being encoded, belong to the process that
// began them.
#pragma once

#if defined(_WIN32)
#  include <process.h>
#else
#  include <unistd.h>
#endif

namespace leat {
inline namespace v0 {
namespace component {

inline long this_process() noexcept {
#if defined(_WIN32)
  return ::_getpid();
#else
  return ::getpid();
#endif
}

}  // namespace component
}  // namespace v0
}  // namespace leat
