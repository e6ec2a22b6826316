// Keeps pthread_cancel out of a call.
#pragma once

#include <pthread.h>

namespace leat {
inline namespace v0 {

/// Cancelling a thread in read(2) or a similar call unwinds its stack. In a noexcept function that
/// ends the program. POSIX allows C's streams to be points of cancellation; leat's are not.
class no_cancel {
 public:
#if defined(PTHREAD_CANCEL_DISABLE)
  no_cancel() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~no_cancel() { ::pthread_setcancelstate(before_, nullptr); }
#else
  no_cancel() noexcept = default;
  ~no_cancel() {}
#endif
  no_cancel(const no_cancel&) = delete;
  no_cancel& operator=(const no_cancel&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;
};

}  // namespace v0
}  // namespace leat
