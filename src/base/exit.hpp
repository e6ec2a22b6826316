// The status with which the program ends.
#pragma once

namespace leat {
inline namespace v0 {

/// Lets a program that would end with status 0 end with what set_loss_status has set. Called while
/// it exits.
void fail_at_exit() noexcept;

/// Called where the program begins to exit, before static objects are destroyed, by platforms that
/// know it.
void exit_begins() noexcept;

/// Each platform implements this. Called while the program exits, after everything that may print.
/// A program that would end with 0 ends with this status. Systems that don't tell the status end at
/// once, with this one.
void change_exit_status(int status) noexcept;

}  // namespace v0
}  // namespace leat
