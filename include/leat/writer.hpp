// The output window: the memory that the next bytes go to. put, write and print only use two
// pointers, the cursor and the end of the window. When the window has no room they call the sink.
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

/// A stream of output: a file, memory, standard output. A function that takes a `writer&` works
/// with all of them.
///
/// put, write, print and println never throw for I/O errors. The first failure is kept, and later
/// output is dropped and counted. flush, seek, patch and close report the failure: as
/// leat::io_error, or in a last argument `std::error_code&`. Other exceptions come only from
/// formats of runtime() and from null `const char*` arguments. A writer belongs to one thread at a
/// time, except leat::synchronized, leat::out and leat::err.
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

  /// Appends the bytes. If they do not fit the window, one vectored write writes the window and the
  /// bytes.
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
  /// Not defined for a char array, because it could mean its bytes or its text: use
  /// write(std::string_view(a, n)) or write(a + 0).
  template <std::size_t N>
  void write(char (&)[N]) = delete;

  /// Appends formatted text, by the grammar of std::format. Defined in <leat/print.hpp>.
  template <class... Args>
  void print(format_string<Args...> format, Args&&... args);
  template <class... Args>
  void print(runtime_format format, Args&&... args);
  /// The same with a newline at the end.
  template <class... Args>
  void println(format_string<Args...> format, Args&&... args);
  template <class... Args>
  void println(runtime_format format, Args&&... args);
  void println() { put('\n'); }

  /// Writes all bytes to the device, so that other programs see them; with durability::system they
  /// also survive a crash of the machine. Throws io_error if any byte of the stream was lost so
  /// far.
  void flush();
  void flush(std::error_code& ec) noexcept;

  /// Goes to a position, in bytes from the start. On pipes and on streams opened to append it
  /// throws io_error, invalid_seek.
  void seek(std::uint64_t position);
  void seek(std::uint64_t position, std::error_code& ec) noexcept;
  /// The position of the next byte. An appending stream does not count what others append.
  std::uint64_t tell() const noexcept;

  /// Overwrites bytes written earlier, for example a header; the stream's position does not change.
  /// Throws io_error, invalid_argument, unless [position, position + size) is before tell().
  void patch(std::uint64_t position, std::string_view bytes);
  void patch(std::uint64_t position, std::string_view bytes, std::error_code& ec) noexcept;
  void patch(std::uint64_t position, std::span<const std::byte> bytes) {
    patch(position, as_text(bytes.data(), bytes.size()));
  }
  void patch(std::uint64_t position, std::span<const std::byte> bytes,
             std::error_code& ec) noexcept {
    patch(position, as_text(bytes.data(), bytes.size()), ec);
  }

  /// Flushes and closes the stream. Throws io_error if any byte was lost. Later output is dropped
  /// and counted. Closing again does nothing, but reports what was lost since.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The first failure so far, or a zero code. Bytes in the window may still fail. This function
  /// does not count as a report: the loss handler is called for all failures that flush, seek,
  /// patch or close have not reported.
  std::error_code error() const noexcept;
  /// The number of bytes that were accepted and will not be written.
  std::uint64_t lost() const noexcept;

 protected:
  constexpr explicit writer(sink& below, char* next = nullptr, char* end = nullptr) noexcept
      : next_(next), end_(end), print_end_(end), sink_(&below) {}
  ~writer() = default;

  /// Takes over the window and the sink of a stream that is moved from; `other` is closed then.
  void take_window(writer& other) noexcept;
  /// Closes the stream. If bytes were lost and no call has reported it, the loss handler is called.
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
  /// The byte is passed by value: a byte whose address is taken would be in memory on the hot path
  /// too.
  [[gnu::cold]] void put_slow(char byte) noexcept;

  // A stream that is closed, failed, shared or flushed after each call has no window. So the check
  // for room also detects these.
  char* next_;
  char* end_;
  // The end of the window for print, whose stores have a fixed size and may overwrite bytes behind
  // the cursor. It is not behind next_ if those bytes must be kept.
  char* print_end_;

 protected:
  sink* sink_;
};

/// A writer that threads may share, over another one. The bytes of a call stay together, and a
/// thread's calls keep their order. Formatting happens outside the lock. tell() is of no use here,
/// because other threads move the position too; seek() fails with operation_not_supported.
///
///     auto log = leat::synchronized(leat::append("events.log"));
class LEAT_API synchronized final : public writer {
 public:
  /// Shares a writer. It must outlive this object, and nobody may use it directly meanwhile.
  explicit synchronized(writer& target);
  /// Takes over a stream (file_writer, string_writer) and closes it in the destructor.
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

/// Standard output and standard error. All threads share them. They are usable in constructors and
/// destructors of static objects. `out` is line-buffered on a terminal and fully buffered
/// elsewhere; it is flushed at exit. `err` is flushed after each call. stdio and iostreams have
/// buffers of their own for the same place, so flush one before using the other. Not for signal
/// handlers.
class standard_writer final : public writer {
 public:
  constexpr explicit standard_writer(sink& below) noexcept : writer(below) {}
};
LEAT_API extern constinit standard_writer out;
LEAT_API extern constinit standard_writer err;

}  // namespace v0
}  // namespace leat
