// reader::lines_backwards and line_around search backwards for the start of a line.
#include <leat/reader.hpp>

#include <algorithm>
#include <limits>

#include "search/delimiters.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The first search for a line's start goes back this many bytes. Each further search goes back
/// twice as far.
constexpr std::uint64_t first_reach = 16 << 10;

}  // namespace

/// Moves the cursor to the start of the line that holds the byte at `position`: after the last
/// delimiter before `position`, or to the start of the input. Returns false on an error.
bool reader::seek_to_line(std::uint64_t position, char delimiter, std::error_code* ec) {
  for (std::uint64_t reach = first_reach;; reach *= 2) {
    if (begin_ != nullptr && position >= base_ && position - base_ <= content_size()) {
      const auto before = static_cast<std::size_t>(position - base_);
      const std::size_t found = search::find_last_delimiter(begin_, before, delimiter);
      if (found != before || base_ == 0) {
        next_ = begin_ + (found != before ? found + 1 : 0);
        return true;
      }
    }
    const std::uint64_t from = position - std::min(position, reach);
    if (const failure why = source_->seek(*this, from)) {
      deliver(why, ec);
      return false;
    }
    if (position == 0) return true;
    // `wanted` includes the byte at `position`, which is the line's delimiter in most cases.
    const auto wanted = static_cast<std::size_t>(position - from + 1);
    if (available() < wanted) fill(wanted);
    if (source_->is_failing()) {
      report(ec);
      return false;
    }
    position = std::min(position, from + available());  // the file may have become shorter
  }
}

backward_line_range reader::lines_backwards(const line_options& how) & {
  return {*this, how, nullptr};
}
backward_line_range reader::lines_backwards(const line_options& how,
                                            std::error_code& ec) & noexcept {
  ec.clear();
  return {*this, how, &ec};
}
backward_line_range reader::lines_backwards(std::error_code& ec) & noexcept {
  return lines_backwards({}, ec);
}

backward_line_range::iterator backward_line_range::begin() {
  std::error_code ec;
  start_ = reader_->source_->size(*reader_, ec);  // reader::size() would set last_error()
  line_ = {};
  // If the system does not know the file's size, read to the end.
  if (ec == std::errc::operation_not_supported && reader_->source_->is_positional()) {
    ec.clear();
    reader_->skip_slow(std::numeric_limits<std::uint64_t>::max(), ec_);
    if (ec_ != nullptr && *ec_) return iterator(*this);
    start_ = reader_->tell();
  }
  if (ec)
    reader_->deliver({ec, "get the size of"}, ec_);
  else
    next();
  return iterator(*this);
}

void backward_line_range::next() {
  line_ = {};
  // The byte before the last taken line belongs to the wanted line. If the input has become
  // shorter, seek_to_line() may end at the new end, where no line begins. Then the last byte before
  // the new end belongs to the wanted line.
  while (start_ != 0 && reader_->seek_to_line(start_ - 1, options_.delimiter, ec_)) {
    const std::uint64_t end = start_ - 1;
    start_ = reader_->tell();
    // seek_to_line() has found no delimiter between `start_` and `end`.
    const auto length = static_cast<std::size_t>(end - start_);
    if (start_ <= end && length < reader_->available() && length <= options_.longest &&
        reader_->next_[length] == options_.delimiter) [[likely]] {
      line_ = {reader_->next_, length};
      if (options_.crlf && line_.ends_with('\r')) line_.remove_suffix(1);
      return;
    }
    std::size_t size = 0;
    if (reader_->find_line(line_, size, options_, ec_) || (ec_ != nullptr && *ec_)) return;
  }
}

placed_line reader::line_around(const line_options& how, std::error_code* ec) {
  const std::uint64_t position = tell();
  const auto go_back = [&]() noexcept {
    if (begin_ != nullptr && position - base_ <= content_size())
      next_ = begin_ + (position - base_);
    else
      static_cast<void>(source_->seek(*this, position));
  };
  try {
    if (seek_to_line(position, how.delimiter, ec)) {
      placed_line result{.start = tell(), .text = {}};
      const auto before = static_cast<std::size_t>(position - result.start);
      if (available() <= before) fill(before + 1);
      const bool is_at_end = available() <= before && !source_->is_failing();
      std::size_t size = 0;
      if (!is_at_end && find_line(result.text, size, how, ec)) next_ += size;
      if (tell() > position) return result;
    }
  } catch (...) {
    go_back();
    throw;
  }
  go_back();
  return {};
}
placed_line reader::line_around(const line_options& how) { return line_around(how, nullptr); }
placed_line reader::line_around(const line_options& how, std::error_code& ec) noexcept {
  ec.clear();
  return line_around(how, &ec);
}
placed_line reader::line_around(std::error_code& ec) noexcept { return line_around({}, ec); }

}  // namespace v0
}  // namespace leat
