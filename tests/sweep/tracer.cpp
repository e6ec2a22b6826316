// Implements tracer: traces a child by ptrace, and makes system calls of the child fail.
#include "sweep/tracer.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <system_error>

namespace sweep {

namespace {

constexpr std::size_t max_calls = 100'000;
// A system call that does not exist marks the end of the traced part.
constexpr long end_mark = 0x1ea7;

void* as_pointer(std::uint64_t value) { return reinterpret_cast<void*>(value); }

/// The registers that a fault changes in a stopped thread.
class registers {
 public:
  explicit registers(pid_t thread) : thread_(thread) {
    ::ptrace(PTRACE_GETREGSET, thread_, as_pointer(NT_PRSTATUS), &all_);
  }
  void store() { ::ptrace(PTRACE_SETREGSET, thread_, as_pointer(NT_PRSTATUS), &all_); }
#if defined(__x86_64__)
  auto& third_argument() { return values_.rdx; }
  void set_result(long value) { values_.rax = static_cast<std::uint64_t>(value); }
  /// At the entry of a call: makes the kernel skip the call.
  void skip_call() { values_.orig_rax = ~std::uint64_t{0}; }

 private:
  user_regs_struct values_{};
#elif defined(__aarch64__)
  auto& third_argument() { return values_.regs[2]; }
  void set_result(long value) { values_.regs[0] = static_cast<std::uint64_t>(value); }
  void skip_call() {
    int none = -1;
    iovec call{&none, sizeof none};
    ::ptrace(PTRACE_SETREGSET, thread_, as_pointer(NT_ARM_SYSTEM_CALL), &call);
  }

 private:
  user_regs_struct values_{};
#endif
  pid_t thread_;
  iovec all_{&values_, sizeof values_};
};

bool is_vector_call(long call) {
  return call == SYS_writev || call == SYS_readv || call == SYS_pwritev || call == SYS_preadv ||
         call == SYS_pwritev2 || call == SYS_preadv2;
}

/// Returns the number of the call. glibc's fstat calls newfstatat with AT_EMPTY_PATH. For such a
/// call, returns SYS_fstat, because both calls have the same errors.
long call_of(const __ptrace_syscall_info& info) {
  const long call = static_cast<long>(info.entry.nr);
  return call == SYS_newfstatat && (info.entry.args[3] & AT_EMPTY_PATH) != 0 ? SYS_fstat : call;
}

/// Returns true if the call releases an OFD lock. Releasing never fails.
bool releases_lock(pid_t thread, const __ptrace_syscall_info& info) {
  if (info.entry.nr != SYS_fcntl ||
      (info.entry.args[1] != F_OFD_SETLK && info.entry.args[1] != F_OFD_SETLKW))
    return false;
  const auto first = static_cast<std::uint64_t>(
      ::ptrace(PTRACE_PEEKDATA, thread, as_pointer(info.entry.args[2]), nullptr));
  return static_cast<short>(first) == F_UNLCK;  // the first member of struct flock
}

/// The work that remains when the call of a thread returns.
struct pending_exit {
  int error = 0;
  std::uint64_t restore_at = 0, restored = 0;  // address and old value of a word of the child
};

class tracing {
 public:
  tracing(pid_t child, const std::vector<call_fault>& faults) : child_(child), faults_(faults) {}

  traced run() {
    for (;;) {
      int status = 0;
      const pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) {
        if (errno == EINTR) continue;
        return result_;
      }
      if (!WIFSTOPPED(status)) {
        threads_.erase(thread);
        if (thread != child_) continue;
        result_.status = status;
        return result_;
      }
      resume(thread, handle_stop(thread, status));
    }
  }

