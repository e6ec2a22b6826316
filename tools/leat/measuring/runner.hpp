// Runs an experiment: rounds of all its variants. bench_command.cpp and tune_command.cpp call
// run_experiment().
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

/// Returns every combination of the factors' values. The last factor changes fastest.
std::vector<setting> all_settings(const std::vector<factor>& factors);

/// Progress of a run. Round 0 is the preparation and the warm-up.
struct progress {
  std::string_view experiment;
  int round = 0;
  int rounds = 0;
  double seconds_left = 0;
};

struct run_options {
  double budget = 25;         // seconds for all variants; a slow run may take longer
  std::optional<int> rounds;  // repetitions of each variant; overrides the budget
  std::uint64_t seed = 1;     // for the order within the rounds
  bench::clocks clocks = real_clocks();
  std::function<bool()> is_stopped = [] { return false; };
  std::function<void(const progress&)> report = [](const progress&) {};
};

/// Returns the number of repetitions of a variant whose repetition takes `seconds`, for a budget of
/// `budget` seconds: at most 30 repetitions and at least 5. If a repetition takes more than half a
/// second, the minimum is 3.
int repetitions(double seconds, double budget);

/// Runs each variant once in each setting to which the variant applies, to warm up and to check the
/// result. Then runs the variants in rounds, each round in a new random order. A slow variant skips
/// some rounds, evenly spread: of 10 rounds, a variant with 5 repetitions runs in every second
/// round. At the end, times single operations of the variants that have `operation_times`. Once
/// `is_stopped` returns true, returns the results so far. Throws an exception if the preparation or
/// a variant fails, if a result is wrong, or if the disk has too little space.
outcome run_experiment(const experiment& experiment, const std::filesystem::path& folder,
                       const run_options& options);

}  // namespace bench
