// Class reader: a stream of input. If the buffer has too few bytes, a reader calls its source.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/copy.hpp>
#include <leat/error.hpp>
#include <leat/finder.hpp>
#include <leat/parse.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

class source;
class backward_line_range;
class line_range;
class match_range;
class row_range;
class word_range;
struct row_options;
namespace search {
class needle;
}

/// How input is divided into lines.
struct line_options {
  char delimiter = '\n';  ///< the byte at the end of each line
  /// Also remove one carriage return ("\r") at the end of each line.
  bool crlf = false;
  /// A longer line is not taken: errc::line_too_long. Set a limit for untrusted input.
  std::size_t longest = (std::numeric_limits<std::size_t>::max)();
};

/// A line and its start, in bytes from the start of the input.
struct placed_line {
  std::uint64_t start = 0;
  std::string_view text;
};

/// Number of readable bytes after a buffer, if the reader's type has this value as its constant
/// `padding`. The values of these bytes are unspecified and may change.
inline constexpr std::size_t window_padding = 64;

template <class Stream, std::size_t Padding = window_padding>
class concrete_reader;

namespace detail {
/// Return type of deleted functions: the reader would be destroyed before its range.
struct name_the_reader;
}  // namespace detail

/// A stream of input: a file, memory, standard input. A function that takes a `reader&` works with
/// all these kinds.
///
/// A failed read throws leat::io_error, or sets a last argument `std::error_code&`. All bytes
/// before the failure are delivered first: read() returns a short count, lines() returns all whole
/// lines. The end of the input is no error. Views of the input are valid until the next non-const
/// call.
///
/// The ranges of lines, words, rows and matches refer to the reader. On a temporary of a known
/// type, such as the result of leat::open, the ranges own the reader; see concrete_reader.
///
/// @par Threads
/// One thread at a time may use a reader.
class LEAT_API reader {
 public:
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// The result of get() at the end.
  static constexpr int end_of_file = -1;

  /// Takes the next byte: 0 to 255, or end_of_file.
  int get() {
    if (next_ != end_) [[likely]]
      return static_cast<unsigned char>(*next_++);
    return get_slow(nullptr);
  }
  int get(std::error_code& ec) noexcept {
    ec.clear();
    if (next_ != end_) [[likely]]
      return static_cast<unsigned char>(*next_++);
    return get_slow(&ec);
  }