 private:
  /// Handles the stop of a thread. Returns the signal to deliver, or 0.
  int handle_stop(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      handle_call(thread);
      return 0;
    }
    if (signal == SIGTRAP) return 0;  // a ptrace event
    if (signal != SIGSTOP) return signal;
    if (thread == child_ && !has_begun_) {
      has_begun_ = true;
      ::ptrace(PTRACE_SETOPTIONS, thread, nullptr,
               as_pointer(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
    }
    return 0;
  }

  /// Lets the thread run to its next system call, or, after the traced part, without stops.
  void resume(pid_t thread, int signal) {
    ::ptrace(has_ended_ ? PTRACE_CONT : PTRACE_SYSCALL, thread, nullptr,
             as_pointer(static_cast<std::uint64_t>(signal)));
  }

  /// Handles the entry or the exit of a system call.
  void handle_call(pid_t thread) {
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, thread, as_pointer(sizeof info), &info);
    pending_exit& pending = threads_[thread];
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) return finish_call(thread, pending);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const long call = call_of(info);
    if (call == end_mark) {
      has_ended_ = true;
      return;
    }
    if (has_ended_) return;
    if (releases_lock(thread, info)) return;
    const std::size_t number = result_.calls.size();
    result_.calls.push_back(call);
    if (number == max_calls) {
      result_.endless = true;
      ::kill(child_, SIGKILL);
      return;
    }
    for (const auto& fault : faults_) {
      const bool is_call = fault.call == call || fault.call == any_call;
      if (is_call && (fault.at == number || (fault.onwards && fault.at < number)))
        return inject_fault(thread, pending, fault, info);
    }
  }

  /// Changes the registers at the entry of a call, so that the call fails or moves fewer bytes.
  void inject_fault(pid_t thread, pending_exit& pending, const call_fault& fault,
                    const __ptrace_syscall_info& info) {
    ++result_.faults_hit;
    const long call = call_of(info);
    registers values(thread);
    pending.error = fault.error;
    if (fault.error != 0) {
      // close() releases the descriptor even if it reports an error.
      if (call != SYS_close) values.skip_call();
    } else if (is_vector_call(call)) {
      values.third_argument() = 1;
      pending.restore_at = info.entry.args[1] + offsetof(iovec, iov_len);
      pending.restored = static_cast<std::uint64_t>(
          ::ptrace(PTRACE_PEEKDATA, thread, as_pointer(pending.restore_at), nullptr));
      if (pending.restored > fault.max_bytes)
        ::ptrace(PTRACE_POKEDATA, thread, as_pointer(pending.restore_at),
                 as_pointer(fault.max_bytes));
    } else if (values.third_argument() > fault.max_bytes) {
      values.third_argument() = fault.max_bytes;
    }
    values.store();
  }

  /// Sets the error at the exit of a call, and restores the changed memory of the child.
  static void finish_call(pid_t thread, pending_exit& pending) {
    if (pending.error != 0) {
      registers values(thread);
      values.set_result(-pending.error);
      values.store();
    }
    if (pending.restore_at != 0)
      ::ptrace(PTRACE_POKEDATA, thread, as_pointer(pending.restore_at),
               as_pointer(pending.restored));
    pending = {};
  }

  pid_t child_;
  const std::vector<call_fault>& faults_;
  std::map<pid_t, pending_exit> threads_;
  bool has_begun_ = false, has_ended_ = false;
  traced result_;
};

}  // namespace

void begin_trace() noexcept { ::raise(SIGSTOP); }

void end_trace() noexcept { ::syscall(end_mark); }

traced trace(const std::function<void()>& child, const std::vector<call_fault>& faults) {
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(96);
    child();
    ::_exit(95);
  }
  return tracing(process, faults).run();
}

bool can_trace(std::string& why) {
  const traced tried = trace(
      [] {
        begin_trace();
        const bool refused = ::syscall(SYS_getpid) == -1 && errno == EIO;
        end_trace();
        ::_exit(refused ? 0 : 94);
      },
      {{0, SYS_getpid, EIO}});
  if (WIFEXITED(tried.status) && WEXITSTATUS(tried.status) == 0) return true;
  why = "ptrace does not stop system calls here (status " + std::to_string(tried.status) + ')';
  return false;
}

}  // namespace sweep
