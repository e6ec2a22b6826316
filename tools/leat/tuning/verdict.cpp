#include "verdict.hpp"

#include <algorithm>
#include <stdexcept>

#include "../statistics.hpp"

namespace bench {

namespace {

constexpr std::size_t parts = 3;
/// Candidates this near to the fastest are as good; of those the first is taken, the smallest.
constexpr double as_good = 0.03;

std::vector<double> medians(const std::vector<candidate_times>& of, std::size_t first,
                            std::size_t step) {
  std::vector<double> all;
  all.reserve(of.size());
  for (const auto& one : of) {
    std::vector<double> some;
    for (std::size_t i = first; i < one.seconds.size(); i += step) some.push_back(one.seconds[i]);
    all.push_back(summarize(some).median);
  }
  return all;
}

/// The candidate to take by these times, 0 being the default.
std::size_t choice(const std::vector<double>& times) {
  const double fastest = *std::ranges::min_element(times);
  if (times.front() <= fastest * (1 + loss_that_matters)) return 0;
  const auto good =
      std::ranges::find_if(times, [&](double t) { return t <= fastest * (1 + as_good); });
  return static_cast<std::size_t>(good - times.begin());
}

}  // namespace

verdict decide(const std::vector<candidate_times>& candidates) {
  for (const auto& one : candidates) {
    if (one.seconds.size() < parts || one.seconds.size() != candidates.front().seconds.size())
      throw std::logic_error("candidates need the same rounds, three at least");
  }
  const auto whole = medians(candidates, 0, 1);
  const std::size_t chosen = choice(whole);
  verdict found;
  found.best = chosen != 0
                   ? chosen
                   : static_cast<std::size_t>(std::ranges::min_element(whole) - whole.begin());
  const auto loss = [&](const std::vector<double>& times) {
    return times.front() / times[found.best] - 1;
  };
  found.loss = found.least = found.most = loss(whole);
  bool agree = true;
  for (std::size_t part = 0; part != parts; ++part) {
    const auto times = medians(candidates, part, parts);
    agree = agree && choice(times) == chosen;
    found.least = std::min(found.least, loss(times));
    found.most = std::max(found.most, loss(times));
  }
  found.what = !agree        ? verdict::kind::unclear
               : chosen == 0 ? verdict::kind::keep
                             : verdict::kind::change;
  return found;
}

}  // namespace bench
