// A child whose system calls fail as told: ptrace stops it at each of them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sweep {

constexpr long any_call = -1;

/// What one system call gives instead of what the kernel would.
struct call_fault {
  std::size_t at;  ///< the number of the call between begin_trace() and end_trace()
  long call;       ///< the call that is expected there; another one stays as it is; or any_call
  int error;       ///< errno; 0: none
  std::size_t most = 0;  ///< without an error: the bytes that it may move
  bool onwards = false;  ///< later ones of the same kind fail, too
};

struct traced {
  std::vector<long> calls;  ///< the calls between begin and end, of all threads
  std::size_t hit = 0;      ///< how many of the faults have happened
  int status = 0;           ///< as of waitpid
  bool endless = false;     ///< it was killed after too many calls
};

/// False, with a reason, where the system refuses ptrace.
bool can_trace(std::string& why);

/// For the child, around what is traced.
void begin_trace() noexcept;
void end_trace() noexcept;

/// Runs the function in a child. It must not return.
traced trace(const std::function<void()>& child, const std::vector<call_fault>& faults);

}  // namespace sweep
