// Where two variants of an experiment spend their cycles, as perf tells.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bench.hpp"
#include "table.hpp"

namespace bench {

struct profile {
  std::string event;  // what was counted: perf takes a clock where the machine tells no cycles
  std::map<std::string, double> share;  // of each function, in percent
};

/// Reads what `perf report --stdio` prints with a field separator: lines "45.84%;symbol".
profile parse_profile(std::string_view report);

/// Both profiles and their difference, the largest shares first.
std::string profile_table(const std::string& name, const profile& of, const std::string& other_name,
                          const profile& other, const page& on);

/// Records the two variants that the experiment names and compares them, or says in a line why that
/// is not possible. `options` are those of this command that the variants' runs need as well.
std::string profiles(const experiment& what, const std::string& options,
                     const std::filesystem::path& folder, const page& on);

/// One variant over and over for about a second: what the profile is taken of.
void run_variant(const experiment& what, std::string_view name,
                 const std::filesystem::path& folder);

}  // namespace bench
