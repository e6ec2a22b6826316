// Converts "\r\n" of the file to "\n" for the program and back. Converts positions in the file to
// positions that the program sees, and back. stdio/mode.cpp makes the device.
#include "device/text.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t chunk_size = std::size_t{16} << 10;

}  // namespace

text_device::text_device(std::unique_ptr<cursor_device>&& below, bool readable)
    : below_(std::move(below)), readable_(readable) {
  try {
    marks_.push_back(current_);
    std::error_code ignored;
    seek(side::below, below_->position(), ignored);
    position_ = current_.above;
  } catch (const std::bad_alloc&) {
    below = std::move(below_);
    throw;
  }
}

/// If the current position is at least `chunk_size` bytes after the last known position, adds the
/// current position to the known positions. So a later seek() to an earlier position reads few
/// bytes.
void text_device::add_mark() const {
  if (current_.above >= marks_.back().above + chunk_size) marks_.push_back(current_);
}

/// Forgets the known positions after `above`: a write at `above` may have moved these positions.
void text_device::drop_marks_after(std::uint64_t above) const noexcept {
  while (marks_.size() > 1 && marks_.back().above > above) marks_.pop_back();
}

/// Reads more bytes from below into raw_. Returns false on failure.
bool text_device::fill(std::error_code& ec) const {
  if (raw_.empty()) raw_.resize(chunk_size);
  std::copy(raw_.begin() + static_cast<std::ptrdiff_t>(next_),
            raw_.begin() + static_cast<std::ptrdiff_t>(end_), raw_.begin());
  end_ -= next_;
  next_ = 0;
  const std::size_t n = below_->read_at(current_.below + end_, std::span(raw_).subspan(end_), ec);
  end_ += n;
  ended_ = n == 0 && !ec;
  return !ec;
}

/// Translates as many bytes of raw_ as fit into `into`. Returns the number of bytes in `into`.
/// Unless the file ends after raw_, a '\r' at the end of raw_ is not translated yet, because the
/// next byte may be '\n'.
std::size_t text_device::translate(std::span<char> into) const noexcept {
  std::size_t taken = 0;
  while (taken != into.size() && next_ != end_) {
    const char byte = raw_[next_];
    const bool last = next_ + 1 == end_;
    if (byte == '\r' && last && !ended_) break;
    const bool line_end = byte == '\r' && !last && raw_[next_ + 1] == '\n';
    into[taken++] = line_end ? '\n' : byte;
    next_ += line_end ? 2 : 1;
    current_.below += line_end ? 2 : 1;
    ++current_.above;
  }
  add_mark();
  return taken;
}

/// Sets `current_` to the position `at`, which is above or below as `which` says. The position may
/// be after the file's end. If the device has no positions, does nothing. Returns false on failure.
bool text_device::seek(side which, std::uint64_t at, std::error_code& ec) const {
  ec.clear();
  const auto position_in = [which](const mark& m) {
    return which == side::above ? m.above : m.below;
  };
  if (!traits().positional || position_in(current_) == at) return true;
  const mark near =
      *(std::ranges::upper_bound(marks_, at, {}, position_in) - 1);  // the first mark is at 0
  if (position_in(current_) > at || position_in(current_) < position_in(near)) {
    current_ = near;
    next_ = end_ = 0;
    ended_ = false;
  }
  std::array<char, 4096> passed;
  while (readable_ && position_in(current_) < at) {
    // One byte above is at most two bytes below.
    std::uint64_t most = at - position_in(current_);
    if (which == side::below) most = std::max<std::uint64_t>(most / 2, 1);
    most = std::min<std::uint64_t>(most, passed.size());
    if (translate(std::span(passed).first(static_cast<std::size_t>(most))) != 0) continue;
    if (!fill(ec)) return false;
    if (ended_ && next_ == end_) break;
  }
  if (position_in(current_) < at) {
    // After the end, positions above and positions below grow by the same count.
    const std::uint64_t gap = at - position_in(current_);
    current_ = {current_.above + gap, current_.below + gap};
    next_ = end_ = 0;
    ended_ = false;
  }
  return true;
}

std::size_t text_device::read_at(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept try {
  if (into.empty() || !seek(side::above, at, ec)) return 0;
  cr_written_ = false;
  ended_ = false;  // the file may have grown since the last read
  for (;;) {
    const std::size_t n = translate(into);
    if (n != 0 || (ended_ && next_ == end_)) return n;
    if (!fill(ec)) return 0;
  }
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

std::size_t text_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                  std::error_code& ec) noexcept try {
  const auto first = std::ranges::find_if(pieces, [](auto piece) { return !piece.empty(); });
  ec.clear();
  if (first == pieces.end()) return 0;
  const bool appends = traits().appends;
  if (!appends && (at != current_.above || next_ != end_)) {
    cr_written_ = false;
    if (!seek(side::above, at, ec)) return 0;
  }
  next_ = end_ = 0;
  ended_ = false;
  if (!appends) drop_marks_after(current_.above);
  const std::string_view text = first->substr(0, chunk_size);
  std::string lines;
  for (const char byte : text) {
    if (byte == '\n' && !(cr_written_ && lines.empty())) lines += '\r';
    lines += byte;
  }
  const std::string_view piece = lines;
  const auto written =
      static_cast<std::size_t>(write_all(*below_, current_.below, {&piece, 1}, ec));
  current_.below += written;
  // Counts the bytes of `text` whose translation was written. For example, 3 written bytes of
  // "a\r\nb" are 2 bytes of "a\nb".
  std::size_t done = 0;
  for (std::size_t uncounted = written; uncounted != 0;) {
    const std::size_t size = text[done] == '\n' && !cr_written_ ? 2 : 1;
    cr_written_ = uncounted < size;
    if (cr_written_) break;
    uncounted -= size;
    ++done;
  }
  current_.above += done;
  if (appends)
    current_ = marks_.front();  // only the file knows the end
  else
    add_mark();
  if (done != 0 && ec) ec.clear();  // the next call reports the error
  return done;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

void text_device::set_cursor(std::uint64_t at, std::error_code& ec) noexcept try {
  if (seek(side::above, at, ec)) below_->set_cursor(current_.below, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

std::uint64_t text_device::end(std::error_code& ec) const noexcept try {
  const std::uint64_t size = below_->end(ec);
  if (ec) return 0;
  return seek(side::below, size, ec) ? current_.above : 0;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

std::uint64_t text_device::offset(std::error_code& ec) noexcept try {
  const std::uint64_t below = below_->offset(ec);
  if (ec) return current_.above;
  return seek(side::below, below, ec) ? current_.above : below;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return current_.above;
}

}  // namespace v0
}  // namespace leat
