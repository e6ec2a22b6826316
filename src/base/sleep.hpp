// Sleeping until a word changes. Each platform implements this.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Returns when the word is not `old` any more. A thread that changes the word must call wake_one,
/// or wake_all if several may sleep. May also return without a reason.
void sleep_while(std::atomic<int>& word, int old) noexcept;
void wake_one(std::atomic<int>& word) noexcept;
void wake_all(std::atomic<int>& word) noexcept;

}  // namespace v0
}  // namespace leat
