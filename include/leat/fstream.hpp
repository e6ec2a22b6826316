// Replacements for std's file streams and string streams, and for std::cin and std::cout. The
// replacements use leat's buffers.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/quick_stream.hpp>
#include <leat/device.hpp>
#include <leat/error.hpp>
#include <leat/iostream.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <cstring>
#include <ios>
#include <istream>
#include <locale>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// Returns the classic locale with leat's facets for numbers. Any std stream with this locale
/// writes and reads numbers as leat's streams do; the texts do not change.
///
///     std::ostringstream text;
///     text.imbue(leat::fast_locale());
LEAT_API std::locale fast_locale();

namespace detail {

/// The buffer of leat's streams of files, in place of std::filebuf. Bytes are not translated, as
/// with std::ios::binary.
class LEAT_API file_buffer final : public window_buffer {
 public:
  file_buffer() = default;
  file_buffer(file_buffer&& other) noexcept;
  file_buffer& operator=(file_buffer&& other) noexcept;
  /// Closes the file. Losses go to the loss handler.
  ~file_buffer() override;
  void swap(file_buffer& other) noexcept;

  bool is_open() const noexcept { return file_ != nullptr; }
  /// As std::filebuf: returns null on failure. error() has the reason, except if a file is open
  /// already.
  file_buffer* open(path_ref path, std::ios_base::openmode mode) {
#ifdef __cpp_lib_ios_noreplace
    return open_file(path, mode & ~std::ios_base::noreplace,
                     (mode & std::ios_base::noreplace) != 0);
#else
    return open_file(path, mode, false);
#endif
  }
  /// As std::filebuf: returns null if no file is open, or if written bytes were lost. The file is
  /// closed in any case.
  file_buffer* close();
  /// Returns why the file could not be opened, written, read or closed; or a zero code.
  [[nodiscard]] std::error_code error() const noexcept;
  /// Clears a failed write, so that the stream continues; see writer::clear_error. The stream's own
  /// clear() is needed too.
  void clear_error() noexcept;
  /// If false, std::endl and std::flush leave the bytes in the buffer. A full buffer is written,
  /// and close() and flush() write the buffer.
  void endl_flushes(bool does) noexcept { endl_flushes_ = does; }
  /// Writes the buffered bytes, whatever endl_flushes() is. If bytes were lost, returns false.
  bool flush();
  native_handle_type native_handle() const noexcept;

 protected:
  int sync() override { return endl_flushes_ ? window_buffer::sync() : 0; }
  std::streambuf* setbuf(char* memory, std::streamsize size) override;
  void enter() noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

 private:
  struct file;

  file_buffer* open_file(path_ref path, std::ios_base::openmode mode, bool exclusive);

  file* file_ = nullptr;  // owned
  std::error_code error_;
  std::size_t buffer_size_ = 0;
  bool unbuffered_ = false;
  bool appends_only_ = false;
  bool endl_flushes_ = true;
};

/// The buffer of leat's streams of strings, in place of std::stringbuf.
class LEAT_API string_buffer final : public stream_buffer {
 public:
  explicit string_buffer(std::ios_base::openmode mode = std::ios_base::in |
                                                        std::ios_base::out) noexcept;
  explicit string_buffer(std::string_view text, std::ios_base::openmode mode);
  string_buffer(string_buffer&& other) noexcept;
  string_buffer& operator=(string_buffer&& other) noexcept;
  ~string_buffer() override;
  void swap(string_buffer& other) noexcept;

  std::string str() const { return std::string(view()); }
  std::string_view view() const noexcept { return {memory_, size()}; }
  void str(std::string_view text);
  bool ends_here() noexcept override;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type underflow() override;
  int_type pbackfail(int_type c) override;
  std::streamsize xsgetn(char* into, std::streamsize size) override;
  std::streamsize showmanyc() override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                   std::ios_base::openmode which) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

