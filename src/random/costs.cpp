// The cost model of random access. Called by decide() and by the batch while it runs.
#include "random/costs.hpp"

#include <algorithm>
#include <cmath>

#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

std::size_t best_gap(const batch_facts& facts) noexcept {
  constexpr double largest = 8 << 20;
  const range_cost& cost = range_cost_of(facts);
  // The cost of a cached byte is measured with a long range, whose pages are contiguous. Reading a
  // cached gap costs about one page more than the gap's bytes.
  const double more = facts.is_warm() ? static_cast<double>(batch_page) : 0;
  return static_cast<std::size_t>(
      std::clamp(cost.request / cost.byte - more, static_cast<double>(batch_page), largest));
}

namespace {

/// The ranges that a batch is expected to form. Gaps between random positions are distributed
/// exponentially: the share exp(-gap / mean_gap) of the gaps is wider than `gap`. Gaps that are not
/// wider than `gap` are read too.
struct expected_ranges {
  expected_ranges(const batch_facts& facts, double gap) noexcept
      : mean_gap(static_cast<double>(facts.extent) / static_cast<double>(facts.count)),
        count(std::exp(-gap / mean_gap)),
        gap_bytes(mean_gap * (1 - count) - gap * count) {}
  double mean_gap;   // bytes from one position to the next
  double count;      // ranges for each position
  double gap_bytes;  // bytes of gaps that are read too, for each position
};

/// The expected number of spans of this size that contain positions.
double touched(const batch_facts& facts, std::uint64_t span) noexcept {
  const double spans = std::max(1.0, static_cast<double>(facts.extent) / static_cast<double>(span));
  return spans * -std::expm1(-static_cast<double>(facts.count) / spans);
}

}  // namespace

double cost_of_ranges(const batch_facts& facts, double gap) noexcept {
  const range_cost& cost = range_cost_of(facts);
  const expected_ranges expected(facts, gap);
  return sorting_cost + expected.count * cost.request + expected.gap_bytes * cost.byte;
}

double written_by_ranges(const batch_facts& facts, double gap) noexcept {
  const expected_ranges expected(facts, gap);
  return std::min(expected.mean_gap,
                  expected.gap_bytes + expected.count * static_cast<double>(batch_page));
}

double written_by_mapping(const batch_facts& facts) noexcept {
  double bytes = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i) {
    const std::uint64_t span = small_span << i;
    bytes += facts.costs.spans.share[i] * touched(facts, span) * static_cast<double>(span);
  }
  return bytes / static_cast<double>(facts.count);
}

double mapped_share(double positions, std::uint64_t size, const fault_spans& spans) noexcept {
  double mapped = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i) {
    const auto span = static_cast<double>(small_span << i);
    mapped -= spans.share[i] * std::expm1(-positions * span / static_cast<double>(size));
  }
  return mapped;
}

double cost_of_mapping(const batch_facts& facts) noexcept {
  const access_costs& costs = facts.costs;
  const double count = static_cast<double>(facts.count);
  constexpr std::uint64_t cache_line = 64;
  const double touch =
      revisit_cost + (costs.touch - revisit_cost) * touched(facts, cache_line) / count;
  double expected = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i)
    expected += costs.spans.share[i] * touched(facts, small_span << i);
  if (facts.writes) {
    // The first write to a page faults even if the page is mapped: the kernel marks it dirty.
    const double fault = costs.write_fault != 0 ? costs.write_fault : likely_write_fault;
    return touch + (touched(facts, batch_page) * fault + expected * costs.folio_write) / count;
  }
  const double fault = costs.fault != 0 ? costs.fault : likely_fault;
  return touch + (1 - facts.mapped) * expected * fault / count;
}

double doubt_of_mapping(const batch_facts& facts) noexcept {
  if (facts.writes || facts.costs.cached_read.is_measured ||
      facts.count >= fewest_for_cached_speed || facts.mapped > 0)
    return 1;
  constexpr double untried = 16, tried = 2;
  return facts.costs.fault == 0 ? untried : tried;
}

}  // namespace v0
}  // namespace leat
