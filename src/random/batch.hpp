// A batch while it is carried out: what is known of it, what has been measured, the route taken.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "device/mapping.hpp"
#include "random/costs.hpp"
#include "random/places.hpp"
#include "random/plan.hpp"
#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

class random_access::batch {
 public:
  batch(random_access& in, const batch_places& of, batch_work& work)
      : in_(in),
        of_(of),
        work_(work),
        start_(in.device_->now()),
        reads_ahead_(in.device_->traits().reads_ahead),
        costs_(in.known_costs()) {}

  failure run();

 private:
  using kind = batch_work::kind;

  bool writes() const noexcept { return work_.what() != kind::reads; }
  const access_options& how() const noexcept { return in_.how_; }
  device& on() noexcept { return *in_.device_; }
  double now() noexcept { return static_cast<double>(on().now().count()); }

  void sample();
  bool wants_speed() const noexcept;
  void sample_cached_speed(std::uint64_t at);
  void sample_disk_speed(std::uint64_t at);
  void guess_changes() noexcept;
  std::unique_ptr<char[]> room_for(std::uint64_t& at, std::uint64_t size, std::size_t memory);
  std::shared_ptr<mapping> map();
  void try_mapping(mapping& file);
  void remember();

  failure through_mapping(mapping& file);
  failure by_ranges(std::size_t first);
  template <class Part>
  failure in_threads(const sorted_entries& entries, std::size_t first, Part part);
  failure try_ranges(const sorted_entries& entries, std::size_t& done);
  failure ranges_of(const sorted_entries& entries, std::size_t first, std::size_t last,
                    range_plan::limits limits);
  failure direct_ranges_of(const sorted_entries& entries, std::size_t first, std::size_t last,
                           range_plan::limits limits, device& past_cache);

  bool needs_reading(const planned_range& range) const noexcept;
  failure take(const sorted_entries& entries, const planned_range& range, char* bytes);
  failure read_and_take(const sorted_entries& entries, const planned_range& range, char* bytes);
  failure short_read(const planned_range& range, std::size_t got, std::error_code ec,
                     char* bytes) const noexcept;
  void count(std::size_t entries, std::uint64_t bytes);

  random_access& in_;
  const batch_places& of_;
  batch_work& work_;
  std::chrono::nanoseconds start_, sorting_{};
  bool reads_ahead_;
  access_costs costs_;
  batch_situation situation_;
  std::uint64_t sampled_ = 0;  // a place that is in the cache, or on the disk, like most
  route_choice choice_;
  std::atomic<std::size_t> ranges_{0}, done_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::mutex progress_lock_;
  std::size_t told_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
