// Streams of output: class writer and its buffer. While the buffer has room, put, write and print
// use only the writer's pointers to the cursor and to the end. Without room, these functions call
// the sink.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/copy.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/detail/ranges.hpp>
#include <leat/detail/single_threaded.hpp>
#include <leat/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

class sink;
class shared_sink;

namespace detail {

struct print_access;

template <class T>
inline constexpr bool is_byte =
    std::is_same_v<T, char> || std::is_same_v<T, unsigned char> || std::is_same_v<T, signed char> ||
    std::is_same_v<T, std::byte> || std::is_same_v<T, decltype(u8'a')>;

/// A contiguous range of bytes. Excludes arrays of char, which may be a text with its NUL.
template <class Range>
concept range_of_bytes =
    std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    is_byte<std::ranges::range_value_t<const Range>> &&
    !(std::is_array_v<Range> &&
      std::is_same_v<std::remove_cv_t<std::remove_extent_t<Range>>, char>);

class shared_writer_base;
class sole_writer;

}  // namespace detail

/// A stream of output: a file, memory, standard output. A function that takes a `writer&` works
/// with all these kinds.
///
/// put, write, print and println never throw for I/O errors. The first failure is kept, and later
/// output is dropped and counted (a memory_writer can go back and overwrite). flush, sync, seek,
/// patch and close report the failure: as leat::io_error, or in a last argument `std::error_code&`.
/// print and println throw format_error for a wrong format of runtime(), for a null `const char*`,
/// and for a width or precision argument that is negative or too large. print and println also pass
/// on exceptions of user-defined formatters.
///
/// @par Threads
/// One thread at a time may use a writer. A shared_writer is for several threads.
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

  /// Appends the bytes. If the bytes do not fit, a stream over a device writes its buffer. If there
  /// are at least as many bytes as the buffer holds, most of the bytes are usually not copied: one
  /// call of the device writes the buffer and the bytes.
  void write(std::string_view bytes) {
    if (bytes.size() <= room()) [[likely]]
      next_ = detail::copy_within(next_, print_end_ - next_, bytes.data(), bytes.size());
    else
      write_slow(bytes);
  }
  void write(const char* text) { write(std::string_view(text)); }
  void write(std::nullptr_t) = delete;
  /// Appends a contiguous range of bytes: a std::vector<char>, a std::string, an array or span of
  /// std::byte or unsigned char, …
  template <detail::range_of_bytes Range>
  void write(const Range& bytes) {
    write(as_text(std::ranges::data(bytes), std::ranges::size(bytes)));
  }
  /// Does not compile: a char array could mean its bytes or its text.
  template <std::size_t N>
  void write(char (&)[N]) {
    static_assert(N == 0,
                  "a char array may mean its bytes or its text: "
                  "write(std::string_view(array, size)) writes the bytes, "
                  "write(array + 0) writes the text up to the NUL");
  }

  /// Appends formatted text, by the grammar of std::format. Defined in <leat/print.hpp>.
  template <class... Args>
  void print(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void print(runtime_format format, Args&&... args);
  /// Appends formatted text and a newline.
  template <class... Args>
  void println(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void println(runtime_format format, Args&&... args);
  void println() { put('\n'); }

  /// Writes all bytes to the device. If the device is a file, other programs then see the bytes,
  /// except those of a `replace` stream; with durability::system the bytes also survive a crash of
  /// the machine. If the stream has failed, in this or an earlier call, throws io_error.
  void flush();
  void flush(std::error_code& ec) noexcept;

  /// Flushes, and waits until all bytes of the stream, and the name of a new file, would survive a
  /// crash of the machine. (With durability::system each flush also syncs.) Pipes, terminals and
  /// memory have nothing to sync; there sync() only flushes. The bytes of a `replace` stream are
  /// then safe in its temporary file; the target changes with close(). Throws what flush() throws,
  /// and the error of the sync. A failed sync is final, because the state of the disk is unknown.
  /// Threads that sync a leat::synchronized file at the same time may share one sync of the disk.
  ///
  ///     journal.println("{} paid {}", customer, sum);
  ///     journal.sync();  // now the order may be confirmed
  void sync();
  void sync(std::error_code& ec) noexcept;

  /// Goes to a position, in bytes from the start. In a file, a position after the end is allowed:
  /// if bytes are written there, the bytes between are zeros. Throws io_error: invalid_seek on
  /// pipes and on streams opened to append; operation_not_supported for content that can only be
  /// written in order, such as an object in object storage. patch() has the same errors.
  void seek(std::uint64_t position);
  void seek(std::uint64_t position, std::error_code& ec) noexcept;
  /// The position of the next byte. A stream opened to append does not count bytes that other
  /// processes append.
  std::uint64_t tell() const noexcept;

  /// Overwrites bytes that were written earlier, for example a header; the stream's position does
  /// not change. If the bytes would end after tell(), throws io_error, invalid_argument.
  void patch(std::uint64_t position, std::string_view bytes);
  void patch(std::uint64_t position, std::string_view bytes, std::error_code& ec) noexcept;
  void patch(std::uint64_t position, std::span<const std::byte> bytes) {
    patch(position, as_text(bytes.data(), bytes.size()));
  }
  void patch(std::uint64_t position, std::span<const std::byte> bytes,
             std::error_code& ec) noexcept {
    patch(position, as_text(bytes.data(), bytes.size()), ec);
  }

  /// Flushes, and checks that the path still names the file. If not, the stream continues in the
  /// file that has the path now, or creates a file. For streams of leat::rotating, and of
  /// leat::append with `reopen`; other streams fail with operation_not_supported. Throws what
  /// flush() and opening throw. For programs that get a signal, such as SIGHUP, after their log was
  /// moved; do not call reopen() in the signal handler.
  void reopen();
  void reopen(std::error_code& ec) noexcept;

  /// Flushes and closes the stream. If the stream has failed, or if closing fails, throws io_error.
  /// Later output is dropped and counted. Closing again reports only later losses.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The first failure so far, or a zero code. Bytes in the buffer may still fail. error() does not
  /// count as a report: the loss handler is called for a failure that no other call has reported.
  [[nodiscard]] std::error_code error() const noexcept;
  /// The number of accepted bytes that will not be written.
  [[nodiscard]] std::uint64_t lost() const noexcept;
  /// The number of calls that were dropped because all buffers were full: see leat::when_full.
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  /// Clears the failure, so that the stream continues, as with C's clearerr: after an error that
  /// has passed, such as a full disk. The next byte goes to the offset of the first lost byte; a
  /// file_stream keeps its position. lost() still counts earlier losses. flush, close and the loss
  /// handler report only later losses. After a final failure clear_error() does nothing. A failed
  /// sync is final, because the state of the disk is unknown. A failure of a `replace` stream is
  /// final, because the file would have a gap. A failure of a closed stream is final. A failed
  /// memory_writer or string_writer needs clear() instead. After clear_error() a stream with
  /// `background` writes without its thread.
  ///
  ///     log.flush(ec);
  ///     if (ec == std::errc::no_space_on_device && make_space()) log.clear_error();
  void clear_error() noexcept;

 protected:
  constexpr explicit writer(sink& below, char* next = nullptr, char* end = nullptr) noexcept
      : next_(next), end_(end), print_end_(end), sink_(&below) {}
  ~writer() = default;

  /// Takes over the buffer and the sink of a moved-from stream; `other` is then closed.
  void take_window(writer& other) noexcept;
  /// Closes the stream. Calls the loss handler for unreported losses.
  void dispose() noexcept;

  std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - next_); }

  /// The writer under a shared stream, if calls may use its buffer directly: only while the process
  /// has one thread; otherwise null.
  writer* direct_writer() const noexcept {
    return detail::is_single_threaded() ? direct_writer_ : nullptr;
  }

  template <class Byte>
  static std::string_view as_text(const Byte* data, std::size_t size) noexcept {
    return {reinterpret_cast<const char*>(data), size};
  }

 private:
  friend class sink;
  friend struct detail::print_access;
  friend struct kernel_copy;
  friend struct buffer_access;
  friend class detail::sole_writer;
  friend class detail::shared_writer_base;

  // Both functions return the cursor.
  [[gnu::cold]] char* write_slow(std::string_view bytes) noexcept;
  /// Takes the byte by value: if its address were taken, the byte would be in memory on the hot
  /// path too.
  [[gnu::cold]] char* put_slow(char byte) noexcept;

  // A stream that is closed, failed, shared or flushed after each call has no buffer. So the check
  // for room also detects these states.
  char* next_;
  char* end_;
  // The end of the buffer for print and for copies in write: their stores have a fixed size and may
  // overwrite bytes after the cursor. print_end_ is not after next_ if the bytes after the cursor
  // must be kept.
  char* print_end_;

 protected:
  sink* sink_;

 private:
  writer* direct_writer_ = nullptr;  // see direct_writer()
};

