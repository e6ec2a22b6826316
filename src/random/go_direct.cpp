// Direct I/O of ranges: by started reads, or by slices of many requests. Called by go_ranges.cpp.
#include "random/go_direct.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "random/costs.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t default_depth = 1024;  // the device may allow fewer
constexpr std::uint64_t largest_slice = std::uint64_t{32} << 20;
// Bounds of the ring buffer for the bytes under way. A few times the bandwidth-delay product keeps
// a device busy. Before the device's costs are known, only `first_under_way` bytes are under way.
constexpr double least_under_way = 32 << 20, most_under_way = 128 << 20;
constexpr double longest_wait = 10e9;  // nanoseconds until all bytes under way have arrived
constexpr std::uint64_t first_under_way = std::uint64_t{4} << 20;
// While many reads are under way, their latencies overlap. So a long range costs only memory.
constexpr std::size_t least_longest = std::size_t{4} << 20;
constexpr std::size_t first_longest = std::size_t{512} << 10;

}  // namespace

failure random_access::batch::direct_ranges::visit() {
  return !in_.writes() && in_.direct_device_->traits().starts_reads ? visit_flights()
                                                                    : visit_slices();
}

// --- started reads -------------------------------------------------------------------------------

/// The reads under way, and a ring buffer for their bytes.
class random_access::batch::direct_ranges::flights {
 public:
  flights(device& on, std::size_t room) : on_(on), room_(room) {}
  ~flights() {
    for (flight& one : all_)
      if (!finished_ || &one != &all_.front()) on_.cancel_read(one.read);
  }
  flights(const flights&) = delete;
  flights& operator=(const flights&) = delete;

  bool empty() const noexcept { return all_.empty(); }
  std::size_t count() const noexcept { return all_.size(); }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Waits until the oldest read has ended, and returns it.
  flight& finish_oldest() noexcept {
    if (!finished_) on_.finish_read(all_.front().read);
    finished_ = true;
    return all_.front();
  }
  void pop() noexcept {
    finish_oldest();
    bytes_ -= all_.front().range.size;
    all_.pop_front();
    finished_ = false;
  }
  /// Starts a read. Returns false if other reads must end before there is room. If there is no
  /// memory, sets `failed` and returns false.
  bool start(const merged_range& range, bool& failed) {
    const auto size = static_cast<std::size_t>(range.size);
    if (all_.empty()) {
      base_ = memory_.get(room_ = std::max(room_, size));
      next_ = 0;
      failed = base_ == nullptr;
      if (failed) return false;
    } else if (!find_room(size)) {
      return false;
    }
    all_.push_back({range, {range.at, {base_ + next_, size}, 0, {}}});
    next_ += size;
    bytes_ += size;
    on_.start_read(all_.back().read);
    return true;
  }

 private:
  /// Moves `next_` to `size` free bytes. Returns false if there are none.
  bool find_room(std::size_t size) noexcept {
    const auto oldest = static_cast<std::size_t>(all_.front().read.into.data() - base_);
    if (next_ <= oldest) return next_ + size <= oldest;
    if (next_ + size <= room_) return true;
    if (size > oldest) return false;
    next_ = 0;
    return true;
  }

  device& on_;
  scratch_memory memory_;
  std::size_t room_;
  char* base_ = nullptr;
  std::size_t next_ = 0;  // where the next range goes
  std::uint64_t bytes_ = 0;
  std::deque<flight> all_;
  bool finished_ = false;  // the oldest read has ended
};

/// Adapts the bytes under way to the device's current costs. If the route is automatic, and neither
/// a gap nor direct I/O was requested, adapts the limits of the remaining ranges, too.
void random_access::batch::direct_ranges::follow_speed() {
  const device_speed speed = in_.direct_device_->speed();
  const access_options& how = in_.how();
  under_way_ = first_under_way;
  if (speed.is_measured)
    under_way_ =
        std::max(under_way_,
                 static_cast<std::uint64_t>(std::min(most_under_way, longest_wait / speed.byte)));
  if (how.route != route::automatic || how.gap != 0 || in_.known_.wants_direct) return;
  batch_facts known = in_.known_;
  known.costs.disk_read = {speed.request, speed.byte, true};
  gap_ = best_gap(known);
  std::size_t longest = longest_range(known, how, gap_);
  if (!speed.is_measured)
    longest = std::min(longest, first_longest);
  else if (how.longest == 0)
    longest = std::max(longest, least_longest);
  ranges_.limit({gap_, longest});
}

