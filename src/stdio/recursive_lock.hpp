// The lock of a FILE.
#pragma once

#include <atomic>
#include <new>

#include "base/short_lock.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// A lock that its owner may take again, as flockfile promises.
class recursive_lock {
 public:
  constexpr recursive_lock() = default;
  void lock() noexcept {
    const char* const me = this_thread();
    if (owner_.load(std::memory_order_relaxed) != me) {
      lock_.lock();
      owner_.store(me, std::memory_order_relaxed);
    }
    ++depth_;
  }
  bool try_lock() noexcept {
    const char* const me = this_thread();
    if (owner_.load(std::memory_order_relaxed) != me) {
      if (!lock_.try_lock()) return false;
      owner_.store(me, std::memory_order_relaxed);
    }
    ++depth_;
    return true;
  }
  void unlock() noexcept {
    if (--depth_ != 0) return;
    owner_.store(nullptr, std::memory_order_relaxed);
    lock_.unlock();
  }
  /// For the thread that has it: unlock() would make it free.
  bool is_held_once() const noexcept { return depth_ == 1; }
  /// In a forked child: the thread that held it does not exist here.
  void reset() noexcept {
    owner_.store(nullptr, std::memory_order_relaxed);
    depth_ = 0;
    new (&lock_) short_lock;
  }

 private:
  static const char* this_thread() noexcept {
    static thread_local constinit char mine = 0;
    return &mine;
  }

  std::atomic<const char*> owner_{nullptr};
  unsigned depth_ = 0;
  short_lock lock_;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
