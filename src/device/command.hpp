// Commands that run beside the program, at the other end of a pipe. Each platform has its own
// implementation of these.
#pragma once

#include <cstdint>
#include <span>

namespace leat {
inline namespace v0 {

/// Which one: a process's number, or its handle.
using command_id = std::intptr_t;

/// Starts a command of the system's shell, whose standard output (`reads`) or input is the pipe.
/// Returns our end of it; -1 (errno) on failure. The other descriptors are not the command's.
int start_command(const char* text, bool reads, bool close_on_exec, std::span<const int> others,
                  command_id& command) noexcept;

/// Waits for its end and returns its status as the system's pclose does; -1 (errno) if it is gone.
int wait_for_command(command_id command) noexcept;

}  // namespace v0
}  // namespace leat
