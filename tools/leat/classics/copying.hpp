// Copies one file of `leat cp` between paths and addresses. cp.cpp calls copy_one().
#pragma once

#include <cstdint>

#include "classics/copy_plan.hpp"
#include "classics/transfer_line.hpp"

namespace bench {

struct copy_options {
  bool resume = false;         // appends the rest of the source to the target
  bool keep_existing = false;  // an existing target stays
};

/// Copies one file, and adds the copied bytes to `line`. Returns the number of bytes copied; 0 if
/// an existing target stays. Throws std::runtime_error with the reason, or io_error for failures
/// during the copy.
std::uint64_t copy_one(const planned_copy& planned, const copy_options& options,
                       transfer_line& line);

}  // namespace bench
