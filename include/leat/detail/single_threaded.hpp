// The check whether the process has one thread. With one thread, shared streams and stdio's streams
// take no locks.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#  include <sys/single_threaded.h>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

/// Returns true only if the process certainly has one thread. May stay false after other threads
/// have ended. If the C library does not report the thread count, returns false; glibc reports the
/// count from version 2.32 on.
inline bool is_single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
