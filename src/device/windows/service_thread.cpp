// Starts leat's own threads. Windows has no signal masks. Background writers, timed flushes, log
// finishers, read-ahead and batches of random access start such threads.
#include "base/service_thread.hpp"

#include <utility>

namespace leat {
inline namespace v0 {

std::thread start_service_thread(std::function<void()> work) {
  return std::thread(std::move(work));
}

}  // namespace v0
}  // namespace leat
