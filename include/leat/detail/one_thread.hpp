// Whether locks are needed at all.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#  include <sys/single_threaded.h>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

/// True while the process has one thread; false where the C library can't tell (only glibc can).
inline bool one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
