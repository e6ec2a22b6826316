// reader::rows marks the separators (delimiters and newlines) in up to 16 KiB of text, then returns
// the rows of CSV one by one. A field is a pair of offsets, so fields that the program does not use
// cost nothing.
#include <leat/rows.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "search/kernels.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// One call of a kernel searches this many bytes.
constexpr std::size_t row_step = 1024;
/// The marks are at most this many bytes ahead of the current row.
constexpr std::size_t rows_ahead = 16 << 10;
/// This many marks are enough for `rows_ahead` bytes of short fields.
constexpr std::size_t many_marks = 8 << 10;
/// The marks of a text of this size need no allocation.
constexpr std::size_t short_text = 256;
/// Offsets and numbers of marks have to fit in 31 bits: the highest bit is `doubled_mark`.
constexpr std::size_t longest_row = std::size_t{1} << 30;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

namespace {

/// An array of marks. The memory is not initialized, because most inputs use few of the marks.
struct mark_array {
  /// Keeps the first `used` marks.
  void grow(std::size_t larger_size, std::size_t used) {
    auto larger = std::make_unique_for_overwrite<std::uint32_t[]>(larger_size);
    std::copy_n(data, used, larger.get());
    allocated = std::move(larger);
    data = allocated.get();
    size = larger_size;
  }

  std::uint32_t first[1 + short_text + 1 + search::mark_padding];
  std::size_t size = std::size(first);
  std::uint32_t* data = first;
  std::unique_ptr<std::uint32_t[]> allocated;
};

}  // namespace

struct row_range::store {
  search::row_scan scan{};
  const char* marked_end = nullptr;  // all separators before this pointer have marks
  const char* bad_byte = nullptr;    // the byte that breaks the rules of quotes, or null
  // Memory of row_range::marks_ and row_range::row_ends_.
  mark_array marks;
  mark_array ends;
  // Copy of a row with doubled quotes: its text after unquote(), and the marks.
  std::string text;
  std::vector<std::uint32_t> text_marks;

  /// Makes room for at least `needed` marks. Drops the ends of rows, so scan.end_count must be 0.
  void grow(std::size_t needed) {
    const std::size_t size = std::max(needed, 2 * marks.size);
    // `ends` grows first: if there is no memory for `marks`, `ends` must still have at least as
    // much room as `marks`.
    if (ends.size < size) ends.grow(size, 0);
    marks.grow(size, 1 + scan.mark_count);
  }
};

row_range::row_range(reader& from, const row_options& how, std::error_code* ec) noexcept
    : reader_(&from),
      crlf_(!how.lf_only),
      longest_(std::min(how.longest, longest_row)),
      ec_(ec),
      // Copies the members one by one: the caller has just stored the members, and a vector load
      // would wait for the stores.
      options_{how.delimiter, how.quotes, how.lf_only, how.longest} {
  static_assert(doubled_mark == search::row_scan::doubled_mark);
  row_.quotes_ = how.quotes;
}

row_range::~row_range() {
  if (store_ != nullptr) store_->~store();
}

/// Drops all marks. The next row begins at start_.
void row_range::begin_anew() noexcept {
  store_->scan = {.delimiter = options_.delimiter, .crlf = crlf_};
  store_->marked_end = marks_base_ = start_;
  marks_[0] = 0;
  store_->bad_byte = nullptr;
  earlier_rows_ += taken_rows_;
  next_mark_ = taken_rows_ = marked_rows_ = 0;
}

/// Moves the marks of the unfinished row to the front.
void row_range::move_marks() noexcept {
  if (taken_rows_ == 0) return;  // the marks are at the front
  search::row_scan& scan = store_->scan;
  const auto by = static_cast<std::uint32_t>(start_ - marks_base_);
  const std::uint32_t count = scan.mark_count - next_mark_;
  for (std::uint32_t i = 1; i <= count; ++i) marks_[i] = marks_[next_mark_ + i] - by;
  marks_[0] = 0;
  marks_base_ = start_;
  scan.mark_count = count;
  scan.end_count = 0;
  earlier_rows_ += taken_rows_;
  next_mark_ = taken_rows_ = marked_rows_ = 0;
}

