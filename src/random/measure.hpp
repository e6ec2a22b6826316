// The known facts of a batch, as a value, and the functions that measure the facts. The steps of a
// batch call these functions.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/mapping.hpp"
#include "random/positions.hpp"

namespace leat {
inline namespace v0 {

/// The cost of a range, in nanoseconds of the device's clock: of its request, and of each byte.
struct range_cost {
  double request = 0;
  double byte = 0;
  bool is_measured = false;
};

inline constexpr std::uint64_t small_span = std::uint64_t{64} << 10;  // the least that a fault maps
inline constexpr std::uint64_t large_span = std::uint64_t{2} << 20;   // a huge page

/// The size that one fault maps: the size of a folio in the page cache. share[i] is the share of
/// the file in which one fault maps `small_span << i` bytes. Before a trial, huge pages are
/// assumed.
struct fault_spans {
  static constexpr std::size_t sizes = 6;
  static_assert(small_span << (sizes - 1) == large_span);
  std::array<double, sizes> share{0, 0, 0, 0, 0, 1};

  /// The step in bytes: touching one byte in each step maps nearly all of the file.
  std::uint64_t step_to_map_all() const noexcept { return step_to_leave(0.1); }
  /// The largest step that maps more than half of the file: step_to_map_all() or larger.
  std::uint64_t step_to_map_most() const noexcept { return step_to_leave(0.5); }
  /// Returns a lower bound: the share of the file that is mapped for certain after one byte in each
  /// step of `step` bytes was touched.
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

/// The costs of one device, in nanoseconds. Before a measurement, the costs are the costs on the
/// machine of docs/random-access.md. Exception: a byte from the disk costs more than on that
/// machine. If a byte looked too cheap, a batch would read a whole file for a few positions.
struct access_costs {
  range_cost cached_read{250, 0.07};
  range_cost disk_read{6000, 1};  // many requests at a time
  range_cost cached_change{800, 0.15};
  range_cost disk_change{7000, 2};
  double touch = 6;        // of mapped memory that is not in the processor's cache
  double fault = 0;        // a touch of memory that is not mapped; 0: not known
  double write_fault = 0;  // the first write to a page of a mapping; 0: not known
  double folio_write = 0;  // the first write to a folio, in addition
  fault_spans spans;
};

/// The known facts of a batch: the only input of decide() besides the options. The facts are a
/// plain value, so that tests can construct the facts of a batch.
struct batch_facts {
  /// The mapping of the file: not looked for yet; not possible; exists; given up, because a page
  /// could not be read, or because the mapping was slower than ranges.
  enum class mapping_state { unknown, unavailable, available, unreadable, slow };
  /// Direct I/O: not looked for yet; not possible; possible.
  enum class direct_state { unknown, unavailable, available };

  /// True if most positions come from the disk.
  bool is_cold() const noexcept { return cached >= 0 && cached < 0.5; }
  /// True if nearly all positions come from the page cache. A batch may be neither warm nor cold.
  bool is_warm() const noexcept { return cached >= 0.9; }
  /// The average number of bytes from one position to the next position.
  std::uint64_t gap() const noexcept { return extent / count; }

  // Known from the start.
  std::size_t count = 0;           // positions, at least one
  std::size_t sorted_at_once = 0;  // positions that the memory limit allows to sort at once
  std::uint64_t extent = 0;        // bytes of the file in which the positions lie
  bool writes = false;
  bool wants_direct = false;  // the file was opened for direct I/O
  // The system does not read ahead, or the device can start reads.
  bool is_device_uncached = false;
  access_costs costs;       // as earlier batches measured them
  bool was_cached = false;  // the last sample of an earlier batch was in the page cache

  // Sampled.
  double cached = -1;  // the share of the sample that was in the page cache; -1: no sample
  // A position that is where most positions are: in the page cache or on the disk.
  std::uint64_t typical_position = 0;
  bool speed_is_sampled = false;
  double least_request = 0;  // nanoseconds of a single position from the disk; 0: no sample

  // Found by later steps.
  mapping_state mapping = mapping_state::unknown;
  double mapped = 0;  // the share of the file that is known to be mapped already
  direct_state direct_io = direct_state::unknown;
  bool is_partly_visited = false;  // by any route; ranges visit the rest
};

/// Returns the cost of ranges that applies to this batch: one of four.
template <class Facts>
auto& range_cost_of(Facts& facts) noexcept {
  auto& costs = facts.costs;
  if (facts.writes) return facts.is_cold() ? costs.disk_change : costs.cached_change;
  return facts.is_cold() ? costs.disk_read : costs.cached_read;
}

/// Smaller batches are not sampled.
inline constexpr std::size_t fewest_sampled = 256;

/// Asks the device for the cost of reads. If the cost is unknown, samples positions from the whole
/// batch: reads these positions without waiting, and so measures the share that is in the page
/// cache. If many of these positions are not cached, reads them together, and so measures the cost
/// of one read from the disk. If all these positions are cached, and sample_speed() has not
/// measured the cost of a cached read, measures this cost. Batches of fewer than `fewest_sampled`
/// positions are not sampled.
void sample(device& target, const batch_positions& input, batch_facts& facts);

/// Measures the cost of a byte where most positions are: in the page cache or on the disk. In the
/// page cache, measures the cost of a request, too. If the file is too small, leaves the costs
/// unchanged. In a cold batch, also leaves the costs unchanged if a part of the sample is cached or
/// a read fails.
void sample_speed(device& target, const batch_positions& input, batch_facts& facts);

/// Touches some positions of a mapping. Measures the time of a fault, the size that a fault maps,
/// and the time of a mapped position. `cost_of_ranges` is in nanoseconds for each position. If
/// the mapping is plainly more expensive than ranges or, in a small batch, much cheaper, stops
/// early. If the batch writes, the caller holds the stripes of the whole mapping, and no other
/// process may write during this call.
void try_mapping(device& target, const batch_positions& input, mapping& file, double cost_of_ranges,
                 batch_facts& facts);

}  // namespace v0
}  // namespace leat
