#include <pthread.h>

#include "base/fork.hpp"

namespace leat {
inline namespace v0 {

void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  static_cast<void>(::pthread_atfork(prepare, parent, child));
}

}  // namespace v0
}  // namespace leat
