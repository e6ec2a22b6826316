// C's functions that need a standard stream, a process, a temporary file or a wide memory stream,
// functions that inspect a stream or convert a stream to libc's FILE, and remove(). The same calls
// are made with leat and with libc, on separate files, and the results are written into a report.
// The reports of both libraries must be the same.
#include <leat/leat.h>

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>
#include <string_view>
#include <type_traits>

#include "fuzz.hpp"
#include "with_va_list.hpp"

namespace {

using fuzz::input, fuzz::with_va_list, fuzz::step;

std::string content_of(const std::string& path) {
  char* bytes = nullptr;
  std::size_t size = 0;
  if (leat_read_file(path.c_str(), &bytes, &size) != 0) return "no file";
  std::string content(bytes, size);
  std::free(bytes);
  return content;
}
void write_file(const std::string& path, std::string_view text) {
  leat_write_file(path.c_str(), text.data(), text.size());
}

/// Restores a descriptor of the process at the end of a scope that may redirect it.
class descriptor_guard {
 public:
  explicit descriptor_guard(int descriptor) : descriptor_(descriptor), saved_(::dup(descriptor)) {}
  ~descriptor_guard() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }
  descriptor_guard(const descriptor_guard&) = delete;
  descriptor_guard& operator=(const descriptor_guard&) = delete;

 private:
  int descriptor_, saved_;
};

/// If `is_leat` is true, makes calls of leat, otherwise calls of libc.
template <bool is_leat>
class stdio_caller {
  using file = std::conditional_t<is_leat, leat_file, std::FILE>;

 public:
  /// Makes the calls that the input chooses. Returns the reports of the calls.
  std::string run(input in) {
    constexpr void (stdio_caller::* methods[])(input&) = {
        &stdio_caller::output, &stdio_caller::standard_input, &stdio_caller::update,
        &stdio_caller::memory, &stdio_caller::process,        &stdio_caller::names};
    (this->*in.one_of(methods))(in);
    return reports_;
  }

 private:
  /// Returns the function or the value for this library.
  static constexpr auto pick([[maybe_unused]] auto ours, [[maybe_unused]] auto theirs) {
    if constexpr (is_leat)
      return ours;
    else
      return theirs;
  }

  template <class... Args>
  void report(fmt::format_string<Args...> format, Args&&... args) {
    const std::string line = fmt::format(format, std::forward<Args>(args)...);
    step("{}: {}", is_leat ? "leat" : "libc", line);
    reports_ += line + '\n';
  }
  /// Reports the result of a call and the stream's state. If the stream's mode does not allow the
  /// calls, reports only the result and errno. Otherwise, leaves out errno after a success, because
  /// errno may have any value. Leaves out the position after a failure, and if glibc's ftell may be
  /// wrong: on a wide stream, whose wide characters may have been pushed back; and after a call
  /// that moved no bytes, because _flushlbf may have come before.
  void report_result(file* stream, std::string_view call, long long result) {
    const int error = errno;
    has_moved_bytes_ = result > 0;
    if (!is_usable_) return report("{}: {}, errno {}", call, result, error);
    const bool failed = pick(leat_ferror, ::ferror)(stream) != 0;
    const bool has_position =
        has_moved_bytes_ && !failed && pick(leat_fwide, ::fwide)(stream, 0) <= 0;
    report("{}: {}, errno {}, end {}, at {}", call, result, failed ? error : 0,
           pick(leat_feof, ::feof)(stream) != 0,
           has_position ? pick(leat_ftell, ::ftell)(stream) : -1);
    if (failed) pick(leat_clearerr, ::clearerr)(stream);
  }
  template <class Ours, class Theirs, class... Args>
  void call(file* stream, std::string_view name, Ours ours, Theirs theirs, Args... args) {
    errno = 0;
    report_result(stream, name, static_cast<long long>(pick(ours, theirs)(args...)));
  }
  void flush(file* stream) { call(stream, "fflush", leat_fflush, ::fflush, stream); }
  /// Drops the buffered bytes of a stream without line buffering: always if `always` is true,
  /// otherwise sometimes.
  void purge(input& in, file* stream, bool always) {
    // With line buffering, glibc and leat have written different parts of the text.
    if (pick(leat_flbf, ::__flbf)(stream) != 0 || !(in.rarely(8) || always)) return;
    report("fpurge");
    pick(leat_fpurge, ::__fpurge)(stream);
  }
  void set_buffer(std::size_t buffer_kind, file* stream) {
    static std::array<std::array<char, BUFSIZ>, 2> memory;
    if (buffer_kind < 2)
      pick(leat_setbuf, ::setbuf)(stream, buffer_kind == 0 ? nullptr : memory[is_leat].data());
    if (buffer_kind == 2) pick(leat_setlinebuf, ::setlinebuf)(stream);
    report("buffer {}, line buffering {}", buffer_kind, pick(leat_flbf, ::__flbf)(stream) != 0);
  }
  /// Returns libc's FILE for the stream.
  static std::FILE* view(file* stream) {
    if constexpr (is_leat)
      return static_cast<std::FILE*>(leat_libc_file(stream));
    else
      return stream;
  }

