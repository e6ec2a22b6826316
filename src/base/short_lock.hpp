// A lock for critical sections that take less time than putting a thread to sleep. group_commit,
// C's streams, the scan of journals and the list of address schemes use short_lock.
#pragma once

#include <atomic>

#if defined(__x86_64__) || defined(__i386__)
#  include <immintrin.h>
#endif

#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

/// A spinning lock, held for some tens of nanoseconds, for example to copy a line. So a thread that
/// finds the lock taken retries a few times before it sleeps. std::mutex sleeps at once: with eight
/// threads that print, most of the time would be spent in the kernel. Meets the requirements of
/// Lockable.
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

  /// Executes the pause instruction (on 64-bit ARM: isb). Does nothing on other processors.
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

 private:
  void lock_contended() noexcept {
    // Exponential backoff: one core keeps the lock, and the cache lines that the lock guards, for a
    // while. Moving these cache lines from core to core would take longer for all threads.
    constexpr int longest_pause = 64;
    for (int pauses = 1; pauses <= longest_pause; pauses *= 2) {
      for (int i = 0; i != pauses; ++i) pause();
      if (state_.load(std::memory_order_relaxed) == is_free && try_lock()) return;
    }
    // A thread that wakes keeps has_sleepers set, because other threads may still sleep.
    while (state_.exchange(has_sleepers, std::memory_order_acquire) != is_free)
      sleep_while(state_, has_sleepers);
  }

  static constexpr int is_free = 0, is_taken = 1, has_sleepers = 2;
  std::atomic<int> state_{is_free};
};

}  // namespace v0
}  // namespace leat
