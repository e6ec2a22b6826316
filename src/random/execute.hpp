// The execution of one batch: its steps, and its state while it runs. random_access::run()
// (execute.cpp) makes a batch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "device/mapping.hpp"
#include "random/decide.hpp"
#include "random/measure.hpp"
#include "random/positions.hpp"
#include "random/random_access.hpp"
#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Carries out the steps of the plan one after the other. A step adds its facts to `facts_`, and
/// decide() makes the next plan from them. Only execute() calls decide().
class random_access::batch {
 public:
  /// `done` entries are visited already.
  batch(random_access& core, const batch_positions& input, batch_operation& operation,
        std::size_t done);

  /// Visits all other entries, up to the first failure, which is returned. Throws the exceptions of
  /// the operation and of the program's progress function, and std::bad_alloc.
  failure run();

 private:
  using access_kind = batch_operation::access_kind;
  class cached_ranges;  // execute_cached.hpp
  class direct_ranges;  // execute_direct.hpp

  bool writes() const noexcept { return facts_.writes; }
  const access_options& options() const noexcept { return core_.options_; }
  device& on() noexcept { return *core_.device_; }
  /// The time for last_plan(). 0 in small batches, because reading the clock would make small
  /// batches slower.
  std::chrono::nanoseconds plan_time() const noexcept {
    return is_timed_ ? core_.device_->now() : std::chrono::nanoseconds{};
  }
  double now() noexcept { return static_cast<double>(on().now().count()); }

  // The steps: execute.cpp has the steps of a mapping, execute_ranges.cpp the steps of ranges.
  failure execute();
  void find_mapping();
  void find_direct();
  failure try_ranges();
  failure find_missing_bytes(const mapping& file) const;
  failure visit_mapping();
  failure continue_without_mapping(const failure& why, bool may_stop);
  failure visit_ranges();

  failure sort_part();
  failure visit_in_threads();
  failure visit_entries(std::size_t first, std::size_t last, std::size_t gap);
  /// False if the range is exactly one entry and the operation does not need the old bytes. In a
  /// batch from the disk, a part of a page is read all the same: otherwise the kernel would read
  /// the rest of the page, and that read would not have been announced.
  bool needs_reading(const merged_range& range) const noexcept {
    if (operation_.kind() != access_kind::writes || range.last - range.first != 1) return true;
    const bool whole_pages = (range.at | range.size) % batch_page == 0;
    return facts_.is_cold() && !whole_pages;
  }
  failure apply_to_range(const merged_range& range, char* bytes);
  failure handle_short_read(const merged_range& range, std::size_t got, std::error_code ec,
                            char* bytes) const noexcept;
  /// Counts visited entries and the bytes of a range; through a mapping, `bytes` is 0. At
  /// intervals, calls the program's progress function, which may throw.
  void count(std::size_t entries, std::uint64_t bytes);
  void store_results();

  random_access& core_;
  const batch_positions& input_;
  batch_operation& operation_;
  const bool is_timed_;
  std::chrono::nanoseconds start_, sorting_{};
  double spent_;  // dollars before this batch
  batch_facts facts_;
  route_plan plan_;
  std::shared_ptr<mapping> mapping_;
  device* direct_device_ = nullptr;
  std::size_t visited_;     // all positions of the caller's list before this index are visited
  sorted_entries entries_;  // positions from `visited_` on
  // Entries that try_ranges has visited; if not 0, entries_ is sorted.
  std::size_t trial_entries_ = 0;

  bool has_threads_ = false;                // several threads count at the same time
  std::atomic<std::size_t> ranges_, done_;  // numbers of visited ranges and entries
  std::atomic<std::uint64_t> bytes_;
  std::mutex progress_lock_;
  std::size_t reported_ = 0;  // the last number that the progress function got
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
