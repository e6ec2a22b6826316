// The findings of E4 about the stdio variants, on real and on simulated disks. random_access.cpp
// and simulated_access.cpp call these functions; random_variants.cpp uses the names of rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/visits.hpp"
#include "measuring/experiment.hpp"

namespace bench {

inline constexpr double tie_ratio = 1.03;  // a ratio of times below this counts as equal

/// Returns the factors of the usual stdio variant. The factor "order" is left open.
choices usual_stdio(bool updates);

/// Returns the best median, in seconds, of all stdio variants with this order and with these values
/// of factors. If there is no such variant, returns nullopt.
std::optional<double> best_of_stdio(const outcome& result, const choices& where,
                                    const value& order);

/// Adds the findings from the grid, which has a stdio variant for each combination of factors: the
/// usual variant on sorted positions, compared with the variants that differ in one factor. `name`
/// is the name of the scene or the disk.
void add_grid_findings(std::vector<finding>& to, const std::string& name, const choices& where,
                       const outcome& result, bool updates);

/// The read-only rows of random-update.
inline constexpr auto stdio_reads = "stdio, reading only";
inline constexpr auto leat_reads = "leat gather, reading only";

/// Adds the finding about the cost of updates compared to reading only.
void add_cost_of_updates(std::vector<finding>& to, const std::string& name, const choices& where,
                         const outcome& result);

}  // namespace bench
