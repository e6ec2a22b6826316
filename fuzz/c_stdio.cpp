// Random calls of C's stdio, made with leat's and with libc's functions on two equal files. After
// each call the visible results must be the same.
#include <fcntl.h>
#include <leat/leat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "c_calls.hpp"

namespace {

using namespace fuzz;

/// Runs a sequence on both sides, and inserts the call that C requires between reading and writing.
class file_comparison {
 public:
  explicit file_comparison(const std::string& folder) {
    ours_.path = folder + "leat";
    theirs_.path = folder + "libc";
  }

  /// Returns the first difference, or nothing.
  std::optional<std::string> run(const sequence& s) {
    prepare(ours_, s);
    prepare(theirs_, s);
    const std::optional<std::string> difference = run_calls(s);
    if (ours_.file != nullptr) ours_.close();
    if (theirs_.file != nullptr) theirs_.close();
    if (difference) return difference;
    if (::access(ours_.path.c_str(), F_OK) != ::access(theirs_.path.c_str(), F_OK))
      return "at the end only one of the two files exists";
    return compare_files("at the end");
  }

 private:
  enum class direction { none, in, out };

  template <class Stream>
  static void prepare(Stream& stream, const sequence& s) {
    ::unlink(stream.path.c_str());
    if (!s.exists) return;
    const int file = ::open(stream.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string content = text_of(s.initial_size, 5);
    if (file < 0 || ::write(file, content.data(), content.size()) < 0 || ::close(file) != 0)
      fail("the file for a sequence can't be written");
  }

  static std::string content(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY);
    if (file < 0) return {};
    return rest_of(file);
  }

  std::optional<std::string> compare_files(const std::string& when) const {
    const std::string a = content(ours_.path);
    const std::string b = content(theirs_.path);
    if (a == b) return std::nullopt;
    const auto position = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    return when + " the files differ at " + std::to_string(position) + "; sizes " +
           std::to_string(a.size()) + ", libc " + std::to_string(b.size());
  }

  template <class Stream>
  static void open(Stream& stream, const sequence& s) {
    using api = std::conditional_t<std::is_same_v<Stream, stdio_stream<libc>>, libc, leat_stdio>;
    errno = 0;
    stream.file = api::open(stream.path.c_str(), s.mode.c_str());
    if (stream.file == nullptr || s.buffering < 0) return;
    stream.own_buffer.assign(s.buffer_size, '\0');
    api::set_buffer(stream.file, s.own_buffer ? stream.own_buffer.data() : nullptr, s.buffering,
                    s.buffer_size);
  }

  std::optional<std::string> run_calls(const sequence& s) {
    open(ours_, s);
    const int our_error = errno;
    open(theirs_, s);
    if ((ours_.file == nullptr) != (theirs_.file == nullptr))
      return std::string("only one of the two opens succeeded");
    if (theirs_.file == nullptr)
      return our_error == errno ? std::nullopt : std::optional("open: another errno");
    mode_ = s.mode;
    reset_state();
    for (std::size_t i = 0; i != s.calls.size(); ++i) {
      std::optional<std::string> difference = step(s.calls[i]);
      if (theirs_.file == nullptr && !difference) return std::nullopt;
      if (!difference) difference = compare_state(s.checks_position);
      if (difference) {
        std::ostringstream where;
        where << "call " << i << ", " << s.calls[i] << ": " << *difference;
        return where.str();
      }
    }
    return finish();
  }

  void reset_state() {
    direction_ = direction::none;
    pushed_ = 0;
    has_pushed_ = false;
    has_written_ = false;
    before_start_ = false;
  }

  bool updates() const { return mode_.find('+') != std::string::npos; }
  bool readable() const { return mode_[0] == 'r' || updates(); }
  bool writable() const { return mode_[0] != 'r' || updates(); }