namespace detail {

/// A stream that is not a shared_writer, so no other thread reads its cursor. Each call stores the
/// cursor, even if the cursor has not moved. So the next call needs no load: compilers keep the
/// cursor in a register over a whole loop.
class sole_writer : public writer {
 public:
  using writer::write;

  void put(char byte) {
    char* to = next_;
    if (to != end_) [[likely]]
      *to++ = byte;
    else
      to = put_slow(byte);
    next_ = to;
  }
  void write(std::string_view bytes) {
    char* to = next_;
    if (bytes.size() <= static_cast<std::size_t>(end_ - to)) [[likely]]
      to = copy_within(to, print_end_ - to, bytes.data(), bytes.size());
    else
      to = write_slow(bytes);
    next_ = to;
  }

 protected:
  using writer::writer;
  ~sole_writer() = default;
};

/// A shared stream. While the process has one thread, calls of the stream may use the buffer of the
/// underlying writer.
class shared_writer_base : public writer {
 public:
  using writer::write;

  void put(char byte) {
    writer* const w = direct_writer();
    if (w != nullptr && w->room() != 0) [[likely]]
      w->put(byte);
    else
      put_slow(byte);
  }
  void write(std::string_view bytes) {
    writer* const w = direct_writer();
    if (w != nullptr && bytes.size() <= w->room()) [[likely]]
      w->write(bytes);
    else
      write_slow(bytes);
  }
  template <class... Args>
  void print(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void print(runtime_format format, Args&&... args);
  template <class... Args>
  void println(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void println(runtime_format format, Args&&... args);
  void println() { put('\n'); }

 protected:
  using writer::writer;
  ~shared_writer_base() = default;
};

}  // namespace detail

/// A writer that threads share: leat::synchronized, leat::out and leat::err.
///
/// @par Threads
/// Several threads may use a shared_writer at once. The bytes of a call stay together.
class LEAT_API shared_writer : public detail::shared_writer_base {
 public:
  /// Calls work(w) with the underlying writer, under the lock, so that everything that `work`
  /// writes stays together. Returns what `work` returns.
  ///
  ///     log.with([&](leat::writer& w) {
  ///       for (const auto& line : trace) w.println("  {}", line);
  ///     });
  ///
  /// `work` may call every function of `w` except close(), and may throw, fork, or end the program.
  /// `work` may also use the shared stream itself, including with().
  template <std::invocable<writer&> Work>
  decltype(auto) with(Work&& work) {
    const lock_scope mine(*this);
    return std::forward<Work>(work)(mine.target);
  }

