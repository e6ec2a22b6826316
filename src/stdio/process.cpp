// popen and pclose.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "device/no_cancel.hpp"
#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class process_stream final : public device_stream {
 public:
  process_stream(std::unique_ptr<cursor_device> pipe, pid_t process) noexcept
      : device_stream(std::move(pipe)), process_(process) {}

  int wait() noexcept override {
    const no_cancel guard;
    int status;
    pid_t ended;
    do ended = ::waitpid(process_, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : status;
  }
  bool is_process() const noexcept override { return true; }

 private:
  pid_t process_;
};

/// Starts `sh -c command` with one end of the pipe as its `standard` descriptor; an errno.
int start(const char* command, int end, int standard, pid_t* process) noexcept {
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions)) return error;
  // POSIX: the streams of earlier calls are not the new process's.
  for_each_file([&](leat_file& f) noexcept {
    if (f.below != nullptr && f.below->is_process())
      ::posix_spawn_file_actions_addclose(&actions, f.below->descriptor());
  });
  int error = ::posix_spawn_file_actions_adddup2(&actions, end, standard);
  if (error == 0) {
    const char* const arguments[] = {"sh", "-c", "--", command, nullptr};
    error = ::posix_spawn(process, "/bin/sh", &actions, nullptr,
                          const_cast<char* const*>(arguments), environ);
  }
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

leat_file* leat_popen(const char* command, const char* mode_text) {
  const bool reads = mode_text[0] == 'r';
  if (!reads && mode_text[0] != 'w') return fail(EINVAL, nullptr);
  bool close_on_exec = false;
  for (const char* c = mode_text + 1; *c != '\0'; ++c) {
    if (*c == 'e')
      close_on_exec = true;
    else
      return fail(EINVAL, nullptr);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int ours = ends[reads ? 0 : 1];
  int theirs = ends[reads ? 1 : 0];
  const int standard = reads ? 1 : 0;
  // dup2 to itself would leave it to be closed on exec.
  if (theirs == standard) {
    const int moved = ::fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    ::close(theirs);
    theirs = moved;
  }
  pid_t process = -1;
  const int error = theirs < 0 ? errno : start(command, theirs, standard, &process);
  if (theirs >= 0) ::close(theirs);
  if (error != 0) {
    ::close(ours);
    return fail(error, nullptr);
  }
  if (!close_on_exec) ::fcntl(ours, F_SETFD, 0);
  auto device = leat::open_descriptor(ours);
  leat_file* f = nullptr;
  if (device == nullptr)
    ::close(ours);
  else
    f = make_file(
        std::unique_ptr<stream>(new (std::nothrow) process_stream(std::move(device), process)),
        reads, !reads);
  return f;
}

int leat_pclose(leat_file* f) {
  std::unique_ptr<stream> process;
  {
    LEAT_USE(f);
    if (!below(*f).is_process()) return fail(ECHILD, -1);
    close_libc_view(*f);
    f->below->close(*f);
    process = std::move(f->below);
  }
  destroy(f);
  return process->wait();
}
