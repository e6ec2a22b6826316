// Random calls of C's stdio, to leat's functions and to libc's, on two equal files, memories or
// pipes. The visible results must be the same after each call.
#include <fcntl.h>
#include <leat/leat.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fuzz.hpp"
#include "support/stdio_apis.hpp"

namespace {

using namespace leat_test;

// --- calls ---------------------------------------------------------------------------------------

enum class op {
  read,
  get,
  get_unlocked,
  gets,
  get_line,
  get_delimited,
  unget,  // input
  write,
  put,
  put_unlocked,
  puts,  // output
  seek,
  seek_wide,
  tell,
  get_position,
  set_position,
  rewind,
  flush,
  clear,
  reopen,
  reopen_same
};
constexpr int ops = static_cast<int>(op::reopen_same) + 1;
constexpr const char* op_names[ops] = {
    "fread",   "fgetc",   "fgetc_unlocked", "fgets",  "getline",  "getdelim", "ungetc",
    "fwrite",  "fputc",   "fputc_unlocked", "fputs",  "fseek",    "fseeko",   "ftell",
    "fgetpos", "fsetpos", "rewind",         "fflush", "clearerr", "freopen",  "freopen(null)"};

bool is_input(op what) { return what <= op::unget; }
bool is_output(op what) { return what >= op::write && what <= op::puts; }

struct call {
  op what{};
  std::size_t size = 0;  // in bytes, for calls that read or write
  std::size_t item = 1;  // for fread and fwrite
  long offset = 0;
  int whence = 0;
  int byte = 0;
  std::string mode{};            // for freopen
  bool switch_by_flush = false;  // from writing to reading by fflush, not fseek
};

std::ostream& operator<<(std::ostream& out, const call& c) {
  out << op_names[static_cast<int>(c.what)] << '(';
  switch (c.what) {
    case op::seek:
    case op::seek_wide:
      out << c.offset << ", " << c.whence;
      break;
    case op::reopen:
    case op::reopen_same:
      out << c.mode;
      break;
    case op::put:
    case op::put_unlocked:
    case op::unget:
    case op::get_delimited:
      out << c.byte;
      if (c.what == op::unget) out << " x" << c.size;
      break;
    case op::read:
    case op::write:
      out << c.item << ", " << c.size / c.item;
      break;
    case op::gets:
    case op::puts:
      out << c.size;
      break;
    default:
      break;
  }
  return out << ')';
}

/// The number of bytes that an output call writes.
std::size_t bytes_of(const call& c) {
  if (c.what == op::put || c.what == op::put_unlocked) return 1;
  return c.what == op::write ? c.size / c.item * c.item : c.size;
}

/// The visible result of a call, to compare and to print.
struct outcome {
  long value = 0;
  bool failed = false;  // errno is valid only then
  int error = 0;
  std::string bytes{};
};

std::string text_of(std::size_t size, int seed);

std::string text_of(const call& c) {
  if (c.what == op::put || c.what == op::put_unlocked)
    return std::string(1, static_cast<char>(c.byte));
  return text_of(bytes_of(c), c.byte);
}

/// Text with some newlines and without NULs.
std::string text_of(std::size_t size, int seed) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i != size; ++i) {
    const auto place = static_cast<unsigned>(i * 7 + static_cast<std::size_t>(seed));
    text[i] = place % 61 == 0 ? '\n' : static_cast<char>('!' + place % 93);
  }
  return text;
}

/// Returns whether libc's fclose frees a stream that freopen failed to reopen. In C, such a stream
/// is gone. With leat and older libcs the program can still close the stream, which frees its
/// memory; newer libcs have already freed the memory. (glibc 2.41 ends a program that closes such a
/// stream; with a thread sanitizer, the next two streams are then the same.)
bool libc_closes_what_failed_to_reopen() {
  static const bool closes = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      std::FILE* const file = std::fopen("/dev/null", "r");
      if (file == nullptr || std::freopen("/dev/null/none", "r", file) != nullptr) ::_exit(1);
      std::fclose(file);
      ::_exit(std::fopen("/dev/null", "r") != std::fopen("/dev/null", "r") ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
  }();
  return closes;
}

template <class Api>
class side {
 public:
  typename Api::file* file = nullptr;
  std::string path;
  std::string own_buffer;     // of setvbuf
  bool has_position = false;  // fgetpos has succeeded

  ~side() {
    if (file != nullptr) Api::close(file);
    std::free(line_);
  }

