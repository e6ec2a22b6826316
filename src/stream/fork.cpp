#include "stream/fork.hpp"

#include <mutex>

#include "base/fork.hpp"
#include "base/short_lock.hpp"

namespace leat {
inline namespace v0 {

namespace {

// Trivially destructible, so that streams of static objects can use it until the process ends.
constinit short_lock list_lock;
constinit fork_aware* list = nullptr;

}  // namespace

struct fork_handlers {
  // The newest object comes first. A stream over another stream is the newer one. So its lock is
  // taken first, in the same order as when it writes.
  static void prepare() {
    list_lock.lock();
    for (fork_aware* it = list; it != nullptr; it = it->next_) it->before_fork();
  }
  static void parent() {
    for (fork_aware* it = list; it != nullptr; it = it->next_) it->after_fork_in_parent();
    list_lock.unlock();
  }
  static void child() {
    for (fork_aware* it = list; it != nullptr; it = it->next_) it->after_fork_in_child();
    list_lock.unlock();
  }
  static void install() {
    static const bool installed = (on_fork(prepare, parent, child), true);
    static_cast<void>(installed);
  }
};

void fork_aware::watch_forks() noexcept {
  fork_handlers::install();
  watched_ = true;
  const std::lock_guard guard(list_lock);
  insert(&list);
}

void fork_aware::watch_forks_last() noexcept {
  fork_handlers::install();
  const std::lock_guard guard(list_lock);
  fork_aware** at = &list;
  while (*at != nullptr) at = &(*at)->next_;
  insert(at);
}

void fork_aware::insert(fork_aware** at) noexcept {
  next_ = *at;
  link_ = at;
  if (next_ != nullptr) next_->link_ = &next_;
  *at = this;
}

void fork_aware::forget_forks() noexcept {
  if (!watched_) return;  // without the lock: a stream below a locked one must not take it
  watched_ = false;
  const std::lock_guard guard(list_lock);
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

}  // namespace v0
}  // namespace leat
