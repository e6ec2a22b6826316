// popen and pclose: streams to and from the processes of commands.
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "device/command.hpp"
#include "device/descriptor.hpp"
#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"
#include "stdio/mode.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class process_stream;

constinit process_stream* processes = nullptr;  // all open streams of popen

class process_stream final : public device_stream {
 public:
  process_stream(std::unique_ptr<cursor_device> pipe, command_id command) noexcept
      : device_stream(std::move(pipe)), command_(command) {
    enlist();
  }

  ~process_stream() override { delist(); }

  bool close(leat_file& f) noexcept override {
    delist();
    return device_stream::close(f);
  }

  int wait() noexcept override {
    has_command_ = false;  // another process may get the command's number
    return wait_for_command(command_);
  }
  bool is_process() const noexcept override { return has_command_; }

  process_stream* next() const noexcept { return next_; }

 private:
  void enlist() noexcept {
    const std::lock_guard guard(processes_lock);
    next_ = processes;
    processes = this;
  }
  void delist() noexcept {
    const std::lock_guard guard(processes_lock);
    process_stream** link = &processes;
    while (*link != nullptr && *link != this) link = &(*link)->next_;
    if (*link != nullptr) *link = next_;
  }

  command_id command_;
  bool has_command_ = true;
  process_stream* next_ = nullptr;
};

/// Starts the command. Returns the program's end of the pipe, or -1 (errno). Holds processes_lock:
/// without the lock, another thread could close an earlier stream, and another file could get the
/// stream's descriptor number.
int start_process(const char* text, bool reads, bool close_on_exec, command_id& command) noexcept
    try {
  const std::lock_guard guard(processes_lock);
  std::vector<int> others;  // POSIX: the new process does not inherit streams of earlier calls
  for (process_stream* other = processes; other != nullptr; other = other->next())
    others.push_back(other->descriptor());
  return start_command(text, reads, close_on_exec, others, command);
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

leat_file* leat_popen(const char* command, const char* mode_text) {
  const bool reads = mode_text[0] == 'r';
  if (!reads && mode_text[0] != 'w') return fail(EINVAL, nullptr);
  open_mode mode{.readable = reads, .writable = !reads};
  for (const char* c = mode_text + 1; *c != '\0'; ++c) {
    if (*c == 'e')
      mode.close_on_exec = true;
    else if (leat::has_text_mode() && (*c == 't' || *c == 'b'))
      mode.text = *c == 't';
    else
      return fail(EINVAL, nullptr);
  }
  const leat::no_cancel guard;
  leat::errno_guard kept;
  leat::command_id started{};
  const int pipe_end = start_process(command, reads, mode.close_on_exec, started);
  if (pipe_end < 0) {
    const int why = errno;
    leat::note_error({.code = {why, std::generic_category()}, .operation = "start"}, why, command);
    return kept.restore_if_good<leat_file>(nullptr);
  }
  auto over = stream_over<process_stream>(open_cursor(pipe_end, mode), started);
  if (over == nullptr) leat::close_descriptor(pipe_end);
  leat_file* const f = make_file(std::move(over), reads, !reads);
  if (f == nullptr) {
    leat::wait_for_command(started);  // the command's pipe is closed
    return kept.restore_if_good<leat_file>(fail(ENOMEM, nullptr));
  }
  set_byte_orientation(*f);
  return kept.restore_if_good(name_file(f, command));
}

int leat_pclose(leat_file* f) {
  leat::errno_guard kept;
  int status;
  int why;
  {
    LEAT_GUARD_FILE(f);
    if (!below(*f).is_process()) return kept.restore_if_good(false, fail(ECHILD, -1));
    close_libc_view(*f);
    const bool good = f->below->close(*f);
    why = errno;
    const device_call call(*f);
    status = f->below->wait();
    // A command that did not get all of its input may end with status 0.
    if (status == 0 && !good)
      status = -1;
    else
      why = errno;
  }
  destroy(f);
  errno = why;
  return kept.restore_if_good(status != -1, status);
}
