// Sleeping until a word changes. Each platform has its own implementation of this.
#pragma once

#include <atomic>

namespace leat {
inline namespace v0 {

/// Returns when the word is another one than `old`, as who changes it says by wake_one; may return
/// for no reason.
void sleep_while(std::atomic<int>& word, int old) noexcept;
void wake_one(std::atomic<int>& word) noexcept;

}  // namespace v0
}  // namespace leat
