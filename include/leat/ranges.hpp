// The ranges of a reader: lines, words and matches; and concrete_reader.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/owning_range.hpp>
#include <leat/detail/pass_iterator.hpp>
#include <leat/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The result of reader::lines(): a single-pass range of std::string_view.
class LEAT_API [[nodiscard]] line_range {
 public:
  using iterator = detail::pass_iterator<line_range, std::string_view>;

  /// Views of the standard library move a range. The last taken line is not moved. @since 0.3
  line_range(line_range&& other) noexcept : line_range(*other.reader_, other.options_, other.ec_) {
    earlier_lines_ = other.line_number();
  }
  line_range& operator=(line_range&& other) noexcept {
    if (this != &other) ::new (this) line_range(std::move(other));
    return *this;
  }

  /// Takes the first line.
  iterator begin() {
    line_ = {};  // after an unfinished line, a new loop reads again
    next();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

  /// True if the last taken line has no delimiter: the file ends there, or `follow` ended its
  /// waiting by a timeout or a stop. Later bytes are the rest of that line. The loop ends
  /// after such a line without another read; a new loop reads later bytes.
  [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }
  /// The number of the last taken line; 0 before line 1. The range counts only the lines that it
  /// takes, not lines that the reader has returned before. If a part of a line was read before, the
  /// rest counts as a line. The message of line_too_long has the number of the line that failed.
  /// @since 0.3
  [[nodiscard]] std::uint64_t line_number() const noexcept { return earlier_lines_ + next_mark_; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return line_; }
  bool at_end() const noexcept { return line_.data() == nullptr; }

  template <class, class>
  friend class detail::owning_range;
  void rebind(reader& from) noexcept { reader_ = &from; }

  line_range(reader& from, const line_options& how, std::error_code* ec) noexcept
      : reader_(&from),
        ec_(ec),
        // The members are copied one by one: the caller has just stored them, and a vector load
        // would wait.
        options_{how.delimiter, how.crlf, how.longest},
        needs_finish_(how.crlf || how.longest != line_options{}.longest) {}

  void next() {
    // The marks are valid until another call moves the reader or changes its buffer.
    if (mark_count_ == 0 || reader_->next_ != start_ || reader_->buffer_version_ != buffer_version_)
        [[unlikely]]
      return next_slow();
    const char* stop = marks_base_ + marks_[next_mark_];
    line_ = {start_, static_cast<std::size_t>(stop - start_)};
    reader_->next_ = start_ = stop + 1;
    if (++next_mark_ == mark_count_) mark_count_ = 0;
    if (needs_finish_) [[unlikely]]
      finish();
  }
  void next_slow();
  void mark() noexcept;
  void finish();
  void fail(const failure& what, std::string_view remark = {});

  // Delimiters are found some KiB ahead, and kept as offsets from marks_base_.
  static constexpr std::size_t most_marks = 1024;
  // After another call has moved the reader, only this many bytes are marked: the program may move
  // the reader after each line. Each later marking covers four times as many bytes as the marking
  // before.
  static constexpr std::uint16_t first_ahead = 256;

  reader* reader_;
  const char* start_ = nullptr;       // start of the next line
  const char* marks_base_ = nullptr;  // the marks are offsets from here
  const char* marked_end_ = nullptr;  // all delimiters before this address have marks
  std::uint64_t buffer_version_ = 0;  // the reader's buffer_version_ when the marks were made
  unsigned next_mark_ = 0;            // the mark of the next line's end
  unsigned mark_count_ = 0;           // 0 after the last mark was used
  std::error_code* ec_;
  // This member is not next to start_: GCC would store both members in one instruction, and a load
  // of one member would then be slow.
  std::string_view line_;  // null data at the end
  line_options options_;
  bool needs_finish_;  // each line needs finish()
  bool unfinished_ = false;
  bool last_is_long_ = false;          // the last line before marked_end_ has about 1 KiB or more
  std::uint16_t ahead_ = first_ahead;  // bytes to mark next
  std::uint64_t earlier_lines_ = 0;    // taken lines before the lines of the marks
  std::uint16_t marks_[most_marks];
};

/// The result of reader::find_all(): a single-pass range of positions.
class LEAT_API [[nodiscard]] match_range {
 public:
  using iterator = detail::pass_iterator<match_range, std::uint64_t>;

