// Which candidate of a question to take, and whether the times are sure enough to say so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// A candidate that was tried: the code of its options, which is empty for the default, and the
/// seconds of each round. All candidates have the same rounds.
struct candidate_times {
  std::string code;
  std::vector<double> seconds;
};

struct decision {
  enum class kind {
    keep,     ///< no candidate is so much faster than the default that it matters
    change,   ///< `best` is so much faster
    unclear,  ///< the rounds differ too much to say either: the default stays
  };
  kind what = kind::keep;
  std::size_t best = 0;  // the candidate to take; the fastest one if the default is to be kept
  double loss = 0;   // how much longer the default takes than `best`: 0.1 is 10 % by the medians
  double noise = 0;  // the mean of the spreads of the two
};

/// A default that loses less than this is kept: the next run, or the next kernel, may show another
/// result.
inline constexpr double loss_that_matters = 0.05;

/// The first candidate is the default. It is changed if it loses more than `loss_that_matters` and
/// the noise together, and each third of the rounds chooses the same candidate. (Rounds 0, 3, 6 …
/// are the first third.) It is kept if the medians are surer than `loss_that_matters`. There must
/// be three rounds at least.
decision decide(const std::vector<candidate_times>& candidates);

}  // namespace bench
