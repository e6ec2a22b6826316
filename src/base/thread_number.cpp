// Implements thread_number: small numbers for threads. Per-thread buffers and the list of open
// streams use the numbers.
#include "base/thread_number.hpp"

#include <atomic>
#include <bit>
#include <cstdint>

namespace leat {
inline namespace v0 {

namespace {

constinit std::atomic<std::uint32_t> used_numbers{0};  // bit n - 1 is set if number n is taken

constexpr std::uint32_t bit_of(unsigned number) noexcept { return 1u << (number - 1); }

}  // namespace

constinit thread_local unsigned thread_number::this_thread_number = 0;

/// Releases the number when the thread ends. Later destructors of the thread get no number.
struct thread_number::holder {
  bool ended = false;
  ~holder() {
    ended = true;
    if (this_thread_number != 0)
      used_numbers.fetch_and(~bit_of(this_thread_number), std::memory_order_release);
    this_thread_number = 0;
  }
};

unsigned thread_number::acquire() noexcept {
  static thread_local holder releaser;
  if (releaser.ended) return 0;
  std::uint32_t taken = used_numbers.load(std::memory_order_relaxed);
  for (;;) {
    const auto number = static_cast<unsigned>(std::countr_one(taken)) + 1;
    if (number > most) return 0;
    if (used_numbers.compare_exchange_weak(taken, taken | bit_of(number), std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      this_thread_number = number;
      return number;
    }
  }
}

void thread_number::after_fork_in_child() noexcept {
  used_numbers.store(this_thread_number != 0 ? bit_of(this_thread_number) : 0,
                     std::memory_order_relaxed);
}

}  // namespace v0
}  // namespace leat
