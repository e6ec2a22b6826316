// Commands that the program starts, with a pipe between program and command. Each platform has its
// own implementation. C's popen calls these functions.
#pragma once

#include <cstdint>
#include <span>

namespace leat {
inline namespace v0 {

/// A running command: the number of its process, on Windows the handle of its process.
using command_id = std::intptr_t;

/// Starts a command of the system's shell. If `reads` is true, the pipe is the command's standard
/// output, otherwise its standard input. The command does not get `closed_descriptors`. With
/// `close_on_exec`, programs that are started later do not get the program's end of the pipe.
/// Sets `command`, and returns the descriptor of the program's end. The caller closes this
/// descriptor, and calls wait_for_command(). On failure returns -1, sets errno, and leaves
/// `command` as it is.
int start_command(const char* text, bool reads, bool close_on_exec,
                  std::span<const int> closed_descriptors, command_id& command) noexcept;

/// Waits until the command ends. Returns the command's status as the system's pclose does. On
/// failure returns -1 and sets errno, for example to ECHILD if the program itself has waited for
/// the process. Afterwards `command` is not valid any more.
int wait_for_command(command_id command) noexcept;

}  // namespace v0
}  // namespace leat
