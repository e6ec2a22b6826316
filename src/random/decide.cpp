// decide(), called by the loop of a batch (batch::go), and its rules.
#include "random/decide.hpp"

#include <algorithm>

#include "random/costs.hpp"
#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

namespace {

using mapping_state = batch_facts::mapping_state;
using direct_way = batch_facts::direct_way;

/// True if the disk must write hardly more bytes after writes through a mapping than after writes
/// of ranges. The first write to a folio makes the whole folio dirty. A dirty folio costs no time
/// now, but the disk writes the whole folio later. False for extents above `largest`: there the
/// disk begins to write before the batch ends, and a page that was written back faults again.
bool writes_hardly_more(const batch_facts& known, const route_plan& plan) noexcept {
  constexpr double hardly_more = 1.3;
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  return known.extent <= largest &&
         written_by_mapping(known) <=
             hardly_more * written_by_ranges(known, static_cast<double>(plan.gap));
}

/// The reason for merged ranges if the route is automatic and no other route is better.
const char* why_merged(const batch_facts& known) noexcept {
  if (known.mapping == mapping_state::unreadable) return "the mapping could not be read";
  if (known.mapping == mapping_state::slow) return "the mapping was slower than it should be";
  if (known.is_cold()) return "from the disk: gaps up to its latency times its speed are read too";
  if (known.is_warm()) return "in the cache: gaps are read too, where that is cheaper than a call";
  return known.cached < 0 ? "too few positions to sample the page cache" : "partly in the cache";
}

void take_asked(const batch_facts& known, route asked, route_plan& plan) noexcept {
  plan.taken = asked;
  plan.why = "as asked";
  if (asked == route::mapped && known.mapping != mapping_state::there) {
    plan.taken = route::merged;
    plan.why = "the file can't be mapped";
  }
  if (asked == route::single || asked == route::direct) plan.gap = batch_page;
}

void take_best(const batch_facts& known, const access_options& asked, route_plan& plan) noexcept {
  if (known.wants_direct) {
    plan.taken = route::direct;
    if (asked.gap == 0) plan.gap = batch_page;
    plan.why = "the file was opened for direct I/O";
    return;
  }
  if (known.uncached && known.is_cold()) {
    plan.taken = route::direct;
    plan.why = "the device has no cache: many requests at a time";
    return;
  }
  const bool may_map = known.mapping == mapping_state::there && !known.begun && known.is_warm() &&
                       (!known.writes || writes_hardly_more(known, plan));
  if (may_map && cost_of_mapping(known) < plan.cost_of_ranges) {
    plan.taken = route::mapped;
    plan.why = known.mapped > 0.5 ? "the file is mapped already"
                                  : "in the cache, and few page faults map the wanted bytes";
    return;
  }
  plan.why = why_merged(known);
}

/// If most of the file is mapped, few visits cause a page fault, so prefetching works. If a batch
/// that reads will map most of the file anyway, the plan maps the file first.
void plan_mapping(const batch_facts& known, route_plan& plan) noexcept {
  constexpr double most = 0.7;
  if (known.writes) return;
  const fault_spans& spans = known.costs.spans;
  plan.prefetches = known.mapped > most;
  if (!plan.prefetches &&
      mapped_share(static_cast<double>(known.count), known.extent, spans) > most) {
    // Each touch takes time, even if the span is mapped already. A span that is not touched faults
    // when it is visited, at the same cost.
    plan.map_first = spans.step_to_map_most();
    plan.prefetches = true;
  }
}

/// True if the mapping looks cheaper than reads from the page cache, but not by much. The sampled
/// reads were far apart. The reads of the sorted batch are closer together and so take less time.
bool doubts_mapping(const batch_facts& known, const access_options& asked,
                    const route_plan& plan) noexcept {
  constexpr double by_much = 4;
  return plan.taken == route::mapped && asked.route == route::automatic && !known.writes &&
         by_much * cost_of_mapping(known) > plan.cost_of_ranges;
}

/// True if the plan depends on the cost of a read or on the widest gap worth reading, neither is
/// measured yet, and the batch is large enough to measure them.
bool wants_speed(const batch_facts& known, const access_options& asked,
                 const route_plan& plan) noexcept {
  constexpr std::size_t worth_it = 4096;
  // In the page cache, reading gaps wider than widest_in_cache never pays. In a batch of wide gaps,
  // the few narrower gaps do not pay for the samples.
  constexpr std::uint64_t widest_in_cache = std::uint64_t{16} << 10;
  const bool has_gaps = plan.taken == route::merged ||
                        (plan.taken == route::direct && asked.route == route::automatic);
  const bool doubts = doubts_mapping(known, asked, plan);
  if (known.speed_is_sampled || !(has_gaps || doubts) || asked.gap != 0) return false;
  if (known.cached < 0 || known.count < worth_it) return false;
  if (known.is_warm() && !doubts && known.gap() > widest_in_cache) return false;
  if (known.is_cold()) return !known.costs.disk_read.is_measured;
  return !known.writes && !known.costs.cached_read.is_measured;
}

/// True if the batch is large enough to compare narrow and wide gaps on a part of it. True only for
/// batches from the disk and for batches that write. False on slow disks, where the sample is
/// sufficient.
bool wants_to_try_ranges(const batch_facts& known, const access_options& asked,
                         const route_plan& plan) noexcept {
  constexpr double slow = 1e5;  // nanoseconds for a random read
  if (plan.taken != route::merged || asked.gap != 0 || known.uncached) return false;
  if (known.cached < 0 || !(known.is_cold() || known.writes)) return false;
  const std::size_t sorted = std::min(known.sorted_at_once, known.count);
  return 8 * (tried_singly + entries_tried_as_one(known)) <= sorted &&
         known.costs.disk_read.request <= slow && known.gap() <= largest_tried_gap;
}

/// True if the gap width rests on a measurement of some milliseconds, during which other programs
/// may have used the disk.
bool doubts_gap(const batch_facts& known, const access_options& asked,
                const route_plan& plan) noexcept {
  return plan.next == step::visit && plan.taken == route::merged && plan.gap > batch_page &&
         asked.gap == 0 && known.is_cold() && !known.uncached && known.least_request > 0;
}

step next_step(const batch_facts& known, const access_options& asked,
               const route_plan& plan) noexcept {
  if (known.begun) return step::visit;
  if (known.mapping == mapping_state::unknown &&
      (asked.route == route::mapped || (asked.route == route::automatic && known.is_warm())))
    return step::find_mapping;
  // A mapping is tried only before reads are measured. Later the mapping is watched while it is
  // used.
  const double fault = known.writes ? known.costs.write_fault : known.costs.fault;
  if (plan.taken == route::mapped && asked.route == route::automatic && fault == 0 &&
      !known.speed_is_sampled)
    return step::try_mapping;
  if (wants_speed(known, asked, plan)) return step::sample_speed;
  if (plan.taken == route::direct && known.direct_io == direct_way::unknown)
    return step::find_direct;
  if (wants_to_try_ranges(known, asked, plan)) return step::try_ranges;
  return step::visit;
}

}  // namespace

