// Visits the ranges of a batch through the page cache. Used by execute_ranges.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "random/execute.hpp"
#include "random/gap_watch.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Visits cached ranges and long ranges immediately. Announces all other ranges to the device and
/// reads them later, so that many requests are under way. Only one thread may use an object.
class random_access::batch::cached_ranges {
 public:
  /// `entries` is the number of entries in all ranges together.
  cached_ranges(batch& owner, const merged_ranges& ranges, std::size_t entries);

  /// Visits all ranges, up to the first failure, which is returned. Throws the exceptions of the
  /// operation and of the program's progress function, and std::bad_alloc.
  failure visit();

 private:
  failure visit_now(const merged_range& range, bool& waits);
  failure visit_later(const merged_range& range);
  failure visit_oldest();
  failure read_and_apply(const merged_range& range, char* bytes);
  void watch(const merged_range& visited);

  batch& batch_;
  merged_ranges ranges_;
  scratch_memory memory_;
  std::optional<gap_watch> watch_;
  bool asks_always_;              // checks for each read whether it would wait
  bool reads_singly_;             // a small batch: ranges are read as single reads are
  std::size_t reads_so_far_ = 0;  // counted until `asks_always_` is set

  // A ring of ranges that are announced and not yet read.
  std::vector<merged_range> announced_ranges_;
  std::size_t depth_;
  std::size_t oldest_ = 0, newest_ = 0;
  std::uint64_t announced_bytes_ = 0;  // of `announced_ranges_`
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
