// Decides which candidate of a question to take, and whether the times support the choice.
// answers.cpp calls decide().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// A candidate and its times: the code of its options (empty for the default), and the seconds of
/// each round. All candidates have the same number of rounds.
struct candidate_times {
  std::string code;
  std::vector<double> seconds;
};

struct decision {
  enum class kind {
    keep,     ///< no candidate is sufficiently faster than the default
    change,   ///< `best` is sufficiently faster
    unclear,  ///< the rounds differ too much to decide: the default stays
  };
  kind verdict = kind::keep;
  std::size_t best = 0;  // the chosen candidate; if none is chosen, the fastest candidate
  double loss = 0;       // extra time of the default over `best`: 0.1 is 10 %, by the medians
  double noise = 0;      // mean of the spreads of the default and of `best`
};

/// If the default takes at most this share longer than the fastest candidate, the default stays,
/// because the next run or kernel may give another result.
inline constexpr double significant_loss = 0.05;

/// Decides between the default (the first candidate) and the others. `change`: the default loses
/// more than `significant_loss` plus the noise, and each third of the rounds (rounds 0, 3, 6 … are
/// the first third) chooses the same candidate. `keep`: no candidate gains enough, and the noise of
/// the medians is at most `significant_loss`. `unclear`: all other cases. Throws std::logic_error
/// if the candidates have different numbers of rounds, or fewer than three rounds.
decision decide(const std::vector<candidate_times>& candidates);

}  // namespace bench
