// Implements machine: ptrace and a seccomp filter stop threads at system calls.
#include "log_simulator/machine.hpp"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace logs {

namespace {

// System calls that affect no other process. A thread does not stop at these calls.
constexpr long unstopped_calls[] = {
    SYS_mmap,         SYS_munmap,      SYS_brk,           SYS_mprotect,         SYS_mremap,
    SYS_madvise,      SYS_getpid,      SYS_gettid,        SYS_rt_sigprocmask,   SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_sigaltstack, SYS_clock_gettime, SYS_set_robust_list,  SYS_rseq,
    SYS_prlimit64,    SYS_getrandom,   SYS_clone,         SYS_clone3,           SYS_exit,
    SYS_geteuid,      SYS_getuid,      SYS_fadvise64,     SYS_sched_getaffinity};

void* word(std::uint64_t value) { return reinterpret_cast<void*>(value); }

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Makes all system calls except `unstopped_calls` stop this process before they begin.
void stop_at_calls() {
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (std::size_t i = 0; i != std::size(unstopped_calls); ++i)
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                               static_cast<std::uint32_t>(unstopped_calls[i]),
                               static_cast<unsigned char>(std::size(unstopped_calls) - i), 0));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    ::_exit(96);
}

user_regs_struct registers_of(pid_t id) {
  user_regs_struct values{};
  if (::ptrace(PTRACE_GETREGS, id, nullptr, &values) != 0) fail("PTRACE_GETREGS");
  return values;
}

void set_registers(pid_t id, user_regs_struct values) {
  if (::ptrace(PTRACE_SETREGS, id, nullptr, &values) != 0) fail("PTRACE_SETREGS");
}

system_call call_of(const user_regs_struct& values) {
  return {static_cast<long>(values.orig_rax),
          {values.rdi, values.rsi, values.rdx, values.r10, values.r8, values.r9}};
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }

bool is_at_call(int status) {
  return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8));
}

}  // namespace

machine::~machine() {
  // After an exception some processes may have ended already.
  for (const thread& one : threads_) ::kill(one.process, SIGKILL);
  for (const bool leaders : {false, true}) {  // leaders end last
    for (const thread& one : threads_) {
      int status = 0;
      while ((one.id == one.process) == leaders && ::waitpid(one.id, &status, __WALL) >= 0 &&
             WIFSTOPPED(status))
        ::ptrace(PTRACE_CONT, one.id, nullptr, 0);
    }
  }
}

void machine::read(pid_t process, std::uint64_t from, void* into, std::size_t size) {
  const iovec local{into, size}, remote{word(from), size};
  if (size != 0 &&
      ::process_vm_readv(process, &local, 1, &remote, 1, 0) != static_cast<ssize_t>(size))
    fail("process_vm_readv");
}

std::string machine::text_at(pid_t process, std::uint64_t from) {
  std::string text;
  for (char block[64];; from += sizeof block) {
    // Read no further than the end of the page: the next page may be unmapped.
    const std::size_t size = std::min<std::size_t>(sizeof block, 4096 - from % 4096);
    read(process, from, block, size);
    const auto end = std::find(block, block + size, '\0');
    text.append(block, end);
    if (end != block + size) return text;
    from -= sizeof block - size;
  }
}

std::string machine::written_bytes(pid_t process, const system_call& call) {
  std::string all;
  const auto append = [&](std::uint64_t from, std::size_t size) {
    const std::size_t before = all.size();
    all.resize(before + size);
    read(process, from, all.data() + before, size);
  };
  if (!is_vector(call.number)) {
    append(call.arguments[1], call.arguments[2]);
    return all;
  }
  std::vector<iovec> parts(call.arguments[2]);
  read(process, call.arguments[1], parts.data(), parts.size() * sizeof(iovec));
  for (const iovec& part : parts)
    append(reinterpret_cast<std::uint64_t>(part.iov_base), part.iov_len);
  return all;
}

pid_t machine::start(const std::function<void()>& body) {
  const pid_t process = ::fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(96);
    ::raise(SIGSTOP);
    use_clock(clock_);
    stop_at_calls();
    ::syscall(report_call, process_started);
    body();
    ::_exit(95);
  }
  const int status = wait_for(process);
  constexpr long options =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (!WIFSTOPPED(status) || ::ptrace(PTRACE_SETOPTIONS, process, nullptr, options) != 0)
    fail("a process does not stop");
  threads_.push_back({process, process, {}});
  resume(threads_.back(), PTRACE_CONT);
  return process;
}

int machine::wait_for(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, __WALL) < 0) {
    if (errno != EINTR) fail("waitpid");
    throw std::runtime_error("a blocking call is not simulated");  // ended by the alarm
  }
  return status;
}

