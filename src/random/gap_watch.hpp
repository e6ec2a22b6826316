// Measures the cost of wide gaps while a batch from the disk is visited. Used by cached_ranges.
#pragma once

#include <cstddef>
#include <utility>

#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

/// Times the visits of a batch in parts. If the entries of a part take far longer than single
/// entries did, the gap width becomes narrow. If narrow gaps are not slower, the gap width stays
/// narrow. The plan cannot know this cost beforehand: the plan's expected costs were measured in
/// some milliseconds. If other programs use the disk during these milliseconds, single reads may
/// look slow or long ranges fast, and the plan reads too many bytes of gaps. For example, during
/// writes of other programs a plan had chosen gaps of 200 KB. With these gaps an entry took 142 us.
/// Single entries took 8 us.
class gap_watch {
 public:
  /// `single`: the least time, in nanoseconds, that an entry took in a request of its own.
  gap_watch(std::size_t gap, double single, double start) noexcept
      : wide_(gap), gap_(gap), single_(single), part_start_(start) {}

  /// Counts `entries` more visited entries. Returns true if the gap width has changed.
  bool record(std::size_t entries, double now) noexcept {
    entries_ += entries;
    if (is_decided_ || entries_ < part) return false;
    const double entry_cost =
        (now - std::exchange(part_start_, now)) / static_cast<double>(std::exchange(entries_, 0));
    if (gap_ != wide_) return keep_cheaper(entry_cost);
    if (entry_cost <= much_longer * single_) return false;
    wide_cost_ = entry_cost;
    gap_ = batch_page;
    return true;
  }
  std::size_t gap() const noexcept { return gap_; }

  static constexpr std::size_t part = 512;  // entries

 private:
  static constexpr double much_longer = 3;

  bool keep_cheaper(double narrow_cost) noexcept {
    // In the first part after the change, wide ranges that were announced before are still read.
    if (!std::exchange(is_past_change_, true)) return false;
    is_decided_ = true;
    if (narrow_cost <= wide_cost_) return false;
    gap_ = wide_;
    return true;
  }

  std::size_t wide_, gap_;
  double single_, part_start_, wide_cost_ = 0;
  std::size_t entries_ = 0;
  bool is_past_change_ = false;  // the first part after the change is over
  bool is_decided_ = false;
};

}  // namespace v0
}  // namespace leat
