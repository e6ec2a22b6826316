// One run: some processes that write to a log, and what happens to them and to its files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace logs {

/// While this is true, everything is promised when it begins: promises are broken on purpose.
extern bool promise_early;

struct outcome {
  std::string complaint;  ///< empty: all that was promised is so
  std::uint64_t steps = 0, kills = 0, changes = 0, lines = 0;
  std::uint64_t longest_call = 0;  ///< in steps of its thread
  std::vector<std::string> schedule;
};

/// The folder is made for it.
outcome run_once(const std::string& folder, std::uint64_t seed);

}  // namespace logs
