// The output window: the memory that the next bytes go to. put, write and print only use two
// pointers, the cursor and the end of the window. When the window has no room they call the sink.
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/detail/format_string.hpp>
#include <leat/detail/one_thread.hpp>
#include <leat/detail/ranges.hpp>
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

/// Bytes that lie one behind the other. An array of char is none: it may be a text with its NUL.
template <class Range>
concept range_of_bytes =
    std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    is_byte<std::ranges::range_value_t<const Range>> &&
    !(std::is_array_v<Range> &&
      std::is_same_v<std::remove_cv_t<std::remove_extent_t<Range>>, char>);

class borrower;
class sole_writer;

}  // namespace detail

/// A stream of output: a file, memory, standard output. A function that takes a `writer&` works
/// with all of them.
///
/// put, write, print and println never throw for I/O errors. The first failure is kept, and later
/// output is dropped and counted (a memory_writer can go back and overwrite). flush, sync, seek,
/// patch and close report the failure: as leat::io_error, or in a last argument `std::error_code&`.
/// print and println throw format_error for a wrong format of runtime(), for a null `const char*`,
/// and for a width or precision among the arguments that is negative or too large; and what
/// formatters of your own types throw.
///
/// @par Threads
/// One at a time. A shared_writer is for several.
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

  /// Appends the bytes. If they do not fit, the window is filled and written. Bytes as large as a
  /// window are written from where they are, in one call with the window.
  void write(std::string_view bytes) {
    if (bytes.size() <= room()) [[likely]]
      next_ = detail::copy_within(next_, print_end_ - next_, bytes.data(), bytes.size());
    else
      write_slow(bytes);
  }
  void write(const char* text) { write(std::string_view(text)); }
  void write(std::nullptr_t) = delete;
  /// Appends the bytes of any contiguous range of them: a std::vector<char>, a std::string, an
  /// array or span of std::byte or unsigned char, …
  template <detail::range_of_bytes Range>
  void write(const Range& bytes) {
    write(as_text(std::ranges::data(bytes), std::ranges::size(bytes)));
  }
  /// A char array could mean its bytes or its text, so this does not compile.
  template <std::size_t N>
  void write(char (&)[N]) {
    static_assert(N == 0,
                  "its bytes or its text? write(std::string_view(array, size)) writes "
                  "bytes, write(array + 0) the text up to the NUL");
  }

  /// Appends formatted text, by the grammar of std::format. Defined in <leat/print.hpp>.
  template <class... Args>
  void print(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void print(runtime_format format, Args&&... args);
  /// The same with a newline at the end.
  template <class... Args>
  void println(const format_string<Args...>& format, Args&&... args);
  template <class... Args>
  void println(runtime_format format, Args&&... args);
  void println() { put('\n'); }

  /// Writes all bytes to the device, so that other programs see them; with durability::system they
  /// also survive a crash of the machine. Throws io_error if any byte of the stream was lost so
  /// far.
  void flush();
  void flush(std::error_code& ec) noexcept;

  /// Flushes, and waits until all bytes of the stream, and the name of a new file, would survive a
  /// crash of the machine: once what durability::system does at each flush. Pipes, terminals and
  /// memory have nothing to sync, so this is a flush there. A `replace` stream's bytes are safe in
  /// its temporary file then; the target changes with close(). Throws what flush() throws. A failed
  /// sync is final: nobody knows what the disk has. Threads that sync a leat::synchronized stream
  /// at the same time share one sync of the disk.
  ///
  ///     journal.println("{} paid {}", customer, sum);
  ///     journal.sync();  // now the customer may be told
  void sync();
  void sync(std::error_code& ec) noexcept;

  /// Goes to a position, in bytes from the start. On pipes and on streams opened to append it
  /// throws io_error, invalid_seek; where a new content is made in order, as an object of a store,
  /// operation_not_supported. The same goes for patch().
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

  /// Of a stream of leat::rotating, or of leat::append with `reopen`: flushes, and looks whether
  /// the file still has its name. If not, the stream goes on in a new file of that name, and the
  /// old one is closed. It is for programs that are told that their log was moved, by SIGHUP for
  /// example; call it outside of the signal's handler. Throws what flush() throws, and what opening
  /// throws. Other streams: operation_not_supported.
  void reopen();
  void reopen(std::error_code& ec) noexcept;

  /// Flushes and closes the stream. Throws io_error if any byte was lost. Later output is dropped
  /// and counted. Closing again does nothing, but reports what was lost since.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The first failure so far, or a zero code. Bytes in the window may still fail. This function
  /// does not count as a report: the loss handler is called for all failures that flush, sync,
  /// seek, patch or close have not reported.
  [[nodiscard]] std::error_code error() const noexcept;
  /// The number of bytes that were accepted and will not be written.
  [[nodiscard]] std::uint64_t lost() const noexcept;
  /// How many calls were dropped because all windows were full: see leat::when_full.
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  /// Forgets the failure, so that the stream goes on, as with C's clearerr: for an error that has
  /// passed, a full disk for example. The next byte goes where the first lost one was to go; a
  /// file_stream stays where it is. lost() still counts what was lost before; flush, close and the
  /// loss handler speak only of what is lost from now on. Some failures are final, and nothing
  /// changes: of sync, because nobody knows what the disk has; of a `replace` stream, because the
  /// file would have a hole; of memory, which clear() empties; and of a closed stream. With
  /// `background` the stream then writes without its thread.
  ///
  ///     log.flush(ec);
  ///     if (ec == std::errc::no_space_on_device && make_space()) log.clear_error();
  void clear_error() noexcept;

 protected:
  constexpr explicit writer(sink& below, char* next = nullptr, char* end = nullptr) noexcept
      : next_(next), end_(end), print_end_(end), sink_(&below) {}
  ~writer() = default;

  /// Takes over the window and the sink of a stream that is moved from; `other` is closed then.
  void take_window(writer& other) noexcept;
  /// Closes the stream. If bytes were lost and no call has reported it, the loss handler is called.
  void dispose() noexcept;

  std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - next_); }

  /// Of a shared stream, while the process has one thread: the writer below, whose window calls
  /// use. Null if there is none.
  writer* lender() const noexcept { return detail::one_thread() ? lender_ : nullptr; }

  template <class Byte>
  static std::string_view as_text(const Byte* data, std::size_t size) noexcept {
    return {reinterpret_cast<const char*>(data), size};
  }

 private:
  friend class sink;
  friend struct detail::print_access;
  friend struct kernel_copy;
  friend struct window_access;
  friend class detail::sole_writer;
  friend class detail::borrower;

  // Both return the cursor.
  [[gnu::cold]] char* write_slow(std::string_view bytes) noexcept;
  /// The byte is passed by value: a byte whose address is taken would be in memory on the hot path
  /// too.
  [[gnu::cold]] char* put_slow(char byte) noexcept;

  // A stream that is closed, failed, shared or flushed after each call has no window. So the check
  // for room also detects these.
  char* next_;
  char* end_;
  // The end of the window for print, whose stores have a fixed size and may overwrite bytes behind
  // the cursor. It is not behind next_ if those bytes must be kept.
  char* print_end_;

 protected:
  sink* sink_;

 private:
  writer* lender_ = nullptr;  // see lender()
};