 private:
  std::size_t size() const noexcept;
  bool append(const char* text, std::size_t n) noexcept;
  void take_memory(char* memory, std::size_t size) noexcept;
  void set_positions(std::size_t put, std::size_t get) noexcept;

  static constexpr std::size_t inline_size = 256;

  char* memory_ = inline_memory_;
  std::size_t capacity_ = inline_size;
  std::size_t known_size_ = 0;  // of the text; the cursor may be beyond this size
  std::ios_base::openmode mode_;
  char inline_memory_[inline_size];
};

template <class Self, class Base, int Mode>
class file_stream_of : base_member<file_buffer>, public quick_stream<Self, Base> {
 public:
  static constexpr auto required_mode = static_cast<std::ios_base::openmode>(Mode);
  /// The default mode. ofstream adds `out` to every mode, and ifstream adds `in`.
  static constexpr auto default_mode = static_cast<std::ios_base::openmode>(Mode);

  file_buffer* rdbuf() const noexcept { return const_cast<file_buffer*>(&this->member_); }
  bool is_open() const noexcept { return this->member_.is_open(); }
  native_handle_type native_handle() const noexcept { return this->member_.native_handle(); }
  /// Sets failbit on failure; error() has the reason, except if a file is open already.
  void open(path_ref path, std::ios_base::openmode mode = default_mode) {
    if (this->member_.open(path, complete(mode)) == nullptr)
      this->setstate(std::ios_base::failbit);
    else
      this->clear();
  }
  /// If bytes were lost, or if no file is open, sets failbit.
  void close() {
    if (this->member_.close() == nullptr) this->setstate(std::ios_base::failbit);
  }
  /// Returns why the file could not be opened, written, read or closed; or a zero code.
  [[nodiscard]] std::error_code error() const noexcept { return this->member_.error(); }
  /// Clears a failed write, so that the stream continues; see writer::clear_error. The stream's own
  /// clear() is needed too.
  void clear_error() noexcept { this->member_.clear_error(); }
  /// If false, std::endl and std::flush leave the bytes in the buffer. The bytes are written when
  /// the buffer is full, by close(), and by the stream's flush().
  void endl_flushes(bool does) noexcept { this->member_.endl_flushes(does); }
  void swap(Self& other) noexcept {
    Base::swap(other);
    this->member_.swap(static_cast<file_stream_of&>(other).member_);
    this->moved(*this);
    other.moved(other);
  }

 protected:
  file_stream_of() : quick_stream<Self, Base>(this->member_) {}
  file_stream_of(file_stream_of&& other) noexcept : file_stream_of() { move_from(other); }
  file_stream_of& operator=(file_stream_of&& other) noexcept {
    if (this != &other) {
      this->member_.close();
      move_from(other);
    }
    return *this;
  }
  ~file_stream_of() override = default;

 private:
  static std::ios_base::openmode complete(std::ios_base::openmode mode) {
    if constexpr (Mode == static_cast<int>(std::ios_base::in | std::ios_base::out))
      return mode;
    else
      return mode | required_mode;
  }
  void move_from(file_stream_of& other) {
    Base::swap(other);
    this->member_ = std::move(other.member_);
    this->moved(*this);
    other.moved(other);
  }
};

template <class Self, class Base, int Mode>
class string_stream_of : base_member<string_buffer>, public quick_stream<Self, Base> {
 public:
  static constexpr auto required_mode = static_cast<std::ios_base::openmode>(Mode);

  string_buffer* rdbuf() const noexcept { return const_cast<string_buffer*>(&this->member_); }
  std::string str() const& { return this->member_.str(); }
  /// Returns the text, and empties the stream.
  std::string str() && {
    std::string text = this->member_.str();
    this->member_.str({});
    return text;
  }
  std::string_view view() const noexcept { return this->member_.view(); }
  void str(std::string_view text) { this->member_.str(text); }
  void swap(Self& other) noexcept {
    Base::swap(other);
    this->member_.swap(static_cast<string_stream_of&>(other).member_);
    this->moved(*this);
    other.moved(other);
  }

