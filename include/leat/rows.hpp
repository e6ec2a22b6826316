// Rows of CSV and similar formats: row_options, row and row_range.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/pass_iterator.hpp>
#include <leat/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// How input is divided into rows and fields. The delimiter must not have another meaning: a
/// newline, a carriage return without `lf_only`, a quote with `quotes`. If the delimiter has
/// another meaning, the first row fails (invalid_argument).
struct row_options {
  char delimiter = ',';  ///< the byte between two fields
  /// Fields may be quoted (RFC 4180): "a,b" is one field, and "" between quotes is one quote.
  /// Newlines may be in quotes too. A quote anywhere else is an error (errc::bad_quotes).
  bool quotes = false;
  /// A carriage return before a newline, or at the end of the input, belongs to the last field; by
  /// default, to no field.
  bool lf_only = false;
  /// A longer row is not taken: errc::line_too_long. Set a limit for untrusted input. No row may be
  /// longer than 2^30 bytes.
  std::size_t longest = (std::numeric_limits<std::size_t>::max)();
};

/// A row of a row_range: its fields, as a range of std::string_view. A row is valid until the next
/// row is taken.
class row {
 public:
  class iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = void;

    iterator() = default;
    std::string_view operator*() const noexcept { return (*row_)[at_]; }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept = default;

   private:
    friend class row;
    iterator(const row& of, std::size_t at) noexcept : row_(&of), at_(at) {}

    const row* row_ = nullptr;
    std::size_t at_ = 0;
  };

  /// The number of fields: one more than the number of delimiters outside of quotes. An empty line
  /// has one field.
  std::size_t size() const noexcept { return size_; }
  /// A field, without its quotes. If the row has fewer fields, the result is empty with a null
  /// pointer, so that parse() finds no number.
  std::string_view operator[](std::size_t column) const noexcept {
    if (column >= size_) [[unlikely]]
      return {};
    const char* const at = marks_base_ + marks_[column];
    const auto length = static_cast<std::size_t>(marks_[column + 1] - marks_[column]) - 1;
    if (quotes_ && length != 0 && *at == '"') return {at + 1, length - 2};
    return {at, length};
  }
  iterator begin() const noexcept { return {*this, 0}; }
  iterator end() const noexcept { return {*this, size_}; }

  /// The row as in the input, with quotes, without the end of the line.
  std::string_view text() const noexcept { return text_; }

 private:
  friend class row_range;
  row() = default;

  const char* marks_base_ = nullptr;  // the marks are offsets from here
  // Starts of fields. A field ends one byte before the start of the next field.
  const std::uint32_t* marks_ = nullptr;
  std::size_t size_ = 0;
  std::string_view text_;  // null data after the last row
  bool quotes_ = false;
};

/// The result of reader::rows(): a single-pass range of rows.
class LEAT_API [[nodiscard]] row_range {
 public:
  using iterator = detail::pass_iterator<row_range, row>;

  /// Views of the standard library move a range. The last taken row is not moved. @since 0.3
  row_range(row_range&& other) noexcept : row_range(*other.reader_, other.options_, other.ec_) {
    earlier_rows_ = other.row_number();
  }
  row_range& operator=(row_range&& other) noexcept {
    if (this != &other) {
      this->~row_range();
      ::new (this) row_range(std::move(other));
    }
    return *this;
  }
  ~row_range();

  /// Takes the first row.
  iterator begin() {
    next();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

  /// The number of the last taken row; 0 before row 1. The range counts the rows that it takes,
  /// including a header. A row with a newline in quotes has several lines. The messages of
  /// bad_quotes and line_too_long have the number of the row that failed. @since 0.3
  [[nodiscard]] std::uint64_t row_number() const noexcept { return earlier_rows_ + taken_rows_; }

 private:
  friend class reader;
  friend iterator;
  struct store;

  const row& value() const noexcept { return row_; }
  bool at_end() const noexcept { return row_.text_.data() == nullptr; }

  row_range(reader& from, const row_options& how, std::error_code* ec) noexcept;
  template <class, class>
  friend class detail::owning_range;
  void rebind(reader& from) noexcept { reader_ = &from; }

  void next() {
    // The marks are valid until another call moves the reader or changes its buffer.
    if (taken_rows_ == marked_rows_ || reader_->next_ != start_ ||
        reader_->buffer_version_ != buffer_version_) [[unlikely]]
      return next_slow();
    take_row();
  }
  void take_row() {
    const std::uint32_t end = row_ends_[taken_rows_++];
    const std::uint32_t last = end & ~doubled_mark;
    std::uint32_t* const marks = marks_ + next_mark_;
    const char* const stop = marks_base_ + marks_[last];
    // If the previous row ends with "\r\n", the previous call has lowered *marks.
    *marks = static_cast<std::uint32_t>(start_ - marks_base_);
    auto length = static_cast<std::size_t>(stop - start_) - 1;
    if (crlf_ && length != 0 && start_[length - 1] == '\r') {
      --length;
      --marks_[last];
    }
    row_.marks_base_ = marks_base_;
    row_.marks_ = marks;
    row_.size_ = last - next_mark_;
    row_.text_ = {start_, length};
    next_mark_ = last;
    reader_->next_ = start_ = stop;
    if (length > longest_ || last != end) [[unlikely]]
      finish(last != end);
  }
  void next_slow();
  void mark_and_take();
  void skip_byte_order_mark();
  void begin_anew() noexcept;
  void move_marks() noexcept;
  void mark();
  void take_last();
  void end_here();
  [[gnu::cold]] void finish(bool doubled);
  void unquote();
  void fail(const failure& what, std::string_view remark = {});
  void fail_in_row(errc why, std::uint64_t at);
  void fail_without_memory();

  // A bit of an element of row_ends_: the row has a doubled quote.
  static constexpr std::uint32_t doubled_mark = std::uint32_t{1} << 31;
  static constexpr std::uint16_t first_ahead = 256;

  reader* reader_;
  const char* start_ = nullptr;              // start of the next row
  const char* marks_base_ = nullptr;         // marks are offsets from here
  std::uint32_t* marks_ = nullptr;           // starts of fields
  const std::uint32_t* row_ends_ = nullptr;  // ends of rows, as indices of marks
  std::uint64_t buffer_version_ = 0;  // the reader's buffer_version_ when the marks were made
  std::uint32_t next_mark_ = 0;       // the mark of the next row's start
  std::uint32_t taken_rows_ = 0;      // rows that have marks and were taken
  std::uint32_t marked_rows_ = 0;     // rows that have marks
  bool crlf_;
  std::uint16_t ahead_ = first_ahead;  // bytes to mark next, as line_range::ahead_
  std::size_t longest_;
  row row_;
  std::error_code* ec_;
  row_options options_;
  store* store_ = nullptr;          // owned; in store_memory_, or null before the first row
  std::uint64_t earlier_rows_ = 0;  // taken rows before the rows of the marks
  // Has the marks of a short text, so that its rows need no allocation.
  alignas(std::uint64_t) unsigned char store_memory_[2432];
};

}  // namespace v0
}  // namespace leat