  outcome apply(const call& c) {
    outcome result;
    errno = 0;
    switch (c.what) {
      case op::read: {
        std::string into(c.size, '\0');
        // Only whole items are compared; the rest of a truncated item shows in the position.
        result.value = static_cast<long>(Api::read(into.data(), c.item, c.size / c.item, file));
        into.resize(static_cast<std::size_t>(result.value) * c.item);
        result.bytes = into;
        tell_failure(result);
        break;
      }
      case op::get:
      case op::get_unlocked:
        result.value = c.what == op::get ? Api::get(file) : Api::get_unlocked(file);
        tell_failure(result);
        break;
      case op::gets: {
        std::string into(std::max<std::size_t>(c.size, 1), '\1');
        const char* const got = Api::gets(into.data(), static_cast<int>(into.size()), file);
        result.value = got != nullptr;
        if (got != nullptr) result.bytes = into;
        tell_failure(result);
        break;
      }
      case op::get_line:
      case op::get_delimited:
        result.value = c.what == op::get_line
                           ? Api::get_line(&line_, &line_size_, file)
                           : Api::get_delimited(&line_, &line_size_, c.byte, file);
        if (result.value >= 0)
          result.bytes.assign(line_, static_cast<std::size_t>(result.value) + 1);
        tell_failure(result);
        break;
      case op::unget:
        result.value = Api::unget(c.byte, file);
        break;
      case op::write: {
        const std::string from = text_of(c.size, c.byte);
        result.value = static_cast<long>(Api::write(from.data(), c.item, c.size / c.item, file));
        tell_failure(result);
        break;
      }
      case op::put:
      case op::put_unlocked:
        result.value = c.what == op::put ? Api::put(c.byte, file) : Api::put_unlocked(c.byte, file);
        tell_failure(result);
        break;
      case op::puts:
        result.value = Api::puts(text_of(c.size, c.byte).c_str(), file) < 0;
        tell_failure(result);
        break;
      case op::seek:
      case op::seek_wide:
        result.value = c.what == op::seek ? Api::seek(file, c.offset, c.whence)
                                          : Api::seek_wide(file, c.offset, c.whence);
        result.failed = result.value != 0;
        break;
      case op::tell:
        result.value = Api::tell(file);
        result.failed = result.value < 0;
        break;
      case op::get_position:
        result.value = Api::get_position(file, &saved_);
        result.failed = result.value != 0;
        has_position = has_position || !result.failed;
        break;
      case op::set_position:
        result.value = Api::set_position(file, &saved_);
        result.failed = result.value != 0;
        break;
      case op::rewind:
        Api::rewind(file);
        break;
      case op::flush:
        result.value = Api::flush(file);
        result.failed = result.value != 0;
        break;
      case op::clear:
        Api::clear(file);
        break;
      case op::reopen:
      case op::reopen_same: {
        const char* const name = c.what == op::reopen ? path.c_str() : nullptr;
        auto* const again = Api::reopen(name, c.mode.c_str(), file);
        result.failed = again == nullptr;
        result.error = errno;
        result.value = again == file;
        if (again == nullptr) {
          if (std::is_same_v<Api, leats> || libc_closes_what_failed_to_reopen()) Api::close(file);
          file = nullptr;
        }
        return result;
      }
    }
    result.error = errno;
    return result;
  }

  int end() { return Api::close(std::exchange(file, nullptr)); }

  /// The descriptor's offset
  long offset() { return static_cast<long>(::lseek(Api::number(file), 0, SEEK_CUR)); }

 private:
  void tell_failure(outcome& result) const { result.failed = Api::failed(file) != 0; }

  typename Api::position saved_{};
  char* line_ = nullptr;
  std::size_t line_size_ = 0;
};

// --- sequences -----------------------------------------------------------------------------------

struct sequence {
  std::string mode;
  bool exists = true;
  std::size_t initial = 0;
  int buffering = -1;  // for setvbuf; -1: setvbuf is not called
  std::size_t buffer_size = 0;
  bool own_buffer = false;
  bool observes = true;  // ftell after each call; ftell may itself change the state
  std::vector<call> calls;
};

std::ostream& operator<<(std::ostream& out, const sequence& s) {
  out << "fopen(" << s.mode << ") of " << (s.exists ? "" : "no file, ") << s.initial << " bytes";
  if (s.buffering >= 0)
    out << "; setvbuf(" << (s.own_buffer ? "memory, " : "null, ") << s.buffering << ", "
        << s.buffer_size << ')';
  out << (s.observes ? "; ftell after each call" : "");
  for (const auto& c : s.calls) out << "\n  " << c;
  return out;
}

constexpr const char* modes[] = {"r",  "w",  "a",   "r+",  "w+",  "a+",  "rb+", "r+b", "wx",
                                 "rb", "wb", "w+x", "ab+", "w+b", "r+e", "r+",  "w+",  "a+"};

