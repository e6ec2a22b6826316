// The program's exit status.
#pragma once

namespace leat {
inline namespace v0 {

/// Replaces exit status 0 by the status of set_loss_status(). Called while the program exits.
void fail_at_exit() noexcept;

/// Called when the program begins to exit, before static objects are destroyed, on platforms that
/// report this.
void exit_begins() noexcept;

/// Replaces exit status 0 by `status`. On systems where the current status is unknown, ends the
/// program at once with `status`. Called while the program exits, after all code that may print.
/// Each platform implements this.
void change_exit_status(int status) noexcept;

}  // namespace v0
}  // namespace leat
