// The window of a leat stream as a std::streambuf, and what leat's own std::ostream and
// std::istream share. <leat/iostream.hpp> and <leat/fstream.hpp> stand on it.
#pragma once

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <ios>
#include <streambuf>
#include <string>
#include <string_view>
#if !defined(__GLIBCXX__)  // whose <ios> declares the facets of numbers; <locale> costs 3,500 lines
#  include <locale>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

struct line_marks;

/// A std::streambuf whose areas are a window of leat's.
class LEAT_API stream_buffer : public std::streambuf {
 public:
  stream_buffer(const stream_buffer&) = delete;
  stream_buffer& operator=(const stream_buffer&) = delete;

  /// True if stores of a fixed size may write `n` bytes at the cursor.
  bool has_room(std::ptrdiff_t n) const noexcept { return store_end_ - pptr() >= n; }
  std::ptrdiff_t room() const noexcept { return epptr() - pptr(); }
  /// True if there is room for a character.
  bool has_room_for_one() const noexcept { return pptr() < epptr(); }
  std::ptrdiff_t room_for_stores() const noexcept { return store_end_ - pptr(); }
  char* cursor() const noexcept { return pptr(); }
  /// The bytes from the cursor to `end` are written. Nobody needs the start of the put area: so the
  /// next cursor does not wait for this one.
  void wrote_to(const char* end) noexcept { setp(const_cast<char*>(end), epptr()); }
  /// Writes a character, for which there is room. Its store may change anything, for all a compiler
  /// knows: so it comes last.
  void put_one(char c) noexcept {
    char* const at = pptr();
    pbump(1);
    *at = c;
  }

  const char* next() const noexcept { return gptr(); }
  const char* end() const noexcept { return egptr(); }
  /// The bytes up to `end` are taken.
  void took_to(const char* end) noexcept { setg(eback(), const_cast<char*>(end), egptr()); }

  /// True if nothing follows the get area: its end is the end of the input.
  virtual bool ends_here() noexcept { return false; }

  // What getline() knows of the next lines. It holds while the get area has the same bytes and its
  // cursor is where the last line ended.
  line_marks* marks() const noexcept { return marks_; }
  void set_marks(line_marks* marks) noexcept { marks_ = marks; }
  const char* line_start() const noexcept { return line_start_; }
  void set_line_start(const char* start) noexcept { line_start_ = start; }
  /// No cursor is there, not even a null one.
  void forget_lines() noexcept { line_start_ = reinterpret_cast<const char*>(&line_start_); }
  /// True if the bytes of the get area change only where forget_lines() is called.
  bool may_mark() const noexcept { return may_mark_; }

 protected:
  stream_buffer() { forget_lines(); }
  ~stream_buffer() override;

  /// The result of a seek that failed.
  static pos_type nowhere() { return pos_type(off_type(-1)); }

  // Stores of a fixed size reach beyond the cursor. They may do so up to here.
  char* store_end_ = nullptr;
  bool may_mark_ = false;

 private:
  line_marks* marks_ = nullptr;  // owned; null before the second line
  const char* line_start_;
};

/// The buffer over a writer, a reader, or both. The areas are their window, as long as nobody else
/// uses them. A writer that others use too has no put area: its bytes go to it at once.
class LEAT_API window_buffer : public stream_buffer {
 public:
  window_buffer() noexcept { may_mark_ = true; }
  /// Over a writer that the program may use meanwhile.
  explicit window_buffer(writer& target) noexcept : writer_(&target) {}
  explicit window_buffer(reader& from) noexcept : reader_(&from) { may_mark_ = true; }
  ~window_buffer() override;

  /// Returns the windows to the streams below, with what was done in them.
  void give_back() noexcept;

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

  /// Called before each call that leaves the window.
  virtual void enter() noexcept {}
  /// Where the end is; a writer alone does not know it.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;

  bool failed() const noexcept;
  void borrow_to_put() noexcept;
  void borrow_to_get() noexcept;
  void turn_to_reading() noexcept;
  std::uint64_t position() noexcept;
  void end_putback() noexcept;

  enum class side : unsigned char { none, reading, writing };

  writer* writer_ = nullptr;
  reader* reader_ = nullptr;
  std::uint64_t lost_before_ = 0;  // by failures that the program has cleared
  side lent_ = side::none;
  bool exclusive_ = false;  // nobody else uses the writer
  bool appends_ = false;    // reader and writer are two streams: all bytes go to the end
  bool wrote_ = false;      // the last call wrote
  // A character that was put back and is not the one that was read.
  char put_back_ = '\0';
  bool is_put_back_ = false;
  char* kept_[3] = {};  // the get area meanwhile
};

inline constexpr std::ios_base::fmtflags no_flags = std::ios_base::dec & std::ios_base::hex;

/// What leat's own streams share: their buffer, and whether numbers look as in the classic locale.
class LEAT_API stream_core {
 public:
  stream_core(const stream_core&) = delete;
  stream_core& operator=(const stream_core&) = delete;

  stream_buffer& buffer() const noexcept { return *buffer_; }