namespace detail {

/// A stream that is no shared_writer, so no other thread looks at its cursor. Its calls always
/// store the cursor, also where it has not moved. So the next call needs no load: compilers keep
/// the cursor in a register over a whole loop.
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

/// A shared stream. While the process has one thread, its calls use the window of the writer below.
class borrower : public writer {
 public:
  using writer::write;

  void put(char byte) {
    writer* const w = lender();
    if (w != nullptr && w->room() != 0) [[likely]]
      w->put(byte);
    else
      put_slow(byte);
  }
  void write(std::string_view bytes) {
    writer* const w = lender();
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
  ~borrower() = default;
};

}  // namespace detail

/// A writer that threads share: leat::synchronized, leat::out and leat::err.
///
/// @par Threads
/// Several may use it at once. The bytes of a call stay together.
class LEAT_API shared_writer : public detail::borrower {
 public:
  /// Calls work(w) with the writer below, which no other thread uses meanwhile. So what the calls
  /// inside write stays together. Returns what `work` returns.
  ///
  ///     log.with([&](leat::writer& w) {
  ///       for (const auto& line : trace) w.println("  {}", line);
  ///     });
  ///
  /// `work` may call everything of `w` but close(), and may throw, fork, or end the program. It may
  /// use the shared stream itself, too, also with().
  template <std::invocable<writer&> Work>
  decltype(auto) with(Work&& work) {
    const turn mine(*this);
    return std::forward<Work>(work)(mine.target);
  }

 protected:
  constexpr explicit shared_writer(sink& below) noexcept : borrower(below) {}
  ~shared_writer() = default;

 private:
  /// The lock, and the writer that it guards.
  struct LEAT_API turn {
    explicit turn(shared_writer& of) noexcept;
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

    shared_sink& sink;
    writer& target;
  };
};

/// A writer to share, over another one. The bytes of a call stay together, and a
/// thread's calls keep their order. Formatting happens outside the lock. tell() is of no use here,
/// because other threads move the position too; seek() fails with operation_not_supported.
///
///     auto log = leat::synchronized(leat::append("events.log"));
///
/// @par Threads
/// Several may use it at once.
class LEAT_API synchronized final : public shared_writer {
 public:
  /// Shares a writer. It must outlive this object, and nobody may use it directly meanwhile.
  explicit synchronized(writer& target);
  /// Takes over a stream (file_writer, string_writer) and closes it in the destructor.
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
  /// Takes over `target`, also if it throws.
  explicit synchronized(owner& target);

  owner* owner_ = nullptr;  // owned
};

/// Standard output and standard error. They are usable in constructors and
/// destructors of static objects. `out` is line-buffered on a terminal and fully buffered
/// elsewhere; it is flushed at exit. If bytes are lost then, the program does not end with status
/// 0: see leat::set_loss_status. `err` is flushed after each call. stdio and iostreams have buffers
/// of their own for the same place, so flush one before using the other. Not for signal handlers.
class standard_writer final : public shared_writer {
 public:
  constexpr explicit standard_writer(sink& below) noexcept : shared_writer(below) {}
};
/// Standard output, and standard error.
LEAT_API extern constinit standard_writer out;
LEAT_API extern constinit standard_writer err;

}  // namespace v0
}  // namespace leat
