// Compares the perf profiles of two variants of an experiment. bench_command.cpp calls these
// functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "measuring/experiment.hpp"
#include "reporting/table.hpp"

namespace bench {

struct profile {
  std::string event;  // the counted event, such as "cycles" or "cpu-clock"
  std::map<std::string, double> percent_by_function;  // share of each function
};

/// Parses the output of `perf report --stdio` with the field separator ";": lines "45.84%;symbol".
profile parse_profile(std::string_view report);

/// Returns a table of both profiles and their difference, for the 12 functions with the largest
/// shares. The difference is the share in `other` minus the share in `base`.
std::string profile_table(const std::string& name, const profile& base,
                          const std::string& other_name, const profile& other, const page& page);

/// Records profiles of the two variants that the experiment names, and returns a table of both
/// profiles. If recording is impossible, returns a line with the reason. If the experiment names no
/// variants, returns an empty text. `options` are added to the command that runs a variant.
std::string profile_variants(const experiment& experiment, const std::string& options,
                             const std::filesystem::path& folder, const page& page);

/// Runs one variant `rounds` times, at the first value of each factor. Without `rounds`, repeats
/// the variant for about a second. A profiler such as perf or Valgrind records this run. If there
/// is no variant `name`, throws `failure`.
void run_variant(const experiment& experiment, std::string_view name,
                 const std::filesystem::path& folder, std::optional<int> rounds = {});

}  // namespace bench
