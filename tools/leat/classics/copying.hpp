// Copies of one file: from and to paths and addresses.
#pragma once

#include <cstdint>

#include "classics/copy_plan.hpp"
#include "classics/transfer_line.hpp"

namespace bench {

struct copy_options {
  bool resume = false;  // goes on behind what the target has
  bool keep = false;    // a target that is there stays
};

/// Returns how many bytes were copied. Throws std::runtime_error with the reason,
/// or io_error for what fails on the way.
std::uint64_t copy_one(const planned_copy& one, const copy_options& how, transfer_line& line);

}  // namespace bench
