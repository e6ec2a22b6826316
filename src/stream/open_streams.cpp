// The list of open streams, its fork handlers, and the flush at exit. Streams enter and leave the
// list; fork() and exit() call the handlers.
#include <leat/detail/single_threaded.hpp>

#include "stream/open_streams.hpp"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/errno.hpp"
#include "base/exit.hpp"
#include "base/fork.hpp"
#include "base/loss.hpp"
#include "base/owned_lock.hpp"
#include "base/service_thread.hpp"
#include "base/thread_number.hpp"

namespace leat {
inline namespace v0 {

namespace {

// The lock and the list are trivially destructible, so that static streams can use them until the
// process ends.
constinit owned_lock list_lock;
constinit open_stream* list = nullptr;
constinit std::atomic<int> list_waiters{0};  // threads that wait for the lock

/// Holds the list's lock. A thread that already has the lock may need it again: in a signal handler
/// that interrupted a change of the list, or if a device opens a stream while a fork writes to the
/// device. An interrupted change leaves a readable list.
class list_guard {
 public:
  list_guard() noexcept : locks_(!list_lock.is_mine()) {
    if (!locks_ || list_lock.try_lock()) return;
    ++list_waiters;
    list_lock.lock();
    --list_waiters;
  }
  ~list_guard() {
    if (locks_) list_lock.unlock();
  }
  list_guard(const list_guard&) = delete;
  list_guard& operator=(const list_guard&) = delete;

 private:
  bool locks_;
};

constinit bool list_is_locked_for_fork = false;
// Valid during a fork. If `only_thread` is true, the callback_gate is closed.
constinit bool counted_threads = false, only_thread = false;

}  // namespace

struct open_streams {
  // The newest stream comes first; the standard streams come last. A stream over another stream is
  // newer, so its lock is taken first, as in a write. fork() sets errno only if fork() fails. The
  // handlers also run if fork() succeeds, so the handlers restore errno.
  static void before_fork() {
    const errno_guard kept;
    const bool interrupted = list_lock.is_mine();
    if (!interrupted) list_lock.lock();
    list_is_locked_for_fork = !interrupted;
    counted_threads = only_thread = false;
    for (open_stream* it = list; it != nullptr; it = it->next_) it->before_fork();
  }
  static void after_fork_in_parent() {
    const errno_guard kept;
    for (open_stream* it = list; it != nullptr; it = it->next_) it->after_fork_in_parent();
    if (only_thread) callback_gate::open();
    if (list_is_locked_for_fork) list_lock.unlock();
  }
  static void after_fork_in_child() {
    const errno_guard kept;
    thread_number::after_fork_in_child();
    service_threads.store(0, std::memory_order_relaxed);
    callback_gate::after_fork_in_child();
    list_waiters = 0;
    for (open_stream* it = list; it != nullptr; it = it->next_) it->after_fork_in_child();
    if (list_is_locked_for_fork) list_lock.unlock();
  }
  static void install() {
    static const bool installed =
        (on_fork(before_fork, after_fork_in_parent, after_fork_in_child), true);
    static_cast<void>(installed);
  }

  static void at_exit() {
    struct named_loss {
      failure reason;
      std::string name;
    };
    std::vector<named_loss> losses;
    {
      const list_guard guard;
      for (open_stream* it = list; it != nullptr; it = it->next_) {
        const auto [reason, name] = it->at_exit();
        if (!reason) continue;
        fail_at_exit();
        // left_open: a call on the stream was interrupted, or another thread may be using the
        // stream. Report without an allocation, because a signal handler may have interrupted
        // malloc.
        if (reason.code == errc::left_open && !has_loss_handler()) {
          report_loss(reason, name);
          continue;
        }
        try {
          losses.push_back({reason, std::string(name)});
        } catch (const std::bad_alloc&) {
          report_loss(reason, name);
        }
      }
    }
    // Without the lock: the loss handler may open a stream.
    for (const named_loss& loss : losses) report_loss(loss.reason, loss.name);
  }
};

namespace {

// Runs after the destructors of static objects and after the functions given to atexit, because
// static objects may be streams, and the functions may write to streams.
[[gnu::destructor]] void finish_open_streams() { open_streams::at_exit(); }

}  // namespace

bool open_stream::is_list_awaited() noexcept { return list_waiters != 0; }

bool user_thread::is_this_thread() const noexcept {
  const char* const mark = mark_.load(std::memory_order_relaxed);
  return mark == &mark_of_thread || (mark != nullptr && detail::is_single_threaded());
}

bool user_thread::is_other_thread() const noexcept {
  const char* const mark = mark_.load(std::memory_order_relaxed);
  return mark != nullptr && mark != &mark_of_thread && !detail::is_single_threaded();
}

bool open_stream::is_only_thread_at_fork() noexcept {
  if (std::exchange(counted_threads, true)) return only_thread;
  // Threads of leat may call the loss handler at any time.
  const bool closed = callback_gate::close();
  only_thread = closed && is_only_thread() &&
                (!has_loss_handler() || service_threads.load(std::memory_order_relaxed) == 0);
  if (closed && !only_thread) callback_gate::open();
  return only_thread;
}

void open_stream::enlist() noexcept {
  open_streams::install();
  enlisted_ = true;
  const list_guard guard;
  insert(&list);
}

void open_stream::enlist_last() noexcept {
  open_streams::install();
  const list_guard guard;
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
  // A stream that is not in the list may be below a stream whose lock is held. Under a stream's
  // lock the list's lock must not be taken, because a fork takes the list's lock first.
  if (!enlisted_) return;
  enlisted_ = false;
  const list_guard guard;
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

}  // namespace v0
}  // namespace leat