  /// Views of the standard library move a range. @since 0.3
  match_range(match_range&& other) noexcept
      : match_range(*other.reader_, std::move(other.needle_), other.ec_) {
    at_ = other.at_;
    found_ = other.found_;
  }
  match_range& operator=(match_range&& other) noexcept {
    reader_ = other.reader_;
    needle_ = std::move(other.needle_);
    ec_ = other.ec_;
    at_ = other.at_;
    found_ = other.found_;
    next_mark_ = mark_count_ = 0;
    return *this;
  }

  /// Goes to the first occurrence.
  iterator begin() {
    search();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::uint64_t& value() const noexcept { return at_; }
  bool at_end() const noexcept { return !found_; }

  template <class, class>
  friend class detail::owning_range;
  void rebind(reader& from) noexcept { reader_ = &from; }

  match_range(reader& from, finder needle, std::error_code* ec) noexcept
      : reader_(&from), needle_(std::move(needle)), ec_(ec) {}

  // If a byte is frequent, its next occurrences are marked at once. The marks are valid until
  // another call moves the reader or changes its buffer.
  void next() {
    if (next_mark_ == mark_count_ || reader_->next_ != hit_ ||
        reader_->buffer_version_ != buffer_version_) [[unlikely]]
      return next_slow();
    take_mark();
  }
  void take_mark() noexcept {
    const char* const hit = marks_base_ + marks_[next_mark_++];
    at_ += static_cast<std::uint64_t>(hit - hit_);
    reader_->next_ = hit_ = hit;
  }
  void next_slow();
  void search();
  bool mark() noexcept;

  static constexpr std::size_t most_marks = 516;
  static constexpr std::uint32_t most_distance = 1024;

  reader* reader_;
  finder needle_;
  std::uint64_t at_ = 0;
  bool found_ = false;
  std::error_code* ec_;
  std::uint32_t distance_ = most_distance;  // between occurrences of a byte; an average
  const char* hit_ = nullptr;               // the last marked occurrence that was taken
  const char* marks_base_ = nullptr;        // the marks are offsets from here
  std::uint64_t buffer_version_ = 0;        // the reader's buffer_version_ when the marks were made
  unsigned next_mark_ = 0;
  unsigned mark_count_ = 0;
  std::uint16_t marks_[most_marks];
};

/// The result of reader::words(): a single-pass range of std::string_view.
class LEAT_API [[nodiscard]] word_range {
 public:
  using iterator = detail::pass_iterator<word_range, std::string_view>;

  /// Views of the standard library move a range. @since 0.3
  word_range(word_range&& other) noexcept
      : reader_(other.reader_), ec_(other.ec_), word_(other.word_) {}
  word_range& operator=(word_range&& other) noexcept {
    reader_ = other.reader_;
    ec_ = other.ec_;
    word_ = other.word_;
    next_mark_ = mark_count_ = 0;
    at_ = marked_end_ = nullptr;
    return *this;
  }

  /// Takes the first word.
  iterator begin() {
    next();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return word_; }
  bool at_end() const noexcept { return word_.empty(); }

  template <class, class>
  friend class detail::owning_range;
  void rebind(reader& from) noexcept { reader_ = &from; }

  word_range(reader& from, std::error_code* ec) noexcept : reader_(&from), ec_(ec) {}

  // The lengths of words can't be predicted. So the words of up to 1 KiB are marked at once. The
  // marks are valid until another call moves the reader or changes its buffer.
  void next() {
    if (next_mark_ == mark_count_ || reader_->next_ != at_ ||
        reader_->buffer_version_ != buffer_version_) [[unlikely]]
      return next_slow();
    const char* const begin = marks_base_ + marks_[next_mark_];
    const char* const end = marks_base_ + marks_[next_mark_ + 1];
    next_mark_ += 2;
    word_ = {begin, static_cast<std::size_t>(end - begin)};
    reader_->next_ = at_ = end;
  }
  void next_slow();
  bool mark() noexcept;
  void take_one(std::size_t length);

  static constexpr std::size_t most_marks = 320;

