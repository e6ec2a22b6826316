// Runs an experiment: all its variants side by side, round by round.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "bench.hpp"
#include "system.hpp"

namespace bench {

/// How far a run has got. Round 0 is the warm-up.
struct progress {
  std::string_view experiment;
  int round = 0;
  int rounds = 0;
  double seconds_left = 0;
};

struct run_options {
  double budget = 25;         // seconds for all variants; the fewest repetitions may take longer
  std::optional<int> rounds;  // exactly so many repetitions of each, whatever the time
  std::uint64_t seed = 1;     // of the order within the rounds
  clocks time = real_clocks();
  std::function<bool()> stopped = [] { return false; };
  std::function<void(const progress&)> report = [](const progress&) {};
};

/// How often a variant that takes so long is run when this is its share of the budget.
int repetitions(double seconds, double share);

/// Runs every variant once to warm up and to check what it does, then in rounds, each in an order
/// of its own. A slow variant sits out some rounds, evenly spread. Ends early, with what there is,
/// once `stopped` says so. Throws `failure` if a variant fails or does something else than it
/// should.
outcome run_experiment(const experiment& what, const std::filesystem::path& folder,
                       const run_options& options);

}  // namespace bench
