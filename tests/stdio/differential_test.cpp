// The same calls to libc's stdio and to leat's, on two equal files: what can be seen has to be the
// same after each. LEAT_DIFFERENTIAL_SEQUENCES sets how many sequences run, and
// LEAT_DIFFERENTIAL_SEED where they begin.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

struct libc {
  using file = std::FILE;
  using position = fpos_t;
  static constexpr auto open = &::fopen;
  static constexpr auto open_descriptor = &::fdopen;
  static constexpr auto open_memory = &::fmemopen;
  static constexpr auto open_growing = &::open_memstream;
  static constexpr auto reopen = &::freopen;
  static constexpr auto close = &::fclose;
  static constexpr auto number = &::fileno;
  static constexpr auto set_buffer = &::setvbuf;
  static constexpr auto read = &::fread;
  static constexpr auto write = &::fwrite;
  static constexpr auto get = &::fgetc;
  static constexpr auto get_unlocked = &::fgetc_unlocked;
  static constexpr auto put = &::fputc;
  static constexpr auto put_unlocked = &::fputc_unlocked;
  static constexpr auto unget = &::ungetc;
  static constexpr auto gets = &::fgets;
  static constexpr auto puts = &::fputs;
  static constexpr auto get_line = &::getline;
  static constexpr auto get_delimited = &::getdelim;
  static constexpr auto seek = &::fseek;
  static constexpr auto seek_wide = &::fseeko;
  static constexpr auto tell = &::ftell;
  static constexpr auto get_position = &::fgetpos;
  static constexpr auto set_position = &::fsetpos;
  static constexpr auto rewind = &::rewind;
  static constexpr auto flush = &::fflush;
  static constexpr auto clear = &::clearerr;
  static constexpr auto at_end = &::feof;
  static constexpr auto failed = &::ferror;
};

struct leats {
  using file = leat_file;
  using position = leat_fpos;
  static constexpr auto open = &::leat_fopen;
  static constexpr auto open_descriptor = &::leat_fdopen;
  static constexpr auto open_memory = &::leat_fmemopen;
  static constexpr auto open_growing = &::leat_open_memstream;
  static constexpr auto reopen = &::leat_freopen;
  static constexpr auto close = &::leat_fclose;
  static constexpr auto number = &::leat_fileno;
  static constexpr auto set_buffer = &::leat_setvbuf;
  static constexpr auto read = &::leat_fread;
  static constexpr auto write = &::leat_fwrite;
  static constexpr auto get = &::leat_fgetc;
  static constexpr auto get_unlocked = &::leat_fgetc_unlocked;
  static constexpr auto put = &::leat_fputc;
  static constexpr auto put_unlocked = &::leat_fputc_unlocked;
  static constexpr auto unget = &::leat_ungetc;
  static constexpr auto gets = &::leat_fgets;
  static constexpr auto puts = &::leat_fputs;
  static constexpr auto get_line = &::leat_getline;
  static constexpr auto get_delimited = &::leat_getdelim;
  static constexpr auto seek = &::leat_fseek;
  static constexpr auto seek_wide = &::leat_fseeko;
  static constexpr auto tell = &::leat_ftell;
  static constexpr auto get_position = &::leat_fgetpos;
  static constexpr auto set_position = &::leat_fsetpos;
  static constexpr auto rewind = &::leat_rewind;
  static constexpr auto flush = &::leat_fflush;
  static constexpr auto clear = &::leat_clearerr;
  static constexpr auto at_end = &::leat_feof;
  static constexpr auto failed = &::leat_ferror;
};

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
  std::size_t size = 0;  // bytes, for what moves some
  long offset = 0;
  int whence = 0;
  int byte = 0;
  std::string mode{};            // of freopen
  bool switch_by_flush = false;  // how to turn from writing to reading
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
    case op::gets:
    case op::puts:
      out << c.size;
      break;
    default:
      break;
  }
  return out << ')';
}

