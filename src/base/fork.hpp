// Handlers for fork(), for objects that have locks or buffers. Each platform implements this.
#pragma once

#include <chrono>

namespace leat {
inline namespace v0 {

/// Like pthread_atfork. Does nothing on systems without fork.
void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

/// A fork and exit() wait no longer than this for a thread that keeps a lock, and a fork no longer
/// for a pipe that takes nothing.
inline constexpr std::chrono::milliseconds fork_patience{1000};

/// True if the program has no other thread than the calling one. Threads of leat do not count.
/// False where the system does not tell.
bool is_only_thread() noexcept;

}  // namespace v0
}  // namespace leat