/// Lets a thread run until its next system call or its end.
void machine::resume(thread& one, int request) {
  long signal = 0;
  for (;;) {
    if (::ptrace(static_cast<__ptrace_request>(request), one.id, nullptr, signal) != 0)
      fail("PTRACE_CONT");
    const int status = wait_for(one.id);
    signal = 0;
    if (is_at_call(status)) {
      one.next = call_of(registers_of(one.id));
      return;
    }
    if (!WIFSTOPPED(status)) {
      const pid_t id = one.id, process = one.process;
      threads_.remove_if([id](const thread& other) { return other.id == id; });
      ++unlock_count_;
      if (id == process || WIFSIGNALED(status)) {
        reap(process);
        if (id == process) observer_->on_exit(process, status);
        return;
      }
      // Threads that join the ended thread wait for its end.
      for (thread& other : threads_)
        if (other.process == process && other.state == thread::wait::futex) wake(other);
      return;
    }
    if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_CLONE << 8))) {
      unsigned long new_thread = 0;
      ::ptrace(PTRACE_GETEVENTMSG, one.id, nullptr, &new_thread);
      const auto id = static_cast<pid_t>(new_thread);
      wait_for(id);
      threads_.push_back({id, one.process, {}});
      // Other threads can't notice what the new thread does before its first call.
      resume(threads_.back(), PTRACE_CONT);
      continue;
    }
    if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) signal = WSTOPSIG(status);
  }
}

/// Waits for the remaining threads of a process that ends, and removes them from the list.
void machine::reap(pid_t process) {
  for (const bool leader : {false, true}) {
    for (auto at = threads_.begin(); at != threads_.end();) {
      if (at->process != process || (at->id == process) != leader) {
        ++at;
        continue;
      }
      int status = 0;
      do {
        status = wait_for(at->id);
      } while (WIFSTOPPED(status) && ::ptrace(PTRACE_CONT, at->id, nullptr, 0) == 0);
      at = threads_.erase(at);
      if (leader) observer_->on_exit(process, status);
    }
  }
  ++unlock_count_;
}

void machine::kill(pid_t process) {
  ++steps_;
  ::kill(process, SIGKILL);
  reap(process);
}

void machine::kill_in_call(thread& one, std::size_t bytes) {
  const pid_t process = one.process;
  execute(one, {.max_bytes = bytes});
  kill(process);
}

void machine::kill_later(thread& one, std::size_t instructions) {
  const pid_t id = one.id, process = one.process;
  if (one.next.number == SYS_exit_group || !make_call(one)) instructions = 0;
  for (std::size_t i = 0; i != instructions; ++i) {
    if (::ptrace(PTRACE_SINGLESTEP, id, nullptr, 0) != 0) fail("PTRACE_SINGLESTEP");
    const int status = wait_for(id);
    if (!WIFSTOPPED(status) || status >> 8 != SIGTRAP) break;
  }
  kill(process);
}

// Blocking calls

bool machine::is_ready(const thread& one) const noexcept {
  switch (one.state) {
    case thread::wait::none:
      return true;
    case thread::wait::lock:
      return one.unlock_count != unlock_count_;
    default:
      return one.wake_time <= clock_->monotonic.load();
  }
}

std::int64_t machine::next_wake_time() const noexcept {
  std::int64_t first = thread::never;
  for (const thread& one : threads_)
    if (one.state != thread::wait::none) first = std::min(first, one.wake_time);
  return first;
}

/// Returns whether the thread's call blocks. If so, the thread waits from now on.
bool machine::begin_wait(thread& one) {
  timespec time{};
  const auto& at = one.next.arguments;
  const std::int64_t now = clock_->monotonic.load();
  if (one.next.number == SYS_clock_nanosleep) {
    read(one.process, at[2], &time, sizeof time);
    const bool is_absolute = (at[1] & TIMER_ABSTIME) != 0;
    one.wake_time = nanoseconds(time) + (is_absolute ? 0 : now);
    one.state = thread::wait::time;
    return true;
  }
  if (const int kind = futex_kind(one.next); kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET) {
    std::uint32_t value = 0;
    read(one.process, at[0], &value, sizeof value);
    if (value != static_cast<std::uint32_t>(at[2])) return false;
    one.wake_time = thread::never;
    one.state = thread::wait::futex;
    if (at[3] == 0) return true;
    read(one.process, at[3], &time, sizeof time);
    one.wake_time = nanoseconds(time);
    if (kind == FUTEX_WAIT)
      one.wake_time += now;
    else if ((at[1] & FUTEX_CLOCK_REALTIME) != 0)
      one.wake_time -= clock_->realtime_offset.load();
    return true;
  }
  return false;
}

/// Wakes a thread from its futex if the word has changed. Returns whether the word has changed.
bool machine::wake(thread& one) const {
  std::uint32_t value = 0;
  read(one.process, one.next.arguments[0], &value, sizeof value);
  if (value == static_cast<std::uint32_t>(one.next.arguments[2])) return false;
  one.wake_time = clock_->monotonic.load();
  return true;
}

long machine::wake_others(const thread& by) {
  long count = 0;
  for (thread& other : threads_) {
    if (count == static_cast<long>(by.next.arguments[2])) break;
    if (other.process != by.process || other.state != thread::wait::futex ||
        other.next.arguments[0] != by.next.arguments[0] || other.wake_time == 0)
      continue;
    other.wake_time = 0;
    ++count;
  }
  return count;
}

