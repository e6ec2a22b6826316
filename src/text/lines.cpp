// reader::lines marks the delimiters in up to 16 KiB of text, then returns the lines one by one.
// read_line searches for one delimiter at a time.
#include <leat/reader.hpp>

#include <algorithm>
#include <new>
#include <string>

#include "search/delimiters.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// One call of list_delimiters() searches this many bytes: enough to hide the cost of the call.
/// line_range::marks_ has room even if each byte is a delimiter.
constexpr std::size_t step = 512;
/// The marks are at most this many bytes ahead of the current line, so that the marked bytes are
/// still in the first-level cache when the program uses them.
constexpr std::size_t ahead = 16 << 10;
/// A long line covers at least this many steps in a row.
constexpr unsigned long_line_steps = 2;
/// After a long line, one call searches only this many bytes: at least a block of
/// skip_to_delimiter().
constexpr std::size_t short_step = 256;

/// Returns true if a line is longer than `settings` allows. A '\r' that is dropped does not count.
bool is_too_long(std::string_view line, const line_options& settings) {
  return line.size() - (settings.crlf && line.ends_with('\r') ? 1 : 0) > settings.longest;
}

}  // namespace

/// Marks delimiters from marked_end_ on. When the marks may have no room for one more step, after
/// ahead_ bytes, or at the buffer's end, stops.
void line_range::mark() noexcept {
  static_assert(ahead + step <= 1 << 16 && step + search::offset_padding <= most_marks);
  marks_base_ = marked_end_;
  earlier_lines_ += next_mark_;
  next_mark_ = mark_count_ = 0;
  const auto limit =
      std::min<std::size_t>(static_cast<std::size_t>(reader_->end_ - marked_end_), ahead_);
  ahead_ = static_cast<std::uint16_t>(std::min(std::size_t{4} * ahead_, ahead));
  if (limit <= step && !last_is_long_) {  // a short text
    mark_count_ = static_cast<unsigned>(
        search::list_delimiters(marks_base_, limit, options_.delimiter, 0, marks_));
    marked_end_ += limit;
    return;
  }
  std::size_t done = 0;
  unsigned empty_steps = 0;  // steps without a delimiter
  while (done != limit && mark_count_ + step + search::offset_padding <= most_marks) {
    // After a long line, lines are assumed to be long until a line turns out to be short.
    if (last_is_long_) {
      const std::size_t skipped =
          search::skip_to_delimiter(marks_base_ + done, limit - done, options_.delimiter);
      done += skipped;
      last_is_long_ = skipped >= long_line_steps * step || limit - done < short_step;
    }
    const std::size_t size = std::min(last_is_long_ ? short_step : step, limit - done);
    const auto found = static_cast<unsigned>(search::list_delimiters(
        marks_base_ + done, size, options_.delimiter, done, marks_ + mark_count_));
    mark_count_ += found;
    done += size;
    // No branch on `found`: it could not be predicted for lines of some hundred bytes.
    empty_steps = (empty_steps + 1) & (0U - static_cast<unsigned>(found == 0));
    if (empty_steps == long_line_steps) {
      last_is_long_ = true;
      empty_steps = 0;
    }
  }
  marked_end_ = marks_base_ + done;
}

void line_range::next_slow() {
  if (reader_->next_ != start_ || reader_->buffer_version_ != buffer_version_) {
    start_ = marked_end_ = reader_->next_;
    mark_count_ = 0;
    ahead_ = first_ahead;
    last_is_long_ = false;
  } else if (unfinished_ && line_.data() != nullptr && marked_end_ == reader_->end_) {
    line_ = {};  // the last line was taken at the end of the input: no read has to find the end
    return;
  }
  line_ = {};
  for (;;) {
    buffer_version_ = reader_->buffer_version_;
    while (mark_count_ == 0 && marked_end_ != reader_->end_) mark();
    if (mark_count_ != 0) {
      unfinished_ = false;
      return next();
    }
    const auto length = static_cast<std::size_t>(marked_end_ - start_);
    if (is_too_long({start_, length}, options_)) return finish();
    reader_->fill(length + 1);
    start_ = reader_->next_;
    marked_end_ = start_ + std::min(length, reader_->available());
    if (reader_->available() > length) continue;
    // An incomplete line before an error is not returned; its bytes stay in the buffer.
    if (reader_->source_->is_failing()) return fail(reader_->source_->report());
    if (length == 0) return;
    line_ = {start_, length};  // the last line needs no delimiter
    unfinished_ = true;
    ++earlier_lines_;
    reader_->next_ = start_ = marked_end_;
    if (needs_finish_) finish();
    return;
  }
}

