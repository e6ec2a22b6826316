// The status with which the program ends. Each platform implements this.
#pragma once

namespace leat {
inline namespace v0 {

/// Called while the program exits, after everything that may print. A program that would end with
/// 0 ends with this status. Systems that don't tell the status end at once, with this one.
void change_exit_status(int status) noexcept;

}  // namespace v0
}  // namespace leat