/// Marks separators from `marked_end` on, in at most ahead_ bytes. When there are enough marks,
/// when a byte breaks the rules of quotes, or at the buffer's end, stops early.
void row_range::mark() {
  store& s = *store_;
  move_marks();
  const auto left = static_cast<std::size_t>(reader_->end_ - s.marked_end);
  const std::size_t limit = std::min<std::size_t>(left, ahead_);
  ahead_ = static_cast<std::uint16_t>(std::min(std::size_t{4} * ahead_, rows_ahead));
  const auto rows = search::active_kernels().rows[options_.quotes ? 1 : 0];
  for (std::size_t done = 0; done != limit;) {
    const std::size_t size = std::min(row_step, limit - done);
    // marks_[0] is the start of the first row, not a separator. take_last() adds a mark.
    const std::size_t needed = s.scan.mark_count + 1 + size + 1 + search::mark_padding;
    if (needed > s.marks.size || (done == 0 && std::min(limit, many_marks) > s.marks.size)) {
      if (s.scan.end_count != 0) break;
      // A single row has filled all marks, or the text is not short.
      s.grow(std::max(needed, std::min(left, many_marks)));
      marks_ = s.marks.data;
    }
    s.scan.marks = s.marks.data + 1;
    s.scan.ends = s.ends.data;
    const std::size_t accepted =
        rows(s.marked_end, size, static_cast<std::uint32_t>(s.marked_end - marks_base_), s.scan);
    s.marked_end += accepted;
    done += accepted;
    if (accepted != size) {
      s.bad_byte = s.marked_end;
      break;
    }
  }
  row_ends_ = s.ends.data;
  marked_rows_ = s.scan.end_count;
}

void row_range::next_slow() try { mark_and_take(); } catch (const std::bad_alloc&) {
  fail_without_memory();
}

/// Skips the UTF-8 byte-order mark at the start of the input: the mark is not part of the first
/// field.
void row_range::skip_byte_order_mark() {
  if (reader_->tell() != 0) return;
  // Read no more than needed: a peer may send a short row and wait for an answer.
  for (std::size_t seen = 0; byte_order_mark.starts_with(reader_->buffered());) {
    reader_->fill(seen + 1);
    if (reader_->available() == seen) break;  // the end, or an error
    seen = reader_->available();
  }
  if (reader_->buffered().starts_with(byte_order_mark)) reader_->next_ += byte_order_mark.size();
}

/// Takes the next row. If no marked row is left, or if the reader has moved, makes new marks.
void row_range::mark_and_take() {
  if (store_ == nullptr) {
    const char delimiter = options_.delimiter;
    if (delimiter == '\n' || (delimiter == '\r' && crlf_) || (delimiter == '"' && options_.quotes))
      return fail({std::make_error_code(std::errc::invalid_argument), "read rows of"});
  }
  const bool was_moved =
      store_ == nullptr || reader_->next_ != start_ || reader_->buffer_version_ != buffer_version_;
  if (was_moved) ahead_ = first_ahead;
  if (was_moved || store_->marked_end == start_) {  // also after the last row of the buffer
    if (reader_->available() == 0) {
      reader_->fill(1);
      if (reader_->available() == 0) return end_here();
    }
    if (*reader_->next_ == byte_order_mark.front()) skip_byte_order_mark();
    if (store_ == nullptr) {
      static_assert(sizeof(store) <= sizeof store_memory_ &&
                    alignof(store) <= alignof(std::uint64_t));
      store_ = ::new (store_memory_) store;
      marks_ = store_->marks.data;
    }
    start_ = reader_->next_;
    begin_anew();
  }
  store& s = *store_;
  row_.text_ = {};
  const auto length = [&] { return static_cast<std::size_t>(s.marked_end - start_); };
  const auto is_too_long = [&] {
    return length() - (crlf_ && length() != 0 && s.marked_end[-1] == '\r' ? 1 : 0) > longest_;
  };
  for (;;) {
    buffer_version_ = reader_->buffer_version_;
    while (taken_rows_ == marked_rows_ && s.marked_end != reader_->end_ && s.bad_byte == nullptr &&
           !is_too_long())
      mark();
    if (taken_rows_ != marked_rows_) return take_row();
    if (s.bad_byte != nullptr) {
      const auto at = static_cast<std::uint64_t>(s.bad_byte - start_);
      return fail_in_row(errc::bad_quotes, reader_->tell() + at);
    }
    if (is_too_long()) return fail_in_row(errc::line_too_long, reader_->tell());
    move_marks();
    const std::size_t known = length();
    reader_->fill(known + 1);
    start_ = marks_base_ = reader_->next_;
    s.marked_end = start_ + std::min(known, reader_->available());
    if (reader_->available() > known) continue;
    // An incomplete row before an error is not returned; its bytes stay in the buffer.
    if (known == 0 || reader_->source_->is_failing()) return end_here();
    return take_last();
  }
}

