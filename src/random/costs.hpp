// The cost model of random access: what is measured, what is assumed, and which route follows.
#pragma once

#include <leat/file.hpp>

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// What ranges cost, in nanoseconds of the device's clock: each of them, and each of its bytes.
struct range_cost {
  double request = 0;
  double byte = 0;
  bool is_measured = false;
};

/// What things cost on one device. Where nothing was measured yet stands what
/// docs/random-access.md found on one machine.
struct access_costs {
  range_cost cached_read{250, 0.07};
  range_cost disk_read{6000, 0.2};  // many at a time
  range_cost cached_change{800, 0.15};
  range_cost disk_change{7000, 0.4};
  double touch = 6;  // a place in memory that is mapped, in nanoseconds
  double fault = 0;  // a place that is not; 0: not known
  double huge = 1;   // how much of the file one fault maps by huge pages
};

/// What is assumed where it can't be measured beforehand.
inline constexpr double sorting_cost = 12;   // of one entry, and of finding its bytes
inline constexpr double likely_fault = 500;  // of a mapping that nobody has tried
inline constexpr double write_fault = 400;   // of the first write to a page of a mapping
inline constexpr std::uint64_t small_span = std::uint64_t{64} << 10;  // what systems map around
inline constexpr std::uint64_t large_span = std::uint64_t{2} << 20;   // a huge page
/// Writing through a mapping makes whole folios dirty, so it is for files of which most is written.
inline constexpr std::uint64_t largest_to_write_mapped = std::uint64_t{64} << 20;

/// A batch, as far as it decides about its route.
struct batch_situation {
  std::size_t count = 0;     // places
  std::uint64_t extent = 0;  // bytes of the file in which they lie
  double cached = -1;        // how much of the sample was in the cache; -1: not known
  double mapped = 0;         // how much of the file is known to be mapped already
  bool can_map = false;
  bool writes = false;
  bool direct = false;    // the program wants to go past the cache
  bool uncached = false;  // there is no system below that caches and reads ahead

  /// Most of it comes from the disk; nearly all of it, from the cache. Neither may be so.
  bool is_cold() const noexcept { return cached >= 0 && cached < 0.5; }
  bool is_warm() const noexcept { return cached >= 0.9; }
};

/// The cost of ranges, of the four, that counts here.
template <class Costs>
auto& range_cost_of(const batch_situation& at, Costs& costs) noexcept {
  if (at.writes) return at.is_cold() ? costs.disk_change : costs.cached_change;
  return at.is_cold() ? costs.disk_read : costs.cached_read;
}

struct route_choice {
  leat::route taken = leat::route::merged;
  std::size_t hole = 0;
  std::size_t longest = 0;
  double cost = 0;  // expected, of one place
  const char* why = "";
  bool wants_trial = false;  // mapping would be better if faults are as cheap as they may be
};

/// Costs of a batch by each route, for one place.
double cost_of_ranges(const batch_situation& at, const access_costs& costs, double hole) noexcept;
double cost_of_mapping(const batch_situation& at, const access_costs& costs) noexcept;
/// How much of a file so many random places map, if this share of it is in huge pages.
double mapped_share(double places, std::uint64_t size, double huge) noexcept;

/// The gap that is cheaper to read along than to leave out.
std::size_t best_hole(const batch_situation& at, const access_costs& costs) noexcept;

route_choice choose_route(const batch_situation& at, const access_costs& costs,
                          const access_options& asked) noexcept;

}  // namespace v0
}  // namespace leat
