// The pool of queues for the threads that use one device. direct/ uses the pool for batches.
#include "device/request_queue.hpp"

#include <new>

namespace leat {
inline namespace v0 {

queue_pool::lease queue_pool::acquire() noexcept {
  // In a forked child the lock may belong to a thread that does not exist here.
  if (process_ != this_process()) return {*this, nullptr};
  {
    const std::lock_guard guard(lock_);
    if (unavailable_) return {*this, nullptr};
    if (!idle_.empty()) {
      auto queue = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(queue)};
    }
  }
  auto queue = open_request_queue(depth_);
  if (queue == nullptr) {
    const std::lock_guard guard(lock_);
    unavailable_ = true;
  }
  return {*this, std::move(queue)};
}

void queue_pool::release(std::unique_ptr<request_queue> queue) noexcept {
  if (queue == nullptr || !queue->is_usable()) return;
  const std::lock_guard guard(lock_);
  try {
    idle_.push_back(std::move(queue));
  } catch (const std::bad_alloc&) {
    queue.reset();  // the queue is closed; the next batch opens another queue
  }
}

}  // namespace v0
}  // namespace leat
