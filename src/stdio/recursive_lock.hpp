// The lock of a FILE, a member of leat_file.
#pragma once

#include <new>

#include "base/owned_lock.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// A lock that the owning thread may take again, as flockfile promises.
class recursive_lock {
 public:
  constexpr recursive_lock() = default;
  void lock() noexcept {
    if (!lock_.is_mine()) lock_.lock();
    ++depth_;
  }
  bool try_lock() noexcept {
    if (!lock_.is_mine() && !lock_.try_lock()) return false;
    ++depth_;
    return true;
  }
  /// Returns false if another thread has kept the lock for all of `timeout`.
  template <class Duration>
  bool try_lock_for(Duration timeout) noexcept {
    if (!lock_.is_mine() && !lock_.try_lock_for(timeout)) return false;
    ++depth_;
    return true;
  }
  void unlock() noexcept {
    if (--depth_ == 0) lock_.unlock();
  }
  /// True if one unlock() would release the lock. Called by the owner.
  bool is_held_once() const noexcept { return depth_ == 1; }
  /// Called in a forked child, where the owner does not exist.
  void reset() noexcept {
    depth_ = 0;
    new (&lock_) owned_lock;
  }

 private:
  owned_lock lock_;
  unsigned depth_ = 0;
};

}  // namespace stdio
}  // namespace v0
}  // namespace leat
