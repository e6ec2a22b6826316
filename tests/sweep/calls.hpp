// What each system call can give: its errors, and fewer bytes.
#pragma once

#include <string>
#include <vector>

#include "sweep/tracer.hpp"

namespace sweep {

/// The faults that this call can have, at this place.
std::vector<call_fault> faults_of(long call, std::size_t at);

/// "write", or "call 123" where the table has no such call.
std::string name_of(long call);

/// If this call fails, `replace` may not remove its temporary file, or can't know that it is its
/// own.
bool may_leave_files(long call);

}  // namespace sweep