// Steps

/// Completes the call of a thread with this result, without the system.
void machine::skip_call(thread& one, long result) {
  user_regs_struct values = registers_of(one.id);
  values.orig_rax = ~std::uint64_t{0};
  values.rax = static_cast<std::uint64_t>(result);
  set_registers(one.id, values);
}

/// Completes the call at which a thread has stopped, except a call whose result is not needed: the
/// system makes that call when the thread runs on. If the thread begins to sleep or to wait for a
/// futex, returns false.
bool machine::make_call(thread& one) {
  ++steps_;
  if (one.state == thread::wait::time || one.state == thread::wait::futex) {
    const bool timed_out = one.state == thread::wait::futex && one.wake_time != 0 && !wake(one);
    one.state = thread::wait::none;
    one.wake_time = thread::never;
    skip_call(one, timed_out ? -ETIMEDOUT : 0);
    return true;
  }
  one.state = thread::wait::none;
  if (begin_wait(one)) return false;
  const system_call call = one.next;
  if (call.number == report_call) {
    observer_->on_report(one.id, one.process, call);
    skip_call(one, 0);
  } else if (futex_kind(call) == FUTEX_WAKE || futex_kind(call) == FUTEX_WAKE_BITSET) {
    skip_call(one, wake_others(one));
  } else if (call.number == SYS_sched_yield || is_needless(call)) {
    skip_call(one, 0);
  } else {
    const fault what = observer_->before_call(one.process, call);
    if (what.error == 0 && !what.skipped) {
      if (what.ignores_result && !waits_for_lock(call)) {
        if (may_unlock(call)) ++unlock_count_;
      } else {
        execute(one, what);
      }
    } else {
      skip_call(one, -what.error);
      observer_->after_call(one.process, call, -what.error);
    }
  }
  return true;
}

void machine::step(thread& one) {
  if (one.next.number == SYS_exit_group) {
    ++steps_;
    const pid_t process = one.process;
    if (::ptrace(PTRACE_CONT, one.id, nullptr, 0) != 0) fail("PTRACE_CONT");
    return reap(process);
  }
  if (make_call(one)) resume(one, PTRACE_CONT);
}

/// Makes the call of a thread, and stops the thread at the return of the call.
void machine::execute(thread& one, const fault& what) {
  const system_call call = one.next;
  std::uint64_t length_at = 0;
  std::size_t length = 0;
  if (waits_for_lock(call) || what.max_bytes != fault::all) {
    user_regs_struct values = registers_of(one.id);
    if (waits_for_lock(call)) {
      values.rsi = F_OFD_SETLK;
    } else if (is_vector(call.number)) {
      // Only the first part of the vector is used.
      values.rdx = 1;
      length_at = call.arguments[1] + offsetof(iovec, iov_len);
      read(one.process, length_at, &length, sizeof length);
      ::ptrace(PTRACE_POKEDATA, one.id, word(length_at), word(std::min(length, what.max_bytes)));
    } else {
      values.rdx = std::min<std::uint64_t>(values.rdx, what.max_bytes);
    }
    set_registers(one.id, values);
  }
  ::ptrace(PTRACE_SYSCALL, one.id, nullptr, 0);
  const int status = wait_for(one.id);
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
    throw std::runtime_error("a call does not return: " + name_of(call) + ", status " +
                             std::to_string(status));
  user_regs_struct values = registers_of(one.id);
  const auto result = static_cast<long>(values.rax);
  if (length_at != 0) ::ptrace(PTRACE_POKEDATA, one.id, word(length_at), word(length));
  if (waits_for_lock(call)) {
    values.rsi = call.arguments[1];
    if (result == -EAGAIN || result == -EACCES) {  // repeats the call after an unlock
      values.rip -= 2;
      values.rax = static_cast<std::uint64_t>(call.number);
      one.state = thread::wait::lock;
      one.unlock_count = unlock_count_;
    }
    set_registers(one.id, values);
  }
  if (may_unlock(call) && one.state == thread::wait::none) ++unlock_count_;
  if (one.state == thread::wait::none) observer_->after_call(one.process, call, result);
}

bool can_trace(std::string& why) {
  class failing_observer final : public observer {
    fault before_call(pid_t, const system_call&) override { return {.error = EIO}; }
    void after_call(pid_t, const system_call&, long) override {}
    void on_report(pid_t, pid_t, const system_call&) override {}
    void on_exit(pid_t, int status) override {
      good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

   public:
    bool good = false;
  } seen;
  virtual_clock clock;
  try {
    machine traced(clock, seen);
    traced.start([] { ::_exit(::lseek(0, 0, SEEK_CUR) == -1 && errno == EIO ? 0 : 94); });
    while (!traced.threads().empty()) traced.step(traced.threads().front());
  } catch (const std::exception& error) {
    why = error.what();
    return false;
  }
  if (!seen.good) why = "seccomp filters do not stop system calls here";
  return seen.good;
}

}  // namespace logs
