// The functions of reader that are not inline, except read_all (read_all.cpp) and the functions for
// lines, rows, words, numbers and searches (src/text).
#include <leat/reader.hpp>

#include <algorithm>
#include <limits>

#include "base/last_error.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

void reader::fill(std::size_t wanted) noexcept { source_->fill(*this, wanted); }

/// If `what` is a failure, reports `what`. Stores the failure's code, or no error, in `ec`. If `ec`
/// is null, throws the failure.
void reader::deliver(const failure& what, std::error_code* ec, std::string_view remark) const {
  if (what && ec == nullptr) throw io_error(what, source_->name(), remark);
  if (what) record_failure(what, source_->name(), remark);
  if (ec != nullptr) *ec = what.code;
}

/// Reports the pending failure, if any.
void reader::report(std::error_code* ec) {
  if (source_->is_failing()) deliver(source_->report(), ec);
}

int reader::get_slow(std::error_code* ec) {
  fill(1);
  if (next_ != end_) return static_cast<unsigned char>(*next_++);
  report(ec);
  return end_of_file;
}

/// Takes the buffered bytes and reads the rest. Reports nothing.
std::size_t reader::read_unreported(std::span<char> into) noexcept {
  const std::size_t buffered = available();
  if (buffered != 0) take(into.data(), buffered);
  return buffered + source_->read(*this, into.subspan(buffered));
}

std::size_t reader::read_slow(std::span<char> into, std::error_code* ec) {
  const std::size_t n = read_unreported(into);
  if (n == 0) report(ec);
  return n;
}

void reader::read_exactly_slow(std::span<char> into, std::error_code* ec) {
  const std::uint64_t start = tell();
  const std::size_t n = read_unreported(into);
  if (n == into.size()) return;
  failure why{errc::ended_early, "read", start + n};
  if (source_->is_failing()) why = source_->report();
  why.unread = into.size() - n;
  deliver(why, ec);
}

std::string_view reader::peek_slow(std::size_t n, std::error_code* ec) {
  fill(n);
  // If the buffer can't grow, this call reports the failure, and not the next call.
  const std::error_code why = source_->error();
  const bool is_too_much = available() < n && source_->is_failing() &&
                           (why == errc::input_too_long || why == std::errc::not_enough_memory);
  if (next_ == end_ || is_too_much) report(ec);
  return is_too_much ? std::string_view() : buffered().substr(0, n);
}

std::uint64_t reader::skip_slow(std::uint64_t n, std::error_code* ec) {
  std::uint64_t left = n;
  for (;;) {
    // If the end is known, seek over bytes before the end. Read all other bytes. The seek begins at
    // the last byte that the program has used, so that the source learns how much is used.
    const std::uint64_t end = left > available() ? source_->seekable_end(*this, left) : 0;
    if (const std::uint64_t position = tell(); end > position + available()) {
      const std::uint64_t jump = std::min(left, end - position);
      if (const failure why = source_->seek(*this, position + jump)) {
        deliver(why, ec);
        return n - left;
      }
      left -= jump;
    }
    const std::uint64_t step = std::min<std::uint64_t>(left, available());
    next_ += step;
    left -= step;
    if (left != 0) left -= source_->skip_unread(*this, left);
    if (left == 0) return n;
    fill(1);
    if (next_ == end_) break;
  }
  report(ec);
  return n - left;
}

void reader::seek_slow(std::uint64_t position, std::error_code* ec) {
  deliver(source_->seek(*this, position), ec);
}

void reader::seek_before_start(std::error_code* ec) const {
  const bool closed = error() == errc::closed;
  deliver(
      {closed ? errc::closed : std::make_error_code(std::errc::invalid_argument), "seek", tell()},
      ec);
}

std::uint64_t reader::tell_slow() const noexcept { return source_->tell(*this); }

std::uint64_t reader::size() const {
  std::error_code ec;
  const std::uint64_t result = source_->size(*this, ec);
  if (ec) throw io_error({ec, "get the size of"}, source_->name());
  return result;
}
std::uint64_t reader::size(std::error_code& ec) const noexcept {
  const std::uint64_t bytes = source_->size(*this, ec);
  if (ec) record_failure({ec, "get the size of"}, source_->name());
  return bytes;
}

void reader::close() { deliver(source_->close(*this), nullptr); }
void reader::close(std::error_code& ec) noexcept { deliver(source_->close(*this), &ec); }

std::error_code reader::error() const noexcept { return source_->error(); }

void reader::take_window(reader& other) noexcept {
  next_ = std::exchange(other.next_, nullptr);
  end_ = std::exchange(other.end_, nullptr);
  begin_ = std::exchange(other.begin_, nullptr);
  base_ = std::exchange(other.base_, 0);
  ++buffer_version_;
  ++other.buffer_version_;
  source_ = std::exchange(other.source_, &closed_source());
  source_->moved_to(*this);
}

void reader::dispose() noexcept { source_->dispose(*this); }

}  // namespace v0
}  // namespace leat
