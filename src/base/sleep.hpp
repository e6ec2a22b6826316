// Futex: sleeping until a word changes. Each platform implements these functions. Locks and leat's
// threads call these functions.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Sleeps while the word is `old`. May return although the word is still `old`. A change of the
/// word wakes no thread. After the change, call wake_one, or wake_all if several threads may sleep.
void sleep_while(std::atomic<int>& word, int old) noexcept;
/// If threads sleep on the word, wakes at least one of these threads.
void wake_one(std::atomic<int>& word) noexcept;
/// Wakes all threads that sleep on the word.
void wake_all(std::atomic<int>& word) noexcept;

}  // namespace v0
}  // namespace leat
