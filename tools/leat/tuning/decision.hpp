// What the times of a question's candidates say, and whether they say it surely.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../bench.hpp"

namespace bench {

/// A way that was tried: the text of its options, empty for the default, and the seconds of each
/// round, as many for all.
struct candidate_times {
  std::string code;
  std::vector<double> seconds;
};

struct decision {
  enum class kind {
    keep,     ///< nothing is faster than the default by as much as matters
    change,   ///< `best` is
    unclear,  ///< the rounds differ too much to say so: the default stays
  };
  kind what = kind::keep;
  std::size_t best = 0;  // the candidate to take, or the one that would be next
  double loss = 0;       // what the default takes longer than `best`, as a share, by the medians
  double noise = 0;      // how far single rounds of the two are apart: the mean of their spreads
};

/// A default that loses less than this is kept: the next run, or the next kernel, has it otherwise.
inline constexpr double loss_that_matters = 0.05;

/// The first candidate is the default. To change it, it must lose more than what matters and the
/// noise together, and each third of the rounds, taken as they come round, must choose the same; to
/// keep it, the medians must be surer than what matters. Takes at least three rounds.
decision decide(const std::vector<candidate_times>& candidates);

}  // namespace bench
