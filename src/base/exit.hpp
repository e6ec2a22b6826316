// The program's exit status after a loss of bytes at exit. The code that flushes streams at exit
// calls fail_at_exit().
#pragma once

namespace leat {
inline namespace v0 {

/// Called while the program exits. Makes the program end with the status of set_loss_status()
/// instead of exit status 0.
void fail_at_exit() noexcept;

/// Records that the program exits. Platforms that report the start of the exit call this function
/// before static objects are destroyed.
void note_exit() noexcept;

/// Replaces exit status 0 by `status`. On systems where the current status is unknown, ends the
/// program at once with `status`. Linux: in a plugin with its own copy of leat, does nothing.
/// Called while the program exits, after all code that may print. Each platform implements this
/// function.
void change_exit_status(int status) noexcept;

}  // namespace v0
}  // namespace leat