/// What the call told, in a form to compare and to print.
struct outcome {
  long value = 0;
  bool failed = false;  // and so errno tells why
  int error = 0;
  std::string bytes{};
};

/// Text with some lines, without NULs.
std::string text_of(std::size_t size, int seed) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i != size; ++i) {
    const auto place = static_cast<unsigned>(i * 7 + static_cast<std::size_t>(seed));
    text[i] = place % 61 == 0 ? '\n' : static_cast<char>('!' + place % 93);
  }
  return text;
}

template <class Api>
class side {
 public:
  typename Api::file* file = nullptr;
  std::string path;
  std::string own_buffer;     // of setvbuf
  bool has_position = false;  // for fsetpos

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
        // In items of some size, as what is left of one that is cut off shows in the position.
        const std::size_t item = c.byte % 3 == 0 ? 3 : 1;
        result.value = static_cast<long>(Api::read(into.data(), item, c.size / item, file));
        into.resize(static_cast<std::size_t>(result.value) * item);
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
        const std::size_t item = c.byte % 3 == 0 ? 3 : 1;
        result.value = static_cast<long>(Api::write(from.data(), item, c.size / item, file));
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
          Api::close(file);  // what is left of it
          file = nullptr;
        }
        return result;
      }
    }
    result.error = errno;
    return result;
  }

  int end() { return Api::close(std::exchange(file, nullptr)); }

  /// Where the descriptor is.
  long offset() { return static_cast<long>(::lseek(Api::number(file), 0, SEEK_CUR)); }

 private:
  void tell_failure(outcome& result) { result.failed = Api::failed(file) != 0; }

  typename Api::position saved_{};
  char* line_ = nullptr;
  std::size_t line_size_ = 0;
};

// --- sequences -----------------------------------------------------------------------------------

struct sequence {
  std::string mode;
  bool exists = true;
  std::size_t initial = 0;
  int buffering = -1;  // of setvbuf; -1: it is not called
  std::size_t buffer_size = 0;
  bool own_buffer = false;
  bool observes = true;  // ftell after each call, which itself may change what it looks at
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
  explicit generator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
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

  sequence make(std::size_t length) {
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
    for (std::size_t i = 0; i != length; ++i) s.calls.push_back(next(scale));
    return s;
  }

 private:
  std::mt19937 random_;
};

/// Runs a sequence on both sides. It follows what a program may do: between reading and writing it
/// puts the call that C asks for.
class duel {
 public:
  explicit duel(const temporary_folder& folder) {
    ours_.path = folder / "leat";
    theirs_.path = folder / "libc";
  }