  std::optional<std::string> step(call c) {
    const call seek_in_place{.function = op::seek, .whence = before_start_ ? SEEK_SET : SEEK_CUR};
    // The call between writing and reading is also made on a stream that can't read. Without this
    // call, glibc's position is wrong while bytes are buffered.
    if (is_input(c.function) && direction_ == direction::out) {
      const call direction_switch = c.switch_by_flush ? call{.function = op::flush} : seek_in_place;
      if (const auto difference = call_both(direction_switch)) return difference;
    }
    if (writable() && is_output(c.function) && direction_ == direction::in &&
        ::feof(theirs_.file) == 0) {
      if (const auto difference = call_both(seek_in_place)) return difference;
    }
    remove_exclusive(c);
    if (c.function == op::set_position && !theirs_.has_position) return std::nullopt;
    // In C, the position is unspecified if bytes are pushed back before the start.
    if (before_start_) {
      if (c.function == op::tell || c.function == op::get_position) return std::nullopt;
      if (c.function == op::flush) c.function = op::rewind;
      if (c.function == op::seek || c.function == op::seek_offset) c.whence = SEEK_SET;
    }
    if ((c.function == op::get_line || c.function == op::get_delimited) && libc_reads_no_lines()) {
      if (const auto difference = call_both({.function = op::clear})) return difference;
    }
    if (c.function == op::unget) {
      if (is_refused_by_leat_only(c)) return std::nullopt;
      std::string read = last_read_;
      for (std::size_t i = 0; i != c.size; ++i) {
        if (!before_start_ && ::ftell(theirs_.file) == 0) before_start_ = true;
        call push = c;
        push.byte = (c.byte + static_cast<int>(i)) % 256;
        // In half of the cases, pushes back the byte that was read. No storage is needed for this
        // byte.
        if (c.switch_by_flush && !read.empty()) {
          push.byte = static_cast<unsigned char>(read.back());
          read.pop_back();
        }
        if (const auto difference = call_both(push)) return difference;
      }
      return std::nullopt;
    }
    return call_both(c);
  }

  // --- all intended differences between leat and glibc ------------------------------------------

  /// Returns true for a push back on a stream that can't read. C does not define this call. leat
  /// refuses the call. glibc accepts the byte, but the byte can't be read, and is lost or breaks
  /// later calls.
  bool is_refused_by_leat_only(const call& c) const {
    return c.function == op::unget && !readable();
  }

  /// "x" requires that the file is new, but the current file exists. leat ignores "x". glibc fails.
  static void remove_exclusive(call& c) {
    if (c.function == op::reopen_same) std::erase(c.mode, 'x');
  }

  /// Returns true for a failed seek that drops pushed back bytes in glibc. In C, only a successful
  /// seek drops these bytes.
  bool libc_drops_pushed(const call& c, const outcome& result) const {
    return (c.function == op::seek || c.function == op::seek_offset) && result.failed &&
           has_pushed_;
  }

  /// Returns whether getline and getdelim fail at once in glibc: an earlier call has failed, and
  /// the error was not cleared.
  bool libc_reads_no_lines() const { return ::ferror(theirs_.file) != 0; }

  /// Makes libc's call, in a way that avoids glibc's defects with pushed back bytes.
  ///
  /// POSIX: fflush moves the descriptor to the stream's position, before the pushed back bytes, and
  /// drops these bytes. glibc's fflush computes the position in the buffer of pushed
  /// back bytes, even after these bytes were read, and sets another position or crashes. glibc's
  /// fseek is right, except that SEEK_CUR sometimes counts pushed back bytes twice.
  outcome apply_to_libc(const call& c) {
    const bool seeks = c.function == op::seek || c.function == op::seek_offset;
    if (seeks && c.whence == SEEK_CUR && has_pushed_) {
      call from_start = c;
      from_start.whence = SEEK_SET;
      from_start.offset += ::ftell(theirs_.file);
      return theirs_.apply(from_start);
    }
    // If only fflush is called between a write and a push back, glibc also fails.
    const bool breaks = (c.function == op::flush && has_pushed_ && ::feof(theirs_.file) == 0) ||
                        (c.function == op::unget && has_written_);
    if (breaks) ::fseek(theirs_.file, ::ftell(theirs_.file), SEEK_SET);
    return theirs_.apply(c);
  }

  /// Returns the descriptor's offset after fclose by POSIX: the stream's position. Before version
  /// 2.41, glibc does not move the descriptor to this offset.
  long expected_offset_after_close() { return ::ftell(theirs_.file); }

  // -----------------------------------------------------------------------------------------------

  std::optional<std::string> call_both(const call& c) {
    if (c.function == op::reopen || c.function == op::reopen_same) mode_ = c.mode;
    const outcome got = ours_.apply(c);
    const outcome expected = apply_to_libc(c);
    track_state(c, expected);
    std::ostringstream report;
    if (got.value != expected.value)
      report << "result " << got.value << ", libc " << expected.value;
    else if (got.failed != expected.failed)
      report << "error " << got.failed << ", libc " << expected.failed;
    else if (got.failed && got.error != expected.error)
      report << "errno " << got.error << ", libc " << expected.error;
    else if (got.bytes != expected.bytes)
      report << "bytes \"" << got.bytes << "\", libc \"" << expected.bytes << '"';
    else if (c.function == op::flush && !got.failed)
      return compare_after_flush();
    else if (libc_drops_pushed(c, expected))
      return call_both({.function = op::rewind});
    else
      return std::nullopt;
    return report.str();
  }

