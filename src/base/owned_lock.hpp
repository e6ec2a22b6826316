// A lock that records its owner. Shared streams, C's streams and the list of open streams use
// owned_lock.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "base/short_lock.hpp"

namespace leat {
inline namespace v0 {

/// A short_lock with an owner. A signal handler that ends the program, or forks, can query whether
/// the interrupted thread holds the lock. If so, the handler must not wait for the lock, which
/// would never be released. Meets the requirements of Lockable.
class owned_lock {
 public:
  constexpr owned_lock() = default;
  owned_lock(const owned_lock&) = delete;
  owned_lock& operator=(const owned_lock&) = delete;

  bool try_lock() noexcept {
    int expected = is_free;
    return state_.compare_exchange_strong(expected, this_thread_id(), std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) lock_contended();
  }
  /// Tries to lock until `timeout` is over, and at least 1000 times. Returns true if this call has
  /// locked, false if other threads held the lock at every try.
  template <class Duration>
  bool try_lock_for(Duration timeout) noexcept {
    // Many tries are needed, because other threads may leave the lock free only for moments.
    constexpr int yields = 1000;
    const auto begin = std::chrono::steady_clock::now();
    for (int tries = 0; !try_lock(); ++tries) {
      if (tries < yields) {
        std::this_thread::yield();
        continue;
      }
      if (std::chrono::steady_clock::now() - begin > timeout) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }
  void unlock() noexcept {
    if ((state_.exchange(is_free, std::memory_order_release) & has_sleepers) != 0) wake_one(state_);
  }
  /// True if the calling thread holds the lock.
  bool is_mine() const noexcept {
    return (state_.load(std::memory_order_relaxed) & ~has_sleepers) == this_thread_id();
  }

 private:
  void lock_contended() noexcept {
    constexpr int longest_pause = 64;
    for (int pauses = 1; pauses <= longest_pause; pauses *= 2) {
      for (int i = 0; i != pauses; ++i) short_lock::pause();
      if (state_.load(std::memory_order_relaxed) == is_free && try_lock()) return;
    }
    // A thread that wakes keeps has_sleepers set, because other threads may still sleep.
    for (int seen = state_.load(std::memory_order_relaxed);;) {
      const int wanted = seen == is_free ? this_thread_id() | has_sleepers : seen | has_sleepers;
      if (seen != wanted && !state_.compare_exchange_weak(seen, wanted, std::memory_order_acquire,
                                                          std::memory_order_relaxed))
        continue;
      if (seen == is_free) return;
      sleep_while(state_, wanted);
      seen = state_.load(std::memory_order_relaxed);
    }
  }

  /// Returns the number of the calling thread: 2, 4, 6 … The numbers repeat after 2^30 - 1 threads.
  static int this_thread_id() noexcept {
    return this_thread_number != 0 ? this_thread_number : assign_thread_number();
  }
  static int assign_thread_number() noexcept {
    static constinit std::atomic<unsigned> threads{0};
    constexpr unsigned most = 0x3fffffff;
    const unsigned number = threads.fetch_add(1, std::memory_order_relaxed) % most + 1;
    return this_thread_number = static_cast<int>(2 * number);
  }
  static inline constinit thread_local int this_thread_number = 0;

  static constexpr int is_free = 0, has_sleepers = 1;
  std::atomic<int> state_{is_free};
};

}  // namespace v0
}  // namespace leat
