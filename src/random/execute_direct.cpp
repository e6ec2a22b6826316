// Direct I/O of ranges: by started reads, or by slices of many requests. Called by
// execute_ranges.cpp.
#include "random/execute_direct.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "random/costs.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t default_depth = 4096;  // the device may allow fewer requests
constexpr std::uint64_t largest_slice = std::uint64_t{32} << 20;
// Bounds of the ring buffer for the bytes under way. A few times the bandwidth-delay product keeps
// a device busy. Before the device's costs are known, only `initial_in_flight` bytes are under way.
constexpr double least_in_flight = 32 << 20, most_in_flight = 128 << 20;
constexpr double longest_wait = 10e9;  // nanoseconds until all bytes under way have arrived
constexpr std::uint64_t initial_in_flight = std::uint64_t{4} << 20;
// While many reads are under way, their latencies overlap. So a long range costs only memory.
constexpr std::size_t least_longest = std::size_t{4} << 20;
constexpr std::size_t initial_longest = std::size_t{512} << 10;

}  // namespace

failure random_access::batch::direct_ranges::visit() {
  return !batch_.writes() && batch_.direct_device_->traits().starts_reads ? visit_by_started_reads()
                                                                          : visit_slices();
}

// --- started reads -------------------------------------------------------------------------------

/// The reads under way, and a ring buffer for their bytes.
class random_access::batch::direct_ranges::started_reads {
 public:
  started_reads(device& target, std::size_t room) : on_(target), room_(room) {}
  ~started_reads() {
    for (started_read& started : all_)
      if (!finished_ || &started != &all_.front()) on_.cancel_read(started.read);
  }
  started_reads(const started_reads&) = delete;
  started_reads& operator=(const started_reads&) = delete;

  bool empty() const noexcept { return all_.empty(); }
  std::size_t count() const noexcept { return all_.size(); }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Waits until the oldest read has ended. Returns this read.
  started_read& finish_oldest() noexcept {
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
  std::size_t next_ = 0;  // the offset of the next range in the ring buffer
  std::uint64_t bytes_ = 0;
  std::deque<started_read> all_;
  bool finished_ = false;  // the oldest read has ended
};

/// Adapts the limit of the bytes under way to the device's current costs. If the route is
/// automatic, and neither a gap nor direct I/O was requested, adapts the limits of the remaining
/// ranges, too.
void random_access::batch::direct_ranges::adapt_to_speed() {
  const device_speed speed = batch_.direct_device_->speed();
  const access_options& options = batch_.options();
  in_flight_limit_ = initial_in_flight;
  if (speed.is_measured)
    in_flight_limit_ =
        std::max(in_flight_limit_,
                 static_cast<std::uint64_t>(std::min(most_in_flight, longest_wait / speed.byte)));
  const bool is_known = speed.request > 0 && speed.byte > 0;
  if (!is_known || options.route != route::automatic || options.gap != 0 ||
      batch_.facts_.wants_direct)
    return;
  batch_facts facts = batch_.facts_;
  facts.costs.disk_read = {speed.request, speed.byte, true};
  gap_ = best_gap(facts);
  std::size_t longest = longest_range(facts, options, gap_);
  if (!speed.is_measured)
    longest = std::min(longest, initial_longest);
  else if (options.longest == 0)
    longest = std::max(longest, least_longest);
  ranges_.set_limits({gap_, longest});
}

failure random_access::batch::direct_ranges::visit_by_started_reads() {
  device& target = *batch_.direct_device_;
  const std::size_t depth = batch_.options().depth != 0 ? batch_.options().depth : default_depth;
  const device_speed speed = target.speed();
  const double wanted = speed.byte > 0 ? 4 * speed.latency / speed.byte : 0;
  started_reads all(target,
                    static_cast<std::size_t>(std::clamp(wanted, least_in_flight, most_in_flight)));
  adapt_to_speed();
  merged_range next;
  bool more = ranges_.next(next);
  while (more || !all.empty()) {
    while (more && all.count() != depth &&
           (all.empty() || all.bytes() + next.size <= in_flight_limit_)) {
      bool failed = false;
      if (!all.start(next, failed)) {
        if (failed) return {std::make_error_code(std::errc::not_enough_memory), "read", next.at};
        break;
      }
      adapt_to_speed();
      more = ranges_.next(next);
    }
    if (const failure why = apply_to_started_read(all.finish_oldest())) return why;
    all.pop();
  }
  const std::lock_guard guard(batch_.progress_lock_);
  if (gap_ != 0) batch_.plan_.gap = gap_;
  return {};
}

failure random_access::batch::direct_ranges::apply_to_started_read(const started_read& started) {
  const auto& read = started.read;
  if (read.done != read.into.size())
    if (const failure why =
            batch_.handle_short_read(started.range, read.done, read.ec, read.into.data()))
      return why;
  batch_.operation_.apply(batch_.input_, batch_.entries_, started.range, read.into.data());
  batch_.count(started.range.last - started.range.first, started.range.size);
  return {};
}

// --- slices --------------------------------------------------------------------------------------

failure random_access::batch::direct_ranges::visit_slices() {
  const std::size_t depth = batch_.options().depth != 0 ? batch_.options().depth : default_depth;
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
    for (const auto& range : slice_) batch_.count(range.last - range.first, range.size);
  }
  return {};
}

failure random_access::batch::direct_ranges::visit_slice(std::size_t size) {
  char* bytes = memory_.get(size);
  const std::uint64_t begin = slice_.front().at;
  if (bytes == nullptr) return {std::make_error_code(std::errc::not_enough_memory), "read", begin};
  std::optional<stripe_locks::guard> guard;
  if (batch_.writes()) guard.emplace(batch_.core_.stripes_, begin, slice_.back().end() - begin);
  reads_.clear();
  for (const auto& range : slice_) {
    reads_.push_back({range.at, {bytes, static_cast<std::size_t>(range.size)}, 0, {}});
    bytes += range.size;
  }
  batch_.direct_device_->read_many(reads_);
  changed_.clear();
  failure why;
  try {
    why = apply_to_slice();
  } catch (...) {
    batch_.core_.report_write_loss(write_changed());
    throw;
  }
  const failure other = write_changed();
  return other ? other : why;
}

/// Applies the operation to the ranges before the first range that could not be read.
failure random_access::batch::direct_ranges::apply_to_slice() {
  for (std::size_t i = 0; i != slice_.size(); ++i) {
    const auto& read = reads_[i];
    char* const bytes = read.into.data();
    if (read.done != read.into.size())
      if (const failure why = batch_.handle_short_read(slice_[i], read.done, read.ec, bytes))
        return why;
    if (batch_.writes()) changed_.push_back({slice_[i].at, {bytes, read.into.size()}, 0, {}});
    batch_.operation_.apply(batch_.input_, batch_.entries_, slice_[i], bytes);
  }
  return {};
}

failure random_access::batch::direct_ranges::write_changed() {
  batch_.direct_device_->write_many(changed_);
  for (const auto& request : changed_)
    if (request.done != request.bytes.size())
      return {request.ec ? request.ec : make_error_code(errc::no_progress), "write",
              request.at + request.done, request.bytes.size() - request.done};
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
