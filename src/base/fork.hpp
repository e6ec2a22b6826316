// Telling who has locks and buffers of a fork. Each platform has its own implementation of this.
#pragma once

namespace leat {
inline namespace v0 {

/// As pthread_atfork; does nothing where processes don't fork.
void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

}  // namespace v0
}  // namespace leat
