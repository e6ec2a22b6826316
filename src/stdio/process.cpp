// popen and pclose.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <new>
#include <utility>

#include "device/no_cancel.hpp"
#include "device/posix_system.hpp"
#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class process_stream;

// All that are open. Under a lock of their own, which is the last to be taken.
constinit short_lock processes_lock;
constinit process_stream* processes = nullptr;

class process_stream final : public device_stream {
 public:
  process_stream(std::unique_ptr<cursor_device> pipe, pid_t process) noexcept
      : device_stream(std::move(pipe)), process_(process) {
    enter();
  }

  ~process_stream() override { leave(); }

  bool close(leat_file& f) noexcept override {
    leave();
    return device_stream::close(f);
  }

  int wait() noexcept override {
    const no_cancel guard;
    int status;
    pid_t ended;
    do ended = ::waitpid(process_, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : status;
  }
  bool is_process() const noexcept override { return true; }

  process_stream* next() const noexcept { return next_; }

 private:
  void enter() noexcept {
    const std::lock_guard guard(processes_lock);
    next_ = processes;
    processes = this;
  }
  void leave() noexcept {
    const std::lock_guard guard(processes_lock);
    process_stream** link = &processes;
    while (*link != nullptr && *link != this) link = &(*link)->next_;
    if (*link != nullptr) *link = next_;
  }

  pid_t process_;
  process_stream* next_ = nullptr;
};

/// Starts `sh -c command` with one end of the pipe as its `standard` descriptor; an errno.
int start(const char* command, int end, int standard, pid_t* process) noexcept {
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions)) return error;
  // POSIX: the streams of earlier calls are not the new process's.
  {
    const std::lock_guard guard(processes_lock);
    for (process_stream* other = processes; other != nullptr; other = other->next())
      ::posix_spawn_file_actions_addclose(&actions, other->descriptor());
  }
  int error = ::posix_spawn_file_actions_adddup2(&actions, end, standard);
  if (error == 0) {
    const char* const arguments[] = {"sh", "-c", "--", command, nullptr};
    error = ::posix_spawn(process, "/bin/sh", &actions, nullptr,
                          const_cast<char* const*>(arguments), environment());
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
  if (!leat::open_pipe(ends)) return nullptr;
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
  int status;
  {
    LEAT_USE(f);
    if (!below(*f).is_process()) return fail(ECHILD, -1);
    close_libc_view(*f);
    f->below->close(*f);
    status = f->below->wait();
  }
  const int why = errno;
  destroy(f);
  errno = why;
  return status;
}