 protected:
  string_stream_of() : string_stream_of(required_mode) {}
  explicit string_stream_of(std::ios_base::openmode mode)
      : base_member<string_buffer>(complete(mode)), quick_stream<Self, Base>(this->member_) {}
  string_stream_of(std::string_view text, std::ios_base::openmode mode)
      : base_member<string_buffer>(text, complete(mode)), quick_stream<Self, Base>(this->member_) {}
  string_stream_of(string_stream_of&& other) noexcept : string_stream_of() { move_from(other); }
  string_stream_of& operator=(string_stream_of&& other) noexcept {
    if (this != &other) move_from(other);
    return *this;
  }
  ~string_stream_of() override = default;

 private:
  static std::ios_base::openmode complete(std::ios_base::openmode mode) {
    if constexpr (Mode == static_cast<int>(std::ios_base::in | std::ios_base::out))
      return mode;
    else
      return mode | required_mode;
  }
  void move_from(string_stream_of& other) {
    Base::swap(other);
    this->member_ = std::move(other.member_);
    this->moved(*this);
    other.moved(other);
  }
};

inline constexpr int only_in = static_cast<int>(std::ios_base::in);
inline constexpr int only_out = static_cast<int>(std::ios_base::out);
inline constexpr int in_and_out = static_cast<int>(std::ios_base::in | std::ios_base::out);

}  // namespace detail

/// Replaces std::ofstream: a std::ostream with the standard's behaviour, except for the differences
/// in docs/coming-from/iostreams.md.
///
///     leat::ofstream out("table.txt");
///     out << name << ' ' << std::setw(8) << value << '\n';
class LEAT_API ofstream : public detail::file_stream_of<ofstream, std::ostream, detail::only_out> {
 public:
  ofstream() = default;
  explicit ofstream(path_ref path, std::ios_base::openmode mode = default_mode) {
    open(path, mode);
  }
  ofstream(ofstream&& other) noexcept : file_stream_of(std::move(other)) {}
  ofstream& operator=(ofstream&& other) noexcept {
    file_stream_of::operator=(std::move(other));
    return *this;
  }
  ~ofstream() override;
  /// Writes the buffered bytes, also after endl_flushes(false).
  ofstream& flush();
};

/// Replaces std::ifstream.
class LEAT_API ifstream : public detail::file_stream_of<ifstream, std::istream, detail::only_in> {
 public:
  ifstream() = default;
  explicit ifstream(path_ref path, std::ios_base::openmode mode = default_mode) {
    open(path, mode);
  }
  ifstream(ifstream&& other) noexcept : file_stream_of(std::move(other)) {}
  ifstream& operator=(ifstream&& other) noexcept {
    file_stream_of::operator=(std::move(other));
    return *this;
  }
  ~ifstream() override;
};

/// Replaces std::fstream.
class LEAT_API fstream : public detail::file_stream_of<fstream, std::iostream, detail::in_and_out> {
 public:
  fstream() = default;
  explicit fstream(path_ref path, std::ios_base::openmode mode = default_mode) { open(path, mode); }
  fstream(fstream&& other) noexcept : file_stream_of(std::move(other)) {}
  fstream& operator=(fstream&& other) noexcept {
    file_stream_of::operator=(std::move(other));
    return *this;
  }
  ~fstream() override;
  /// Writes the buffered bytes, also after endl_flushes(false).
  fstream& flush();
};

/// Replaces std::ostringstream.
class LEAT_API ostringstream
    : public detail::string_stream_of<ostringstream, std::ostream, detail::only_out> {
 public:
  ostringstream() = default;
  explicit ostringstream(std::ios_base::openmode mode) : string_stream_of(mode) {}
  explicit ostringstream(std::string_view text, std::ios_base::openmode mode = required_mode)
      : string_stream_of(text, mode) {}
  ostringstream(ostringstream&& other) noexcept : string_stream_of(std::move(other)) {}
  ostringstream& operator=(ostringstream&& other) noexcept {
    string_stream_of::operator=(std::move(other));
    return *this;
  }
  ~ostringstream() override;
};

