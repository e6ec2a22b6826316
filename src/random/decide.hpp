// decide(), a pure function, makes a plan from the known facts of a batch. Called by
// batch::execute().
#pragma once

#include <leat/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "random/measure.hpp"

namespace leat {
inline namespace v0 {

/// The next step. Each step adds facts; the step `visit` adds facts only if `visit` stops early.
/// While positions are left, decide() is called again with the new facts.
enum class step {
  find_mapping,  // map the file, or use the mapping of an earlier batch
  try_mapping,   // touch some positions of the mapping
  sample_speed,  // read some ranges
  find_direct,   // open the file a second time, for direct I/O
  try_ranges,    // visit the first positions in two ways, and compare the costs
  visit,         // visit all remaining positions
};

struct route_plan {
  step next = step::visit;
  route chosen_route = route::merged;  // the best route so far; never automatic
  const char* why = "";
  double cost_of_ranges = 0;  // expected, in nanoseconds for one position
  // By ranges:
  std::size_t gap = 0;       // the widest gap that is read too, in bytes
  std::size_t longest = 0;   // the longest range, in bytes
  bool watches_gap = false;  // the gap may turn out to be too wide
  // Through a mapping:
  // If not 0, most of the file is mapped first: one byte in every `map_first` bytes is touched.
  std::uint64_t map_first = 0;
  bool prefetches = false;  // most of the file is mapped, so prefetching works
};

/// Makes the plan for a batch. If the program has requested a route in `options` (not `automatic`)
/// and the route is possible, the plan has this route.
route_plan decide(const batch_facts& facts, const access_options& options) noexcept;

/// The longest range, in bytes, if gaps of up to `gap` bytes are read too.
std::size_t longest_range(const batch_facts& facts, const access_options& options,
                          std::size_t gap) noexcept;

/// try_ranges first visits `narrow_trial_entries` entries page by page, then a second part in long
/// ranges.
inline constexpr std::size_t narrow_trial_entries = 512;
/// In bytes. If the average gap is wider, try_ranges is left out.
inline constexpr std::uint64_t largest_trial_gap = std::uint64_t{256} << 10;
/// The number of entries of the second part of try_ranges. Readahead needs a while to reach its
/// speed, so the part is large. In a cold batch, the part has as many bytes as a disk of 1 GB/s
/// reads in a 32nd of the batch's time, but 1 MiB at least and 8 MiB at most. In other batches, the
/// part has 1 MiB.
inline std::size_t wide_trial_entries(const batch_facts& facts) noexcept {
  constexpr double least = 1 << 20, most = 8 << 20;
  const double worth = static_cast<double>(facts.count) * facts.costs.disk_read.request / 32;
  const double bytes = facts.is_cold() ? std::clamp(worth, least, most) : least;
  return static_cast<std::size_t>(bytes) / std::max<std::uint64_t>(facts.gap(), 1) + 1;
}

}  // namespace v0
}  // namespace leat