/// Applies the options to line_. A null line_ means that the line is too long.
void line_range::finish() {
  if (line_.data() == nullptr || is_too_long(line_, options_)) {
    if (line_.data() != nullptr) {  // the line was taken: move the reader back to its start
      reader_->next_ = line_.data();
      --earlier_lines_;
    }
    return fail({errc::line_too_long, "read", reader_->tell()},
                "line " + std::to_string(line_number() + 1));
  }
  if (options_.crlf && line_.ends_with('\r')) line_.remove_suffix(1);
}

/// Ends the range with an error. A later line would start at the reader's position.
void line_range::fail(const failure& what, std::string_view remark) {
  line_ = {};
  start_ = nullptr;
  reader_->deliver(what, ec_, remark);
}

line_range reader::lines(const line_options& how) & { return {*this, how, nullptr}; }
line_range reader::lines(const line_options& how, std::error_code& ec) & noexcept {
  ec.clear();
  return {*this, how, &ec};
}
line_range reader::lines(std::error_code& ec) & noexcept { return lines({}, ec); }

bool reader::read_line(std::string& line, const line_options& how) {
  return read_line(line, how, nullptr);
}
bool reader::read_line(std::string& line, const line_options& how, std::error_code& ec) noexcept
    try {
  ec.clear();
  return read_line(line, how, &ec);
} catch (const std::bad_alloc&) {
  deliver({std::make_error_code(std::errc::not_enough_memory), "read", tell()}, &ec);
  return false;
}
bool reader::read_line(std::string& line, std::error_code& ec) noexcept {
  return read_line(line, {}, ec);
}

/// Finds the next line without moving the cursor. Sets `line`, and `size` to the size with the
/// delimiter. At the end, returns false. On an error, sets `*ec` and returns false, or throws
/// io_error if `ec` is null. For a single line, memchr takes less time than making marks. `copy`:
/// null, or a string with the first bytes of the line, which have no delimiter. The string gets
/// more of these bytes as far as its memory has room: each piece of a long line is copied while the
/// piece is in the second-level cache.
bool reader::find_line(std::string_view& line, std::size_t& size, const line_options& how,
                       std::error_code* ec, std::string* copy) {
  std::size_t searched = copy == nullptr ? 0 : copy->size();
  for (;;) {
    const std::string_view rest = buffered().substr(searched);
    const auto stop = rest.find(how.delimiter);
    const std::size_t length = searched + std::min(stop, rest.size());
    if (is_too_long({next_, length}, how)) {
      deliver({errc::line_too_long, "read", tell()}, ec);
      return false;
    }
    const bool whole = stop != std::string_view::npos;
    if (!whole) {
      if (copy != nullptr && copy->size() == searched && copy->capacity() >= length)
        copy->append(rest);
      searched = length;
      fill(length + 1);
      if (available() > length) continue;
      if (source_->is_failing()) {
        report(ec);
        return false;
      }
      if (length == 0) return false;
    }
    line = {next_, length};
    size = length + (whole ? 1 : 0);
    if (how.crlf && line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
}

bool reader::read_line(std::string& line, const line_options& how, std::error_code* ec) {
  line.clear();
  std::string_view found = buffered();
  std::size_t size = found.find(how.delimiter);
  if (size < found.size() && !is_too_long(found.substr(0, size), how)) [[likely]] {
    found = found.substr(0, size);
    if (how.crlf && found.ends_with('\r')) found.remove_suffix(1);
    line.assign(found);
    next_ += size + 1;
    return true;
  }
  if (size == std::string_view::npos && found.size() <= line.capacity()) line = found;
  try {
    if (!find_line(found, size, how, ec, &line)) {
      line.clear();
      return false;
    }
  } catch (...) {
    line.clear();
    throw;
  }
  if (found.size() > line.capacity()) line.clear();  // new memory gets no copy of the first part
  if (line.size() > found.size()) line.pop_back();   // a '\r' that `how` drops
  line.append(found.substr(line.size()));
  next_ += size;
  return true;
}

}  // namespace v0
}  // namespace leat
