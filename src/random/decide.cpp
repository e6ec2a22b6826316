// decide(), called by the loop of a batch (batch::execute), and its rules.
#include "random/decide.hpp"

#include <algorithm>

#include "random/costs.hpp"
#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

namespace {

using mapping_state = batch_facts::mapping_state;
using direct_state = batch_facts::direct_state;

/// True if the disk must write hardly more bytes after writes through a mapping than after writes
/// of ranges. The first write to a folio makes the whole folio dirty. A dirty folio costs no time
/// now, but the disk writes the whole folio later. False for extents above `largest`: the disk
/// begins to write before such a batch ends, and a page that was written back faults again.
bool writes_hardly_more(const batch_facts& facts, const route_plan& plan) noexcept {
  constexpr double hardly_more = 1.3;
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  return facts.extent <= largest &&
         written_by_mapping(facts) <=
             hardly_more * written_by_ranges(facts, static_cast<double>(plan.gap));
}

/// The reason for merged ranges if the route is automatic and no other route is better.
const char* why_merged(const batch_facts& facts) noexcept {
  if (facts.mapping == mapping_state::unreadable) return "the mapping could not be read";
  if (facts.mapping == mapping_state::slow) return "the mapping was slower than it should be";
  if (facts.is_cold()) return "from the disk: gaps up to its latency times its speed are read too";
  if (facts.is_warm()) return "in the cache: gaps are read too, where that is cheaper than a call";
  return facts.cached < 0 ? "too few positions to sample the page cache" : "partly in the cache";
}

void choose_requested(const batch_facts& facts, route requested, route_plan& plan) noexcept {
  plan.chosen_route = requested;
  plan.why = "as asked";
  if (requested == route::mapped && facts.mapping != mapping_state::available) {
    plan.chosen_route = route::merged;
    plan.why = facts.mapping == mapping_state::unreadable ? "the mapping could not be read"
                                                          : "the file can't be mapped";
  }
  if (requested == route::single || requested == route::direct) plan.gap = batch_page;
}

void choose_best(const batch_facts& facts, const access_options& options,
                 route_plan& plan) noexcept {
  if (facts.wants_direct) {
    plan.chosen_route = route::direct;
    if (options.gap == 0) plan.gap = batch_page;
    plan.why = "the file was opened for direct I/O";
    return;
  }
  if (facts.is_device_uncached && facts.is_cold()) {
    plan.chosen_route = route::direct;
    plan.why = "the device has no cache: many requests at a time";
    return;
  }
  const bool may_map = facts.mapping == mapping_state::available && !facts.is_partly_visited &&
                       facts.is_warm() && (!facts.writes || writes_hardly_more(facts, plan));
  if (may_map && doubt_of_mapping(facts) * cost_of_mapping(facts) < plan.cost_of_ranges) {
    plan.chosen_route = route::mapped;
    plan.why = facts.mapped > 0.5 ? "the file is mapped already"
                                  : "in the cache, and few page faults map the wanted bytes";
    return;
  }
  plan.why = why_merged(facts);
}

/// If most of the file is mapped, few visits cause a page fault, so prefetching works. If a batch
/// that reads will map most of the file anyway, the plan maps the file first.
void plan_mapping(const batch_facts& facts, route_plan& plan) noexcept {
  constexpr double most = 0.7;
  if (facts.writes) return;
  const fault_spans& spans = facts.costs.spans;
  plan.prefetches = facts.mapped > most;
  if (!plan.prefetches &&
      mapped_share(static_cast<double>(facts.count), facts.extent, spans) > most) {
    // Each touch takes time, even if the span is mapped already. A span that is not touched faults
    // when it is visited, at the same cost.
    plan.map_first = spans.step_to_map_most();
    plan.prefetches = true;
  }
}

/// True if the mapping looks cheaper than reads from the page cache, but not by much. The sampled
/// reads were far apart. The reads of the sorted batch are closer together and so take less time.
bool is_mapping_uncertain(const batch_facts& facts, const access_options& options,
                          const route_plan& plan) noexcept {
  constexpr double by_much = 4;
  return plan.chosen_route == route::mapped && options.route == route::automatic && !facts.writes &&
         by_much * cost_of_mapping(facts) > plan.cost_of_ranges;
}

/// True if the plan depends on the cost of a read or on the widest gap worth reading, the cost and
/// the gap are not measured yet, and the batch is large enough to measure them.
bool needs_speed_sample(const batch_facts& facts, const access_options& options,
                        const route_plan& plan) noexcept {
  // Positions from the disk take longer, so a sample is worth its time sooner.
  const std::size_t fewest_positions = facts.is_cold() ? 1024 : fewest_for_cached_speed;
  // In the page cache, reading gaps wider than widest_in_cache never saves time. In a batch of wide
  // gaps, reading the few narrower gaps saves less time than the samples take.
  constexpr std::uint64_t widest_in_cache = std::uint64_t{16} << 10;
  const bool has_gaps = plan.chosen_route == route::merged ||
                        (plan.chosen_route == route::direct && options.route == route::automatic);
  const bool is_uncertain = is_mapping_uncertain(facts, options, plan);
  if (facts.speed_is_sampled || !(has_gaps || is_uncertain) || options.gap != 0) return false;
  if (facts.cached < 0 || facts.count < fewest_positions) return false;
  if (facts.is_warm() && !is_uncertain && facts.gap() > widest_in_cache) return false;
  if (facts.is_cold()) return !facts.costs.disk_read.is_measured;
  return !facts.writes && !facts.costs.cached_read.is_measured;
}

/// True if the batch is large enough to compare narrow and wide gaps on a part of it. True only for
/// batches from the disk and for batches that write. False where the sample is sufficient: on slow
/// disks, and if the gaps from the disk are far wider than the widest gap worth reading. For
/// example, if the widest gap worth reading is 10 KB, and the average gap is 100 KB, hardly any gap
/// is worth reading.
bool needs_range_trial(const batch_facts& facts, const access_options& options,
                       const route_plan& plan) noexcept {
  constexpr double slow = 1e5;  // nanoseconds for a random read
  if (plan.chosen_route != route::merged || options.gap != 0 || facts.is_device_uncached)
    return false;
  if (facts.cached < 0 || !(facts.is_cold() || facts.writes)) return false;
  constexpr std::uint64_t far_wider = 8;
  if (facts.is_cold() && facts.costs.disk_read.is_measured && facts.gap() > far_wider * plan.gap)
    return false;
  const std::size_t sorted = std::min(facts.sorted_at_once, facts.count);
  return 8 * (narrow_trial_entries + wide_trial_entries(facts)) <= sorted &&
         facts.costs.disk_read.request <= slow && facts.gap() <= largest_trial_gap;
}

/// True if the gap width rests on a measurement of some milliseconds, during which other programs
/// may have used the disk.
bool is_gap_uncertain(const batch_facts& facts, const access_options& options,
                      const route_plan& plan) noexcept {
  return plan.next == step::visit && plan.chosen_route == route::merged && plan.gap > batch_page &&
         options.gap == 0 && facts.is_cold() && !facts.is_device_uncached &&
         facts.least_request > 0;
}

step next_step(const batch_facts& facts, const access_options& options,
               const route_plan& plan) noexcept {
  if (facts.is_partly_visited) return step::visit;
  if (facts.mapping == mapping_state::unknown &&
      (options.route == route::mapped || (options.route == route::automatic && facts.is_warm())))
    return step::find_mapping;
  // A mapping is tried only before reads are measured. Later the batch watches the mapping while
  // the batch uses it.
  const double fault = facts.writes ? facts.costs.write_fault : facts.costs.fault;
  if (plan.chosen_route == route::mapped && options.route == route::automatic && fault == 0 &&
      !facts.speed_is_sampled)
    return step::try_mapping;
  if (needs_speed_sample(facts, options, plan)) return step::sample_speed;
  if (plan.chosen_route == route::direct && facts.direct_io == direct_state::unknown)
    return step::find_direct;
  if (needs_range_trial(facts, options, plan)) return step::try_ranges;
  return step::visit;
}

}  // namespace

