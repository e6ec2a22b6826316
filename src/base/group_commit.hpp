// Group commit: threads that want a sync of the same device share one sync. device_sink and C's
// streams use group_commit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/short_lock.hpp"
#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

/// A sync covers all bytes that were written before the sync began. So threads that arrive during a
/// sync wait for the next sync. One of the waiting threads runs the next sync for all of them.
/// Example: threads that arrive during sync 7 share sync 8.
class group_commit {
 public:
  /// Waits until a call of sync(ec) has begun and ended during this call of run(), in this thread
  /// or another thread. Returns true after such a sync. Returns false if stop() prevents the sync.
  /// After a failed sync, run() returns true without a call of `sync`, and error() returns the
  /// failure.
  template <class Sync>
  bool run(Sync&& sync) noexcept {
    lock_.lock();
    const std::uint64_t wanted = last_started_ + 1;
    ++waiting_;
    while (last_finished_ < wanted && !(stopped_ && !running_)) {
      if (running_)
        sleep();
      else
        run_as_leader(sync);
    }
    const bool served = last_finished_ >= wanted;
    lock_.unlock();
    return served;
  }

  /// Waits for the running sync. No other sync begins afterwards.
  void stop() noexcept {
    lock_.lock();
    stopped_ = true;
    while (running_) sleep();
    lock_.unlock();
  }

  /// Reverses stop().
  void resume() noexcept {
    lock_.lock();
    stopped_ = false;
    lock_.unlock();
  }

  /// Returns the error of the first sync that failed.
  std::error_code error() const noexcept {
    lock_.lock();
    const std::error_code ec = error_;
    lock_.unlock();
    return ec;
  }

  void before_fork() noexcept { lock_.lock(); }
  void after_fork_in_parent() noexcept { lock_.unlock(); }
  /// Resets the state, because the other threads exist only in the parent. If before_fork() was not
  /// called, another thread may have held the lock at the fork.
  void after_fork_in_child() noexcept {
    running_ = false;
    waiting_ = last_waiters_ = 0;
    new (&lock_) short_lock;
  }

 private:
  using clock = std::chrono::steady_clock;

  /// Sleeps until a sync has ended. Releases the lock meanwhile.
  void sleep() noexcept {
    const int seen = wake_word_.load(std::memory_order_relaxed);
    lock_.unlock();
    sleep_while(wake_word_, seen);
    lock_.lock();
  }

  template <class Sync>
  void run_as_leader(Sync&& sync) noexcept {
    running_ = true;
    wait_for_others();
    ++last_started_;
    const unsigned served_threads = std::exchange(waiting_, 0);
    const bool failed = static_cast<bool>(error_);
    lock_.unlock();
    const auto start = clock::now();
    std::error_code ec;
    // A failed sync is final: a later sync could report success for bytes that are lost.
    if (!failed) sync(ec);
    const auto duration = clock::now() - start;
    lock_.lock();
    if (ec && !error_) error_ = ec;
    last_duration_ = duration;
    last_waiters_ = served_threads + waiting_;
    last_finished_ = last_started_;
    running_ = false;
    wake_word_.fetch_add(1, std::memory_order_relaxed);
    wake_all(wake_word_);
  }

  /// Waits briefly for the threads of the last sync, because these threads soon want another sync.
  /// Without this wait, the threads of the last sync would alternate with the threads that arrived
  /// during the last sync. Then each sync would serve only half of all threads.
  void wait_for_others() noexcept {
    const auto until = clock::now() + last_duration_ / 3;
    while (waiting_ < last_waiters_ && clock::now() < until) {
      lock_.unlock();
      std::this_thread::yield();
      lock_.lock();
    }
  }

  mutable short_lock lock_;
  std::atomic<int> wake_word_ = 0;  // the count of ended syncs; sleepers wait for a change
  std::uint64_t last_started_ = 0, last_finished_ = 0;  // numbers of syncs: 1, 2, 3 …
  bool running_ = false;                                // a thread is in run_as_leader()
  bool stopped_ = false;
  unsigned waiting_ = 0;             // threads that wait for the next sync
  unsigned last_waiters_ = 0;        // threads that the last sync served, or that waited at its end
  clock::duration last_duration_{};  // duration of the last sync
  std::error_code error_;
};

}  // namespace v0
}  // namespace leat
