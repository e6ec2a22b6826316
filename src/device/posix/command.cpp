// Starts the commands of C's popen by posix_spawn, connected by a pipe, and waits for their end.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "device/command.hpp"
#include "device/descriptor.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Starts `sh -c -- text` with one end of the pipe as its descriptor `standard` (0 or 1). Returns 0
/// or an errno value.
int start(const char* text, int pipe_end, int standard, std::span<const int> closed_descriptors,
          pid_t& process) noexcept {
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions)) return error;
  for (const int other : closed_descriptors) ::posix_spawn_file_actions_addclose(&actions, other);
  int error = ::posix_spawn_file_actions_adddup2(&actions, pipe_end, standard);
  if (error == 0) {
    const char* const arguments[] = {"sh", "-c", "--", text, nullptr};
    error = ::posix_spawn(&process, "/bin/sh", &actions, nullptr,
                          const_cast<char* const*>(arguments), environment());
  }
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

int start_command(const char* text, bool reads, bool close_on_exec,
                  std::span<const int> closed_descriptors, command_id& command) noexcept {
  int ends[2];
  if (!open_pipe(ends)) return -1;
  const int ours = ends[reads ? 0 : 1];
  int theirs = ends[reads ? 1 : 0];
  const int standard = reads ? 1 : 0;
  // dup2 of a descriptor to itself does nothing, so the descriptor would still be closed on exec.
  if (theirs == standard) {
    const int moved = ::fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    close_descriptor(theirs);
    theirs = moved;
  }
  pid_t process = -1;
  const int error = theirs < 0 ? errno : start(text, theirs, standard, closed_descriptors, process);
  if (theirs >= 0) close_descriptor(theirs);
  if (error != 0) {
    close_descriptor(ours);
    errno = error;
    return -1;
  }
  if (!close_on_exec) ::fcntl(ours, F_SETFD, 0);
  command = process;
  return ours;
}

int wait_for_command(command_id command) noexcept {
  int status;
  const pid_t ended =
      retry_on_eintr([&] { return ::waitpid(static_cast<pid_t>(command), &status, 0); });
  return ended < 0 ? -1 : status;
}

}  // namespace v0
}  // namespace leat
