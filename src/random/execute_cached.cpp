// Ranges through the page cache: visited immediately, or announced and visited later. Called by
// execute_ranges.cpp.
#include "random/execute_cached.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t default_depth = 256;
/// Upper bound of the bytes that are announced and not yet read; a longer range is announced alone.
/// If more bytes were announced, a small page cache could drop some of them before they are read.
constexpr std::uint64_t most_announced = std::uint64_t{32} << 20;
/// If the device has a page cache, ranges of at least this size are not announced. If such ranges
/// are contiguous, the kernel reads ahead by itself, into larger folios than for announced ranges.
constexpr std::uint64_t smallest_streamed = std::uint64_t{128} << 10;
/// Checking whether a read would wait takes time. If the whole sample was in the page cache, only
/// one of `ask_interval` reads is checked, until a read would wait.
constexpr std::size_t ask_interval = 16;

failure no_memory(const merged_range& range) noexcept {
  return {std::make_error_code(std::errc::not_enough_memory), "read", range.at};
}

}  // namespace

random_access::batch::cached_ranges::cached_ranges(batch& owner, const merged_ranges& ranges,
                                                   std::size_t entries)
    : batch_(owner),
      ranges_(ranges),
      asks_always_(owner.facts_.cached < 1),
      reads_singly_(owner.facts_.cached < 0 && owner.options().route == route::automatic),
      depth_(std::min(owner.options().depth != 0 ? owner.options().depth : default_depth,
                      entries + 1)) {}

failure random_access::batch::cached_ranges::visit() {
  if (batch_.plan_.watches_gap)
    watch_.emplace(batch_.plan_.gap, batch_.facts_.least_request, batch_.now());
  for (merged_range range; ranges_.next(range);) {
    bool waits = false;
    if (const failure why = visit_now(range, waits)) return why;
    if (waits)
      if (const failure why = visit_later(range)) return why;
    watch(range);
  }
  while (oldest_ != newest_)
    if (const failure why = visit_oldest()) return why;
  return {};
}

/// Visits the range. If a read would wait or has returned only a part, sets `waits` instead.
failure random_access::batch::cached_ranges::visit_now(const merged_range& range, bool& waits) {
  char* const bytes = memory_.get(static_cast<std::size_t>(range.size));
  if (bytes == nullptr) return no_memory(range);
  std::optional<stripe_locks::guard> guard;
  if (batch_.writes()) guard.emplace(batch_.core_.stripes_, range.at, range.size);
  if (!batch_.needs_reading(range)) return batch_.apply_to_range(range, bytes);
  const std::span<char> into(bytes, static_cast<std::size_t>(range.size));
  if (reads_singly_) {
    mapped_reads& reads = batch_.core_.single_reads_;
    if (reads.read(batch_.on(), range.at, into)) return batch_.apply_to_range(range, bytes);
    // With a mapping, a gather saves a call for each record, but a change saves only one call for
    // the range.
    if (!batch_.writes())
      reads.count_range(batch_.on(), range.at, range.size, range.last - range.first);
  }
  if (!batch_.facts_.is_device_uncached && range.size >= smallest_streamed)
    return read_and_apply(range, bytes);

  std::error_code ec;
  const bool asks = asks_always_ || reads_so_far_++ % ask_interval == 0;
  const std::size_t n =
      asks ? batch_.on().read_ready(range.at, into, ec) : batch_.on().read_at(range.at, into, ec);
  if (n == range.size) return batch_.apply_to_range(range, bytes);
  const bool would_wait = ec == std::errc::operation_would_block;
  asks_always_ = asks_always_ || would_wait;
  if (ec && !would_wait && ec != std::errc::interrupted)
    return batch_.handle_short_read(range, n, ec, bytes);
  waits = true;
  return {};
}

failure random_access::batch::cached_ranges::visit_later(const merged_range& range) {
  batch_.on().announce(range.at, range.size);
  if (announced_ranges_.empty()) announced_ranges_.resize(depth_);
  while (newest_ - oldest_ == depth_ ||
         (newest_ != oldest_ && announced_bytes_ + range.size > most_announced)) {
    if (const failure why = visit_oldest()) return why;
  }
  announced_ranges_[newest_++ % depth_] = range;
  announced_bytes_ += range.size;
  return {};
}

failure random_access::batch::cached_ranges::visit_oldest() {
  const merged_range range = announced_ranges_[oldest_++ % depth_];
  announced_bytes_ -= range.size;
  char* const bytes = memory_.get(static_cast<std::size_t>(range.size));
  if (bytes == nullptr) return no_memory(range);
  std::optional<stripe_locks::guard> guard;
  if (batch_.writes()) guard.emplace(batch_.core_.stripes_, range.at, range.size);
  return read_and_apply(range, bytes);
}

void random_access::batch::cached_ranges::watch(const merged_range& visited) {
  if (watch_ && watch_->record(visited.last - visited.first, batch_.now()))
    ranges_.set_limits({watch_->gap(), batch_.plan_.longest});
}

failure random_access::batch::cached_ranges::read_and_apply(const merged_range& range,
                                                            char* bytes) {
  std::error_code ec;
  const std::size_t n =
      read_all(batch_.on(), range.at, {bytes, static_cast<std::size_t>(range.size)}, ec);
  if (n != range.size)
    if (const failure why = batch_.handle_short_read(range, n, ec, bytes)) return why;
  return batch_.apply_to_range(range, bytes);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
