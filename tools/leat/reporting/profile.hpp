// Where two variants of an experiment spend their time: a comparison of two profiles of perf.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "measuring/experiment.hpp"
#include "reporting/table.hpp"

namespace bench {

struct profile {
  std::string event;  // what perf counted: "cycles", or "cpu-clock" where it cannot count cycles
  std::map<std::string, double> share;  // of each function, in percent
};

/// Reads what `perf report --stdio` prints with a field separator: lines "45.84%;symbol".
profile parse_profile(std::string_view report);

/// A table of both profiles and their difference. The largest shares stand first.
std::string profile_table(const std::string& name, const profile& of, const std::string& other_name,
                          const profile& other, const page& on);

/// Records the two variants that the experiment names, and compares them. If that is not possible,
/// returns a line that says why. `options` are added to the command that runs a variant.
std::string profiles(const experiment& what, const std::string& options,
                     const std::filesystem::path& folder, const page& on);

/// Runs one variant again and again, so many rounds or for about a second. perf records this.
void run_variant(const experiment& what, std::string_view name, const std::filesystem::path& folder,
                 std::optional<int> rounds = {});

}  // namespace bench
