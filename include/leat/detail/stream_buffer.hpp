// The buffer of a leat stream as a std::streambuf, and the common part of leat's std::ostream and
// std::istream. Used by <leat/iostream.hpp> and <leat/fstream.hpp>.
#pragma once

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <ios>
#include <streambuf>
#include <string>
#include <string_view>
#if !defined(__GLIBCXX__)  // libstdc++'s <ios> has the facets of numbers; <locale> has 3,500 lines
#  include <locale>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

class borrowed_source;
struct line_marks;

/// A std::streambuf whose areas are a buffer of a leat stream.
class LEAT_API stream_buffer : public std::streambuf {
 public:
  stream_buffer(const stream_buffer&) = delete;
  stream_buffer& operator=(const stream_buffer&) = delete;

  /// True if stores of a fixed size may write `n` bytes at the cursor.
  bool has_room(std::ptrdiff_t n) const noexcept { return store_end_ - pptr() >= n; }
  std::ptrdiff_t room() const noexcept { return epptr() - pptr(); }
  /// True if there is room for a character.
  bool has_room_for_char() const noexcept { return pptr() < epptr(); }
  std::ptrdiff_t room_for_stores() const noexcept { return store_end_ - pptr(); }
  char* cursor() const noexcept { return pptr(); }
  /// Moves the cursor to `end`, after stores. The new cursor does not depend on the old cursor.
  void move_put_cursor(const char* end) noexcept {
#ifdef __GLIBCXX__
    this->_M_out_cur = const_cast<char*>(end);
#else
    setp(const_cast<char*>(end), epptr());  // the start of the put area is unused
#endif
  }
  /// Writes a character; there must be room. The store comes last, because the compiler must assume
  /// that the store may change any memory.
  void put_char(char c) noexcept {
    char* const at = pptr();
    pbump(1);
    *at = c;
  }

  const char* next() const noexcept { return gptr(); }
  const char* end() const noexcept { return egptr(); }
  /// Takes the bytes up to `end`.
  void move_get_cursor(const char* end) noexcept { setg(eback(), const_cast<char*>(end), egptr()); }

  /// True if the end of the get area is the end of the input.
  virtual bool ends_here() noexcept { return false; }

  // The marks of getline() for the next lines. The marks are valid while the get area has the same
  // bytes and its cursor is at line_start(), the position after the last call of getline().
  line_marks* marks() const noexcept { return marks_; }
  void set_marks(line_marks* marks) noexcept { marks_ = marks; }
  const char* line_start() const noexcept { return line_start_; }
  void set_line_start(const char* start) noexcept { line_start_ = start; }
  /// Sets line_start_ to an address that no cursor has, not even a null cursor.
  void forget_lines() noexcept { line_start_ = reinterpret_cast<const char*>(&line_start_); }
  /// True if the bytes of the get area change only where forget_lines() is called.
  bool may_mark() const noexcept { return may_mark_; }

 protected:
  stream_buffer() { forget_lines(); }
  ~stream_buffer() override;

  /// The result of a seek that failed.
  static pos_type failed_position() { return pos_type(off_type(-1)); }

  // Stores of a fixed size may overwrite bytes after the cursor, up to store_end_.
  char* store_end_ = nullptr;
  bool may_mark_ = false;

 private:
  line_marks* marks_ = nullptr;  // owned; null before the second line
  const char* line_start_;
};

/// The streambuf over a writer, a reader, or both. The get area is the reader's buffer. The put
/// area is the writer's buffer if only this object uses the writer. Otherwise there is no put area,
/// and bytes go to the writer immediately.
class LEAT_API window_buffer : public stream_buffer {
 public:
  window_buffer() noexcept { may_mark_ = true; }
  /// A buffer over a writer that the program may also use directly.
  explicit window_buffer(writer& target) noexcept : writer_(&target) {}
  explicit window_buffer(reader& from) noexcept : reader_(&from) { may_mark_ = true; }
  ~window_buffer() override;

