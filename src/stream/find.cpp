// Searching: window by window, and no further than the hit.
#include <leat/reader.hpp>

#include <algorithm>
#include <new>

#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

std::optional<std::uint64_t> reader::find(finder& needle, std::error_code* ec) {
  const std::size_t size = needle.needle().size();
  for (;;) {
    if (available() >= size && begin_ != nullptr) {
      if (const auto at = needle.find_in(buffered()); at != finder::npos) {
        next_ += at;
        return tell();
      }
      next_ = end_ - (size - 1);  // where a place across the border could begin
    }
    fill(std::max<std::size_t>(size, 1));
    if (available() >= std::max<std::size_t>(size, 1)) continue;
    if (source_->failing()) {
      report(ec);
      return std::nullopt;
    }
    if (size == 0) return tell();  // at the end, too
    next_ = end_;
    return std::nullopt;
  }
}

std::optional<std::uint64_t> reader::find(finder& needle) { return find(needle, nullptr); }
std::optional<std::uint64_t> reader::find(finder& needle, std::error_code& ec) noexcept {
  ec.clear();
  return find(needle, &ec);
}
std::optional<std::uint64_t> reader::find(std::string_view needle) {
  finder once(needle);
  return find(once, nullptr);
}
std::optional<std::uint64_t> reader::find(std::string_view needle, std::error_code& ec) noexcept
    try {
  finder once(needle);
  return find(once, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return std::nullopt;
}

match_range reader::find_all(finder needle) { return {*this, std::move(needle), nullptr}; }
match_range reader::find_all(std::string_view needle) { return find_all(finder(needle)); }
match_range reader::find_all(finder needle, std::error_code& ec) {
  ec.clear();
  return {*this, std::move(needle), &ec};
}
match_range reader::find_all(std::string_view needle, std::error_code& ec) {
  return find_all(finder(needle), ec);
}

void match_range::search() {
  const auto at = reader_->find(needle_, ec_);
  found_ = at.has_value();
  at_ = at.value_or(0);
}

/// Goes on behind the place, wherever the reader has been meanwhile.
void match_range::next() {
  const std::uint64_t size = needle_.needle().size();
  const std::uint64_t step = std::max<std::uint64_t>(size, 1);
  const std::uint64_t behind = at_ + step;
  found_ = false;
  const std::uint64_t here = reader_->tell();
  if (here < behind) {
    // An empty needle's last place is the end, behind which there is nothing to pass over.
    const std::uint64_t skipped = reader_->skip_slow(behind - here, ec_);
    if (skipped != behind - here) return;
  }
  search();
}

}  // namespace v0
}  // namespace leat
