// Fork handlers for objects with locks or buffers, and a query whether the program has one thread.
// Each platform implements these functions. Streams and their threads use the functions.
#pragma once

#include <chrono>

namespace leat {
inline namespace v0 {

/// Registers fork handlers, as pthread_atfork does. Does nothing on systems without fork.
void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

/// The longest time that a fork waits for the lock of a shared stream, or for a full pipe, and that
/// exit() waits for the lock of a stream. For the locks of C's streams a fork waits without a
/// limit.
inline constexpr std::chrono::milliseconds fork_timeout{1000};

/// Returns true if the calling thread is the program's only thread, not counting leat's threads.
/// Returns false if the system does not report the number of threads.
bool is_only_thread() noexcept;

}  // namespace v0
}  // namespace leat
