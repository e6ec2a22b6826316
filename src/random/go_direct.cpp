#include "random/go_direct.hpp"

#include <optional>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t usual_depth = 1024;  // the device may allow fewer
constexpr std::uint64_t largest_slice = std::uint64_t{32} << 20;

}  // namespace

failure random_access::batch::direct_ranges::visit() {
  const std::size_t depth = in_.how().depth != 0 ? in_.how().depth : usual_depth;
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
  in_.past_cache_->read_many(reads_);
  changed_.clear();
  failure why;
  try {
    why = take_slice();
  } catch (...) {
    in_.in_.tell_loss(write_changed());
    throw;
  }
  const failure other = write_changed();
  return other ? other : why;
}

/// Has the work visit the ranges up to the first that could not be read.
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
  in_.past_cache_->write_many(changed_);
  for (const auto& one : changed_)
    if (one.done != one.bytes.size())
      return {one.ec ? one.ec : make_error_code(errc::no_progress), "write", one.at + one.done,
              one.bytes.size() - one.done};
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