class generator {
 public:
  explicit generator(fuzz::input& in) : in_(in) {}

  bool more() const { return in_.more(); }
  std::size_t below(std::size_t n) { return in_.below(n); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  std::size_t size() {
    switch (below(8)) {
      case 0:
        return below(3);
      case 1:
        return below(300);
      case 2:
        return 4090 + below(12);
      case 3:
        return below(9000);
      default:
        return below(24);
    }
  }

  std::string mode() { return modes[below(std::size(modes))]; }

  call next(long scale) {
    static constexpr op often[] = {op::read,  op::read,  op::get, op::unget, op::gets,
                                   op::write, op::write, op::put, op::seek,  op::seek};
    call c{};
    c.what = chance(2) ? often[below(std::size(often))] : static_cast<op>(below(ops));
    if ((c.what == op::reopen || c.what == op::reopen_same) && !chance(4)) c.what = op::read;
    c.size = c.what == op::unget ? 1 + below(8) : size();
    c.byte = static_cast<int>(below(256));
    if (chance(3)) c.item = 3;
    c.mode = mode();
    c.switch_by_flush = chance(2);
    c.whence = static_cast<int>(below(3));
    const long reach = chance(2) ? 40 : chance(20) ? 10 * scale + 10 : scale + 10;
    c.offset = static_cast<long>(below(static_cast<std::size_t>(reach)));
    if (c.whence == SEEK_CUR) c.offset -= reach / 2;
    if (c.whence == SEEK_END) c.offset = reach / 8 - c.offset;
    if (chance(60)) c.whence = 7;
    if (chance(60)) c.offset = -c.offset;
    return c;
  }

  sequence make(std::size_t most) {
    sequence s;
    s.mode = mode();
    s.exists = !chance(8);
    switch (below(16)) {
      case 0:
      case 1:
        break;
      case 2:
      case 3:
      case 4:
        s.initial = below(20);
        break;
      case 5:
        s.initial = 9000 + below(90000);
        break;
      default:
        s.initial = below(6000);
        break;
    }
    if (chance(200)) s.initial = 250000 + below(300000);
    switch (below(6)) {
      case 0:
      case 1:
        s.buffering = _IOFBF;
        break;
      case 2:
        s.buffering = _IOLBF;
        break;
      case 3:
        s.buffering = _IONBF;
        break;
      default:
        break;
    }
    s.buffer_size = s.buffering == _IONBF ? 0 : 1 + (chance(2) ? below(40) : below(5000));
    s.own_buffer = s.buffering != _IONBF && chance(2);
    s.observes = chance(2);
    const auto scale = static_cast<long>(s.initial);
    while (in_.more() && s.calls.size() != most) s.calls.push_back(next(scale));
    return s;
  }

 private:
  fuzz::input& in_;
};

/// Returns the rest of the file, and closes the descriptor.
std::string rest_of(int file) {
  std::string all;
  char block[1 << 16];
  for (ssize_t n = 0; (n = ::read(file, block, sizeof block)) > 0;)
    all.append(block, static_cast<std::size_t>(n));
  ::close(file);
  return all;
}

/// Runs a sequence on both sides, and inserts the call that C requires between reading and writing.
class duel {
 public:
  explicit duel(const std::string& folder) {
    ours_.path = folder + "leat";
    theirs_.path = folder + "libc";
  }

  /// Returns the first difference, or nothing.
  std::optional<std::string> run(const sequence& s) {
    prepare(ours_, s);
    prepare(theirs_, s);
    const std::optional<std::string> difference = play(s);
    if (ours_.file != nullptr) ours_.end();
    if (theirs_.file != nullptr) theirs_.end();
    if (difference) return difference;
    if (::access(ours_.path.c_str(), F_OK) != ::access(theirs_.path.c_str(), F_OK))
      return "at the end one file is there and the other is not";
    return compare_files("at the end");
  }

 private:
  enum class direction { none, in, out };

