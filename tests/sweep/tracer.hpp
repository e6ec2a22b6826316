// Runs a child whose system calls fail as planned: ptrace stops the child at each call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sweep {

constexpr long any_call = -1;

/// A fault of a system call: an error instead of the kernel's result, or a limit of the bytes that
/// the call may transfer.
struct call_fault {
  std::size_t at;  ///< the number, from 0, of the call after begin_trace()
  long call;       ///< the expected call, or any_call; the fault has no effect on another call
  int error;       ///< errno; 0: none
  std::size_t max_bytes = 0;  ///< without an error: the bytes that the call may transfer
  bool onwards = false;       ///< later calls of the same kind fail, too
};

/// The result of a traced child.
struct traced {
  std::vector<long> calls;     ///< the calls of all threads in the traced part
  std::size_t faults_hit = 0;  ///< number of faults that have occurred
  int status = 0;              ///< waitpid's status
  bool endless = false;        ///< the child was killed after too many calls
};

/// Returns whether ptrace can make system calls fail. If not, sets `why` to the reason.
bool can_trace(std::string& why);

/// The child calls begin_trace() and end_trace() around the part to be traced.
void begin_trace() noexcept;
void end_trace() noexcept;

/// Runs `child`, which must not return, in a child process with these faults. Waits for the end of
/// the child. Returns the system calls and the status. If fork() fails, throws std::system_error.
traced trace(const std::function<void()>& child, const std::vector<call_fault>& faults);

}  // namespace sweep
