// reader::find and find_all: search one buffer after the other, and wait for no bytes after the
// hit.
#include <leat/reader.hpp>

#include <algorithm>

#include "search/delimiters.hpp"
#include "search/windows.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

std::optional<std::uint64_t> reader::find(search::needle& wanted, std::error_code* ec) {
  struct {
    reader& from;
    search::needle& wanted;
    bool is_at_hit = false;
    std::string_view text() const noexcept { return from.buffered(); }
    void drop(std::size_t n) const noexcept { from.next_ += n; }
    bool fill(std::size_t n) noexcept {
      is_at_hit = from.source_->skip_absent(from, wanted);
      if (is_at_hit) return false;
      from.fill(n);
      return from.available() >= n;
    }
  } window{*this, wanted};
  // An empty needle needs no bytes. But a reader that can't read at all must report its failure.
  const bool usable =
      !wanted.text().empty() || begin_ != nullptr || window.fill(1) || !source_->is_failing();
  if (usable && (search::find_in_windows(wanted, window) || window.is_at_hit)) return tell();
  if (source_->is_failing())
    report(ec);
  else
    next_ = end_;
  return std::nullopt;
}

std::optional<std::uint64_t> reader::find(finder& needle) {
  return find(finder_access::needle(needle), nullptr);
}
std::optional<std::uint64_t> reader::find(finder& needle, std::error_code& ec) noexcept {
  ec.clear();
  return find(finder_access::needle(needle), &ec);
}
// A needle refers to the caller's text, so these two functions allocate nothing.
std::optional<std::uint64_t> reader::find(std::string_view needle) {
  search::needle wanted(needle);
  return find(wanted, nullptr);
}
std::optional<std::uint64_t> reader::find(std::string_view needle, std::error_code& ec) noexcept {
  ec.clear();
  search::needle wanted(needle);
  return find(wanted, &ec);
}

match_range reader::find_all(finder needle) & { return {*this, std::move(needle), nullptr}; }
match_range reader::find_all(std::string_view needle) & { return find_all(finder(needle)); }
match_range reader::find_all(finder needle, std::error_code& ec) & {
  ec.clear();
  return {*this, std::move(needle), &ec};
}
match_range reader::find_all(std::string_view needle, std::error_code& ec) & {
  return find_all(finder(needle), ec);
}

/// Marks the occurrences of a byte in the next bytes of the buffer, and takes the first one.
/// Returns false if there is no occurrence.
bool match_range::mark() noexcept {
  constexpr std::size_t step = 512;
  static_assert(step + search::offset_padding <= most_marks);
  marks_base_ = hit_ = reader_->next_;
  buffer_version_ = reader_->buffer_version_;
  next_mark_ = 0;
  const std::size_t size = std::min(reader_->available(), step);
  mark_count_ = static_cast<unsigned>(search::list_delimiters(
      marks_base_, size, finder_access::needle(needle_).text().front(), 0, marks_));
  distance_ = mark_count_ == 0 ? most_distance : static_cast<std::uint32_t>(size) / mark_count_;
  if (mark_count_ == 0) return false;
  found_ = true;
  at_ = reader_->tell();
  take_mark();
  return true;
}

void match_range::search() {
  // If the occurrences are further apart, a search for a single occurrence is faster.
  constexpr std::uint32_t frequent_distance = 128;
  if (distance_ <= frequent_distance && mark()) return;
  search::needle& wanted = finder_access::needle(needle_);
  const std::uint64_t start = reader_->tell();
  const auto at = reader_->find(wanted, ec_);
  found_ = at.has_value();
  at_ = at.value_or(0);
  if (found_ && wanted.text().size() == 1)
    distance_ = static_cast<std::uint32_t>(
        (std::uint64_t{3} * distance_ + std::min<std::uint64_t>(at_ - start, most_distance)) / 4);
}

/// Continues after the last hit. If the program has moved the reader further, continues at the
/// reader's position.
void match_range::next_slow() {
  const std::uint64_t size = needle_.needle().size();
  const std::uint64_t step = std::max<std::uint64_t>(size, 1);
  const std::uint64_t next_start = at_ + step;
  found_ = false;
  const std::uint64_t position = reader_->tell();
  if (position < next_start) {
    // The last hit of an empty needle is the end of the input, where nothing can be skipped.
    const std::uint64_t wanted = next_start - position;
    if (wanted <= reader_->available())
      reader_->next_ += wanted;
    else if (reader_->skip_slow(wanted, ec_) != wanted)
      return;
  }
  search();
}

}  // namespace v0
}  // namespace leat