  /// Tracks the state that decides which calls are valid next, from a call and libc's result.
  void track_state(const call& c, const outcome& result) {
    switch (c.function) {
      case op::unget:
        ++pushed_;
        has_pushed_ = true;
        has_written_ = false;
        direction_ = direction::in;
        return;
      case op::read:
      case op::get:
      case op::get_unlocked:
      case op::gets:
      case op::get_line:
      case op::get_delimited: {
        const bool is_byte = c.function == op::get || c.function == op::get_unlocked;
        const bool is_end = theirs_.file != nullptr && ::feof(theirs_.file) != 0;
        std::size_t taken = is_byte ? result.value >= 0 : result.bytes.size();
        if (c.function == op::gets && taken != 0) taken = std::strlen(result.bytes.c_str());
        if (c.function == op::get_line || c.function == op::get_delimited) taken -= taken != 0;
        last_read_ = is_byte && taken != 0 ? std::string(1, static_cast<char>(result.value))
                                           : result.bytes.substr(0, taken);
        pushed_ = is_end ? 0 : pushed_ - std::min(pushed_, taken);
        if (pushed_ == 0) before_start_ = false;
        if (!readable()) return;
        direction_ = direction::in;
        return;
      }
      case op::write:
      case op::put:
      case op::put_unlocked:
      case op::puts:
        if (!writable()) return;
        direction_ = direction::out;
        has_written_ = true;
        return;
      case op::seek:
      case op::seek_offset:
      case op::set_position:
        if (!result.failed) reset_state();
        return;
      case op::flush: {
        const bool had_written = has_written_;
        reset_state();
        has_written_ = had_written;
        return;
      }
      case op::rewind:
      case op::reopen:
      case op::reopen_same:
        reset_state();
        return;
      default:
        return;
    }
  }

  /// Returns the difference between leat and libc after fflush, or nothing. POSIX: the descriptor
  /// is at the stream's position, and the file has all bytes.
  std::optional<std::string> compare_after_flush() {
    const long got = ours_.offset(), expected = theirs_.offset();
    if (got != expected)
      return "offset after fflush " + std::to_string(got) + ", libc " + std::to_string(expected);
    return compare_files("after fflush");
  }

  std::optional<std::string> compare_state(bool with_position) {
    if ((::feof(theirs_.file) != 0) != (leat_feof(ours_.file) != 0))
      return std::string("feof differs");
    if ((::ferror(theirs_.file) != 0) != (leat_ferror(ours_.file) != 0))
      return std::string("ferror differs");
    if (!with_position || before_start_) return std::nullopt;
    const long got = leat_ftell(ours_.file), expected = ::ftell(theirs_.file);
    if (got == expected) return std::nullopt;
    return "ftell " + std::to_string(got) + ", libc " + std::to_string(expected);
  }

  std::optional<std::string> finish() {
    if (before_start_) {
      leat_rewind(ours_.file);
      ::rewind(theirs_.file);
      reset_state();
    }
    const long expected = expected_offset_after_close();
    const int ours = ::dup(leat_fileno(ours_.file));
    const int our_result = ours_.close(), their_result = theirs_.close();
    const long got = ::lseek(ours, 0, SEEK_CUR);
    ::close(ours);
    if (our_result != their_result) return std::string("fclose differs");
    if (got == expected) return std::nullopt;
    return "offset after fclose " + std::to_string(got) + ", libc " + std::to_string(expected);
  }

  stdio_stream<leat_stdio> ours_;
  stdio_stream<libc> theirs_;
  std::string mode_;
  std::string last_read_;
  direction direction_ = direction::none;
  std::size_t pushed_ = 0;
  bool has_pushed_ = false;    // since the last seek, flush or reopening
  bool has_written_ = false;   // since the last seek, reopening or ungetc
  bool before_start_ = false;  // bytes were pushed back at position 0
};

void drive(input& in) {
  generator random(in);
  expect_no_difference(file_comparison(scratch()), random.make_sequence(100));
}

const driver self("c_stdio", drive);

}  // namespace
