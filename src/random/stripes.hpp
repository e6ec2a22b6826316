// Locks for parts of a file, held by batches and single writes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>

namespace leat {
inline namespace v0 {

/// Writers whose ranges share bytes wait for each other. Other writers wait only if their ranges
/// share a stripe by chance: one lock serves every 32nd block of 256 KiB.
class stripe_locks {
 public:
  /// A guard holds the locks of [at, at + size) for its lifetime.
  class guard {
   public:
    guard(stripe_locks& owner, std::uint64_t at, std::uint64_t size) noexcept : owner_(owner) {
      const std::uint64_t last = (at + std::max<std::uint64_t>(size, 1) - 1) / block;
      for (std::uint64_t b = at / block; b <= last && held_ != all; ++b)
        held_ |= std::uint64_t{1} << b % count;
      // All threads lock in ascending order, so that a deadlock is not possible.
      for (std::uint64_t left = held_; left != 0; left &= left - 1) lock_of(left).lock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
      for (std::uint64_t left = held_; left != 0; left &= left - 1) lock_of(left).unlock();
    }

   private:
    std::mutex& lock_of(std::uint64_t left) noexcept {
      return owner_.locks_[static_cast<std::size_t>(std::countr_zero(left))];
    }

    stripe_locks& owner_;
    std::uint64_t held_ = 0;
  };

 private:
  static constexpr std::uint64_t block = std::uint64_t{256} << 10;
  // The thread sanitizer can follow at most 64 locks of one thread.
  static constexpr std::size_t count = 32;
  static constexpr std::uint64_t all = (std::uint64_t{1} << count) - 1;
  std::array<std::mutex, count> locks_;
};

}  // namespace v0
}  // namespace leat
