// The output window. A writer is three words: where the next byte goes, where room ends, and the
// sink to call when there is no room. put, write and print touch only the first two.
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

class sink;
struct print_access;

/// Where output goes: a file, memory, standard output. Functions take a `writer&` and serve all.
///
/// put, write, print and println never throw for I/O. The first failure is kept, later output is
/// dropped and counted, and flush, seek, patch and close report it: as leat::io_error, or in a last
/// argument `std::error_code&`, which is all that a program without exceptions needs: apart from
/// them only formats of runtime() and null `const char*` arguments throw. A writer belongs to one
/// thread at a time, but for those that say they are shared (leat::synchronized, leat::out,
/// leat::err).
class LEAT_API writer {
 public:
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  /// Appends one byte.
  void put(char byte) {
    if (next_ != end_) [[likely]]
      *next_++ = byte;
    else
      put_slow(byte);
  }

  /// Appends the bytes. Those that do not fit the window go past it in one vectored call.
  void write(std::string_view bytes) {
    if (bytes.size() <= room()) [[likely]]
      next_ = detail::copy(next_, bytes.data(), bytes.size());
    else
      write_slow(bytes);
  }
  void write(std::span<const std::byte> bytes) { write(as_text(bytes.data(), bytes.size())); }
  void write(std::span<const unsigned char> bytes) { write(as_text(bytes.data(), bytes.size())); }
  void write(const char* text) { write(std::string_view(text)); }
  void write(std::nullptr_t) = delete;
  /// A char array: its bytes or its text? Say write(std::string_view(a, n)) or write(a + 0).
  template <std::size_t N>
  void write(char (&)[N]) = delete;

  /// Appends formatted text; the grammar is std::format's. Defined in <leat/print.hpp>.
  template <class... Args>
  void print(format_string<Args...> format, Args&&... args);
  template <class... Args>
  void print(runtime_format format, Args&&... args);
  /// The same with a newline behind it.
  template <class... Args>
  void println(format_string<Args...> format, Args&&... args);
  template <class... Args>
  void println(runtime_format format, Args&&... args);
  void println() { put('\n'); }

  /// Hands all bytes to the device, so that others see them; with durability::system they also
  /// survive the death of the machine. Throws io_error if any byte of the stream was lost so far.
  void flush();
  void flush(std::error_code& ec) noexcept;

  /// Goes to a position, in bytes from the start. Throws io_error: invalid_seek on pipes and on
  /// streams opened to append.
  void seek(std::uint64_t position);
  void seek(std::uint64_t position, std::error_code& ec) noexcept;
  /// The position of the next byte. For an appending stream: as if nobody else appended.
  std::uint64_t tell() const noexcept;

  /// Overwrites bytes written earlier, a header after the body say, and stays where it is. Throws
  /// io_error: invalid_argument unless all of [position, position + size) lies before tell().
  void patch(std::uint64_t position, std::string_view bytes);
  void patch(std::uint64_t position, std::string_view bytes, std::error_code& ec) noexcept;
  void patch(std::uint64_t position, std::span<const std::byte> bytes) {
    patch(position, as_text(bytes.data(), bytes.size()));
  }
  void patch(std::uint64_t position, std::span<const std::byte> bytes,
             std::error_code& ec) noexcept {
    patch(position, as_text(bytes.data(), bytes.size()), ec);
  }

  /// Flushes, ends the stream and throws io_error if any byte was lost. What is written afterwards
  /// is dropped and counted. Closing again does nothing but report what was lost since.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The first failure so far, or a zero code. Bytes still in the window have not had theirs yet.
  /// Asking does not count as being told: only what flush, seek, patch or close reported is kept
  /// from the loss handler.
  std::error_code error() const noexcept;
  /// Bytes accepted that will not arrive.
  std::uint64_t lost() const noexcept;

 protected:
  constexpr explicit writer(sink& below, char* next = nullptr, char* end = nullptr) noexcept
      : next_(next), end_(end), print_end_(end), sink_(&below) {}
  ~writer() = default;

  /// Takes the window and sink of a stream that is moved from; `other` is closed then.
  void take_window(writer& other) noexcept;
  /// Ends the stream; losses nobody was told of go to the loss handler.
  void dispose() noexcept;

  std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - next_); }

  template <class Byte>
  static std::string_view as_text(const Byte* data, std::size_t size) noexcept {
    return {reinterpret_cast<const char*>(data), size};
  }

 private:
  friend class sink;
  friend struct print_access;
  friend struct kernel_copy;

  [[gnu::cold]] void write_slow(std::string_view bytes) noexcept;
  /// By value: a byte whose address is taken would live in memory on the hot path too.
  [[gnu::cold]] void put_slow(char byte) noexcept;

  // A stream that is closed, failed, shared or flushed after each call has no window, so that the
  // check for room also catches these.
  char* next_;
  char* end_;
  // The end for print, whose stores have a fixed size and overwrite what lies behind the cursor.
  // Not behind next_ where that must stay.
  char* print_end_;

 protected:
  sink* sink_;
};

/// A writer over another one that threads may share: a call's bytes stay together, and a thread's
/// calls keep their order. Formatting happens outside the lock. tell() and seek() have no use here,
/// as other threads move the position too; seek fails with operation_not_supported.
///
///     auto log = leat::synchronized(leat::append("events.log"));
class LEAT_API synchronized final : public writer {
 public:
  /// Shares a writer that outlives this one and that nobody uses directly meanwhile.
  explicit synchronized(writer& target);
  /// Takes over a stream (file_writer, string_writer) and closes it at the end.
  template <class Stream>
    requires(std::derived_from<Stream, writer> && !std::is_lvalue_reference_v<Stream>)
  explicit synchronized(Stream&& target)
      : synchronized(std::make_unique<owned<Stream>>(std::forward<Stream>(target))) {}
  ~synchronized();

 private:
  struct owner {
    virtual ~owner() = default;
    virtual writer& target() = 0;
  };
  template <class Stream>
  struct owned final : owner {
    explicit owned(Stream&& s) : stream(std::move(s)) {}
    writer& target() override { return stream; }
    Stream stream;
  };
  explicit synchronized(std::unique_ptr<owner> target);

  std::unique_ptr<owner> owner_;
};

/// Standard output and standard error. Shared by all threads, ready before any constructor and
/// after every destructor. `out` is line-buffered on a terminal, fully buffered elsewhere and
/// flushed at exit; `err` is flushed after each call. What stdio and iostreams print to the same
/// place has buffers of its own, so flush one before using the other. Not for signal handlers.
class standard_writer final : public writer {
 public:
  constexpr explicit standard_writer(sink& below) noexcept : writer(below) {}
};
LEAT_API extern constinit standard_writer out;
LEAT_API extern constinit standard_writer err;

}  // namespace v0
}  // namespace leat