  template <class Side>
  static void prepare(Side& on, const sequence& s) {
    ::unlink(on.path.c_str());
    if (!s.exists) return;
    const int file = ::open(on.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string content = text_of(s.initial, 5);
    if (file < 0 || ::write(file, content.data(), content.size()) < 0 || ::close(file) != 0)
      fuzz::fail("a file can't be written");
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
    const auto place = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    return when + " the files differ at " + std::to_string(place) + "; sizes " +
           std::to_string(a.size()) + ", libc " + std::to_string(b.size());
  }

  template <class Side>
  static void open(Side& on, const sequence& s) {
    using api = std::conditional_t<std::is_same_v<Side, side<libc>>, libc, leats>;
    errno = 0;
    on.file = api::open(on.path.c_str(), s.mode.c_str());
    if (on.file == nullptr || s.buffering < 0) return;
    on.own_buffer.assign(s.buffer_size, '\0');
    api::set_buffer(on.file, s.own_buffer ? on.own_buffer.data() : nullptr, s.buffering,
                    s.buffer_size);
  }

  std::optional<std::string> play(const sequence& s) {
    open(ours_, s);
    const int our_error = errno;
    open(theirs_, s);
    if ((ours_.file == nullptr) != (theirs_.file == nullptr))
      return std::string("only one could open");
    if (theirs_.file == nullptr)
      return our_error == errno ? std::nullopt : std::optional("open: another errno");
    mode_ = s.mode;
    begin();
    for (std::size_t i = 0; i != s.calls.size(); ++i) {
      std::optional<std::string> difference = step(s.calls[i]);
      if (theirs_.file == nullptr && !difference) return std::nullopt;
      if (!difference) difference = observe(s.observes);
      if (difference) {
        std::ostringstream where;
        where << "call " << i << ", " << s.calls[i] << ": " << *difference;
        return where.str();
      }
    }
    return finish();
  }

  void begin() {
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
    const call here{.what = op::seek, .whence = before_start_ ? SEEK_SET : SEEK_CUR};
    // Even if the stream can't read: glibc's position would be wrong while bytes are buffered.
    if (is_input(c.what) && direction_ == direction::out) {
      const call turn = c.switch_by_flush ? call{.what = op::flush} : here;
      if (const auto difference = both(turn)) return difference;
    }
    if (writable() && is_output(c.what) && direction_ == direction::in &&
        ::feof(theirs_.file) == 0) {
      if (const auto difference = both(here)) return difference;
    }
    leave_out_exclusive(c);
    if (c.what == op::set_position && !theirs_.has_position) return std::nullopt;
    // In C, the position is unspecified if bytes are pushed back before the start.
    if (before_start_) {
      if (c.what == op::tell || c.what == op::get_position) return std::nullopt;
      if (c.what == op::flush) c.what = op::rewind;
      if (c.what == op::seek || c.what == op::seek_wide) c.whence = SEEK_SET;
    }
    if ((c.what == op::get_line || c.what == op::get_delimited) && libc_reads_no_lines()) {
      if (const auto difference = both({.what = op::clear})) return difference;
    }
    if (c.what == op::unget) {
      if (is_refused_by_leat_only(c)) return std::nullopt;
      std::string read = last_read_;
      for (std::size_t i = 0; i != c.size; ++i) {
        if (!before_start_ && ::ftell(theirs_.file) == 0) before_start_ = true;
        call one = c;
        one.byte = (c.byte + static_cast<int>(i)) % 256;
        // In half of the cases, pushes back the byte that was read, which needs no storage.
        if (c.switch_by_flush && !read.empty()) {
          one.byte = static_cast<unsigned char>(read.back());
          read.pop_back();
        }
        if (const auto difference = both(one)) return difference;
      }
      return std::nullopt;
    }
    return both(c);
  }

  // --- all intended differences between leat and glibc ------------------------------------------

  /// glibc also pushes back on streams that can't read, which C does not define: the byte can't be
  /// read, and is lost or breaks later calls.
  bool is_refused_by_leat_only(const call& c) const { return c.what == op::unget && !readable(); }

  /// "x" requires a new file, which the current file can't be. leat ignores "x", glibc fails.
  static void leave_out_exclusive(call& c) {
    if (c.what == op::reopen_same) std::erase(c.mode, 'x');
  }

  /// In C, a successful seek drops pushed back bytes. In glibc, a failed seek drops them, too.
  bool libc_drops_pushed(const call& c, const outcome& result) const {
    return (c.what == op::seek || c.what == op::seek_wide) && result.failed && has_pushed_;
  }

  /// glibc's getline and getdelim fail at once if an earlier call has failed.
  bool libc_reads_no_lines() const { return ::ferror(theirs_.file) != 0; }

  /// POSIX: fflush moves the descriptor to the stream's position, with pushed back bytes counted,
  /// and drops the pushed back bytes. glibc's fflush computes the position in its buffer of pushed
  /// back bytes, even after they were read, and sets another position or crashes. glibc's fseek is
  /// right, except that SEEK_CUR sometimes counts pushed back bytes twice.
  outcome apply_to_libc(const call& c) {
    const bool seeks = c.what == op::seek || c.what == op::seek_wide;
    if (seeks && c.whence == SEEK_CUR && has_pushed_) {
      call from_start = c;
      from_start.whence = SEEK_SET;
      from_start.offset += ::ftell(theirs_.file);
      return theirs_.apply(from_start);
    }
    // glibc also fails with bytes that are pushed back after writing, if the writing was ended by
    // fflush alone.
    const bool breaks = (c.what == op::flush && has_pushed_ && ::feof(theirs_.file) == 0) ||
                        (c.what == op::unget && has_written_);
    if (breaks) ::fseek(theirs_.file, ::ftell(theirs_.file), SEEK_SET);
    return theirs_.apply(c);
  }

  /// POSIX: fclose moves the descriptor to the stream's position. glibc does so since 2.41.
  long offset_after_close() { return ::ftell(theirs_.file); }

  // -----------------------------------------------------------------------------------------------

  std::optional<std::string> both(const call& c) {
    if (c.what == op::reopen || c.what == op::reopen_same) mode_ = c.mode;
    const outcome got = ours_.apply(c);
    const outcome expected = apply_to_libc(c);
    follow(c, expected);
    std::ostringstream what;
    if (got.value != expected.value)
      what << "result " << got.value << ", libc " << expected.value;
    else if (got.failed != expected.failed)
      what << "error " << got.failed << ", libc " << expected.failed;
    else if (got.failed && got.error != expected.error)
      what << "errno " << got.error << ", libc " << expected.error;
    else if (got.bytes != expected.bytes)
      what << "bytes \"" << got.bytes << "\", libc \"" << expected.bytes << '"';
    else if (c.what == op::flush && !got.failed)
      return flushed();
    else if (libc_drops_pushed(c, expected))
      return both({.what = op::rewind});
    else
      return std::nullopt;
    return what.str();
  }

  /// Tracks the state that decides which calls are valid next.
  void follow(const call& c, const outcome& result) {
    switch (c.what) {
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
        const bool is_byte = c.what == op::get || c.what == op::get_unlocked;
        const bool is_end = theirs_.file != nullptr && ::feof(theirs_.file) != 0;
        std::size_t taken = is_byte ? result.value >= 0 : result.bytes.size();
        if (c.what == op::gets && taken != 0) taken = std::strlen(result.bytes.c_str());
        if (c.what == op::get_line || c.what == op::get_delimited) taken -= taken != 0;
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
      case op::seek_wide:
      case op::set_position:
        if (!result.failed) begin();
        return;
      case op::flush: {
        const bool had_written = has_written_;
        begin();
        has_written_ = had_written;
        return;
      }
      case op::rewind:
      case op::reopen:
      case op::reopen_same:
        begin();
        return;
      default:
        return;
    }
  }

  /// POSIX: after fflush the descriptor is at the stream's position, and the file has all bytes.
  std::optional<std::string> flushed() {
    const long got = ours_.offset(), expected = theirs_.offset();
    if (got != expected)
      return "offset after fflush " + std::to_string(got) + ", libc " + std::to_string(expected);
    return compare_files("after fflush");
  }

  std::optional<std::string> observe(bool with_position) {
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
      begin();
    }
    const long expected = offset_after_close();
    const int ours = ::dup(leat_fileno(ours_.file));
    const int our_result = ours_.end(), their_result = theirs_.end();
    const long got = ::lseek(ours, 0, SEEK_CUR);
    ::close(ours);
    if (our_result != their_result) return std::string("fclose differs");
    if (got == expected) return std::nullopt;
    return "offset after fclose " + std::to_string(got) + ", libc " + std::to_string(expected);
  }