std::size_t longest_range(const batch_facts& facts, const access_options& options,
                          std::size_t gap) noexcept {
  constexpr std::size_t from_cache = std::size_t{256} << 10;
  constexpr std::size_t from_disk = std::size_t{1} << 20;
  // Without readahead, the wait for a range's first byte takes as long as reading the widest gap.
  // So a range that is as long as eight such gaps spends a ninth of its time waiting.
  constexpr std::size_t gaps = 8, without_readahead = std::size_t{8} << 20;
  std::size_t default_longest = facts.is_cold() ? from_disk : from_cache;
  if (facts.is_cold() && facts.is_device_uncached)
    default_longest = std::clamp(gaps * gap, from_disk, without_readahead);
  return std::max(options.longest != 0 ? options.longest : default_longest,
                  std::size_t{batch_page});
}

route_plan decide(const batch_facts& facts, const access_options& options) noexcept {
  route_plan plan;
  plan.gap = options.gap != 0 ? options.gap : best_gap(facts);
  plan.longest = longest_range(facts, options, plan.gap);
  plan.cost_of_ranges = cost_of_ranges(facts, static_cast<double>(plan.gap));
  if (options.route != route::automatic)
    choose_requested(facts, options.route, plan);
  else
    choose_best(facts, options, plan);
  if (plan.chosen_route == route::direct && facts.direct_io == direct_state::unavailable) {
    plan.chosen_route = route::single;
    plan.why = "direct I/O is not possible";
  }
  if (plan.chosen_route == route::mapped) plan_mapping(facts, plan);
  plan.next = next_step(facts, options, plan);
  plan.watches_gap = is_gap_uncertain(facts, options, plan);
  return plan;
}

}  // namespace v0
}  // namespace leat
