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

double mapped_share(double places, std::uint64_t size, double huge) noexcept {
  const auto share = [&](std::uint64_t span) {
    return -std::expm1(-places * static_cast<double>(span) / static_cast<double>(size));
  };
  return huge * share(large_span) + (1 - huge) * share(small_span);
}

double cost_of_mapping(const batch_facts& known) noexcept {
  const access_costs& costs = known.costs;
  const double count = static_cast<double>(known.count);
  const auto faults = [&](std::uint64_t span) {
    const double spans =
        std::max(1.0, static_cast<double>(known.extent) / static_cast<double>(span));
    return spans * -std::expm1(-count / spans);
  };
  // The first write to a page faults, even if the page is mapped: the system notes that it is
  // dirty.
  if (known.writes) return costs.touch + faults(batch_page) * write_fault / count;
  const double fault = costs.fault != 0 ? costs.fault : likely_fault;
  const double expected = costs.huge * faults(large_span) + (1 - costs.huge) * faults(small_span);
  return costs.touch + (1 - known.mapped) * expected * fault / count;
}

}  // namespace v0
}  // namespace leat