  side<leats> ours_;
  side<libc> theirs_;
  std::string mode_;
  std::string last_read_;
  direction direction_ = direction::none;
  std::size_t pushed_ = 0;
  bool has_pushed_ = false;   // since the last seek
  bool has_written_ = false;  // since the last seek or ungetc
  bool before_start_ = false;
};

// --- memory --------------------------------------------------------------------------------------

/// The common part of both kinds of memory streams: makes calls on both sides and compares them.
class memory_duel {
 public:
  side<leats> ours{};
  side<libc> theirs{};

 protected:
  /// Makes a call on both sides. Returns the difference, or nothing.
  std::optional<std::string> both(const call& c) {
    return difference(c, ours.apply(c), theirs.apply(c));
  }
  std::optional<std::string> difference(const call& c, const outcome& got,
                                        const outcome& expected) const {
    std::ostringstream what;
    if (got.value != expected.value || got.bytes != expected.bytes)
      what << c << ": result " << got.value << ", libc " << expected.value;
    else if (got.failed != expected.failed)
      what << c << ": error " << got.failed << ", libc " << expected.failed;
    else if (got.failed && got.error != expected.error && expected.error != 0)
      what << c << ": errno " << got.error << ", libc " << expected.error;
    else if ((leat_feof(ours.file) != 0) != (::feof(theirs.file) != 0))
      what << c << ": feof differs";
    else if (leat_ftell(ours.file) != ::ftell(theirs.file))
      what << c << ": ftell " << leat_ftell(ours.file) << ", libc " << ::ftell(theirs.file);
    else
      return std::nullopt;
    return what.str();
  }
};

class fixed_duel : memory_duel {
 public:
  std::optional<std::string> run(const sequence& s) {
    std::string content = text_of(s.initial, 3);
    if (s.own_buffer && s.initial != 0) content[s.buffer_size % s.initial] = '\0';
    our_memory_ = their_memory_ = content;
    // No byte after the memory may change.
    our_memory_ += "guard";
    their_memory_ += "guard";
    ours.file = leat_fmemopen(our_memory_.data(), s.initial, s.mode.c_str());
    theirs.file = ::fmemopen(their_memory_.data(), s.initial, s.mode.c_str());
    if (ours.file == nullptr || theirs.file == nullptr) return "fmemopen failed";
    ::setvbuf(theirs.file, nullptr, _IONBF, 0);  // otherwise only a flush reports what did not fit
    if (s.buffering == _IONBF) leat_setvbuf(ours.file, nullptr, _IONBF, 0);
    const bool reads = s.mode[0] == 'r' || s.mode.find('+') != std::string::npos;
    const bool writes = s.mode[0] != 'r' || s.mode.find('+') != std::string::npos;
    // In C, a stream opened with "w" is empty. glibc empties the memory for "w+" only, even if the
    // size is 0.
    if (s.mode[0] == 'w') their_memory_[0] = s.initial != 0 ? '\0' : our_memory_[0];
    auto before = op::seek;
    if (const auto difference = compare()) return "after fmemopen: " + *difference;
    for (const auto& c : s.calls) {
      if ((is_input(c.what) && !reads) || (is_output(c.what) && !writes)) continue;
      if (c.what == op::unget || c.what == op::reopen || c.what == op::reopen_same) continue;
      if ((c.what == op::get_line || c.what == op::get_delimited) && ::ferror(theirs.file) != 0)
        continue;
      if (c.what == op::set_position && !theirs.has_position) continue;
      if ((is_input(c.what) && is_output(before)) || (is_output(c.what) && is_input(before)))
        if (const auto difference = turn()) return difference;
      if (is_input(c.what) || is_output(c.what)) before = c.what;
      const long at = ::ftell(theirs.file);
      const outcome got = ours.apply(c);
      std::optional<std::string> different;
      if (is_output(c.what))
        different = compare_output(c, got, s);
      else
        different = difference(c, got, theirs.apply(c));
      if (different) return *different + " at " + std::to_string(at);
      // POSIX: the NUL is written by a flush, also if each byte is written at once.
      if ((c.what == op::seek || c.what == op::flush) && !got.failed)
        if (const auto difference = compare()) {
          std::ostringstream out;
          out << c << " at " << at << ": " << *difference;
          return out.str();
        }
    }
    const int got = ours.end(), expected = theirs.end();
    if (got != expected) return "fclose differs";
    if (const auto difference = compare()) return "after fclose: " + *difference;
    return std::nullopt;
  }