  /// Makes one call that writes. `standard`: the stream is standard output, for which C has more
  /// functions.
  void write(input& in, file* stream, bool wide, bool standard) {
    const int number = in.integer<int>() >> in.below(32);
    const std::string bytes = in.text(in.rarely(8) ? 300 : 20).c_str();
    const char* const text = bytes.c_str();
    const auto character = in.one_of(std::array{L'a', L'\n', L'\u00e9', L'\u20ac', L'\U0001f600'});
    const int byte = static_cast<int>(character) & 0xff;
    errno = 0;
    switch (in.below(standard ? 6 : 2) + (wide ? 6 : 0)) {
      case 0:
        return call(stream, "vfprintf", with_va_list(leat_vfprintf, stream),
                    with_va_list(::vfprintf, stream), "%s,%d\n", text, number);
      case 1:
        return report_result(stream, "fputs by libc",
                             std::fputs(text, view(stream)) >= 0 && !bytes.empty());
      case 2:
        return call(stream, "printf", leat_printf, ::printf, "%d|%s\n", number, text);
      case 3:
        return call(stream, "vprintf", with_va_list(leat_vprintf), with_va_list(::vprintf), "%s%x",
                    text, number);
      case 4:
        return report_result(stream, "puts", pick(leat_puts, ::puts)(text) >= 0);
      case 5:
        return in.flag() ? call(stream, "putchar", leat_putchar, ::putchar, byte)
                         : call(stream, "putchar_unlocked", leat_putchar_unlocked,
                                ::putchar_unlocked, byte);
      case 8:
        return call(stream, "wprintf", leat_wprintf, ::wprintf, L"%lc|%d\n", character, number);
      case 9:
        return call(stream, "vwprintf", with_va_list(leat_vwprintf), with_va_list(::vwprintf),
                    L"%lc%d", character, number);
      case 10:
        return call(stream, "putwchar", leat_putwchar, ::putwchar, character);
      case 11:
        return call(stream, "putwchar_unlocked", leat_putwchar_unlocked, ::putwchar_unlocked,
                    character);
      default:
        return call(stream, "vfwprintf", with_va_list(leat_vfwprintf, stream),
                    with_va_list(::vfwprintf, stream), L"%ls,%8d%lc",
                    std::wstring(number & 0x3f, character).c_str(), number, L'x');
    }
  }
  /// Makes one call that reads. `standard`: the stream is standard input.
  void read(input& in, file* stream, bool wide, bool standard) {
    int number = -1, count = -1;
    char text[16] = "-";
    constexpr auto narrow_format = "%d %9[a-z]%n";
    constexpr auto wide_format = L"%d %9[a-z]%n";
    errno = 0;
    switch (in.below(standard ? 6 : 2) + (wide ? 6 : 0)) {
      case 0:
        call(stream, "vfscanf", with_va_list(leat_vfscanf, stream), with_va_list(::vfscanf, stream),
             narrow_format, &number, text, &count);
        break;
      case 1:
        report_result(stream, "fgets by libc",
                      std::fgets(text, sizeof text, view(stream)) != nullptr);
        break;
      case 2:
        call(stream, "scanf", leat_scanf, ::scanf, narrow_format, &number, text, &count);
        break;
      case 3:
        call(stream, "vscanf", with_va_list(leat_vscanf), with_va_list(::vscanf), narrow_format,
             &number, text, &count);
        break;
      case 4:
        call(stream, "getchar", leat_getchar, ::getchar);
        break;
      case 5:
        call(stream, "getchar_unlocked", leat_getchar_unlocked, ::getchar_unlocked);
        break;
      case 8:
        call(stream, "wscanf", leat_wscanf, ::wscanf, wide_format, &number, text, &count);
        break;
      case 9:
        call(stream, "vwscanf", with_va_list(leat_vwscanf), with_va_list(::vwscanf), wide_format,
             &number, text, &count);
        break;
      case 10:
        call(stream, "getwchar", leat_getwchar, ::getwchar);
        break;
      case 11:
        call(stream, "getwchar_unlocked", leat_getwchar_unlocked, ::getwchar_unlocked);
        break;
      default:
        call(stream, "vfwscanf", with_va_list(leat_vfwscanf, stream),
             with_va_list(::vfwscanf, stream), wide_format, &number, text, &count);
    }
    report("{} {:?} {}", number, std::string_view(text), count);
  }

