// Visits the ranges of a batch by direct I/O. Used by execute_ranges.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "random/execute.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Visits the ranges of a batch. If the batch only reads and the device can start reads, many reads
/// are under way at once. Otherwise each call of the device gets a slice of the batch: many ranges.
/// Only one thread may use an object.
class random_access::batch::direct_ranges {
 public:
  direct_ranges(batch& owner, const merged_ranges& ranges) : batch_(owner), ranges_(ranges) {}

  /// As cached_ranges::visit().
  failure visit();

 private:
  struct started_read {
    merged_range range;
    read_request read;
  };
  class started_reads;

  failure visit_by_started_reads();
  void adapt_to_speed();
  failure apply_to_started_read(const started_read& started);
  failure visit_slices();
  failure visit_slice(std::size_t size);
  failure apply_to_slice();
  failure write_changed();

  batch& batch_;
  merged_ranges ranges_;
  std::size_t gap_ = 0;                // in bytes; 0 if the device's costs do not set the gap
  std::uint64_t in_flight_limit_ = 0;  // the most bytes that started reads may have
  scratch_memory memory_;
  // The slice: its ranges, the read of each range, and the writes of the changed ranges.
  std::vector<merged_range> slice_;
  std::vector<read_request> reads_;
  std::vector<write_request> changed_;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
