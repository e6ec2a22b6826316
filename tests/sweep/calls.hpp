// The faults of each system call: its errors, and partial transfers.
#pragma once

#include <string>
#include <vector>

#include "sweep/tracer.hpp"

namespace sweep {

/// The faults that this call can have, as faults of the call with number `at`.
std::vector<call_fault> faults_of(long call, std::size_t at);

/// "write"; or "call 123" if the table does not have the call.
std::string name_of(long call);

/// If this call fails, `replace` may be unable to remove its temporary file, or to know that the
/// file is its own.
bool may_leave_files(long call);

}  // namespace sweep
