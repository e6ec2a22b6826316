// Chooses a candidate by the times of all candidates. answers.cpp calls decide().
#include "tuning/decision.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "measuring/statistics.hpp"

namespace bench {

namespace {

constexpr std::size_t parts = 3;
/// Candidates that take at most this share longer than the fastest candidate are equally good. The
/// first of these candidates is chosen: among sizes the smallest, because sizes are in ascending
/// order.
constexpr double tie_tolerance = 0.03;

std::vector<summary> summaries(const std::vector<candidate_times>& candidates, std::size_t start,
                               std::size_t step) {
  std::vector<summary> all;
  all.reserve(candidates.size());
  for (const auto& one : candidates) {
    std::vector<double> some;
    for (std::size_t i = start; i < one.seconds.size(); i += step) some.push_back(one.seconds[i]);
    all.push_back(summarize(some));
  }
  return all;
}

/// Returns the candidate to choose by these times; 0 is the default.
std::size_t choice(const std::vector<summary>& times) {
  const double fastest = std::ranges::min_element(times, {}, &summary::median)->median;
  if (times.front().median <= fastest * (1 + significant_loss)) return 0;
  const auto good = std::ranges::find_if(
      times, [&](const summary& one) { return one.median <= fastest * (1 + tie_tolerance); });
  return static_cast<std::size_t>(good - times.begin());
}

}  // namespace

decision decide(const std::vector<candidate_times>& candidates) {
  const std::size_t rounds = candidates.front().seconds.size();
  for (const auto& one : candidates) {
    if (one.seconds.size() < parts || one.seconds.size() != rounds)
      throw std::logic_error("candidates need the same number of rounds, at least three");
  }
  const auto whole = summaries(candidates, 0, 1);
  const std::size_t chosen = choice(whole);
  const auto fastest = std::ranges::min_element(whole, {}, &summary::median) - whole.begin();
  decision found;
  found.best = chosen != 0 ? chosen : static_cast<std::size_t>(fastest);
  const auto &usual = whole.front(), &best = whole[found.best];
  found.loss = usual.median / best.median - 1;
  found.noise = (usual.spread + best.spread) / 2;
  if (chosen == 0) {
    // The median of many rounds varies less than a single round.
    const bool sure = found.noise / std::sqrt(static_cast<double>(rounds)) <= significant_loss;
    found.verdict = sure ? decision::kind::keep : decision::kind::unclear;
    return found;
  }
  bool agree = found.loss > significant_loss + found.noise;
  for (std::size_t part = 0; part != parts; ++part)
    agree = agree && choice(summaries(candidates, part, parts)) == chosen;
  found.verdict = agree ? decision::kind::change : decision::kind::unclear;
  return found;
}

}  // namespace bench