  /// True if a call has nothing to do but its own work: no error, no stream to flush before or
  /// behind, the classic locale, no width; and the flags in `mask` are `wanted`.
  [[gnu::always_inline]] bool is_plain(std::ios_base::fmtflags mask,
                                       std::ios_base::fmtflags wanted) const {
    const std::ios& s = *state_;
    return is_none(oddity(s, mask, wanted) | oddity_of_locale(s) |
                   static_cast<std::uintptr_t>(s.width()));
  }
  /// The same for any flags, but for unitbuf, and what no locale changes.
  [[gnu::always_inline]] bool is_plain() const {
    const std::ios& s = *state_;
    return is_none(oddity(s, std::ios_base::unitbuf, no_flags) |
                   static_cast<std::uintptr_t>(s.width()));
  }
  /// The same for any width.
  [[gnu::always_inline]] bool is_usual() const {
    return is_none(oddity(*state_, std::ios_base::unitbuf, no_flags));
  }
  /// True if it is the classic locale, or leat's; look_at_locale() may tell more.
  [[gnu::always_inline]] bool is_classic(const std::ios_base& s) const {
    return oddity_of_locale(s) == 0;
  }
  [[gnu::always_inline]] bool is_classic() const { return is_classic(*state_); }
  /// True if a call may take bytes from the window. A stream that `s` is tied to need be flushed
  /// only before the device is asked for more.
  [[gnu::always_inline]] bool is_readable() const {
    const std::ios& s = *state_;
    return is_none((address(s.rdbuf()) ^ address(buffer_)) | bits_of(s.rdstate()));
  }
  /// The same with the classic locale, no width, and flags as they are wanted.
  [[gnu::always_inline]] bool is_readable(std::ios_base::fmtflags mask,
                                          std::ios_base::fmtflags wanted) const {
    const std::ios& s = *state_;
    return is_none((address(s.rdbuf()) ^ address(buffer_)) | oddity_of_locale(s) |
                   (bits_of(s.rdstate()) | bits_of((s.flags() & mask) ^ wanted)));
  }
  /// Looks at the locale again, if it may be another one.
  void look_at_locale(std::ios_base& s) {
    if (!knows_locale(s)) [[unlikely]]
      find_locale(s);
  }

 protected:
  explicit stream_core(stream_buffer& buffer) noexcept : buffer_(&buffer) {}
  virtual ~stream_core();

  /// Gives a new stream leat's facets, if its locale is the classic one, and returns true.
  bool begin(std::ios& s);
#ifdef __GLIBCXX__
  /// What std looks up in each new stream; that takes longer than all else.
  struct facets {
    const std::ctype<char>* characters;
    const std::num_put<char>* to_put;
    const std::num_get<char>* to_get;
  };
  static const facets& usual_facets() noexcept;
#endif
  /// Called when all that `s` keeps has come from another stream.
  void moved(std::ios_base& s) noexcept;
  /// Called before `s` is destroyed.
  static void ending(std::ios_base& s) noexcept;

 private:
  // One test for all: branches on each cost more than the work itself.
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
  [[gnu::always_inline]] std::uintptr_t oddity(const std::ios& s, std::ios_base::fmtflags mask,
                                               std::ios_base::fmtflags wanted) const {
    return (address(s.rdbuf()) ^ address(buffer_)) | address(s.tie()) |
           (bits_of(s.rdstate()) | bits_of((s.flags() & mask) ^ wanted));
  }

  void find_locale(std::ios_base& s);

  stream_buffer* buffer_;
  std::ios* state_ = nullptr;  // of the same object: where a virtual base is takes two more loads

#ifdef __GLIBCXX__
  // A locale is one pointer here. The classic locale and leat's live for ever, so that their
  // pointers tell all; no other is remembered.
  static_assert(sizeof(std::locale) == sizeof(std::uintptr_t));
  [[gnu::always_inline]] static std::uintptr_t locale_of(const std::ios_base& s) {
    std::uintptr_t bits;
    __builtin_memcpy(&bits, static_cast<const void*>(&s._M_getloc()), sizeof bits);
    return bits;
  }
  [[gnu::always_inline]] std::uintptr_t oddity_of_locale(const std::ios_base& s) const {
    return locale_of(s) ^ usual_locale_;
  }
  bool knows_locale(const std::ios_base& s) const { return oddity_of_locale(s) == 0; }

  std::uintptr_t usual_locale_ = 0;
#else
  // std calls changed() when the locale of a stream changes.
  [[gnu::always_inline]] std::uintptr_t oddity_of_locale(const std::ios_base&) const {
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

/// The flags that decide how a decimal integer looks.
inline constexpr std::ios_base::fmtflags integer_flags =
    std::ios_base::basefield | std::ios_base::showpos | std::ios_base::unitbuf;
/// What an integer needs at most, with what the stores write beyond it.
inline constexpr std::ptrdiff_t integer_room = 48;

// Each writes a value with the flags, width and precision of `s`, and sets its width to 0. False:
// that is not leat's work, and nothing is done.

/// An integer of `size` bytes.
LEAT_API bool insert_integer(stream_core& core, std::ios& s, std::uint64_t bits, std::size_t size,
                             bool is_signed);
LEAT_API bool insert_float(stream_core& core, std::ios& s, double value);
LEAT_API bool insert_float(stream_core& core, std::ios& s, long double value);
LEAT_API bool insert_text(stream_core& core, std::ios& s, const char* text, std::size_t size);
LEAT_API bool insert_pointer(stream_core& core, std::ios& s, const void* value);

// Each passes over blanks if `skips` is set, takes a value, and returns where it ends. Null: the
// text up to `end` does not decide what the value is, or it is one of the corners.

template <class T>
LEAT_API const char* read_value(const char* at, const char* end, bool ends, T& value) noexcept;

/// Takes a line with its delimiter, if the window has its end. False: nothing is done.
LEAT_API bool take_line(stream_buffer& from, std::string& line, char delimiter);
/// Takes the next word, if the window has what follows it.
LEAT_API bool take_word(stream_buffer& from, std::string& word);

}  // namespace detail
}  // namespace v0
}  // namespace leat
