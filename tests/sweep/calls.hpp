// The faults of each system call: its errors, and partial transfers.
#pragma once

#include <string>
#include <vector>

#include "sweep/tracer.hpp"

namespace sweep {

/// Returns the faults of a system call. If the table does not have the call, returns no faults.
/// `call` is the kernel's number, and `at` is the index of the call in the traced part.
std::vector<call_fault> faults_of(long call, std::size_t at);

/// Returns a name such as "write". If the table does not have the call, returns a text such as
/// "call 123".
std::string name_of(long call);

/// Returns true if `replace`, after a failure of this call, may be unable to remove its temporary
/// file, or may not recognize the temporary file as its own.
bool may_leave_files(long call);

}  // namespace sweep
