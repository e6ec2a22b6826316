// One run of the log simulator: some processes write to a log, and faults happen to the processes
// and to the log's files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace logs {

/// If true, promises are recorded when calls begin, so that checks must find violations.
extern bool promise_early;

struct outcome {
  std::string violation;  ///< empty: all promises were kept
  /// `changes`: the number of changes that tools have made
  std::uint64_t steps = 0, kills = 0, changes = 0, lines = 0;
  std::uint64_t longest_call = 0;  ///< the most steps of a call
  std::vector<std::string> schedule;
};

/// Makes one run in `folder`, which is created before and removed after the run. An exception in
/// the run becomes the violation.
outcome run_once(const std::string& folder, std::uint64_t seed);

}  // namespace logs
