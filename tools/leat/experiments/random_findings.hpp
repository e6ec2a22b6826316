// The findings of E4 about the stdio variants, on real and on simulated disks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/visits.hpp"
#include "measuring/experiment.hpp"

namespace bench {

inline constexpr double level = 1.03;  // ratios of times below this are equal

/// The usual stdio variant, in any order.
choices usual_stdio(bool updates);

/// The best median of all stdio variants in an order, at these values of some factors.
std::optional<double> best_of_stdio(const outcome& result, const choices& where,
                                    const value& order);

/// Findings from the grid: the usual variant on sorted positions, and the same with one factor
/// changed. `name` is the name of the scene or the disk.
void add_grid_findings(std::vector<finding>& to, const std::string& name, const choices& where,
                       const outcome& result, bool updates);

/// The read-only rows of random-update.
inline constexpr auto stdio_reads = "stdio, reading only";
inline constexpr auto leat_reads = "leat gather, reading only";

/// The cost of updates compared to reading only.
void add_cost_of_updates(std::vector<finding>& to, const std::string& name, const choices& where,
                         const outcome& result);

}  // namespace bench