 private:
  /// Differences between glibc's fmemopen and POSIX
  std::optional<std::string> compare_output(call c, const outcome& got, const sequence& s) {
    const bool reads = s.mode.find('+') != std::string::npos;
    const std::size_t size = s.initial;
    const long before = ::ftell(theirs.file);
    ::fseek(theirs.file, 0, SEEK_END);
    const auto end = static_cast<std::size_t>(::ftell(theirs.file));
    ::fseek(theirs.file, before, SEEK_SET);
    const std::size_t at = s.mode[0] == 'a' ? end : static_cast<std::size_t>(before);
    if (bytes_of(c) == 0) return difference(c, got, theirs.apply(c));
    // POSIX (fseek): a gap is filled with zeros. glibc leaves the old bytes.
    if (at > end && at != size) std::memset(their_memory_.data() + end, 0, at - end);
    // If text does not fit, the count is short. glibc then writes one byte less than fits, or none.
    const std::string text = text_of(c);
    const std::size_t room = size - at, fits = std::min(room, text.size());
    if (fits < text.size()) {
      const bool counts = c.what == op::write;
      if (!got.failed || got.error != ENOSPC) return "no ENOSPC";
      if (counts && got.value != static_cast<long>(fits / c.item)) return "another count";
      leat_clearerr(ours.file);
      if (::fwrite(text.data(), 1, fits, theirs.file) != fits) return "libc fails";
      // After a call in append mode the position is at the end, even if nothing fits.
      if (s.mode[0] == 'a') ::fseek(theirs.file, 0, SEEK_END);
      if (leat_ftell(ours.file) != ::ftell(theirs.file)) return "ftell differs";
    } else if (auto different = difference(c, got, theirs.apply(c))) {
      return different;
    }
    // If the memory is full and can't be read, a NUL replaces the last byte, whatever else the mode
    // says.
    if (fits == room && fits != 0 && end < size)
      their_memory_[size - 1] = reads ? text[fits - 1] : '\0';
    // New bytes are followed by a NUL, even if the last of them is a NUL.
    if (fits != 0 && at + fits > end && at + fits < size) their_memory_[at + fits] = '\0';
    return std::nullopt;
  }