/// Takes a last row that has no newline.
void row_range::take_last() {
  store& s = *store_;
  if (s.scan.in_quotes != 0)  // the last field's quote never ends
    return fail_in_row(errc::bad_quotes, reader_->tell() + marks_[s.scan.mark_count]);
  buffer_version_ = reader_->buffer_version_;
  marks_[s.scan.mark_count + 1] = static_cast<std::uint32_t>(s.marked_end - start_) + 1;
  s.ends.data[0] = (s.scan.mark_count + 1) | (s.scan.has_doubled_quote ? doubled_mark : 0);
  marked_rows_ = 1;
  take_row();
  if (!at_end()) reader_->next_ = s.marked_end;
  start_ = nullptr;  // the marks do not fit the next row
}

/// Ends the range, because no more bytes come.
void row_range::end_here() {
  row_.text_ = {};
  if (reader_->source_->is_failing()) fail(reader_->source_->report());
}

/// Finishes rows that are too long or have doubled quotes.
void row_range::finish(bool doubled) {
  const auto undo_take = [&] {  // moves the reader back to the start of the taken row
    reader_->next_ = row_.text_.data();
    --earlier_rows_;
  };
  if (row_.text_.size() > longest_) {
    undo_take();
    return fail_in_row(errc::line_too_long, reader_->tell());
  }
  if (!doubled) return;
  try {
    unquote();
  } catch (const std::bad_alloc&) {
    undo_take();
    fail_without_memory();
  }
}

/// Copies the row and replaces each doubled quote by one quote.
void row_range::unquote() {
  store& s = *store_;
  s.text.clear();
  s.text_marks.clear();
  for (std::size_t k = 0; k != row_.size_; ++k) {
    s.text_marks.push_back(static_cast<std::uint32_t>(s.text.size()));
    const std::string_view field(row_.marks_base_ + row_.marks_[k],
                                 row_.marks_[k + 1] - row_.marks_[k] - 1);
    if (field.starts_with('"')) {
      s.text += '"';
      for (std::size_t i = 1; i + 1 < field.size(); ++i) {
        s.text += field[i];
        i += field[i] == '"';
      }
      s.text += '"';
    } else {
      s.text += field;
    }
    s.text += options_.delimiter;
  }
  s.text_marks.push_back(static_cast<std::uint32_t>(s.text.size()));
  row_.marks_base_ = s.text.data();
  row_.marks_ = s.text_marks.data();
}

/// Ends the range with an error. A later row would start at the reader's position.
void row_range::fail(const failure& what, std::string_view remark) {
  row_.text_ = {};
  start_ = nullptr;
  reader_->deliver(what, ec_, remark);
}

/// Called in a handler of std::bad_alloc. Ends the range with not_enough_memory. If there is no
/// ec_, rethrows the exception.
void row_range::fail_without_memory() {
  row_.text_ = {};
  start_ = nullptr;
  if (ec_ == nullptr) throw;
  reader_->deliver({std::make_error_code(std::errc::not_enough_memory), "read", reader_->tell()},
                   ec_);
}

/// Ends the range with an error in the row that follows the last taken row.
void row_range::fail_in_row(errc why, std::uint64_t at) {
  fail({why, "read", at}, "row " + std::to_string(row_number() + 1));
}

row_range reader::rows() & { return rows(row_options{}); }
row_range reader::rows(const row_options& how) & { return {*this, how, nullptr}; }
row_range reader::rows(const row_options& how, std::error_code& ec) & noexcept {
  ec.clear();
  return {*this, how, &ec};
}
row_range reader::rows(std::error_code& ec) & noexcept { return rows({}, ec); }

}  // namespace v0
}  // namespace leat
