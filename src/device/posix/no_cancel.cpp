// Disables the cancellation of a thread, on POSIX systems.
#include "base/no_cancel.hpp"

#include <pthread.h>

namespace leat {
inline namespace v0 {

#if defined(PTHREAD_CANCEL_DISABLE)
bool refuse_cancellation() noexcept {
  int before = PTHREAD_CANCEL_ENABLE;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before == PTHREAD_CANCEL_DISABLE;
}

void allow_cancellation() noexcept {
  int before;
  ::pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
}
#else  // Android has no cancellation
bool refuse_cancellation() noexcept { return true; }

void allow_cancellation() noexcept {}
#endif

}  // namespace v0
}  // namespace leat