  reader* reader_;
  std::error_code* ec_;
  std::string_view word_;  // empty at the end
  // The marks. A move of this range does not move the marks, because the reader may change then.
  const char* at_ = nullptr;          // the reader's position
  std::uint64_t buffer_version_ = 0;  // the reader's buffer_version_ when the marks were made
  const char* marks_base_ = nullptr;  // the marks are offsets from here
  // If no mark is left: the rest of the text before this address has no end of a word.
  const char* marked_end_ = nullptr;
  unsigned next_mark_ = 0;
  unsigned mark_count_ = 0;          // the count of the words' marks: an even number
  bool is_in_word_ = false;          // a last word has only the mark of its start
  std::uint8_t ahead_ = 1;           // blocks of 64 bytes to mark next, as line_range::ahead_
  std::uint16_t marks_[most_marks];  // the start and the end of each word, in turn
};

/// The result of reader::lines_backwards(): a single-pass range of std::string_view.
class LEAT_API [[nodiscard]] backward_line_range {
 public:
  using iterator = detail::pass_iterator<backward_line_range, std::string_view>;

  /// Views of the standard library move a range. @since 0.3
  backward_line_range(backward_line_range&&) noexcept = default;
  backward_line_range& operator=(backward_line_range&&) noexcept = default;

  /// Goes to the last line.
  iterator begin();
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return line_; }
  bool at_end() const noexcept { return line_.data() == nullptr; }

  template <class, class>
  friend class detail::owning_range;
  void rebind(reader& from) noexcept { reader_ = &from; }

  backward_line_range(reader& from, const line_options& how, std::error_code* ec) noexcept
      : reader_(&from), ec_(ec), options_(how) {}
  void next();

  reader* reader_;
  std::error_code* ec_;
  line_options options_;
  std::uint64_t start_ = 0;  // start of the last taken line; at first the end of the input
  std::string_view line_;    // null data at the end
};

/// The base of the concrete readers: file_reader, memory_reader, mapped_file, file_stream. On a
/// temporary, lines(), lines_backwards(), words(), rows() and find_all() return a range that owns
/// the stream. So the stream lives as long as the loop:
///
///     for (std::string_view line : leat::open("a.txt").lines()) use(line);
///
/// A temporary of type `reader&&` can't be owned, so these calls do not compile for it.
template <class Stream, std::size_t Padding>
class concrete_reader : public reader {
  template <class Range>
  using owning = detail::owning_range<Stream, Range>;

 public:
  /// The number of readable bytes after a window that is not empty, and after each line.
  static constexpr std::size_t padding = Padding;

  using reader::find_all;
  using reader::lines;
  using reader::lines_backwards;
  using reader::rows;
  using reader::words;

  owning<line_range> lines(const line_options& how = {}) && {
    return {self(), [&](reader& kept) { return kept.lines(how); }};
  }
  owning<line_range> lines(const line_options& how, std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines(how, ec); }};
  }
  owning<line_range> lines(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines(ec); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(const line_options& how = {}) && {
    return {self(), [&](reader& kept) { return kept.lines_backwards(how); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(const line_options& how,
                                                            std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines_backwards(how, ec); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines_backwards(ec); }};
  }
  [[nodiscard]] owning<word_range> words() && {
    return {self(), [](reader& kept) { return kept.words(); }};
  }
  [[nodiscard]] owning<word_range> words(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.words(ec); }};
  }
  // row_range may be incomplete here: the lambdas are compiled where they are used.
  owning<row_range> rows() && {
    return {self(), [](auto& kept) { return kept.rows(); }};
  }
  owning<row_range> rows(const row_options& how) && {
    return {self(), [&](auto& kept) { return kept.rows(how); }};
  }
  owning<row_range> rows(const row_options& how, std::error_code& ec) && noexcept {
    return {self(), [&](auto& kept) { return kept.rows(how, ec); }};
  }
  owning<row_range> rows(std::error_code& ec) && noexcept {
    return {self(), [&](auto& kept) { return kept.rows(ec); }};
  }
  owning<match_range> find_all(finder needle) && {
    return {self(), [&](reader& kept) { return kept.find_all(std::move(needle)); }};
  }
  owning<match_range> find_all(std::string_view needle) && {
    return {self(), [&](reader& kept) { return kept.find_all(needle); }};
  }
  owning<match_range> find_all(finder needle, std::error_code& ec) && {
    return {self(), [&](reader& kept) { return kept.find_all(std::move(needle), ec); }};
  }
  owning<match_range> find_all(std::string_view needle, std::error_code& ec) && {
    return {self(), [&](reader& kept) { return kept.find_all(needle, ec); }};
  }

 protected:
  using reader::reader;
  ~concrete_reader() = default;

 private:
  Stream&& self() noexcept { return static_cast<Stream&&>(*this); }
};

}  // namespace v0
}  // namespace leat