  /// Returns the borrowed buffers, with the moved cursors, to the underlying streams.
  void return_buffers() noexcept;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type underflow() override;
  int_type pbackfail(int_type c) override;
  std::streamsize xsgetn(char* into, std::streamsize size) override;
  std::streamsize showmanyc() override;
  int sync() override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                   std::ios_base::openmode which) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

  /// Called before each call that goes beyond the buffer. file_buffer stores the calling thread.
  virtual void enter() noexcept {}
  /// Returns the position of the end. A writer alone does not know the end and sets `ec`.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;

  bool failed() const noexcept;
  bool put_shared(const char* text, std::size_t size) noexcept;
  void borrow_to_put() noexcept;
  void borrow_to_get() noexcept;
  bool turn_to_reading() noexcept;
  std::uint64_t position() noexcept;
  void end_putback() noexcept;

  enum class side : unsigned char { none, reading, writing };

  writer* writer_ = nullptr;
  reader* reader_ = nullptr;
  std::uint64_t cleared_losses_ = 0;  // bytes lost by failures that the program has cleared
  side active_side_ = side::none;
  bool exclusive_ = false;  // the program does not use the writer directly
  bool appends_ = false;    // reader and writer are two streams: all bytes go to the end
  bool wrote_ = false;      // bytes were written; if appends_ is true, by the last call
  // A character that was put back and differs from the one that was read.
  char put_back_ = '\0';
  bool is_put_back_ = false;
  char* saved_get_area_[3] = {};  // eback(), gptr() and egptr()

 private:
  friend class borrowed_source;

  // Memory for the borrowed_source: the reader's source while this object borrows the reader's
  // buffer.
  alignas(void*) std::byte source_memory_[6 * sizeof(std::uint64_t)];
};

inline constexpr std::ios_base::fmtflags no_flags = std::ios_base::dec & std::ios_base::hex;

/// The common part of leat's std streams: the buffer, and whether numbers have the form of the
/// classic locale.
class LEAT_API stream_core {
 public:
  stream_core(const stream_core&) = delete;
  stream_core& operator=(const stream_core&) = delete;

  stream_buffer& buffer() const noexcept { return *buffer_; }

  /// True if the fast path is possible: no error, no stream to flush before or after the call, the
  /// classic locale, no width; and the flags in `mask` are `wanted`.
  [[gnu::always_inline]] bool is_plain(std::ios_base::fmtflags mask,
                                       std::ios_base::fmtflags wanted) const {
    const std::ios& s = *state_;
    return is_none(obstacles(s, mask, wanted) | locale_obstacle(s) |
                   static_cast<std::uintptr_t>(s.width()));
  }
  /// True if the fast path is possible for output that no locale changes, with any flags except
  /// unitbuf.
  [[gnu::always_inline]] bool is_plain() const {
    const std::ios& s = *state_;
    return is_none(obstacles(s, std::ios_base::unitbuf, no_flags) |
                   static_cast<std::uintptr_t>(s.width()));
  }
  /// True if the fast path is possible for output that no locale changes, with any width and any
  /// flags except unitbuf.
  [[gnu::always_inline]] bool is_plain_at_any_width() const {
    return is_none(obstacles(*state_, std::ios_base::unitbuf, no_flags));
  }
  /// True if the locale is known to be the classic locale or leat's locale. If false, the locale
  /// may have changed, and recheck_locale() examines the new locale.
  [[gnu::always_inline]] bool is_classic(const std::ios_base& s) const {
    return locale_obstacle(s) == 0;
  }
  [[gnu::always_inline]] bool is_classic() const { return is_classic(*state_); }
  /// True if a call may take bytes from the buffer. A tied stream must be flushed only before a
  /// read from the device.
  [[gnu::always_inline]] bool is_readable() const {
    const std::ios& s = *state_;
    return is_none((address(s.rdbuf()) ^ address(buffer_)) | bits_of(s.rdstate()));
  }
  /// True if a call may take bytes from the buffer, the locale is the classic locale, and the flags
  /// in `mask` are `wanted`.
  [[gnu::always_inline]] bool is_readable(std::ios_base::fmtflags mask,
                                          std::ios_base::fmtflags wanted) const {
    const std::ios& s = *state_;
    return is_none((address(s.rdbuf()) ^ address(buffer_)) | locale_obstacle(s) |
                   (bits_of(s.rdstate()) | bits_of((s.flags() & mask) ^ wanted)));
  }
  /// If the locale may have changed, examines the locale again.
  void recheck_locale(std::ios_base& s) {
    if (!knows_locale(s)) [[unlikely]]
      find_locale(s);
  }

 protected:
  explicit stream_core(stream_buffer& buffer) noexcept : buffer_(&buffer) {}
  virtual ~stream_core();

  /// If the locale of a new stream is the classic locale, gives the stream leat's facets and
  /// returns true.
  bool begin(std::ios& s);
#ifdef __GLIBCXX__
  /// The facets of leat's locale. Without this struct, std would look up the facets in each new
  /// stream, and the look-up would take longer than the rest of the construction.
  struct facets {
    const std::ctype<char>* characters;
    const std::num_put<char>* to_put;
    const std::num_get<char>* to_get;
  };
  static const facets& usual_facets() noexcept;
#endif
  /// Forgets the locale of `s`, after the state of `s` was moved from another stream. Does nothing
  /// with libstdc++.
  void moved(std::ios_base& s) noexcept;
  /// Separates `s` from its stream_core, before `s` is destroyed. Does nothing with libstdc++.
  static void ending(std::ios_base& s) noexcept;