  void output(input& in) {
    const descriptor_guard guard(STDOUT_FILENO);
    is_usable_ = !in.rarely(8);
    const bool is_full = in.rarely(16), wide = in.flag();
    write_file(path_, "");  // mode "r" needs a file
    file* const stream =
        pick(leat_freopen, ::freopen)(is_full ? "/dev/full" : path_.c_str(), is_usable_ ? "w" : "r",
                                      pick(leat_stdout, [] { return stdout; })());
    set_buffer(is_full ? 0 : in.below(3), stream);
    for (std::size_t n = in.below(40); in.has_more() && n != 0; --n) {
      write(in, stream, wide, true);
      purge(in, stream, is_full);
    }
    flush(stream);
    report("content {:?}", content_of(path_));
  }
  void standard_input(input& in) {
    const descriptor_guard guard(STDIN_FILENO);
    constexpr std::array<std::string_view, 12> pieces{"1", "-27", " ",     "\n", "abc", "\u20ac",
                                                      "z", " ",   "99999", "+",  "\t",  "\u00e9"};
    std::string text;
    for (std::size_t n = in.below(100); n != 0; --n) text += in.one_of(pieces);
    write_file(path_, text);
    is_usable_ = !in.rarely(8);
    const bool wide = in.flag();
    file* const stream = pick(leat_freopen, ::freopen)(path_.c_str(), is_usable_ ? "r" : "a",
                                                       pick(leat_stdin, [] { return stdin; })());
    set_buffer(in.below(3), stream);
    for (std::size_t n = in.below(80); in.has_more() && n != 0; --n) {
      read(in, stream, wide, true);
      purge(in, stream, false);
    }
    flush(stream);
    if (!wide) report("the descriptor is at {}", ::lseek(STDIN_FILENO, 0, SEEK_CUR));
  }
  void update(input& in) {
    const bool named = in.flag();
    file* const stream =
        named ? pick(leat_fopen, ::fopen)(path_.c_str(), "w+") : pick(leat_tmpfile, ::tmpfile)();
    set_buffer(in.below(3), stream);
    const auto content = [&] { return named ? content_of(path_) : ""; };
    bool writing = true;
    for (std::size_t n = in.below(60); in.has_more() && n != 0; --n) {
      const std::size_t choice = in.below(8);
      if (choice < 4) {
        if ((choice < 2) != writing)
          call(stream, "fseek", leat_fseek, ::fseek, stream, 0, SEEK_CUR);
        writing = choice < 2;
        writing ? write(in, stream, false, false) : read(in, stream, false, false);
        if (has_moved_bytes_)
          report("reading {}, writing {}", pick(leat_freading, ::__freading)(stream) != 0,
                 pick(leat_fwriting, ::__fwriting)(stream) != 0);
      } else if (choice == 4) {
        leat_fpos position{.position = static_cast<leat_off_t>(in.below(200)), .state = 0};
        const auto to = static_cast<long>(position.position);
        if constexpr (is_leat)
          call(stream, "set the position", leat_fsetpos, 0, stream, &position),
              leat_fgetpos(stream, &position);
        else
          call(stream, "set the position", 0, ::fseek, stream, to, SEEK_SET);
        report("position {}, state {}", position.position, position.state);
      } else if (choice == 5) {
        const int type = static_cast<int>(in.below(3));
        report("fsetlocking: {}", pick(leat_fsetlocking, ::__fsetlocking)(stream, type));
      } else {
        // glibc's fcloseall also frees the buffers, so on libc's side fflush is called instead.
        if (choice == 6) pick(leat_flushlbf, ::_flushlbf)();
        if (choice == 7)
          report("fcloseall: {}", pick(leat_fcloseall, [] { return std::fflush(nullptr); })());
        report("content {:?}", content());
      }
    }
    report("fclose: {}, then {:?}", pick(leat_fclose, ::fclose)(stream), content());
  }
  void memory(input& in) {
    wchar_t* text = nullptr;
    std::size_t size = 0;
    file* const stream = pick(leat_open_wmemstream, ::open_wmemstream)(&text, &size);
    const auto show = [&] {
      report("{} characters", size);
      for (std::size_t i = 0; i <= size; ++i) reports_ += fmt::format("{:x} ", int{text[i]});
    };
    for (std::size_t n = in.below(30); in.has_more() && n != 0; --n) {
      write(in, stream, true, false);
      if (!in.rarely(4)) continue;
      flush(stream);
      show();
      const auto to = static_cast<long>(in.below(size + 1));
      if (in.rarely(4)) call(stream, "fseek", leat_fseek, ::fseek, stream, to, SEEK_SET);
    }
    report("fclose: {}", pick(leat_fclose, ::fclose)(stream));
    show();
    std::free(text);
  }
  void process(input& in) {
    if (!in.rarely(4)) return names(in);
    const bool writes = in.flag(), closes = in.flag();
    const auto status = in.integer<std::uint8_t>();
    write_file(path_, writes ? "" : in.bytes(in.boundary_size(9000)));
    const std::string command = fmt::format("cat {} '{}'; {} {}", writes ? ">" : "", path_,
                                            status == 9 ? "kill -9 $$;" : "exit", status);
    file* const stream = pick(leat_popen, ::popen)(command.c_str(), closes ? (writes ? "we" : "re")
                                                                    : writes ? "w"
                                                                             : "r");
    for (std::size_t n = in.below(20); in.has_more() && n != 0; --n)
      writes ? write(in, stream, false, false) : read(in, stream, false, false);
    report("pclose: {}, then {:?}", pick(leat_pclose, ::pclose)(stream), content_of(path_));
  }
  void names(input& in) {
    const std::string folder = path_ + ".d", inside = folder + "/file";
    ::mkdir(folder.c_str(), 0700);
    for (const auto& path : {path_, inside}) write_file(path, "text");
    for (std::size_t n = in.below(8); n != 0; --n) {
      const std::string path = in.one_of(std::array{path_, folder, inside, std::string()});
      const int result = pick(leat_remove, ::remove)(path.c_str());
      report("remove: {}, errno {}", result, result == 0 ? 0 : errno);
    }
    ::unlink(inside.c_str());
    ::rmdir(folder.c_str());

    const descriptor_guard guard(STDERR_FILENO);
    const int errors = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(errors, STDERR_FILENO);
    ::close(errors);
    for (std::size_t n = in.below(8); n != 0; --n) {
      const std::string text = in.text(20).c_str();
      pick(leat_fputs, ::fputs)(text.c_str(), pick(leat_stderr, [] { return stderr; })());
      errno = static_cast<int>(in.below(150));
      pick(leat_perror, ::perror)(in.rarely(4) ? nullptr : text.c_str());
    }
    reports_ += content_of(path_);
  }

  std::string path_ = fuzz::scratch() + (is_leat ? "leat" : "libc");
  std::string reports_;
  bool is_usable_ = true;         ///< the mode allows the calls
  bool has_moved_bytes_ = false;  ///< the last call has moved bytes
};

void drive(input& in) {
  static const bool has_locale = std::setlocale(LC_ALL, "C.UTF-8") != nullptr;
  if (!has_locale) return;
  const std::string ours = stdio_caller<true>().run(in), theirs = stdio_caller<false>().run(in);
  fuzz::expect_text(ours, theirs, "the reports of the calls");
  in.rest();
}

const fuzz::driver self("c_print", drive);

}  // namespace