/// Replaces std::istringstream.
class LEAT_API istringstream
    : public detail::string_stream_of<istringstream, std::istream, detail::only_in> {
 public:
  istringstream() = default;
  explicit istringstream(std::ios_base::openmode mode) : string_stream_of(mode) {}
  explicit istringstream(std::string_view text, std::ios_base::openmode mode = required_mode)
      : string_stream_of(text, mode) {}
  istringstream(istringstream&& other) noexcept : string_stream_of(std::move(other)) {}
  istringstream& operator=(istringstream&& other) noexcept {
    string_stream_of::operator=(std::move(other));
    return *this;
  }
  ~istringstream() override;
};

/// Replaces std::stringstream.
class LEAT_API stringstream
    : public detail::string_stream_of<stringstream, std::iostream, detail::in_and_out> {
 public:
  stringstream() = default;
  explicit stringstream(std::ios_base::openmode mode) : string_stream_of(mode) {}
  explicit stringstream(std::string_view text, std::ios_base::openmode mode = required_mode)
      : string_stream_of(text, mode) {}
  stringstream(stringstream&& other) noexcept : string_stream_of(std::move(other)) {}
  stringstream& operator=(stringstream&& other) noexcept {
    string_stream_of::operator=(std::move(other));
    return *this;
  }
  ~stringstream() override;
};

inline void swap(ofstream& a, ofstream& b) noexcept { a.swap(b); }
inline void swap(ifstream& a, ifstream& b) noexcept { a.swap(b); }
inline void swap(fstream& a, fstream& b) noexcept { a.swap(b); }
inline void swap(ostringstream& a, ostringstream& b) noexcept { a.swap(b); }
inline void swap(istringstream& a, istringstream& b) noexcept { a.swap(b); }
inline void swap(stringstream& a, stringstream& b) noexcept { a.swap(b); }

namespace detail {

class LEAT_API standard_output final : base_member<window_buffer>, public quick_base<std::ostream> {
 public:
  explicit standard_output(writer& target);
  ~standard_output() override;
};
class LEAT_API standard_input final : base_member<window_buffer>, public quick_base<std::istream> {
 public:
  explicit standard_input(reader& from);
  ~standard_input() override;
};

LEAT_API standard_input& input_of_std();
/// Returns leat::cout for 1, leat::cerr for 2, leat::clog for 3.
LEAT_API standard_output& output_of_std(int which);

}  // namespace detail

/// As std::getline. If the whole line is in the buffer, copies the line in one step. For leat's
/// streams, a call without `std::` finds this function.
///
///     for (std::string line; getline(in, line);) use(line);
template <detail::quick_input S>
S& getline(S& input, std::string& line, char delimiter = '\n') {
  if (!input.is_readable() || !detail::take_line(input.buffer(), line, delimiter)) [[unlikely]]
    std::getline(static_cast<std::istream&>(input), line, delimiter);
  return input;
}

namespace detail {
using leat::v0::getline;  // as for the operators in quick_stream.hpp
}

/// Replacements for std::cin, std::cout, std::cerr and std::clog, over leat::in, leat::out and
/// leat::err. These objects share the buffers and positions of leat's streams, not of stdio or of
/// std's streams. `cin` and `cerr` are tied to `cout`. Constructors of static objects may use these
/// objects.
inline detail::quick_base<std::istream>& cin = detail::input_of_std();
inline detail::quick_base<std::ostream>& cout = detail::output_of_std(1);
inline detail::quick_base<std::ostream>& cerr = detail::output_of_std(2);
inline detail::quick_base<std::ostream>& clog = detail::output_of_std(3);

}  // namespace v0
}  // namespace leat
