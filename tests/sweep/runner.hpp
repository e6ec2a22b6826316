// Runs a scenario in a child process, with faults, and reports broken promises.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/tracer.hpp"
#include "sweep/trial.hpp"

namespace sweep {

/// Returns "EIO", for example; or "E5" with musl, which has no names of errors. Returns an empty
/// string if glibc does not know the error.
std::string name_of_error(int error);

/// The faults of one run.
struct fault_plan {
  static constexpr std::size_t none = ~std::size_t{0};

  std::vector<call_fault> calls;
  std::size_t allocation = none;  ///< the number of the allocation that fails, from 0
  bool onwards = false;           ///< all later allocations fail, too

  /// Returns the faults, separated by commas: "12:EIO" (call 12 fails with EIO), "12:1" (call 12
  /// may transfer 1 byte), "a5" (allocation 5 fails). A "+" at the end means onwards.
  std::string text() const;
};

/// The result of a run.
struct result {
  traced calls;
  std::size_t allocations = 0;
  std::ptrdiff_t unfreed = 0;  ///< allocations that were not freed
  std::string violations;      ///< the broken promises; empty if all promises hold
};

class runner {
 public:
  /// Creates a temporary folder, which the destructor removes, and memory that is shared with the
  /// children. If the folder or the memory can't be created, ends the program. If `traces` is
  /// false, only allocations fail.
  explicit runner(bool traces);
  ~runner();
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  /// Runs the scenario with the faults in a child process. Returns the calls, the allocations and
  /// the broken promises. `allowed_unfreed`: the number of allocations that a run without faults
  /// does not free.
  result run(const scenario& tested, const fault_plan& faults,
             std::ptrdiff_t allowed_unfreed) const;

 private:
  struct report;

  bool traces_;
  std::string folder_;
  mutable std::size_t runs_ = 0;
  report* report_;  // in memory that is shared with the children
};

}  // namespace sweep