failure random_access::batch::direct_ranges::visit_flights() {
  device& on = *in_.direct_device_;
  const std::size_t depth = in_.how().depth != 0 ? in_.how().depth : default_depth;
  const device_speed speed = on.speed();
  const double held = speed.byte > 0 ? 4 * speed.latency / speed.byte : 0;
  flights all(on, static_cast<std::size_t>(std::clamp(held, least_under_way, most_under_way)));
  follow_speed();
  merged_range next;
  bool more = ranges_.next(next);
  while (more || !all.empty()) {
    while (more && all.count() != depth && (all.empty() || all.bytes() + next.size <= under_way_)) {
      bool failed = false;
      if (!all.start(next, failed)) {
        if (failed) return {std::make_error_code(std::errc::not_enough_memory), "read", next.at};
        break;
      }
      follow_speed();
      more = ranges_.next(next);
    }
    if (const failure why = take_flight(all.finish_oldest())) return why;
    all.pop();
  }
  const std::lock_guard guard(in_.progress_lock_);
  if (gap_ != 0) in_.plan_.gap = gap_;
  return {};
}

failure random_access::batch::direct_ranges::take_flight(const flight& one) {
  const auto& read = one.read;
  if (read.done != read.into.size())
    if (const failure why = in_.short_read(one.range, read.done, read.ec, read.into.data()))
      return why;
  in_.work_.take(in_.of_, in_.entries_, one.range, read.into.data());
  in_.count(one.range.last - one.range.first, one.range.size);
  return {};
}

// --- slices --------------------------------------------------------------------------------------

failure random_access::batch::direct_ranges::visit_slices() {
  const std::size_t depth = in_.how().depth != 0 ? in_.how().depth : default_depth;
  merged_range next;
  bool more = ranges_.next(next);
  while (more) {
    slice_.clear();
    std::uint64_t size = 0;
    do {
      slice_.push_back(next);
      size += next.size;
      more = ranges_.next(next);
    } while (more && slice_.size() != depth && size + next.size <= largest_slice);
    if (const failure why = visit_slice(static_cast<std::size_t>(size))) return why;
    for (const auto& one : slice_) in_.count(one.last - one.first, one.size);
  }
  return {};
}

failure random_access::batch::direct_ranges::visit_slice(std::size_t size) {
  char* bytes = memory_.get(size);
  const std::uint64_t begin = slice_.front().at;
  if (bytes == nullptr) return {std::make_error_code(std::errc::not_enough_memory), "read", begin};
  std::optional<stripe_locks::guard> guard;
  if (in_.writes()) guard.emplace(in_.in_.stripes_, begin, slice_.back().end() - begin);
  reads_.clear();
  for (const auto& range : slice_) {
    reads_.push_back({range.at, {bytes, static_cast<std::size_t>(range.size)}, 0, {}});
    bytes += range.size;
  }
  in_.direct_device_->read_many(reads_);
  changed_.clear();
  failure why;
  try {
    why = take_slice();
  } catch (...) {
    in_.in_.report_write_loss(write_changed());
    throw;
  }
  const failure other = write_changed();
  return other ? other : why;
}

/// Lets the work visit the ranges before the first range that could not be read.
failure random_access::batch::direct_ranges::take_slice() {
  for (std::size_t i = 0; i != slice_.size(); ++i) {
    const auto& read = reads_[i];
    char* const bytes = read.into.data();
    if (read.done != read.into.size())
      if (const failure why = in_.short_read(slice_[i], read.done, read.ec, bytes)) return why;
    if (in_.writes()) changed_.push_back({slice_[i].at, {bytes, read.into.size()}, 0, {}});
    in_.work_.take(in_.of_, in_.entries_, slice_[i], bytes);
  }
  return {};
}

failure random_access::batch::direct_ranges::write_changed() {
  in_.direct_device_->write_many(changed_);
  for (const auto& one : changed_)
    if (one.done != one.bytes.size())
      return {one.ec ? one.ec : make_error_code(errc::no_progress), "write", one.at + one.done,
              one.bytes.size() - one.done};
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
