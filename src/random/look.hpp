// Look: what is known of a batch, as a value, and the functions that find it out.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/mapping.hpp"
#include "random/places.hpp"

namespace leat {
inline namespace v0 {

/// What a range costs, in nanoseconds of the device's clock: its request, and each of its bytes.
struct range_cost {
  double request = 0;
  double byte = 0;
  bool is_measured = false;
};

inline constexpr std::uint64_t small_span = std::uint64_t{64} << 10;  // the least that a fault maps
inline constexpr std::uint64_t large_span = std::uint64_t{2} << 20;   // a huge page

/// How much one fault maps: as much as the cache keeps in one piece (a folio). The share[i] of the
/// file is mapped by `small_span << i` bytes at a time. As long as nobody has tried, that is huge
/// pages.
struct fault_spans {
  static constexpr std::size_t sizes = 6;
  static_assert(small_span << (sizes - 1) == large_span);
  std::array<double, sizes> share{0, 0, 0, 0, 0, 1};

  /// Touching one byte every so many bytes maps nearly all of the file.
  std::uint64_t step_to_map_all() const noexcept { return step_to_leave(0.1); }
  /// The same for half of the file or more, with fewer touches.
  std::uint64_t step_to_map_most() const noexcept { return step_to_leave(0.5); }
  /// The share of the file that this maps.
  double mapped_by(std::uint64_t step) const noexcept {
    double mapped = 0;
    for (std::size_t i = 0; i != sizes; ++i)
      if (small_span << i >= step) mapped += share[i];
    return mapped;
  }

 private:
  std::uint64_t step_to_leave(double unmapped) const noexcept {
    double narrower = 0;
    std::size_t i = 0;
    while (i + 1 != sizes && (narrower += share[i]) < unmapped) ++i;
    return small_span << i;
  }
};

/// What things cost on one device, in nanoseconds. As long as nothing is measured, these are the
/// figures that docs/random-access.md found on one machine.
struct access_costs {
  range_cost cached_read{250, 0.07};
  range_cost disk_read{6000, 0.2};  // many at a time
  range_cost cached_change{800, 0.15};
  range_cost disk_change{7000, 0.4};
  double touch = 6;        // a place in memory that is mapped, and not in the processor's cache
  double fault = 0;        // a place that is not mapped; 0: not known
  double write_fault = 0;  // the first write to a page of a mapping; 0: not known
  double folio_write = 0;  // the first write to a folio, beyond that
  fault_spans spans;
};

/// What is known of a batch: all that decide() sees. A value, so that tests can write one down.
struct batch_facts {
  /// The mapping of the file: nobody has looked for it; there is none; it is there; it was left,
  /// because a page could not be read, or because it was slower than ranges are.
  enum class mapping_state { unknown, none, there, unreadable, slow };
  /// The way past the system's cache.
  enum class direct_way { unknown, none, there };

  /// Most places come from the disk.
  bool is_cold() const noexcept { return cached >= 0 && cached < 0.5; }
  /// Nearly all places come from the cache. A batch may be neither warm nor cold.
  bool is_warm() const noexcept { return cached >= 0.9; }
  /// Bytes from one place to the next, on average.
  std::uint64_t gap() const noexcept { return extent / count; }

  // Known from the start.
  std::size_t count = 0;           // places, at least one
  std::size_t sorted_at_once = 0;  // places, as many as memory is for
  std::uint64_t extent = 0;        // bytes of the file in which the places lie
  bool writes = false;
  bool wants_direct = false;  // the file was opened to go past the cache
  bool uncached = false;      // there is no system below that caches and reads ahead
  access_costs costs;         // as earlier batches found them

  // Sampled.
  double cached = -1;           // the share of the sample that was in the cache; -1: no sample
  std::uint64_t like_most = 0;  // one place that is where most are: in the cache, or on the disk
  bool speed_is_sampled = false;
  double least_request = 0;  // nanoseconds of a place by itself, from the disk; 0: no sample

  // Found on the way.
  mapping_state mapping = mapping_state::unknown;
  double mapped = 0;  // the share of the file that is known to be mapped already
  direct_way past_cache = direct_way::unknown;
  bool begun = false;  // a part was visited through the mapping; ranges visit the rest
};

/// The cost of a range, of the four costs, that counts for this batch.
template <class Facts>
auto& range_cost_of(Facts& known) noexcept {
  auto& costs = known.costs;
  if (known.writes) return known.is_cold() ? costs.disk_change : costs.cached_change;
  return known.is_cold() ? costs.disk_read : costs.cached_read;
}

/// Asks the device what reads cost. If it does not know:
/// reads some places all over the batch without waiting, and so learns what share is in the cache.
/// If many are not, it reads those together and so learns what the disk takes for one; if all are,
/// what such a read takes.
void sample(device& on, const batch_places& of, batch_facts& known);

/// Measures what a request and a byte cost, in the cache or on the disk, wherever most places are.
/// Leaves the costs as they are if the file is too small for that.
void sample_speed(device& on, const batch_places& of, batch_facts& known);

/// Touches some places of a mapping: how long does a fault take, how much does it map, and how long
/// does a place take that is mapped?
/// If the batch writes, nobody else may write meanwhile.
/// Stops early if mapping is plainly dearer than `cost_of_ranges`, in nanoseconds for each place.
void try_mapping(device& on, const batch_places& of, mapping& file, double cost_of_ranges,
                 batch_facts& known);

}  // namespace v0
}  // namespace leat
