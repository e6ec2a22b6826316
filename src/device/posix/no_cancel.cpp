// Disables and enables the cancellation of a thread, on POSIX systems. The class no_cancel calls
// these functions.
#include "base/no_cancel.hpp"

#include <pthread.h>

namespace leat {
inline namespace v0 {

#if defined(PTHREAD_CANCEL_DISABLE)
bool disable_cancellation() noexcept {
  int before = PTHREAD_CANCEL_ENABLE;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before == PTHREAD_CANCEL_DISABLE;
}

void enable_cancellation() noexcept {
  int before;
  ::pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
}
#else  // Android has no cancellation
bool disable_cancellation() noexcept { return true; }

void enable_cancellation() noexcept {}
#endif

}  // namespace v0
}  // namespace leat
