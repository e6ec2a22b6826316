// Watches what wide holes cost while a batch from the disk is visited.
#pragma once

#include <cstddef>
#include <utility>

#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

/// What a plan expects was measured in some milliseconds. If others use the disk then, it may look
/// slow for single places, or fast for long ranges, and the plan reads along too much. So visits
/// are timed in parts: if places take far longer than single ones once did, holes become narrow,
/// and stay so if that is not slower. For example, beside writes of others a plan had chosen holes
/// of 200 KB, which took 142 us a place; single places took 8.
class hole_watch {
 public:
  /// `single`: what a place took by itself, in nanoseconds, when that was least.
  hole_watch(std::size_t hole, double single, double start) noexcept
      : wide_(hole), hole_(hole), single_(single), reached_(start) {}

  /// So many more entries were visited up to now. True if the hole has changed.
  bool visited(std::size_t entries, double now) noexcept {
    entries_ += entries;
    if (is_decided_ || entries_ < part) return false;
    const double each =
        (now - std::exchange(reached_, now)) / static_cast<double>(std::exchange(entries_, 0));
    if (hole_ != wide_) return take_better(each);
    if (each <= much_longer * single_) return false;
    wide_cost_ = each;
    hole_ = batch_page;
    return true;
  }
  std::size_t hole() const noexcept { return hole_; }

  static constexpr std::size_t part = 512;  // entries

 private:
  static constexpr double much_longer = 3;

  bool take_better(double narrow_cost) noexcept {
    // Wide ranges that were announced before are read in the first part.
    if (!std::exchange(has_begun_, true)) return false;
    is_decided_ = true;
    if (narrow_cost <= wide_cost_) return false;
    hole_ = wide_;
    return true;
  }

  std::size_t wide_, hole_;
  double single_, reached_, wide_cost_ = 0;
  std::size_t entries_ = 0;
  bool has_begun_ = false;  // the narrow holes
  bool is_decided_ = false;
};

}  // namespace v0
}  // namespace leat