  std::optional<std::string> turn() { return both({.what = op::seek, .whence = SEEK_CUR}); }

  std::optional<std::string> compare() const {
    if (our_memory_ == their_memory_) return std::nullopt;
    std::ostringstream out;
    const auto at =
        std::mismatch(our_memory_.begin(), our_memory_.end(), their_memory_.begin()).first;
    out << "memory differs from byte " << at - our_memory_.begin() << " on";
    return out.str();
  }

  std::string our_memory_;
  std::string their_memory_;
};

class growing_duel : memory_duel {
 public:
  std::optional<std::string> run(const sequence& s) {
    ours.file = leat_open_memstream(&our_memory_, &our_size_);
    theirs.file = ::open_memstream(&their_memory_, &their_size_);
    const std::optional<std::string> difference = play(s);
    if (ours.file != nullptr) ours.end();
    if (theirs.file != nullptr) theirs.end();
    std::free(our_memory_);
    std::free(their_memory_);
    return difference;
  }

 private:
  std::optional<std::string> play(const sequence& s) {
    for (const auto& c : s.calls) {
      if (is_input(c.what) || c.what == op::reopen || c.what == op::reopen_same) continue;
      if (c.what == op::set_position && !theirs.has_position) continue;
      const long at = ::ftell(theirs.file);
      if (c.what == op::flush) {
        if (leat_fflush(ours.file) != 0) return "fflush failed";
        if (const auto difference = compare(at)) return difference;
        continue;
      }
      const outcome got = ours.apply(c);
      const outcome expected = theirs.apply(for_libc(c));
      if (const auto different = difference(c, got, expected))
        return *different + " at " + std::to_string(at);
      if (is_output(c.what)) write(c, at);
    }
    const long at = ::ftell(theirs.file);
    if (ours.end() != theirs.end()) return "fclose differs";
    content_.resize(std::min(content_.size(), static_cast<std::size_t>(at)));
    return compare(at);
  }

  void write(const call& c, long at) {
    const auto begin = static_cast<std::size_t>(at);
    const auto end = static_cast<std::size_t>(::ftell(theirs.file));
    const std::string text = text_of(c);
    if (end == begin) return;
    if (content_.size() < end) content_.resize(end);
    content_.replace(begin, end - begin, text, 0, end - begin);
  }

  /// Converts SEEK_END, which counts from after the last byte. glibc counts from the position.
  call for_libc(call c) const {
    if ((c.what == op::seek || c.what == op::seek_wide) && c.whence == SEEK_END) {
      c.whence = SEEK_SET;
      c.offset += static_cast<long>(content_.size());
    }
    return c;
  }

  /// Compares with a model, not with libc: in POSIX the size is the smaller of the position and the
  /// number of bytes; in glibc the size is the position.
  std::optional<std::string> compare(long at) const {
    const std::size_t size = std::min(static_cast<std::size_t>(at), content_.size());
    if (our_size_ != size)
      return "size " + std::to_string(our_size_) + " instead of " + std::to_string(size);
    if (std::string_view(our_memory_, content_.size() + 1) !=
        std::string_view(content_.c_str(), content_.size() + 1))
      return "the bytes differ";
    return std::nullopt;
  }