  /// Takes up to into.size() bytes and returns their number. The number is less than into.size()
  /// only at the end or before an error. Large reads go directly into the caller's memory.
  std::size_t read(std::span<char> into) {
    if (into.size() > available()) [[unlikely]]
      return read_slow(into, nullptr);
    take(into.data(), into.size());
    return into.size();
  }
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    if (into.size() > available()) [[unlikely]]
      return read_slow(into, &ec);
    take(into.data(), into.size());
    return into.size();
  }
  std::size_t read(std::span<std::byte> into) { return read(as_chars(into)); }
  std::size_t read(std::span<std::byte> into, std::error_code& ec) noexcept {
    return read(as_chars(into), ec);
  }
  std::size_t read(std::span<unsigned char> into) { return read(as_chars(into)); }
  std::size_t read(std::span<unsigned char> into, std::error_code& ec) noexcept {
    return read(as_chars(into), ec);
  }
  /// Takes and returns the rest of the input. If the rest has more than `limit` bytes, throws
  /// io_error (errc::input_too_long), or sets `ec` and returns an empty string; the reader does not
  /// move. If a read fails, the forms with `ec` return the bytes before the failure.
  ///
  ///     std::string text = leat::in.read_all();
  [[nodiscard]] std::string read_all(std::size_t limit = (std::numeric_limits<std::size_t>::max)());
  [[nodiscard]] std::string read_all(std::size_t limit, std::error_code& ec) noexcept;
  [[nodiscard]] std::string read_all(std::error_code& ec) noexcept;
  std::size_t read(std::string&) LEAT_DELETED("up to its size: read(std::span(s)); or read_all()");
  std::size_t read(std::string&, std::error_code&) LEAT_DELETED("use read(std::span(s), ec)");

  /// Takes exactly into.size() bytes. If there are fewer bytes, throws io_error: errc::ended_early,
  /// or the error of the failed read. io_error::unread() is the number of missing bytes.
  void read_exactly(std::span<char> into) {
    if (into.size() > available()) [[unlikely]]
      return read_exactly_slow(into, nullptr);
    take(into.data(), into.size());
  }
  void read_exactly(std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    if (into.size() > available()) [[unlikely]]
      return read_exactly_slow(into, &ec);
    take(into.data(), into.size());
  }
  void read_exactly(std::span<std::byte> into) { read_exactly(as_chars(into)); }
  void read_exactly(std::span<std::byte> into, std::error_code& ec) noexcept {
    read_exactly(as_chars(into), ec);
  }
  void read_exactly(std::span<unsigned char> into) { read_exactly(as_chars(into)); }
  void read_exactly(std::span<unsigned char> into, std::error_code& ec) noexcept {
    read_exactly(as_chars(into), ec);
  }

  /// Returns the next n bytes without taking them. The result is shorter only at the end or before
  /// an error. The buffer grows to hold n bytes. If the buffer can't grow, because of window_limit
  /// (errc::input_too_long) or for lack of memory, peek() throws io_error.
  std::string_view peek(std::size_t n) {
    if (n > available()) [[unlikely]]
      return peek_slow(n, nullptr);
    return {next_, n};
  }
  std::string_view peek(std::size_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n > available()) [[unlikely]]
      return peek_slow(n, &ec);
    return {next_, n};
  }
  /// Returns all bytes in the buffer (the window) without taking them; reads first if the buffer is
  /// empty. The result is empty at the end. A loop with skip() parses without a copy:
  ///
  ///     for (auto w = in.window(); !w.empty(); w = in.window()) in.skip(parse_part_of(w));
  ///
  /// For parsers that read beyond the end, such as simdjson: file_reader, file_stream,
  /// standard_reader and, except on Windows, mapped_file have a constant `padding` of 64. `padding`
  /// bytes can be read after a window that is not empty, and after each line. memory_reader's
  /// `padding` is 0, because its memory belongs to the program.
  std::string_view window() {
    if (next_ == end_) [[unlikely]]
      static_cast<void>(peek_slow(1, nullptr));
    return buffered();
  }
  std::string_view window(std::error_code& ec) noexcept {
    ec.clear();
    if (next_ == end_) [[unlikely]]
      static_cast<void>(peek_slow(1, &ec));
    return buffered();
  }
  /// Returns the bytes that are in the buffer already; reads nothing.
  std::string_view buffered() const noexcept { return {next_, available()}; }

  /// Skips n bytes. Returns the number of skipped bytes: less than n only at the end or, with `ec`,
  /// after a failure. Reads short gaps, and seeks over long gaps of a file. If another program
  /// truncates the file meanwhile, the result may include bytes that the file no longer has.
  std::uint64_t skip(std::uint64_t n) {
    if (n > available()) [[unlikely]]
      return skip_slow(n, nullptr);
    next_ += n;
    return n;
  }
  std::uint64_t skip(std::uint64_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n > available()) [[unlikely]]
      return skip_slow(n, &ec);
    next_ += n;
    return n;
  }

  /// Goes to a position, in bytes from the start. A position after the end is allowed; reads return
  /// nothing there. Inside the buffer only the cursor moves. On a pipe or terminal, a position
  /// outside of the buffer throws io_error, invalid_seek.
  void seek(std::uint64_t position) {
    if (begin_ == nullptr || position - base_ > content_size()) [[unlikely]]
      return seek_slow(position, nullptr);
    next_ = begin_ + (position - base_);
  }
  void seek(std::uint64_t position, std::error_code& ec) noexcept {
    ec.clear();
    if (begin_ == nullptr || position - base_ > content_size()) [[unlikely]]
      return seek_slow(position, &ec);
    next_ = begin_ + (position - base_);
  }
  /// Goes forward or back by `offset` bytes. A position before the start throws io_error,
  /// invalid_argument, and the reader does not move.
  void seek_by(std::int64_t offset) {
    if (offset < 0 && magnitude(offset) > tell()) return seek_before_start(nullptr);
    seek(tell() + static_cast<std::uint64_t>(offset));
  }
  void seek_by(std::int64_t offset, std::error_code& ec) noexcept {
    if (offset < 0 && magnitude(offset) > tell())
      seek_before_start(&ec);
    else
      seek(tell() + static_cast<std::uint64_t>(offset), ec);
  }
  /// The position of the next byte.
  std::uint64_t tell() const noexcept {
    if (begin_ == nullptr) [[unlikely]]
      return tell_slow();
    return base_ + static_cast<std::uint64_t>(next_ - begin_);
  }
  /// Returns the number of bytes from the start to the current end. If the input has no size (a
  /// pipe), or if its size is unknown (files in /proc and /sys report false sizes), throws
  /// io_error, operation_not_supported.
  std::uint64_t size() const;
  std::uint64_t size(std::error_code& ec) const noexcept;

  /// The lines from the reader's position on, without their delimiters. The last line may have no
  /// delimiter. A line may be as long as memory allows. Each line is valid until the next line is
  /// taken. After a line is taken, the reader's position is after the line's delimiter.
  ///
  ///     for (std::string_view line : in.lines()) use(line);
  line_range lines(const line_options& how = {}) &;
  /// The same lines; a failure ends the loop and sets `ec`.
  line_range lines(const line_options& how, std::error_code& ec) & noexcept;
  line_range lines(std::error_code& ec) & noexcept;
  detail::name_the_reader lines(const line_options& how = {}) && = delete;
  detail::name_the_reader lines(const line_options& how, std::error_code& ec) && = delete;
  detail::name_the_reader lines(std::error_code& ec) && = delete;
  /// Copies the next line. At the end and after a failure, returns false and clears `line`.
  bool read_line(std::string& line, const line_options& how = {});
  bool read_line(std::string& line, const line_options& how, std::error_code& ec) noexcept;
  bool read_line(std::string& line, std::error_code& ec) noexcept;
  /// The lines from the end of the input back to its start, the last line first. After a line is
  /// taken, the reader is at the start of that line. To print the last ten lines:
  ///
  ///     int n = 0;
  ///     for (auto line : in.lines_backwards())
  ///       if (++n == 10) break;
  ///     for (auto line : in.lines()) leat::out.println("{}", line);
  ///
  /// Input without positions, such as a pipe, is an error (operation_not_supported). If a file
  /// becomes shorter during the loop, the lines that the file still has follow.
  ///
  /// @par Time
  /// Linear in the length of the lines taken, not in the size of the input. A file of unknown size
  /// is read to its end first.
  [[nodiscard]] backward_line_range lines_backwards(const line_options& how = {}) &;
  [[nodiscard]] backward_line_range lines_backwards(const line_options& how,
                                                    std::error_code& ec) & noexcept;
  [[nodiscard]] backward_line_range lines_backwards(std::error_code& ec) & noexcept;
  detail::name_the_reader lines_backwards(const line_options& how = {}) && = delete;
  detail::name_the_reader lines_backwards(const line_options& how, std::error_code& ec) && = delete;
  detail::name_the_reader lines_backwards(std::error_code& ec) && = delete;
  /// Takes the whole line that contains the next byte; a delimiter ends its line. At the end and
  /// after a failure, returns a null text and does not move. Valid until the next non-const call.
  ///
  ///     while (in.find("error")) leat::out.println("{}", in.line_around().text);
  ///
  /// On a pipe, if the line's start is no longer in the buffer, the call fails (invalid_seek).
  ///
  /// @par Time
  /// Linear in the length of the line.
  placed_line line_around(const line_options& how = {});
  placed_line line_around(const line_options& how, std::error_code& ec) noexcept;
  placed_line line_around(std::error_code& ec) noexcept;

  /// The words from the reader's position on: texts between blanks, which are a space and the
  /// characters from tab to carriage return. A word may be as long as memory allows. Each word is
  /// valid until the next word is taken. After a word is taken, the reader's position is after the
  /// word.
  ///
  ///     for (std::string_view word : in.words()) ++counts[std::string(word)];
  [[nodiscard]] word_range words() &;
  /// The same words; a failure ends the loop and sets `ec`.
  [[nodiscard]] word_range words(std::error_code& ec) & noexcept;
  detail::name_the_reader words() && = delete;
  detail::name_the_reader words(std::error_code& ec) && = delete;

  /// The rows from the reader's position on, of CSV, TSV and similar formats. A row gives access to
  /// its fields by index; using two fields costs as much as using twenty. A row is valid until the
  /// next row is taken. After a row is taken, the reader's position is after the row. Quotes are
  /// special only with row_options::quotes. A UTF-8 byte-order mark at the start of the input
  /// belongs to no field.
  ///
  ///     for (const leat::row& row : in.rows({.quotes = true})) use(row[0], row[2]);
  ///
  /// The last row may have no newline. A row with a wrong quote (errc::bad_quotes) ends the rows;
  /// the reader stays at the start of that row, and the error has the offset of the wrong byte.
  row_range rows() &;
  row_range rows(const row_options& how) &;
  /// The same rows; a failure ends the loop and sets `ec`.
  row_range rows(const row_options& how, std::error_code& ec) & noexcept;
  row_range rows(std::error_code& ec) & noexcept;
  detail::name_the_reader rows() && = delete;
  detail::name_the_reader rows(const row_options& how) && = delete;
  detail::name_the_reader rows(const row_options& how, std::error_code& ec) && = delete;
  detail::name_the_reader rows(std::error_code& ec) && = delete;

  /// Goes to the next occurrence of the needle and returns its position. Skip the needle before the
  /// next find. Without an occurrence, returns nothing, and the reader is at the end. Nothing is
  /// read beyond the occurrence's buffer. An empty needle is found at the reader's position.
  ///
  /// @par Time
  /// In proportion to the bytes that are passed, for every needle.
  std::optional<std::uint64_t> find(std::string_view needle);
  std::optional<std::uint64_t> find(std::string_view needle, std::error_code& ec) noexcept;
  std::optional<std::uint64_t> find(finder& needle);
  std::optional<std::uint64_t> find(finder& needle, std::error_code& ec) noexcept;
  /// The positions of all occurrences from the reader's position on, without overlaps. The reader
  /// goes to each occurrence. An empty needle is found at every position, including the end.
  ///
  ///     for (std::uint64_t at : in.find_all("error")) …
  ///
  /// @par Time
  /// In proportion to the bytes that are passed, for every needle.
  match_range find_all(finder needle) &;
  match_range find_all(std::string_view needle) &;
  /// The same positions; a failure ends the loop and sets `ec`.
  match_range find_all(finder needle, std::error_code& ec) &;
  match_range find_all(std::string_view needle, std::error_code& ec) &;
  detail::name_the_reader find_all(finder needle) && = delete;
  detail::name_the_reader find_all(std::string_view needle) && = delete;
  detail::name_the_reader find_all(finder needle, std::error_code& ec) && = delete;
  detail::name_the_reader find_all(std::string_view needle, std::error_code& ec) && = delete;

  /// Skips blanks and takes a number in the form of std::from_chars: decimal, no '+', no locale.
  /// Returns nothing at the end and, with `ec`, after an error. If there is no number, or if the
  /// number does not fit, throws io_error (errc::not_a_number or result_out_of_range), and the
  /// reader stays before the blanks. The error has the offset at which the number should begin. If
  /// the start of the input is still in the buffer, the exception's message has the line number.
  ///
  ///     while (auto n = in.parse<int>()) sum += *n;
  template <parsable T>
  std::optional<T> parse() {
    return parse<T>(static_cast<std::error_code*>(nullptr));
  }
  template <parsable T>
  std::optional<T> parse(std::error_code& ec) noexcept {
    ec.clear();
    return parse<T>(&ec);
  }
  /// Skips blanks and takes a number in a base from 2 to 36, without a prefix such as "0x". Any
  /// other base is an error (invalid_argument).
  template <parsable_integer T>
  std::optional<T> parse(int base) {
    return parse_slowly<T>(nullptr, base);
  }
  template <parsable_integer T>
  std::optional<T> parse(int base, std::error_code& ec) noexcept {
    ec.clear();
    return parse_slowly<T>(&ec, base);
  }

  /// Closes the stream. If closing fails, or if a read failed and no call has reported the failure,
  /// throws io_error. Closing again does nothing.
  void close();
  void close(std::error_code& ec) noexcept;
  /// The error of the last failed read, or a zero code. If the stream is not open, errc::closed or
  /// the error of the opening. Does not count as a report: without a call that reports the failure,
  /// the loss handler is called.
  [[nodiscard]] std::error_code error() const noexcept;

 protected:
  constexpr explicit reader(source& below) noexcept : source_(&below) {}
  reader(source& below, std::string_view window) noexcept
      : next_(window.data()), end_(window.data() + window.size()), begin_(next_), source_(&below) {}
  ~reader() = default;

  /// Takes over the buffer and the source of a moved-from stream; `other` is then closed.
  void take_window(reader& other) noexcept;
  /// Closes the stream. If a read failed and no call has reported the failure, the loss handler is
  /// called.
  void dispose() noexcept;

 private:
  friend class source;
  friend class backward_line_range;
  friend class line_range;
  friend class match_range;
  friend class row_range;
  friend class word_range;
  friend struct kernel_copy;
  friend struct buffer_access;

  std::size_t available() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  std::size_t content_size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  void take(char* to, std::size_t n) noexcept {
    detail::copy(to, next_, n);
    next_ += n;
  }
  static std::uint64_t magnitude(std::int64_t negative) noexcept {
    return std::uint64_t{0} - static_cast<std::uint64_t>(negative);
  }
  template <class Byte>
  static std::span<char> as_chars(std::span<Byte> bytes) noexcept {
    return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
  }

  // Functions with an `ec` set it, or throw if it is null.
  [[gnu::cold]] int get_slow(std::error_code* ec);
  std::size_t read_unreported(std::span<char> into) noexcept;
  std::string read_all(std::size_t limit, std::error_code* ec);
  [[gnu::cold]] std::size_t read_slow(std::span<char> into, std::error_code* ec);
  [[gnu::cold]] void read_exactly_slow(std::span<char> into, std::error_code* ec);
  [[gnu::cold]] std::string_view peek_slow(std::size_t n, std::error_code* ec);
  [[gnu::cold]] std::uint64_t skip_slow(std::uint64_t n, std::error_code* ec);
  [[gnu::cold]] void seek_slow(std::uint64_t position, std::error_code* ec);
  void fill(std::size_t wanted) noexcept;
  void report(std::error_code* ec);
  void deliver(const failure& what, std::error_code* ec, std::string_view remark = {}) const;
  bool find_line(std::string_view& line, std::size_t& size, const line_options& how,
                 std::error_code* ec, std::string* copy = nullptr);
  bool read_line(std::string& line, const line_options& how, std::error_code* ec);
  bool seek_to_line(std::uint64_t position, char delimiter, std::error_code* ec);
  placed_line line_around(const line_options& how, std::error_code* ec);
  std::optional<std::uint64_t> find(search::needle& wanted, std::error_code* ec);
  template <class T>
  std::optional<T> parse(std::error_code* ec) {
    if constexpr (!std::is_same_v<T, long double>) {
      const auto [stop, value] = detail::take_first<detail::first_type<T>>(next_, end_);
      bool fits = stop != nullptr;
      if constexpr (std::is_integral_v<T>) fits = fits && static_cast<T>(value) == value;
      if (fits) [[likely]] {
        next_ = stop;
        return static_cast<T>(value);
      }
    }
    return parse_slowly<T>(ec, 10);
  }
  template <class T>  // no constraint: see detail::parse_text
  [[gnu::noinline]] std::optional<T> parse_slowly(std::error_code* ec, int base);
  [[gnu::cold]] void seek_before_start(std::error_code* ec) const;
  [[gnu::cold]] std::uint64_t tell_slow() const noexcept;

  // A closed stream has no buffer. So the check for bytes in the buffer also detects a closed
  // stream.
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  const char* begin_ = nullptr;
  std::uint64_t base_ = 0;  // the position of *begin_
  // Changes with the content of the buffer: two contents may have the same address.
  std::uint64_t buffer_version_ = 0;

 protected:
  source* source_;
};

/// Standard input; usable in constructors of static objects. stdio and iostreams have separate
/// buffers for standard input. If standard input is a file, its descriptor gets the reader's
/// position at the end of the process, so that the next process continues there.
///
/// If the program ignores SIGPIPE, and a write to standard output has failed because the other end
/// of the pipe is closed, reads fail with std::errc::broken_pipe until `out.clear_error()`. So a
/// filter ends even if its input is endless.
///
/// @par Threads
/// One thread at a time may use `in`. Unlike `out`, `in` has no lock, because threads could not
/// share views of its bytes.
class standard_reader final : public reader {
 public:
  static constexpr std::size_t padding = window_padding;

  constexpr explicit standard_reader(source& below) noexcept : reader(below) {}
};
/// Standard input.
LEAT_API extern constinit standard_reader in;

}  // namespace v0
}  // namespace leat

#include <leat/ranges.hpp>  // IWYU pragma: export
#include <leat/rows.hpp>    // IWYU pragma: export
