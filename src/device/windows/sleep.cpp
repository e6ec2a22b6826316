// Sleeps until an atomic number changes (futex), and wakes sleeping threads, on Windows. Locks and
// leat's threads call these functions.
#include <windows.h>

#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

// Does not use std::atomic's wait functions: without a futex, the wait functions of libstdc++ 12
// may miss a wake.

void sleep_while(std::atomic<int>& word, int old) noexcept {
  ::WaitOnAddress(&word, &old, sizeof old, INFINITE);
}

void wake_one(std::atomic<int>& word) noexcept { ::WakeByAddressSingle(&word); }

void wake_all(std::atomic<int>& word) noexcept { ::WakeByAddressAll(&word); }

}  // namespace v0
}  // namespace leat