  /// What was different first; nothing if nothing was.
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
      give_up("write");
  }

  static std::string content(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY);
    if (file < 0) return {};
    std::string result = read_rest(file);
    ::close(file);
    return result;
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
    if (is_input(c.what) && direction_ == direction::out) {
      call turn{};
      turn.what = c.switch_by_flush ? op::flush : op::seek;
      turn.whence = SEEK_CUR;
      if (const auto difference = both(turn)) return difference;
    }
    if (writable() && is_output(c.what) && direction_ == direction::in &&
        ::feof(theirs_.file) == 0) {
      call turn{};
      turn.what = op::seek;
      turn.whence = before_start_ ? SEEK_SET : SEEK_CUR;
      if (const auto difference = both(turn)) return difference;
    }
    // C: where bytes are pushed back before the start, the position is not known.
    leave_out_exclusive(c);
    if (c.what == op::set_position && !theirs_.has_position) return std::nullopt;
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
      for (std::size_t i = 0; i != c.size; ++i) {
        if (!before_start_ && ::ftell(theirs_.file) == 0) before_start_ = true;
        call one = c;
        one.byte = c.byte + static_cast<int>(i) % 256;
        // As often as not the byte that was there.
        if (const auto difference = both(one)) return difference;
      }
      return std::nullopt;
    }
    return both(c);
  }

  // --- where leat differs from glibc on purpose; all of it ---------------------------------------

  /// glibc also pushes back on streams that can't read, which C gives no meaning: nobody can take
  /// the byte, and it gets lost or breaks later calls.
  bool is_refused_by_leat_only(const call& c) const { return c.what == op::unget && !readable(); }

  /// Who reads a stream that is only for writing is told so. In glibc that also breaks the position
  /// where bytes wait to be written, so those go out first; step() does it with all input.

  /// "x" asks for a new file, which the present one can't be: leat passes it over, in glibc it
  /// fails.
  static void leave_out_exclusive(call& c) {
    if (c.what == op::reopen_same) std::erase(c.mode, 'x');
  }

  /// C: a seek that succeeds drops what was pushed back. In glibc one that fails does, too.
  bool libc_drops_pushed(const call& c, const outcome& result) const {
    return (c.what == op::seek || c.what == op::seek_wide) && result.failed && has_pushed_;
  }

  /// glibc's getline and getdelim fail at once where an earlier call has failed.
  bool libc_reads_no_lines() const { return ::ferror(theirs_.file) != 0; }

  /// POSIX: fflush leaves the descriptor where the stream is, pushed back bytes included, and
  /// forgets those. glibc counts in its buffer for them, also when they are taken, and ends
  /// elsewhere or crashes; its fseek is right.
  outcome apply_to_libc(const call& c) {
    if (c.what == op::flush && has_pushed_ && ::feof(theirs_.file) == 0)
      ::fseek(theirs_.file, 0, SEEK_CUR);
    // Bytes pushed back after writing that only fflush ended break it too.
    if (c.what == op::unget && has_written_) ::fseek(theirs_.file, 0, SEEK_CUR);
    if ((c.what == op::seek || c.what == op::seek_wide) && c.whence == SEEK_CUR && has_pushed_) {
      // From here it takes pushed back bytes into account twice, at times.
      call from_start = c;
      from_start.whence = SEEK_SET;
      from_start.offset += ::ftell(theirs_.file);
      return theirs_.apply(from_start);
    }
    return theirs_.apply(c);
  }

  /// POSIX: fclose leaves the descriptor where the stream is. glibc does so from 2.41 on.
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

  /// Keeps track of what may come next.
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

  /// POSIX: after fflush the descriptor is where the stream is, and the file has all bytes.
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
  direction direction_ = direction::none;
  std::size_t pushed_ = 0;
  bool has_pushed_ = false;   // since the last seek
  bool has_written_ = false;  // since the last seek or ungetc
  bool before_start_ = false;
};

/// Leaves out calls as long as it still goes wrong.
template <class Run>
void minimise(sequence& s, Run run) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t i = s.calls.size(); i-- != 0;) {
      sequence fewer = s;
      fewer.calls.erase(fewer.calls.begin() + static_cast<std::ptrdiff_t>(i));
      if (!run(fewer)) continue;
      s = fewer;
      shorter = true;
    }
  }
}

unsigned number_from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

unsigned first_seed() { return number_from_environment("LEAT_DIFFERENTIAL_SEED", 1); }
unsigned sequences() {
  return number_from_environment("LEAT_DIFFERENTIAL_SEQUENCES", sanitized ? 4000 : 20000);
}

TEST(differential, random_calls_on_files) {
  const temporary_folder folder;
  int failures = 0;
  const unsigned first = first_seed();
  for (unsigned seed = first; seed != first + sequences() && failures != 5; ++seed) {
    duel both(folder);
    sequence s = generator(seed).make(40);
    if (!both.run(s)) continue;
    ++failures;
    minimise(s, [&](const sequence& fewer) { return duel(folder).run(fewer).has_value(); });
    ADD_FAILURE() << "seed " << seed << ": " << duel(folder).run(s).value_or("(gone)") << '\n' << s;
  }
}

}  // namespace
