// Handlers for fork(), for objects that have locks or buffers. Each platform implements this.
#pragma once

namespace leat {
inline namespace v0 {

/// Like pthread_atfork. Does nothing on systems without fork.
void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

}  // namespace v0
}  // namespace leat
