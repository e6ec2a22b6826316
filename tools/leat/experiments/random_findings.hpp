// What E4 shows of the ways of stdio, on real and on simulated disks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/visits.hpp"
#include "measuring/experiment.hpp"

namespace bench {

inline constexpr double level = 1.03;  // below this ratio of times, nothing is better

/// The usual way of stdio, in any order.
choices usual_stdio(bool updates);

/// The best median of all the ways of stdio in an order, where some factors have these values.
std::optional<double> best_of_stdio(const outcome& result, const choices& where,
                                    const value& order);

/// What the grid shows: the usual way on sorted places, and the same with one factor changed.
/// `name` is that of the scene or of the disk.
void add_grid_findings(std::vector<finding>& to, const std::string& name, const choices& where,
                       const outcome& result, bool updates);

/// The rows of random-update that only read.
inline constexpr auto stdio_reads = "stdio, reading only";
inline constexpr auto leat_reads = "leat gather, reading only";

/// What updates cost beside reading alone.
void add_cost_of_updates(std::vector<finding>& to, const std::string& name, const choices& where,
                         const outcome& result);

}  // namespace bench
