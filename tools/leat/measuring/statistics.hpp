// Medians and quartiles of repetitions, and the distribution of the times of single operations. The
// runner, the experiments, the reports and `leat tune` call these functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct summary {
  double min = 0;
  double median = 0;
  double max = 0;
  double spread = 0;      // interquartile range divided by the median
  double q1 = 0, q3 = 0;  // quartiles
};

/// Returns the quantile `q` (0 to 1) of sorted values, interpolated between neighbours. `sorted`
/// must not be empty.
inline double quantile(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Summarizes values in any order. If there are no values, returns zeros.
inline summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const double median = quantile(values, 0.5);
  const double q1 = quantile(values, 0.25), q3 = quantile(values, 0.75);
  return {values.front(), median, values.back(), median > 0 ? (q3 - q1) / median : 0, q1, q3};
}

/// Summarizes the times of operations in any order. If there are no operations, returns zeros.
inline distribution distribution_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const auto cut = static_cast<std::ptrdiff_t>(seconds.size() / 20);
  const std::vector<double> middle(seconds.begin() + cut, seconds.end() - cut);
  const double sum = std::accumulate(middle.begin(), middle.end(), 0.0);
  return {seconds.front(),         sum / static_cast<double>(middle.size()),
          quantile(middle, 0.5),   seconds.back(),
          quantile(seconds, 0.05), quantile(seconds, 0.25),
          quantile(seconds, 0.75), quantile(seconds, 0.95)};
}

}  // namespace bench
