// Runs an experiment: all its variants in every round.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "measuring/experiment.hpp"
#include "system/system.hpp"

namespace bench {

/// Every combination of the factors' values. The values of the last factor change fastest.
std::vector<setting> all_settings(const std::vector<factor>& factors);

/// How far a run has got. Round 0 is the warm-up.
struct progress {
  std::string_view experiment;
  int round = 0;
  int rounds = 0;
  double seconds_left = 0;
};

struct run_options {
  double budget = 25;         // seconds for all variants; a slow run may take longer
  std::optional<int> rounds;  // repetitions of each variant, whatever the budget
  std::uint64_t seed = 1;     // of the order within the rounds
  clocks time = real_clocks();
  std::function<bool()> stopped = [] { return false; };
  std::function<void(const progress&)> report = [](const progress&) {};
};

/// The repetitions of a variant that takes `seconds`, and whose share of the budget is `share`
/// seconds.
int repetitions(double seconds, double share);

/// Runs every variant once, to warm up and to check its result. Then runs the variants in rounds;
/// the order of each round is drawn anew. A slow variant misses some rounds, evenly spread: of 10
/// rounds a variant with 5 repetitions runs in every second. Once `stopped` returns true, returns
/// what it has. Throws `failure` if a variant fails or its result is wrong.
outcome run_experiment(const experiment& what, const std::filesystem::path& folder,
                       const run_options& options);

}  // namespace bench
