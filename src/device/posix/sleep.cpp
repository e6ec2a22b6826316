// Sleeps until an atomic number changes (futex), and wakes sleeping threads, on POSIX systems.
// Locks and leat's threads call these functions.
#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

void sleep_while(std::atomic<int>& word, int old) noexcept {
  word.wait(old, std::memory_order_relaxed);
}

void wake_one(std::atomic<int>& word) noexcept { word.notify_one(); }

void wake_all(std::atomic<int>& word) noexcept { word.notify_all(); }

}  // namespace v0
}  // namespace leat