 private:
  // One test for all conditions: a branch for each would cost more than the work itself.
  [[gnu::always_inline]] static bool is_none(std::uintptr_t bits) {
    return __builtin_expect(bits == 0, 1);
  }
  template <class T>
  [[gnu::always_inline]] static std::uintptr_t address(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
  /// Flags and states have 32 bits.
  template <class T>
  [[gnu::always_inline]] static unsigned bits_of(T flags) {
    return static_cast<unsigned>(flags);
  }
  [[gnu::always_inline]] std::uintptr_t obstacles(const std::ios& s, std::ios_base::fmtflags mask,
                                                  std::ios_base::fmtflags wanted) const {
    return (address(s.rdbuf()) ^ address(buffer_)) | address(s.tie()) |
           (bits_of(s.rdstate()) | bits_of((s.flags() & mask) ^ wanted));
  }

  void find_locale(std::ios_base& s);

  stream_buffer* buffer_;
  std::ios* state_ = nullptr;  // of the same object: finding the virtual base takes two more loads

#ifdef __GLIBCXX__
  // A std::locale is one pointer here. Only the pointers of the classic locale and of leat's are
  // remembered: both locales live forever, so the pointers identify them.
  static_assert(sizeof(std::locale) == sizeof(std::uintptr_t));
  [[gnu::always_inline]] static std::uintptr_t locale_of(const std::ios_base& s) {
    std::uintptr_t bits;
    __builtin_memcpy(&bits, static_cast<const void*>(&s._M_getloc()), sizeof bits);
    return bits;
  }
  [[gnu::always_inline]] std::uintptr_t locale_obstacle(const std::ios_base& s) const {
    return locale_of(s) ^ recognized_locale_;
  }
  bool knows_locale(const std::ios_base& s) const { return locale_obstacle(s) == 0; }

  std::uintptr_t recognized_locale_ = 0;
#else
  // std calls changed() when the locale of a stream changes.
  [[gnu::always_inline]] std::uintptr_t locale_obstacle(const std::ios_base&) const {
    return std::uintptr_t{!is_classic_};
  }
  bool knows_locale(const std::ios_base&) const { return is_known_; }
  void set_classic(bool is) noexcept {
    is_classic_ = is;
    is_known_ = true;
  }
  void forget_locale() noexcept { is_classic_ = is_known_ = false; }
  static void changed(std::ios_base::event what, std::ios_base& s, int index);

  bool is_classic_ = false;
  bool is_known_ = false;
#endif
};

/// The flags that the fast path for decimal integers checks: the flags that change the text, and
/// unitbuf.
inline constexpr std::ios_base::fmtflags integer_flags =
    std::ios_base::basefield | std::ios_base::showpos | std::ios_base::unitbuf;
/// The most bytes of an integer, including the stores beyond its end.
inline constexpr std::ptrdiff_t integer_room = 48;

// Each insert function writes a value with the flags, width and precision of `s`, and sets the
// width of `s` to 0. If leat does not handle this case, the function returns false and writes
// nothing.

/// An integer of `size` bytes.
LEAT_API bool insert_integer(stream_core& core, std::ios& s, std::uint64_t bits, std::size_t size,
                             bool is_signed);
LEAT_API bool insert_float(stream_core& core, std::ios& s, double value);
LEAT_API bool insert_float(stream_core& core, std::ios& s, long double value);
LEAT_API bool insert_text(stream_core& core, std::ios& s, const char* text, std::size_t size);
LEAT_API bool insert_pointer(stream_core& core, std::ios& s, const void* value);

// Skips blanks, takes a value, and returns the end of the value's text. `ends` is true if `end` is
// the end of the input. Returns null if the text up to `end` does not determine the value, or if
// the value is a special case.

template <class T>
LEAT_API const char* read_value(const char* at, const char* end, bool ends, T& value) noexcept;

/// If the buffer has the end of the line, takes the line with its delimiter. If nothing was taken,
/// returns false.
LEAT_API bool take_line(stream_buffer& from, std::string& line, char delimiter);
/// If the buffer has the next word and the byte after the word, takes the word. Otherwise returns
/// false.
LEAT_API bool take_word(stream_buffer& from, std::string& word);

}  // namespace detail
}  // namespace v0
}  // namespace leat
