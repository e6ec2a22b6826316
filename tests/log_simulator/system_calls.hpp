// A system call at which a thread has stopped, and what the simulator needs to know about the call.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace logs {

/// The number of a system call that does not exist: processes report their actions by this call.
constexpr long report_call = 0x1ea7;
constexpr long process_started = -1;  ///< reported when a process begins

struct system_call {
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
};

/// Returns true for calls that write bytes.
bool writes(const system_call& call) noexcept;
/// Returns true if the call of this number has an array of pieces (iovec).
bool is_vector(long number) noexcept;
bool waits_for_lock(const system_call& call) noexcept;
/// Returns true if a call may release a lock.
bool may_unlock(const system_call& call) noexcept;
/// Returns true for calls that take long and have no effect here, because all other threads are
/// stopped and the power is never cut.
bool is_needless(const system_call& call) noexcept;
/// Returns FUTEX_WAIT or another operation of a futex; -1 for other calls.
int futex_kind(const system_call& call) noexcept;
std::string name_of(const system_call& call);

}  // namespace logs