 protected:
  constexpr explicit shared_writer(sink& below) noexcept : shared_writer_base(below) {}
  ~shared_writer() = default;

 private:
  /// The lock, and the writer that it guards.
  struct LEAT_API lock_scope {
    explicit lock_scope(shared_writer& of) noexcept;
    ~lock_scope();
    lock_scope(const lock_scope&) = delete;
    lock_scope& operator=(const lock_scope&) = delete;

    shared_sink& sink;
    writer& target;
  };
};

/// Makes another writer usable by several threads. The bytes of a call stay together, and a
/// thread's calls keep their order. Formatting happens outside of the lock. tell() has no stable
/// result, because other threads move the position too. seek() fails: with invalid_seek on pipes
/// and on streams opened to append, else with operation_not_supported.
///
///     auto log = leat::synchronized(leat::append("events.log"));
///
/// @par Threads
/// Several threads may use a `synchronized` at once.
class LEAT_API synchronized final : public shared_writer {
 public:
  /// Shares a writer, which must outlive this object. Meanwhile the writer must not be used
  /// directly.
  explicit synchronized(writer& target);
  /// Takes ownership of a stream (file_writer, string_writer); the destructor closes the stream.
  template <class Stream>
    requires(std::derived_from<Stream, writer> && !std::is_lvalue_reference_v<Stream>)
  explicit synchronized(Stream&& target)
      : synchronized(*new owned<Stream>(std::forward<Stream>(target))) {}
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
  /// Takes ownership of `target`, even if the constructor throws.
  explicit synchronized(owner& target);

  owner* owner_ = nullptr;  // owned
};

/// Standard output and standard error, usable in constructors and destructors of static objects.
/// `out` is line-buffered on a terminal and fully buffered elsewhere; exit flushes `out`. If bytes
/// of `out` are lost at exit, the program does not end with status 0: see leat::set_loss_status.
/// `err` is flushed after each call. stdio and iostreams have separate buffers for the same output,
/// so flush one buffer before you use the other. Signal handlers must not use these streams.
class standard_writer final : public shared_writer {
 public:
  constexpr explicit standard_writer(sink& below) noexcept : shared_writer(below) {}
};
/// Standard output, and standard error.
LEAT_API extern constinit standard_writer out;
LEAT_API extern constinit standard_writer err;

}  // namespace v0
}  // namespace leat
