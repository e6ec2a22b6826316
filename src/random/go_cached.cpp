// Ranges through the page cache: visited at once, or announced and visited later.
#include "random/go_cached.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t default_depth = 256;
/// Upper bound of the bytes that are announced and not yet read, unless one range is longer. If
/// more bytes were announced, a small page cache could drop some of them before they are read.
constexpr std::uint64_t most_announced = std::uint64_t{32} << 20;
/// If the device has a page cache, ranges of at least this size are not announced. If such ranges
/// are contiguous, the kernel reads ahead by itself, and into larger folios than announced bytes.
constexpr std::uint64_t streamed = std::uint64_t{128} << 10;
/// Asking whether a read would wait takes time. If the whole sample was in the page cache, only one
/// in `asked_of` reads asks, until a read would wait.
constexpr std::size_t asked_of = 16;

failure no_memory(const merged_range& range) noexcept {
  return {std::make_error_code(std::errc::not_enough_memory), "read", range.at};
}

}  // namespace

random_access::batch::cached_ranges::cached_ranges(batch& in, const merged_ranges& ranges,
                                                   std::size_t entries)
    : in_(in),
      ranges_(ranges),
      asks_always_(in.known_.cached < 1),
      depth_(std::min(in.how().depth != 0 ? in.how().depth : default_depth, entries + 1)) {}

failure random_access::batch::cached_ranges::visit() {
  if (in_.plan_.watches_gap) watch_.emplace(in_.plan_.gap, in_.known_.least_request, in_.now());
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
  if (in_.writes()) guard.emplace(in_.in_.stripes_, range.at, range.size);
  if (!in_.needs_reading(range)) return in_.take(range, bytes);
  if (!in_.known_.uncached && range.size >= streamed) return read_and_take(range, bytes);

  std::error_code ec;
  const std::span<char> into(bytes, static_cast<std::size_t>(range.size));
  const bool asks = asks_always_ || not_asked_++ % asked_of == 0;
  const std::size_t n =
      asks ? in_.on().read_ready(range.at, into, ec) : in_.on().read_at(range.at, into, ec);
  if (n == range.size) return in_.take(range, bytes);
  const bool would_wait = ec == std::errc::operation_would_block;
  asks_always_ = asks_always_ || would_wait;
  if (ec && !would_wait && ec != std::errc::interrupted) return in_.short_read(range, n, ec, bytes);
  waits = true;
  return {};
}

failure random_access::batch::cached_ranges::visit_later(const merged_range& range) {
  in_.on().announce(range.at, range.size);
  if (waiting_.empty()) waiting_.resize(depth_);
  while (newest_ - oldest_ == depth_ ||
         (newest_ != oldest_ && announced_ + range.size > most_announced)) {
    if (const failure why = visit_oldest()) return why;
  }
  waiting_[newest_++ % depth_] = range;
  announced_ += range.size;
  return {};
}

failure random_access::batch::cached_ranges::visit_oldest() {
  const merged_range range = waiting_[oldest_++ % depth_];
  announced_ -= range.size;
  char* const bytes = memory_.get(static_cast<std::size_t>(range.size));
  if (bytes == nullptr) return no_memory(range);
  std::optional<stripe_locks::guard> guard;
  if (in_.writes()) guard.emplace(in_.in_.stripes_, range.at, range.size);
  return read_and_take(range, bytes);
}

void random_access::batch::cached_ranges::watch(const merged_range& visited) {
  if (watch_ && watch_->visited(visited.last - visited.first, in_.now()))
    ranges_.limit({watch_->gap(), in_.plan_.longest});
}

failure random_access::batch::cached_ranges::read_and_take(const merged_range& range, char* bytes) {
  std::error_code ec;
  const std::size_t n =
      read_all(in_.on(), range.at, {bytes, static_cast<std::size_t>(range.size)}, ec);
  if (n != range.size)
    if (const failure why = in_.short_read(range, n, ec, bytes)) return why;
  return in_.take(range, bytes);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
