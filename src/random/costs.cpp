#include "random/costs.hpp"

#include <algorithm>
#include <cmath>

#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

std::size_t best_hole(const batch_facts& known) noexcept {
  constexpr double largest = 8 << 20;
  const range_cost& cost = range_cost_of(known);
  return static_cast<std::size_t>(
      std::clamp(cost.request / cost.byte, static_cast<double>(batch_page), largest));
}

double cost_of_ranges(const batch_facts& known, double hole) noexcept {
  // Gaps between random places are distributed exponentially. The share exp(-hole / gap) of them is
  // wider than the hole. The others are read along: so many `bytes` for each place on average.
  const range_cost& cost = range_cost_of(known);
  const double gap = static_cast<double>(known.extent) / static_cast<double>(known.count);
  const double apart = std::exp(-hole / gap);
  const double bytes = gap * (1 - apart) - hole * apart;
  return sorting_cost + apart * cost.request + bytes * cost.byte;
}

double mapped_share(double places, std::uint64_t size, const fault_spans& spans) noexcept {
  double mapped = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i) {
    const auto span = static_cast<double>(small_span << i);
    mapped -= spans.share[i] * std::expm1(-places * span / static_cast<double>(size));
  }
  return mapped;
}

double cost_of_mapping(const batch_facts& known) noexcept {
  const access_costs& costs = known.costs;
  const double count = static_cast<double>(known.count);
  // How many spans the places lie in.
  const auto touched = [&](std::uint64_t span) {
    const double spans =
        std::max(1.0, static_cast<double>(known.extent) / static_cast<double>(span));
    return spans * -std::expm1(-count / spans);
  };
  constexpr std::uint64_t cache_line = 64;
  const double touch = revisit_cost + (costs.touch - revisit_cost) * touched(cache_line) / count;
  // The first write to a page faults, even if the page is mapped: the system notes that it is
  // dirty.
  if (known.writes) return touch + touched(batch_page) * write_fault / count;
  const double fault = costs.fault != 0 ? costs.fault : likely_fault;
  double expected = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i)
    expected += costs.spans.share[i] * touched(small_span << i);
  return touch + (1 - known.mapped) * expected * fault / count;
}

}  // namespace v0
}  // namespace leat
