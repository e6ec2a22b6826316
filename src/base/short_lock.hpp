// A lock for work that is shorter than going to sleep.
#pragma once

#include <atomic>

#if defined(__x86_64__) || defined(__i386__)
#  include <immintrin.h>
#endif

#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

/// Held while a line is copied, some ten nanoseconds: whoever finds it taken looks again a few
/// times before sleeping. std::mutex sleeps at once, and then eight threads that print spend their
/// time in the kernel. Meets the requirements of Lockable.
class short_lock {
 public:
  constexpr short_lock() = default;
  short_lock(const short_lock&) = delete;
  short_lock& operator=(const short_lock&) = delete;

  bool try_lock() noexcept {
    int expected = is_free;
    return state_.compare_exchange_strong(expected, is_taken, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  void lock() noexcept {
    if (!try_lock()) lock_contended();
  }

  void unlock() noexcept {
    if (state_.exchange(is_free, std::memory_order_release) == has_sleepers) wake_one(state_);
  }

 private:
  void lock_contended() noexcept {
    // Looking ever more rarely leaves the lock, and the lines of the cache that it guards, with one
    // core for a while, which is faster for all than handing them to and fro.
    constexpr int longest_pause = 64;
    for (int pauses = 1; pauses <= longest_pause; pauses *= 2) {
      for (int i = 0; i != pauses; ++i) pause();
      if (state_.load(std::memory_order_relaxed) == is_free && try_lock()) return;
    }
    // Whoever wakes can't know whether others still sleep, and so takes it as if they did.
    while (state_.exchange(has_sleepers, std::memory_order_acquire) != is_free)
      sleep_while(state_, has_sleepers);
  }

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

  static constexpr int is_free = 0, is_taken = 1, has_sleepers = 2;
  std::atomic<int> state_{is_free};
};

}  // namespace v0
}  // namespace leat
