// Decide: one pure function makes a plan from what is known of a batch.
#pragma once

#include <leat/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "random/look.hpp"

namespace leat {
inline namespace v0 {

/// The next step. Each step but the last finds something out. Then decide() is asked again, with
/// what is known now.
enum class step {
  find_mapping,  // map the file, or use the mapping of an earlier batch
  try_mapping,   // touch some places of the mapping
  sample_speed,  // read some ranges
  find_direct,   // open the file a second time, past the cache
  try_ranges,    // visit the first places in two ways, and compare the two
  visit,         // visit all places that are left
};

struct route_plan {
  step next = step::visit;
  route taken = route::merged;  // the best one known so far; never automatic
  const char* why = "";
  double cost_of_ranges = 0;  // expected, in nanoseconds for one place
  // By ranges:
  std::size_t hole = 0;       // bytes of a gap that is read along
  std::size_t longest = 0;    // bytes of a range
  bool watches_hole = false;  // it may turn out to be too wide
  // Through a mapping:
  // If not 0, the whole file is mapped first: one byte is touched every so many bytes.
  std::uint64_t map_first = 0;
  bool prefetches = false;  // most of the file is mapped, so memory can be asked for ahead
};

/// The plan for a batch. `known` is what is known of it, `asked` what the program wants: its route,
/// unless that is automatic, is taken if it is possible.
route_plan decide(const batch_facts& known, const access_options& asked) noexcept;

/// The longest range, in bytes, for holes of this width.
std::size_t longest_range(const batch_facts& known, const access_options& asked,
                          std::size_t hole) noexcept;

/// try_ranges first visits `tried_singly` entries page by page. Then it visits a second part as one
/// range.
inline constexpr std::size_t tried_singly = 512;
/// Wider gaps are not tried as one range.
inline constexpr std::uint64_t largest_tried_gap = std::uint64_t{256} << 10;
/// The entries that are in the second part. A system that reads ahead needs a while to reach its
/// speed, but the part is not worth more of the batch's time than a 32nd, at 1 GB/s.
inline std::size_t entries_tried_as_one(const batch_facts& known) noexcept {
  constexpr double least = 1 << 20, most = 8 << 20;
  const double worth = static_cast<double>(known.count) * known.costs.disk_read.request / 32;
  const double bytes = known.is_cold() ? std::clamp(worth, least, most) : least;
  return static_cast<std::size_t>(bytes) / std::max<std::uint64_t>(known.gap(), 1) + 1;
}

}  // namespace v0
}  // namespace leat
