#include "random/costs.hpp"

#include <algorithm>
#include <cmath>

#include "random/plan.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t longest_cached = std::size_t{256} << 10;
constexpr std::size_t longest_from_disk = std::size_t{1} << 20;
constexpr double largest_hole = 8 << 20;

}  // namespace

std::size_t best_hole(const batch_situation& at, const access_costs& costs) noexcept {
  const range_cost& cost = range_cost_of(at, costs);
  return static_cast<std::size_t>(
      std::clamp(cost.request / cost.byte, static_cast<double>(plan_page), largest_hole));
}

double cost_of_ranges(const batch_situation& at, const access_costs& costs, double hole) noexcept {
  // Gaps between random places are distributed exponentially: a share of exp(-hole / gap) are wider
  // than the hole, and the others read that many bytes on average.
  const range_cost& cost = range_cost_of(at, costs);
  const double gap = static_cast<double>(at.extent) / static_cast<double>(at.count);
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

double cost_of_mapping(const batch_situation& at, const access_costs& costs) noexcept {
  const double count = static_cast<double>(at.count);
  const auto faults = [&](std::uint64_t span) {
    const double spans = std::max(1.0, static_cast<double>(at.extent) / static_cast<double>(span));
    return spans * -std::expm1(-count / spans);
  };
  // The first write to a page faults, whatever is mapped: the system notes that it is dirty.
  if (at.writes) return costs.touch + faults(plan_page) * write_fault / count;
  const double fault = costs.fault != 0 ? costs.fault : likely_fault;
  const double expected = costs.huge * faults(large_span) + (1 - costs.huge) * faults(small_span);
  return costs.touch + (1 - at.mapped) * expected * fault / count;
}

route_choice choose_route(const batch_situation& at, const access_costs& costs,
                          const access_options& asked) noexcept {
  route_choice choice;
  choice.hole = asked.hole != 0 ? asked.hole : best_hole(at, costs);
  choice.longest = asked.longest != 0 ? asked.longest
                   : at.is_cold()     ? longest_from_disk
                                      : longest_cached;
  choice.longest = std::max(choice.longest, std::size_t{plan_page});
  choice.cost = cost_of_ranges(at, costs, static_cast<double>(choice.hole));

  if (asked.route != route::automatic) {
    choice.taken = asked.route;
    choice.why = "as asked";
    if (choice.taken == route::mapped && !at.can_map) {
      choice.taken = route::merged;
      choice.why = "the file can't be mapped";
    }
    if (choice.taken == route::single || choice.taken == route::direct) choice.hole = plan_page;
    if (choice.taken == route::mapped) choice.cost = cost_of_mapping(at, costs);
    return choice;
  }
  if (at.direct) {
    choice.taken = route::direct;
    choice.hole = asked.hole != 0 ? asked.hole : std::size_t{plan_page};
    choice.why = "the file was opened to go past the cache";
    return choice;
  }
  if (at.uncached && at.is_cold()) {
    choice.taken = route::direct;
    choice.why = "the device has no cache: many requests at a time";
    return choice;
  }
  const bool may_map =
      at.can_map && at.is_warm() && (!at.writes || at.extent <= largest_to_write_mapped);
  if (may_map) {
    const double mapping = cost_of_mapping(at, costs);
    if (mapping < choice.cost) {
      choice.taken = route::mapped;
      choice.cost = mapping;
      choice.wants_trial = costs.fault == 0 && !at.writes;
      choice.why = at.mapped > 0.5 ? "the file is mapped already"
                                   : "in the cache, and few faults map what is wanted";
      return choice;
    }
  }
  choice.why = at.is_cold() ? "from the disk: gaps up to its latency times its speed are read along"
               : at.is_warm()
                   ? "in the cache: gaps are read along where that is cheaper than a call"
               : at.cached < 0 ? "too few places to look for what is cached"
                               : "partly in the cache";
  return choice;
}

}  // namespace v0
}  // namespace leat
