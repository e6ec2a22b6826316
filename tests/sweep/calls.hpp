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

/// A file may stay behind if this call fails.
bool removes_files(long call);

}  // namespace sweep
