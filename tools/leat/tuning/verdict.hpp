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

struct verdict {
  enum class kind {
    keep,     ///< nothing is faster than the default by as much as matters
    change,   ///< `best` is
    unclear,  ///< the parts of the run disagree: the default stays
  };
  kind what = kind::keep;
  std::size_t best = 0;  // the candidate to take, or the one that would be next
  // What the default takes longer than `best`, as a share: over all rounds, and the least and the
  // most that a part of the run says.
  double loss = 0, least = 0, most = 0;
};

/// A default that loses less than this is kept: the next run, or the next kernel, has it otherwise.
inline constexpr double loss_that_matters = 0.05;

/// The first candidate is the default. Each third of the rounds, taken as they come round, is asked
/// by itself, as if it were a run of its own; what they don't agree about is unclear. Takes at
/// least three rounds.
verdict decide(const std::vector<candidate_times>& candidates);

}  // namespace bench
