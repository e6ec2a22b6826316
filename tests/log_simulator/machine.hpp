// The machine of the log simulator: processes under ptrace. At most one thread runs at a time, up
// to its next system call.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <string>

#include "log_simulator/clock.hpp"
#include "log_simulator/system_calls.hpp"

namespace logs {

/// The change of a system call: the call fails, moves fewer bytes, is skipped, or runs unchanged.
struct fault {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  int error = 0;
  std::size_t max_bytes = all;  ///< the call moves at most this number of bytes
  bool skipped = false;         ///< the call does nothing, and succeeds
  bool ignores_result = false;  ///< the call's result is not needed
};

class machine;

/// Receives the events of the processes: system calls, reports and exits. May change a system
/// call.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  /// Called before a system call that the machine does not simulate. Returns how the call is
  /// changed.
  virtual fault before_call(pid_t process, const system_call& call) = 0;
  /// Called after the same system call. If before_call() returned `ignores_result`, after_call()
  /// may be left out. `result`: negative errno on failure.
  virtual void after_call(pid_t process, const system_call& call, long result) = 0;
  /// Called with a report of a thread. A report is the system call `report_call`.
  virtual void on_report(pid_t thread, pid_t process, const system_call& report) = 0;
  /// Called after the end of a process. `status` is from waitpid().
  virtual void on_exit(pid_t process, int status) = 0;
};

/// A thread of a process, stopped at the beginning of its next system call.
struct thread {
  pid_t id, process;
  system_call next;
  enum class wait { none, time, futex, lock } state = wait::none;
  std::int64_t wake_time = never;  ///< in monotonic time
  /// The value of machine::unlock_count_ when the thread began to wait for a lock.
  std::uint64_t unlock_count = 0;

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
};

/// Blocking calls (locks, futexes, sleep) are simulated in virtual time. So the machine knows which
/// threads can't go on, and the system never blocks a thread.
class machine {
 public:
  machine(virtual_clock& clock, observer& events) noexcept : clock_(&clock), observer_(&events) {}
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Forks a process and stops it before `body` begins. `body` must not return. Returns the
  /// process's number.
  pid_t start(const std::function<void()>& body);
  /// Lets a thread make its call and run to its next call.
  void step(thread& one);
  /// kill() kills a process at once. kill_in_call() kills the process after the first `bytes` of a
  /// thread's call. kill_later() kills the process after a thread's call and this number of machine
  /// `instructions`.
  void kill(pid_t process);
  void kill_in_call(thread& one, std::size_t bytes);
  void kill_later(thread& one, std::size_t instructions);

  std::list<thread>& threads() noexcept { return threads_; }
  bool is_ready(const thread& one) const noexcept;
  /// The monotonic time at which the first sleeping thread wakes, or thread::never.
  std::int64_t next_wake_time() const noexcept;
  std::uint64_t steps() const noexcept { return steps_; }

  /// read() reads `size` bytes from the memory of a stopped process. text_at() reads up to a NUL.
  /// Both functions throw std::system_error on failure.
  static void read(pid_t process, std::uint64_t from, void* into, std::size_t size);
  static std::string text_at(pid_t process, std::uint64_t from);
  /// The bytes that a call writes, of all its parts.
  static std::string written_bytes(pid_t process, const system_call& call);

 private:
  bool make_call(thread& one);
  bool begin_wait(thread& one);
  bool wake(thread& one) const;
  long wake_others(const thread& by);
  void execute(thread& one, const fault& what);
  void skip_call(thread& one, long result);
  void resume(thread& one, int request);
  void reap(pid_t process);
  int wait_for(pid_t id);

  virtual_clock* clock_;
  observer* observer_;
  std::list<thread> threads_;
  std::uint64_t steps_ = 0;
  std::uint64_t unlock_count_ = 0;  // incremented when a lock may have been released
};

/// If the system refuses ptrace or seccomp filters, returns false and sets `why` to the reason.
bool can_trace(std::string& why);

}  // namespace logs
