#include "stream/open_streams.hpp"

#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/exit.hpp"
#include "base/fork.hpp"
#include "base/loss.hpp"
#include "base/short_lock.hpp"
#include "base/single_thread.hpp"
#include "base/thread_number.hpp"

namespace leat {
inline namespace v0 {

namespace {

// Trivially destructible, so that streams of static objects can use it until the process ends.
constinit short_lock list_lock;
constinit open_stream* list = nullptr;
constinit bool lost_at_exit = false;

}  // namespace

struct open_streams {
  // The newest object comes first. A stream over another stream is the newer one. So its lock is
  // taken first, in the same order as when it writes.
  static void before_fork() {
    list_lock.lock();
    for (open_stream* it = list; it != nullptr; it = it->next_) it->before_fork();
  }
  static void after_fork_in_parent() {
    for (open_stream* it = list; it != nullptr; it = it->next_) it->after_fork_in_parent();
    list_lock.unlock();
  }
  static void after_fork_in_child() {
    thread_number::after_fork_in_child();
    for (open_stream* it = list; it != nullptr; it = it->next_) it->after_fork_in_child();
    list_lock.unlock();
  }
  static void install() {
    static const bool installed =
        (on_fork(before_fork, after_fork_in_parent, after_fork_in_child), true);
    static_cast<void>(installed);
  }

  static void at_exit() {
    struct named_loss {
      failure what;
      std::string name;
    };
    std::vector<named_loss> losses;
    {
      const std::lock_guard guard(list_lock);
      for (open_stream* it = list; it != nullptr; it = it->next_) {
        const auto [what, name] = it->at_exit();
        if (!what) continue;
        fail_at_exit();
        try {
          losses.push_back({what, std::string(name)});
        } catch (const std::bad_alloc&) {
          report_loss(what, name);
        }
      }
    }
    // Without the lock: the loss handler may open a stream.
    for (const named_loss& loss : losses) report_loss(loss.what, loss.name);
  }
};

namespace {

// Runs after the destructors of static objects, which may be streams, and after the functions given
// to atexit, which may write to one.
[[gnu::destructor]] void finish_open_streams() { open_streams::at_exit(); }

// With this priority it runs after all other destructors of leat, which may lose bytes too.
[[gnu::destructor(101)]] void change_status_if_bytes_are_lost() {
  if (lost_at_exit && loss_status() != 0) change_exit_status(loss_status());
}

}  // namespace

void fail_at_exit() noexcept { lost_at_exit = true; }

bool user_thread::is_this() const noexcept {
  const char* const mark = mark_.load(std::memory_order_relaxed);
  return mark == &mark_of_thread || (mark != nullptr && one_thread());
}

bool user_thread::is_another() const noexcept {
  const char* const mark = mark_.load(std::memory_order_relaxed);
  return mark != nullptr && mark != &mark_of_thread && !one_thread();
}

void open_stream::enlist() noexcept {
  open_streams::install();
  enlisted_ = true;
  const std::lock_guard guard(list_lock);
  insert(&list);
}

void open_stream::enlist_last() noexcept {
  open_streams::install();
  const std::lock_guard guard(list_lock);
  open_stream** at = &list;
  while (*at != nullptr) at = &(*at)->next_;
  insert(at);
}

void open_stream::insert(open_stream** at) noexcept {
  next_ = *at;
  link_ = at;
  if (next_ != nullptr) next_->link_ = &next_;
  *at = this;
}

void open_stream::delist() noexcept {
  if (!enlisted_) return;  // without the lock: a stream below a locked one must not take it
  enlisted_ = false;
  const std::lock_guard guard(list_lock);
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

}  // namespace v0
}  // namespace leat