std::size_t longest_range(const batch_facts& known, const access_options& asked,
                          std::size_t gap) noexcept {
  constexpr std::size_t from_cache = std::size_t{256} << 10;
  constexpr std::size_t from_disk = std::size_t{1} << 20;
  // Without readahead, the wait for a range's first byte takes as long as reading the widest gap.
  // So a range that is as long as eight such gaps spends a ninth of its time waiting.
  constexpr std::size_t gaps = 8, from_afar = std::size_t{8} << 20;
  std::size_t usual = known.is_cold() ? from_disk : from_cache;
  if (known.is_cold() && known.uncached) usual = std::clamp(gaps * gap, from_disk, from_afar);
  return std::max(asked.longest != 0 ? asked.longest : usual, std::size_t{batch_page});
}

route_plan decide(const batch_facts& known, const access_options& asked) noexcept {
  route_plan plan;
  plan.gap = asked.gap != 0 ? asked.gap : best_gap(known);
  plan.longest = longest_range(known, asked, plan.gap);
  plan.cost_of_ranges = cost_of_ranges(known, static_cast<double>(plan.gap));
  if (asked.route != route::automatic)
    take_asked(known, asked.route, plan);
  else
    take_best(known, asked, plan);
  if (plan.taken == route::direct && known.direct_io == direct_way::none) {
    plan.taken = route::single;
    plan.why = "direct I/O is not possible";
  }
  if (plan.taken == route::mapped) plan_mapping(known, plan);
  plan.next = next_step(known, asked, plan);
  plan.watches_gap = doubts_gap(known, asked, plan);
  return plan;
}

}  // namespace v0
}  // namespace leat
