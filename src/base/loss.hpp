// Reports of lost bytes and of other failures that no call can report to the program. Streams,
// random access, logs and the recovery of sidecars call these functions.
#pragma once

#include <leat/error.hpp>

#include <string_view>

namespace leat {
inline namespace v0 {

/// Calls the loss handler. If there is no memory for the report, prints a line to stderr instead.
/// If the error is errc::left_open and the program has set no loss handler, allocates no memory,
/// because the call may be in a signal handler.
void report_loss(const failure& what, std::string_view name) noexcept;

/// Like report_loss(), for a failure to write. While the program exits, also calls fail_at_exit().
void report_lost_bytes(const failure& what, std::string_view name) noexcept;

/// Returns true if the program has set a loss handler.
bool has_loss_handler() noexcept;

/// Returns the exit status that set_loss_status() has set, or EXIT_FAILURE by default.
int loss_status() noexcept;

}  // namespace v0
}  // namespace leat