  std::string content_;
  char* our_memory_ = nullptr;
  char* their_memory_ = nullptr;
  std::size_t our_size_ = 0;
  std::size_t their_size_ = 0;
};

// --- pipes ---------------------------------------------------------------------------------------

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  // Each write may need a page of the pipe for itself.
  fuzz::expect(::pipe2(ends.data(), O_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0,
               "a pipe");
  return ends;
}

void compare(const call& c, const outcome& got, const outcome& expected) {
  std::ostringstream what;
  what << c;
  fuzz::expect_equal(got.value, expected.value, what.str());
  fuzz::expect_text(got.bytes, expected.bytes, what.str());
  fuzz::expect_equal(got.failed, expected.failed, what.str());
  if (got.failed) fuzz::expect_equal(got.error, expected.error, what.str());
}

void from_pipes(generator& random) {
  const auto our_pipe = new_pipe(), their_pipe = new_pipe();
  const std::string text = text_of(random.below(60'000), 9);
  for (const int to : {our_pipe[1], their_pipe[1]}) {
    fuzz::expect(::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                 "a pipe is filled");
    ::close(to);
  }
  side<leats> ours{};
  side<libc> theirs{};
  ours.file = leat_fdopen(our_pipe[0], "r");
  theirs.file = ::fdopen(their_pipe[0], "r");
  if (random.chance(2)) {
    const int how = random.chance(2) ? _IONBF : _IOFBF;
    const std::size_t size = 1 + random.below(100);
    fuzz::expect_equal(leat_setvbuf(ours.file, nullptr, how, size),
                       ::setvbuf(theirs.file, nullptr, how, size), "setvbuf");
  }
  bool has_pushed = false;
  while (random.more()) {
    const call c = random.next(1000);
    if (c.what == op::reopen || c.what == op::reopen_same || c.what == op::set_position) continue;
    // As with files, glibc's fflush and fseek fail with pushed back bytes, and its getline after
    // errors. The result of a seek to before the start of a pipe is unspecified.
    const bool moves = c.what == op::flush || c.what == op::seek || c.what == op::seek_wide ||
                       c.what == op::rewind;
    if (has_pushed && moves) continue;
    if ((c.what == op::get_line || c.what == op::get_delimited) && ::ferror(theirs.file) != 0)
      continue;
    if (c.whence == SEEK_SET && c.offset < 0) continue;
    has_pushed = has_pushed || c.what == op::unget;
    const outcome got = ours.apply(c);
    compare(c, got, theirs.apply(c));
    fuzz::expect_equal(leat_feof(ours.file) != 0, ::feof(theirs.file) != 0, "feof");
  }
}

void to_pipes(generator& random) {
  const auto our_pipe = new_pipe(), their_pipe = new_pipe();
  side<leats> ours{};
  side<libc> theirs{};
  ours.file = leat_fdopen(our_pipe[1], "w");
  theirs.file = ::fdopen(their_pipe[1], "w");
  std::size_t bytes = 0;
  while (random.more()) {
    const call c = random.next(1000);
    if (!is_output(c.what) && c.what != op::flush && c.what != op::seek && c.what != op::tell)
      continue;
    if (c.whence == SEEK_SET && c.offset < 0) continue;
    bytes += c.size + 1;
    if (bytes > 60'000) break;  // the pipe has no reader yet
    const outcome got = ours.apply(c);
    compare(c, got, theirs.apply(c));
  }
  fuzz::expect_equal(ours.end(), 0, "fclose of leat's");
  fuzz::expect_equal(theirs.end(), 0, "fclose of libc's");
  fuzz::expect_text(rest_of(our_pipe[0]), rest_of(their_pipe[0]), "what came through the pipe");
}

// -------------------------------------------------------------------------------------------------

template <class Duel>
void fight(Duel&& duel, const sequence& s) {
  const auto difference = duel.run(s);
  if (!difference) return;
  std::ostringstream calls;
  calls << *difference << '\n' << s;
  fuzz::fail(calls.str());
}

void drive(fuzz::input& in) {
  generator random(in);
  switch (in.below(8)) {
    case 0: {
      sequence s = random.make(0);
      s.initial = random.below(random.chance(2) ? 12 : 300);
      s.own_buffer = random.chance(2);  // the memory has a NUL
      std::erase(s.mode, 'x');
      while (in.more() && s.calls.size() != 60) {
        s.calls.push_back(random.next(static_cast<long>(s.initial)));
        s.calls.back().size %= 1 + s.initial + s.initial / 4;
      }
      return fight(fixed_duel(), s);
    }
    case 1: {
      sequence s{};
      while (in.more() && s.calls.size() != 60)
        s.calls.push_back(random.next(random.chance(2) ? 10 : 4000));
      return fight(growing_duel(), s);
    }
    case 2:
      return from_pipes(random);
    case 3:
      return to_pipes(random);
    default:
      return fight(duel(fuzz::scratch()), random.make(100));
  }
}

const fuzz::driver self("c_stdio", drive);

}  // namespace
