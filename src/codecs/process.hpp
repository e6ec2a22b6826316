// The number of this process: what is being encoded belongs to the process that began it.
#pragma once

#if defined(_WIN32)
#  include <process.h>
#else
#  include <unistd.h>
#endif

namespace leat {
inline namespace v0 {
namespace codecs {

inline long this_process() noexcept {
#if defined(_WIN32)
  return ::_getpid();
#else
  return ::getpid();
#endif
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
