// The cost model of random access, called by decide() and by the batch while it runs.
#include "random/costs.hpp"

#include <algorithm>
#include <cmath>

#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

std::size_t best_gap(const batch_facts& known) noexcept {
  constexpr double largest = 8 << 20;
  const range_cost& cost = range_cost_of(known);
  // The cost of a cached byte is that of a long range, whose pages are contiguous. Reading a cached
  // gap costs about one page more than the gap's bytes.
  const double more = known.is_warm() ? static_cast<double>(batch_page) : 0;
  return static_cast<std::size_t>(
      std::clamp(cost.request / cost.byte - more, static_cast<double>(batch_page), largest));
}

namespace {

/// The ranges that a batch is expected to form. Gaps between random positions are distributed
/// exponentially: the share exp(-gap / mean_gap) of the gaps is wider than `gap`. Narrower gaps are
/// read too.
struct expected_ranges {
  expected_ranges(const batch_facts& known, double gap) noexcept
      : mean_gap(static_cast<double>(known.extent) / static_cast<double>(known.count)),
        apart(std::exp(-gap / mean_gap)),
        bytes(mean_gap * (1 - apart) - gap * apart) {}
  double mean_gap;  // bytes from one position to the next
  double apart;     // ranges for each position
  double bytes;     // bytes of gaps that are read too, for each position
};

/// The expected number of spans of this size that contain positions.
double touched(const batch_facts& known, std::uint64_t span) noexcept {
  const double spans = std::max(1.0, static_cast<double>(known.extent) / static_cast<double>(span));
  return spans * -std::expm1(-static_cast<double>(known.count) / spans);
}

}  // namespace

double cost_of_ranges(const batch_facts& known, double gap) noexcept {
  const range_cost& cost = range_cost_of(known);
  const expected_ranges expected(known, gap);
  return sorting_cost + expected.apart * cost.request + expected.bytes * cost.byte;
}

double written_by_ranges(const batch_facts& known, double gap) noexcept {
  const expected_ranges expected(known, gap);
  return std::min(expected.mean_gap,
                  expected.bytes + expected.apart * static_cast<double>(batch_page));
}

double written_by_mapping(const batch_facts& known) noexcept {
  double bytes = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i) {
    const std::uint64_t span = small_span << i;
    bytes += known.costs.spans.share[i] * touched(known, span) * static_cast<double>(span);
  }
  return bytes / static_cast<double>(known.count);
}

double mapped_share(double positions, std::uint64_t size, const fault_spans& spans) noexcept {
  double mapped = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i) {
    const auto span = static_cast<double>(small_span << i);
    mapped -= spans.share[i] * std::expm1(-positions * span / static_cast<double>(size));
  }
  return mapped;
}

double cost_of_mapping(const batch_facts& known) noexcept {
  const access_costs& costs = known.costs;
  const double count = static_cast<double>(known.count);
  constexpr std::uint64_t cache_line = 64;
  const double touch =
      revisit_cost + (costs.touch - revisit_cost) * touched(known, cache_line) / count;
  double expected = 0;
  for (std::size_t i = 0; i != fault_spans::sizes; ++i)
    expected += costs.spans.share[i] * touched(known, small_span << i);
  if (known.writes) {
    // The first write to a page faults even if the page is mapped: the kernel marks it dirty.
    const double fault = costs.write_fault != 0 ? costs.write_fault : likely_write_fault;
    return touch + (touched(known, batch_page) * fault + expected * costs.folio_write) / count;
  }
  const double fault = costs.fault != 0 ? costs.fault : likely_fault;
  return touch + (1 - known.mapped) * expected * fault / count;
}

}  // namespace v0
}  // namespace leat
