/* leat 0.2.0, made of its sources by scripts/amalgamate.

MIT License

Copyright (c) 2026 the leat authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
#pragma once
#ifndef LEAT_STATIC
#  define LEAT_STATIC
#endif
// A {fmt} that the program has included before is used as it is.
#if !defined(FMT_VERSION) && !defined(FMT_HEADER_ONLY)
#  define FMT_HEADER_ONLY 1
#endif

// --- include/leat/leat.hpp
// All of leat for C++.


// --- include/leat/config.h
/* Version and symbol visibility, for C (also of 1989) and C++. */
#ifndef LEAT_CONFIG_H
#define LEAT_CONFIG_H

#define LEAT_VERSION_MAJOR 0
#define LEAT_VERSION_MINOR 2
#define LEAT_VERSION_PATCH 0

/** One number to compare: 10000 * major + 100 * minor + patch. */
#define LEAT_VERSION (10000 * LEAT_VERSION_MAJOR + 100 * LEAT_VERSION_MINOR + LEAT_VERSION_PATCH)

/* Before a class, GCC takes no attributes of its own form beside those of C++. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#  define LEAT_ATTRIBUTE(name) [[gnu::name]]
#else
#  define LEAT_ATTRIBUTE(name) __attribute__((name))
#endif

#if defined(LEAT_STATIC)
#  define LEAT_API
#elif defined(_WIN32) && defined(LEAT_BUILDING)
#  define LEAT_API LEAT_ATTRIBUTE(dllexport)
#elif defined(_WIN32)
#  define LEAT_API LEAT_ATTRIBUTE(dllimport)
#else
#  define LEAT_API LEAT_ATTRIBUTE(visibility("default"))
#endif

/* A deleted function that says why. Compilers before C++26 show the line in which it stands. */
#if defined(__cpp_deleted_function) && __cplusplus > 202302L
#  define LEAT_DELETED(why) = delete (why)
#else
#  define LEAT_DELETED(why) = delete
#endif

/* MinGW's printf differs from C's and leat's. This makes GCC check formats by the rules of C. */
#if defined(_WIN32) && !defined(__clang__)
#  define LEAT_FORMAT_KIND(kind) __gnu_##kind##__
#else
#  define LEAT_FORMAT_KIND(kind) __##kind##__
#endif

#endif

// --- include/leat/leat.hpp


// --- include/leat/bytes.hpp
// A value as the bytes that it consists of.


#include <cstddef>
#include <span>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// The bytes of a value, to write them or to read into them: `out.write(leat::bytes_of(header))`.
/// They have the byte order of the machine and include the padding.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::span<std::byte, sizeof(T)> bytes_of(T& value) noexcept {
  return std::as_writable_bytes(std::span<T, 1>(&value, 1));
}
template <class T>
  requires std::is_trivially_copyable_v<T>
std::span<const std::byte, sizeof(T)> bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/codec.hpp
// What decodes and encodes compressed files. A component registers itself for them.


// --- include/leat/detail/unique_ptr.hpp
// std::unique_ptr, without the rest of <memory>.


#include <cstddef>

#if defined(__GLIBCXX__) && __has_include(<bits/unique_ptr.h>)
#  include <bits/unique_ptr.h>
#else
#  include <memory>
#endif

// --- include/leat/codec.hpp


// --- include/leat/device.hpp
// A device has bytes: a file, a pipe, memory. It has positions but no cursor, and each call does
// what one system call would do. Windows, retries and policies belong to the streams.


// --- include/leat/detail/chrono.hpp
// std::chrono's durations, time points and clocks, without calendars, time zones and their formats.
// A program that uses these includes <chrono>.


#include <cstddef>

// What <mutex> takes of <chrono> in libstdc++. Other libraries have no such header that lasts.
#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#  include <bits/chrono.h>
#else
#  include <chrono>
#endif

// --- include/leat/device.hpp


// --- include/leat/error.hpp
// How leat reports errors: io_error, error codes of its own, and the loss handler.

#if __cplusplus < 202002L
#  error "leat needs C++20: compile with -std=c++20"
#endif


// --- include/leat/path.hpp
// The type of parameters that are paths.


#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#if defined(_WIN32)
#  include <memory>
#endif

namespace leat {
inline namespace v0 {

/// What the system calls an open file: a descriptor, or a HANDLE on Windows.
#if defined(_WIN32)
using native_handle_type = void*;
/// The value of a native_handle() that does not exist.
inline const native_handle_type no_handle = reinterpret_cast<void*>(-1);
#else
using native_handle_type = int;
/// The value of a native_handle() that does not exist.
inline constexpr native_handle_type no_handle = -1;
#endif

/// A path in UTF-8, made from a `const char*`, a `std::string` or a `std::filesystem::path`. It
/// refers to the caller's characters, so use it only as a parameter.
class path_ref {
 public:
  path_ref(const char* path) noexcept : text_(path) {}
  path_ref(std::nullptr_t) LEAT_DELETED("a path is not null");
  path_ref(const std::string& path) noexcept : text_(path) {}
  template <class Path>
    requires requires(const Path& p) {
      { p.native() } -> std::same_as<const std::string&>;
    }
  path_ref(const Path& path) noexcept : text_(path.native()) {}
#if defined(_WIN32)
  template <class Path>
    requires requires(const Path& p) {
      { p.native() } -> std::same_as<const std::wstring&>;
    }
  path_ref(const Path& path) {
    const auto utf8 = path.u8string();
    kept_ = std::make_shared<const std::string>(utf8.begin(), utf8.end());
    text_ = *kept_;
  }
#endif

  /// A path inside an open folder, as leat::folder::at makes it. The folder stays the caller's.
  path_ref(native_handle_type folder, const path_ref& path) : path_ref(path) {
    folder_ = folder;
    inside_ = true;
  }

  /// True if the path may lead only to files of the folder().
  bool is_inside() const noexcept { return inside_; }
  native_handle_type folder() const noexcept { return folder_; }
  const char* c_str() const noexcept { return text_.data(); }  // there is always a NUL at the end
  std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
  native_handle_type folder_ = no_handle;
  bool inside_ = false;
#if defined(_WIN32)
  std::shared_ptr<const std::string> kept_;  // the UTF-8 form of a path in UTF-16
#endif
};

}  // namespace v0
}  // namespace leat

// --- include/leat/error.hpp

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Errors for which the operating system has no code.
enum class errc {
  closed = 1,       ///< the stream is closed, was moved from, or was never opened
  no_progress,      ///< a device moved no byte and reported no error
  not_committed,    ///< a `replace` stream was destroyed without close(); its target is unchanged
  memory_full,      ///< a memory_writer has no room left
  not_a_file,       ///< the target of `replace` exists but is no regular file
  ended_early,      ///< the input ended before read_exactly() had all its bytes
  line_too_long,    ///< a line is longer than line_options::longest
  not_a_number,     ///< parse() found text that is no number of the type asked for
  file_shrank,      ///< a mapped file has lost bytes since it was mapped
  no_such_record,   ///< a position or a range that is not in the file
  reserved_name,    ///< on Windows the name of a device, in every folder: CON, COM1, …
  same_file,        ///< a copy from a file to itself, which would go on for ever or destroy it
  read_only,        ///< a change of a `file` or of `records` that was opened with mode::read
  input_too_long,   ///< more bytes than read_all() or window_limit allows
  bad_sidecar,      ///< PATH.leat is damaged, or not from this version of leat; see durability
  foreign_sidecar,  ///< PATH.leat belongs to another file, or others have written where its bytes
                    ///< belong
  stale_sidecar,    ///< PATH.leat is older than the system's last start; its bytes are lost
  left_open,        ///< the program ended while another thread had the stream open
  outside_folder,   ///< a path of leat::folder::at is absolute or has ".."
  no_component,     ///< the program lacks a component: for an address such as "s3://bucket/key"
                 ///< include <leat/remote.hpp> and link leat_remote; for a compressed file include
                 ///< <leat/codecs.hpp> and link leat_codecs
  not_local,    ///< an address, where {.remote = false} allows files only
  bad_journal,  ///< the file is no journal, or of a later version of leat
  damaged,      ///< bytes of a journal are not as they were written; see journal_read_options
};

/// The category of errc; its name is "leat".
LEAT_API const std::error_category& error_category() noexcept;

/// Makes errc compare with and convert to std::error_code.
inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// What failed, at which byte, and how many bytes were not moved.
struct failure {
  static constexpr std::uint64_t no_offset = ~std::uint64_t{0};

  std::error_code code;              ///< zero: nothing failed
  const char* operation = "write";   ///< a verb: "open", "write", "seek", …; static storage
  std::uint64_t offset = no_offset;  ///< bytes from the start of the stream
  std::uint64_t unwritten = 0;       ///< bytes the program handed over that were not written
  std::uint64_t unread = 0;          ///< bytes the program asked for that were not read

  explicit operator bool() const noexcept { return static_cast<bool>(code); }
};

/// The text of a failure that a function with an `ec` has reported, as io_error::what() has it:
/// `message(ec, "open", path)` is "cannot open 'in.csv': No such file or directory".
LEAT_API std::string message(std::error_code ec, const char* operation, path_ref path);

/// Thrown by the functions that take no `std::error_code&`. what() reads
/// "cannot write 'out.csv': No space left on device (at byte 12288, 1036288 bytes not written)".
class LEAT_API io_error : public std::system_error {
 public:
  io_error(const failure& what, std::string_view path);
  /// The same with a remark, such as "position 12 of 5".
  io_error(const failure& what, std::string_view path, std::string_view remark);
  io_error(const io_error& other) noexcept;
  io_error& operator=(const io_error& other) noexcept;
  ~io_error() override;

  /// The whole message.
  const char* what() const noexcept override;
  /// The path as the program gave it; "<standard output>", "<memory>", … for streams without one.
  const std::string& path() const noexcept;
  /// What failed, a verb: "open", "write", "seek", …
  const char* operation() const noexcept;
  /// Offset of the first byte that could not be moved; failure::no_offset if there is none.
  std::uint64_t offset() const noexcept;
  /// Bytes accepted from the program that are not in the file.
  std::uint64_t unwritten() const noexcept;
  /// Bytes that read_exactly() asked for and did not get.
  std::uint64_t unread() const noexcept;

 private:
  struct details;
  const details& all() const noexcept;

  // A std::shared_ptr<const details>, so that copying an exception can't throw.
  alignas(void*) unsigned char details_[2 * sizeof(void*)];
};

/// Called when bytes are lost and no call could report it. Examples: the last write of a destructor
/// failed; a stream that failed is destroyed, and the program never asked it for errors; a reader
/// is destroyed after a failed read that no call reported. The handler must not throw. Any thread
/// may call it.
using loss_handler = void (*)(const io_error& loss) noexcept;

/// Sets the handler and returns the previous one. Null restores the default, which prints a line on
/// standard error.
LEAT_API loss_handler set_loss_handler(loss_handler handler) noexcept;

/// Sets the status of a program that has lost bytes at exit without any call reporting it: of
/// standard output, or of a stream that was still open. It replaces the status 0, so a full disk
/// can't look like success. The default is EXIT_FAILURE; with 0 a loss changes nothing. Returns the
/// previous one. It does not apply to programs that end by _exit, quick_exit or a signal, nor to
/// C's streams. Only glibc tells with
/// which status a program ends; with other C libraries any status is replaced.
LEAT_API int set_loss_status(int status) noexcept;

/// Reports a wrong format string of leat::runtime(), or an argument that can't be formatted, for
/// example a null `const char*` or a negative width.
class LEAT_API format_error : public std::runtime_error {
 public:
  format_error(const char* what, std::size_t position);
  /// The place of the mistake in the format string, in bytes from its start. It is no_position if
  /// an argument is wrong, or if {fmt} did not tell the place.
  static constexpr std::size_t no_position = ~std::size_t{0};
  std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

}  // namespace v0
}  // namespace leat

template <>
struct std::is_error_code_enum<leat::errc> : std::true_type {};

// --- include/leat/device.hpp


// --- include/leat/options.hpp
// How streams of files are opened and read.


#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {

/// The order in which a program is going to read.
enum class pattern {
  automatic,   ///< leat finds out while it reads
  sequential,  ///< from start to end
  random,      ///< small pieces anywhere
};

/// What a completed call survives.
enum class durability {
  none,  ///< other processes see the bytes after a flush
  /// Every completed call survives the death of the process, at any moment. On Linux, `create` and
  /// `append` keep the bytes of completed calls in a mapped file `PATH.leat` beside the file, which
  /// costs little more than a copy. They go into the file when 256 KiB have come, at each flush,
  /// after `flush_interval`, and at close, which removes PATH.leat; so that is when other programs
  /// see them. If the process was killed, the next stream or file of records that is opened to
  /// write the file puts them into it first, as leat::recover does; `create` gives them up. Keep
  /// the two files together: PATH.leat belongs to its file, also under another name. Errors of
  /// opening: errc::bad_sidecar and errc::foreign_sidecar; removing PATH.leat gives its bytes up.
  /// open_options::live sees them before. If a second process opens the file to write with leat,
  /// each call writes to the file by itself; calls of up to 64 KiB in a file opened to append stay
  /// whole. It does so from the start for pipes and devices, and where no file can be made or
  /// mapped beside the file; for `create` also after a seek or a fork. Programs that write to the
  /// file in another way must not do so while the stream is open.
  process,
  /// Flush and close return when the bytes would survive a crash of the machine. On Linux the disk
  /// starts to write while the program still produces output.
  system,
};

/// When the window is written to the device.
enum class flush_when {
  full,  ///< when it is full
  line,  ///< also at the end of each call that wrote a newline
  call,  ///< at the end of each call
};

/// Whether bytes go through the system's page cache.
enum class caching {
  cached,  ///< through the page cache, which reads ahead and writes later
  /// Between the program and the disk, without the page cache; a reader keeps two reads under way.
  /// It is for files that are larger than memory and are read or written once. With
  /// `durability::system` it saves processor time, but not elapsed time. Opening fails with
  /// operation_not_supported if the file system can't do it. When writing:
  /// - The windows have 2 MiB, or `buffer_size`, and are written as in `background`, with up to
  ///   three windows in memory. Streams that flush after each line or call write without a thread.
  ///   Only whole blocks of 4 KiB of the file go past the cache; so with a smaller buffer_size, or
  ///   frequent flushes, more bytes go through it.
  /// - After each flush the length and the content of the file are exact; other readers of the file
  ///   see them as usual.
  /// - During a call, and while a window is being written, the descriptor may have O_DIRECT set. So
  ///   flush before using the descriptor in another way. If the stream is `readable`, no window is
  ///   being written between two calls; each call waits for the disk instead.
  direct,
};

/// How the bytes of a file are compressed. <leat/codecs.hpp> has the component that decodes and
/// encodes them; docs/compressed.md tells more.
enum class compression {
  none,  ///< as they are, whatever the file is called
  /// Reading: what the first bytes of the file say, and `none` where they say nothing. Writing:
  /// what the path ends in: .gz, .zst, .lz4 or .xz, and `none` for all others.
  automatic,
  gzip,
  zstd,
  lz4,
  xz,
};

namespace detail {
struct options;  // all of them, see src/device/options.hpp
}

// How to open a stream: a struct for each way, of the options that have an effect there. Every
// member has a default, so name only those that you change: `leat::create("big.csv", {.exclusive =
// true})`.

/// For leat::create.
struct create_options {
  /// Size of the window in bytes. 0: it adapts. The window starts at 64 KiB and doubles up to
  /// 256 KiB as the stream goes on; up to 4 MiB over a device for which no system reads ahead.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  /// Above 0: each byte is flushed at the latest after this time, by a thread. So each call on the
  /// stream takes a lock. The next flush or close reports the thread's errors.
  std::chrono::milliseconds flush_interval{0};
  /// A thread of the stream writes full windows, while the program fills the next one. An error is
  /// reported by the next call that needs the device, at the latest by flush or close. The thread
  /// starts when the window has reached its full size; if no thread can be started, the stream
  /// writes by itself. It has no effect on streams that flush after each line or call. It pays if
  /// making the bytes takes as long as writing them and a core is free: see docs/performance.md.
  bool background = false;
  /// Number of bytes that the file is going to have. The space is reserved when the file is opened,
  /// which keeps large files in one piece on the disk. If there is too little space, opening fails
  /// with no_space_on_device; if the file system can't reserve, nothing happens. The size of the
  /// file does not show the reservation. The end of the stream releases what was not used; so
  /// nobody else may be writing to the file then. `append` releases nothing: those who append next
  /// can use it.
  std::uint64_t preallocate = 0;
  /// If the file exists, fail with file_exists instead of truncating it (C's "x").
  bool exclusive = false;
  /// Also allow reading through native_handle() (C's "w+" and "a+").
  bool readable = false;
  /// The mode bits of a new file, from which the umask of the process is removed.
  unsigned permissions = 0666;
  leat::caching caching = leat::caching::cached;
  /// False: an address of another machine, such as "s3://bucket/key", fails with errc::not_local.
  /// That is for names that come from people you don't trust, in programs that include
  /// <leat/remote.hpp>.
  bool remote = true;
  /// Compresses what is written. Then the stream has no positions to seek to and no descriptor.
  /// Flushes hand bytes to the codec, and sync, or `durability::system`, makes all of them
  /// readable; close ends the file and reports everything. durability::process and `readable` fail
  /// with operation_not_supported.
  leat::compression compression = leat::compression::none;
  int level = 0;  ///< of the codec, as in its command; 0: the codec's default
  /// Threads that compress; 0: none but the stream's own. Only zstd can use them.
  unsigned codec_threads = 0;
  /// zstd in frames of 1 MiB of content, with a table of them at the end: such a file has
  /// positions, and leat::file and leat::records can read it.
  bool seekable = false;
};

/// For leat::append; see create_options for what each one does. Not past the cache, because others
/// may append to the same block.
struct append_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  std::uint64_t preallocate = 0;
  bool readable = false;
  unsigned permissions = 0666;
  /// A new member or frame behind those that the file has; it must be of the same codec.
  leat::compression compression = leat::compression::none;
  int level = 0;
  unsigned codec_threads = 0;
  /// Looks before each write whether the file still has its name. If somebody has moved or removed
  /// it, as logrotate does, the stream goes on in a new file of that name. That takes less than a
  /// microsecond a write. Not for compressed files (operation_not_supported). writer::reopen()
  /// looks at once.
  bool reopen = false;
};

/// For leat::replace; see create_options for what each one does.
struct replace_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  std::uint64_t preallocate = 0;
  /// If there is no file to replace.
  unsigned permissions = 0666;
  leat::caching caching = leat::caching::cached;
  bool remote = true;  ///< as in create_options
  leat::compression compression = leat::compression::none;
  int level = 0;
  unsigned codec_threads = 0;
  bool seekable = false;
};

/// For leat::open.
struct open_options {
  /// Size of the window in bytes. 0: it adapts. The window starts at 8 KiB, and again after each
  /// jump. It doubles up to 256 KiB; up to 4 MiB over a device for which no system reads ahead.
  std::size_t buffer_size = 0;
  leat::pattern pattern = leat::pattern::automatic;
  leat::caching caching = leat::caching::cached;
  /// Also see the bytes that a writer with durability::process keeps beside the file: all that its
  /// completed calls have written, or had written when it was killed. Reading changes neither
  /// file. Fails with errc::bad_sidecar, errc::foreign_sidecar or permission_denied if PATH.leat
  /// can't be read. The stream has no descriptor then.
  bool live = false;
  /// For input from people you don't trust. The window grows until the line, word, number or peek
  /// that a call asks for is in it. If that has more bytes than this limit (at least 64 KiB), and
  /// than the window has anyway, the call fails with errc::input_too_long. So memory is about twice
  /// the limit at most. Searches backwards may fail from half of it on. To limit each line exactly,
  /// there is line_options::longest.
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();
  bool remote = true;  ///< as in create_options
  /// Decompresses what is read; positions count decoded bytes. A seek forward skips, one backward
  /// decodes from the start again; a seekable zstd file has real positions. The stream has no
  /// descriptor then.
  leat::compression compression = leat::compression::none;
  /// The most bytes that a compressed file may have decoded: more are file_too_large, after all
  /// bytes up to the limit. It is for files from people you don't trust. Plain files are not
  /// limited.
  std::uint64_t limit = (std::numeric_limits<std::uint64_t>::max)();
  /// A thread of the stream decodes ahead, while the program works on what has come; without it the
  /// stream decodes when the program reads. It has no effect on files that are not compressed, and
  /// on pipes. A forked child can't read on (operation_not_supported).
  bool background = false;
};

/// For leat::map_file.
struct map_options {
  /// `sequential` makes the system read further ahead, `random` turns reading ahead off.
  leat::pattern pattern = leat::pattern::automatic;
  bool remote = true;  ///< as in create_options
};

/// For leat::update.
struct update_options {
  std::size_t buffer_size = 0;  ///< size of the window in bytes; 0: it adapts
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
  /// If the file does not exist, make an empty one instead of failing.
  bool create = false;
  /// The mode bits of a new file, from which the umask of the process is removed.
  unsigned permissions = 0666;
};

/// For leat::temporary_file; see update_options and create_options for what each one does.
struct temporary_options {
  std::size_t buffer_size = 0;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
  std::uint64_t preallocate = 0;
};

/// For a file_writer over any device.
struct writer_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
};

/// For a file_reader over any device.
struct reader_options {
  std::size_t buffer_size = 0;
  leat::pattern pattern = leat::pattern::automatic;
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();  ///< as in open_options
};

/// For a file_stream over any device.
struct stream_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/device.hpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What a stream has to know of a device. Fixed while the device is open.
struct device_traits {
  /// False: a pipe, terminal or socket. Positions are ignored, and bytes go in order.
  bool positional = true;
  bool appends = false;   ///< each write goes to the end; its position is ignored
  bool terminal = false;  ///< a person may be watching
  /// The file appears only with close(); without it all is dropped. After a close() that has failed
  /// this is asked again: false says that the file has appeared, but may not survive a crash.
  bool commits = false;
  bool reads_ahead = false;   ///< the system reads ahead by itself if reads follow one another
  bool concurrent = false;    ///< several threads may read, write and ask for the size at once
  bool syncs_beside = false;  ///< one thread may call sync() while another one writes
  bool starts_reads = false;  ///< start_read() and finish_read() work
  bool lends = false;         ///< view_at() works

  /// The same for a device in front, through which all reads go.
  device_traits in_front() const noexcept {
    device_traits same = *this;
    same.reads_ahead = reads_ahead && !starts_reads;
    same.starts_reads = false;
    same.lends = false;
    return same;
  }
  /// What a seek or a change is refused with where there are no positions to go to: a new content
  /// is made in order (operation_not_supported), the bytes of a pipe pass by (invalid_seek).
  std::errc refusal() const noexcept {
    return commits && !positional ? std::errc::operation_not_supported : std::errc::invalid_seek;
  }
};

/// What reads take on a device that finds it out by itself, in nanoseconds.
struct device_speed {
  double request = 0;  ///< one more request while many are under way; 0: the device does not know
  double byte = 0;     ///< one more byte
  double latency = 0;  ///< from a request to its first byte
  bool is_measured = false;  ///< false: a guess
};

/// One of a batch of reads: what to read, and how that went.
struct read_request {
  std::uint64_t at = 0;  ///< the position of the first byte
  std::span<char> into;  ///< memory for the bytes; its size says how many to read
  std::size_t done = 0;  ///< bytes read: fewer than asked for at the end, or with an error
  std::error_code ec;    ///< the error, or none
};

/// One of a batch of writes: what to write, and how that went.
struct write_request {
  std::uint64_t at = 0;    ///< the position of the first byte
  std::string_view bytes;  ///< valid until the batch has ended
  std::size_t done = 0;    ///< bytes written: fewer than given only with an error
  std::error_code ec;      ///< the error, or none
};

/// The interface of everything that has bytes. Streams, files of records and other devices call it.
/// A class that implements it is a new kind of device.
///
/// A device is open from its construction until close() or release(). Afterwards only traits() and
/// its destructor may be called. Positions and sizes are in bytes. No function throws. A function
/// with an `ec` sets it to its error, and clears it if there is none.
///
/// @par Threads
/// One at a time, unless its traits say `concurrent`.
class LEAT_API device {
 public:
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Releases what the device owns. Errors that close() would have reported are not reported.
  virtual ~device();

  virtual device_traits traits() const noexcept = 0;

  /// Reads once, up to into.size() bytes from `at` on. Waits until at least one byte is there.
  /// Returns how many; 0 without an error is the end. `interrupted`: a signal came first, and
  /// nothing was read.
  virtual std::size_t read_at(std::uint64_t at, std::span<char> into,
                              std::error_code& ec) noexcept = 0;
  /// Writes once: the pieces, one behind the other, at `at`. Returns how many bytes the device has
  /// taken. That may be fewer than all, with or without an error; the caller continues behind them.
  virtual std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                               std::error_code& ec) noexcept = 0;
  /// As read_at, but reads only bytes that are there without waiting; operation_would_block if
  /// there are none. A device that can't know this does what read_at does.
  virtual std::size_t read_ready(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept;
  /// Where the traits say `lends`: the bytes from `at` on that lie in the device's own memory, so
  /// that nobody copies them. Waits until there are `wanted`. Fewer: the rest lies elsewhere, or
  /// can't be read; read_at goes on behind them, and tells. They stay until the next call; a
  /// view_at from one of them keeps those from there on, and all where its result begins in the
  /// same memory. As many bytes as a reader's window_padding can be read behind them.
  virtual std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept;
  /// Called before bytes are read, so that the device may begin to get them. It may do nothing.
  virtual void announce(std::uint64_t at, std::uint64_t size) noexcept;
  /// Carries out all requests, in any order, and several at a time where that is quicker.
  /// Afterwards each has all its bytes, or fewer at the end, or an error. An error of one stops no
  /// other.
  virtual void read_many(std::span<read_request> requests) noexcept;
  /// The same for writes. No two of them overlap.
  virtual void write_many(std::span<write_request> requests) noexcept;
  /// Where the traits say `starts_reads`: begins a read, which goes on in all functions of the
  /// device. The request and its memory stay until finish_read() has ended it, as read_many does.
  virtual void start_read(read_request& one) noexcept;
  virtual void finish_read(read_request& one) noexcept;
  /// Ends a read that nobody needs any more; it may stop.
  virtual void cancel_read(read_request& one) noexcept;
  /// What reads take now. Batches measure a device that does not know.
  virtual device_speed speed() const noexcept { return {}; }
  /// Copies up to `n` bytes from another device; they do not pass through the program. Returns how
  /// many; 0 without an error is the end of `from`. operation_not_supported: the device can't do
  /// this, and nothing has been copied.
  virtual std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept;
  /// Where a stream over this device starts: the offset of an adopted descriptor, else 0. Called
  /// before the first read or write.
  virtual std::uint64_t position() const noexcept { return 0; }
  /// The position of the end. operation_not_supported where there is none, as of a pipe.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;
  /// Moves the end. New bytes before it are zero.
  virtual void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Reserves space on the disk for a file of this size; size() does not change. close() gives back
  /// what was not needed. Fails if there is too little space. Does nothing if the system can't
  /// reserve.
  virtual void reserve(std::uint64_t size, std::error_code& ec) noexcept;
  /// Says in which order the program is going to read. It may do nothing.
  virtual void advise(pattern expected) noexcept;
  /// Called before the first write: sync() will be called for all bytes. The device may start to
  /// sync while the program still writes. It may do nothing.
  virtual void expect_sync() noexcept;
  /// Waits until all bytes that were written survive a crash of the machine.
  virtual void sync(std::error_code& ec) noexcept;
  /// The clock by which the device's speed is measured. A simulated device has its own.
  virtual std::chrono::nanoseconds now() const noexcept;
  /// US dollars for all requests that were answered, and their bytes, at the usual prices; 0 where
  /// they are free.
  virtual double cost() const noexcept { return 0; }
  /// Closes the device, even if it reports an error. Some file systems report failed writes only
  /// here.
  virtual void close(std::error_code& ec) noexcept = 0;
  /// The descriptor that has the same bytes at the same positions, or no_handle. The device keeps
  /// it.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Gives the descriptor to the caller, with its file offset at `at`. Then the device is closed.
  /// With an error it stays open, and no_handle is returned.
  virtual native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept;

 protected:
  device() = default;
};

/// A device over an open descriptor, which it owns and closes. Its position is the descriptor's.
LEAT_API std::unique_ptr<device> adopt(native_handle_type handle);
/// The same without ownership: closing the device leaves the descriptor open.
LEAT_API std::unique_ptr<device> borrow(native_handle_type handle);

}  // namespace v0
}  // namespace leat

// --- include/leat/codec.hpp

#include <cstdint>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How a file is read.
struct decoding_request {
  leat::compression format;  ///< neither none nor automatic
  std::uint64_t limit;       ///< as in open_options
  /// For leat::file: places anywhere, by several threads at once. Only where the format has
  /// positions.
  bool random = false;
};

/// How a file is written.
struct encoding_request {
  leat::compression format;  ///< neither none nor automatic
  int level = 0;             ///< as in create_options, and so are the others
  unsigned threads = 0;
  bool seekable = false;
};

/// Devices over devices, which they own: one has the decoded bytes of another, one writes what it
/// is given encoded to another. Null, and the error in `ec`, if that fails. Any thread may call
/// them.
struct codec_functions {
  std::unique_ptr<device> (*decode)(std::unique_ptr<device> from, const decoding_request& request,
                                    std::error_code& ec) noexcept;
  std::unique_ptr<device> (*encode)(std::unique_ptr<device> to, const encoding_request& request,
                                    std::error_code& ec) noexcept;
  /// The error that encode() would give whatever the device is, or none. It is asked before a file
  /// is emptied.
  std::error_code (*refuses)(const encoding_request& request) noexcept;
};

/// From now on files are decoded and encoded by these. Their object stays valid.
LEAT_API void register_codecs(const codec_functions* all) noexcept;

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/endian.hpp
// Numbers in the byte order of a file, which may differ from the machine's.


#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

/// A number stored in a fixed byte order. A program reads and writes it as the number, with all the
/// operators of T. It is trivially copyable and has alignment 1, so a struct of such numbers has no
/// padding.
///
///     leat::little<std::uint32_t> flags = 5;
///     flags |= 8, flags <<= 1;               // 26
///     auto next = flags + 1;                 // 27, as std::uint32_t
///     auto either = on ? flags.value() : 0;  // with a plain number `?:` needs value()
///
/// Operators that change the number work on lvalues only: what a temporary gets would be lost. For
/// example, `++nodes[7]` of records does not compile.
template <class T, std::endian Order>
  requires std::is_arithmetic_v<T>
class stored {
 public:
  using value_type = T;

  stored() = default;
  stored(const stored&) = default;
  constexpr stored(T value) noexcept : bytes_(turned(std::bit_cast<bytes>(value))) {}
  stored& operator=(const stored&) & = default;

  /// The number in the byte order of the machine.
  constexpr T value() const noexcept { return std::bit_cast<T>(turned(bytes_)); }
  constexpr operator T() const noexcept { return value(); }

  // They compute in the type in which T does. For example, 10 *= 1.5 makes 15.
  template <std::convertible_to<T> N>
  constexpr stored& operator+=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) + wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator-=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) - wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator*=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) * wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator/=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) / wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator%=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) % wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator&=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) & wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator|=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) | wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator^=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) ^ wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator<<=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(value() << by);
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator>>=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(value() >> by);
  }
  constexpr stored& operator++() & noexcept { return *this += 1; }
  constexpr stored& operator--() & noexcept { return *this -= 1; }
  constexpr stored operator++(int) & noexcept {
    const stored before = *this;
    ++*this;
    return before;
  }
  constexpr stored operator--(int) & noexcept {
    const stored before = *this;
    --*this;
    return before;
  }

 private:
  using bytes = std::array<std::byte, sizeof(T)>;
  /// The type in which T + N is computed.
  template <class N>
  using wide = decltype(T() + +std::declval<N>());

  static constexpr bytes turned(bytes b) noexcept {
    if constexpr (Order != std::endian::native) {
      bytes other{};
      for (std::size_t i = 0; i != sizeof(T); ++i) other[i] = b[sizeof(T) - 1 - i];
      return other;
    } else {
      return b;
    }
  }

  bytes bytes_;
};

/// A number whose lowest byte comes first in the file.
template <class T>
using little = stored<T, std::endian::little>;
/// A number whose highest byte comes first in the file, as in network protocols.
template <class T>
using big = stored<T, std::endian::big>;

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/fields.hpp
// The fields of a line.


// --- include/leat/detail/owning_range.hpp
// Ranges over a temporary.


// --- include/leat/detail/ranges.hpp
// The concepts of ranges with std::ranges::data and its like, and the tags and the sentinel of
// iterators; without views, and without the buffers of iostreams, which <iterator> brings.


#include <cstddef>

#if defined(__GLIBCXX__)
#  include <span>  // has them for itself
#else
#  include <iterator>
#  include <ranges>
#endif

// --- include/leat/detail/owning_range.hpp

#include <utility>

namespace leat {
inline namespace v0 {

namespace detail {

/// A range and what it looks at: a stream, for example. It can't be moved, because the range refers
/// to its neighbour.
template <class Owned, class Range>
class [[nodiscard]] owning_range {
 public:
  using iterator = typename Range::iterator;

  /// `make` returns the range over the owned object.
  template <class Make>
  owning_range(Owned&& owned, Make make) : owned_(std::move(owned)), range_(make(owned_)) {}
  owning_range(const owning_range&) = delete;
  owning_range& operator=(const owning_range&) = delete;

  iterator begin() { return range_.begin(); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Owned owned_;
  Range range_;
};

}  // namespace detail

}  // namespace v0
}  // namespace leat

// --- include/leat/fields.hpp

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace leat {
inline namespace v0 {

/// The result of leat::fields(): a range of std::string_view.
class [[nodiscard]] field_range {
 public:
  class iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = const std::string_view*;

    iterator() = default;
    std::string_view operator*() const noexcept { return field_; }
    const std::string_view* operator->() const noexcept { return &field_; }
    iterator& operator++() noexcept {
      const char* behind = field_.data() + field_.size();
      if (behind == end_) {
        field_ = {};
        done_ = true;
      } else {
        cut(behind + 1);
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.done_ == b.done_ && a.field_.data() == b.field_.data();
    }
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return i.done_; }

   private:
    friend class field_range;
    iterator(std::string_view line, char delimiter) noexcept
        : end_(line.data() + line.size()), delimiter_(delimiter), done_(false) {
      cut(end_ - line.size());
    }
    // A plain loop: most fields are shorter than a call of memchr.
    void cut(const char* from) noexcept {
      const char* stop = from;
      while (stop != end_ && *stop != delimiter_) ++stop;
      field_ = {from, static_cast<std::size_t>(stop - from)};
    }

    std::string_view field_;
    const char* end_ = nullptr;
    char delimiter_ = ',';
    bool done_ = true;
  };

  explicit field_range(std::string_view line, char delimiter = ',') noexcept
      : line_(line), delimiter_(delimiter) {}
  iterator begin() const noexcept { return {line_, delimiter_}; }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::string_view line_;
  char delimiter_;
};

/// The fields of a line: the texts between the delimiters. Quotes are not special. There is one
/// field more than there are delimiters: "a,,b" has three, an empty line has one. Nothing is
/// allocated. The range refers to the line; of a temporary std::string it keeps the string.
///
///     for (std::string_view field : leat::fields(line, ',')) …
[[nodiscard]] inline field_range fields(std::string_view line, char delimiter = ',') noexcept {
  return field_range(line, delimiter);
}
template <std::same_as<std::string> Text>
[[nodiscard]] detail::owning_range<Text, field_range> fields(Text&& line, char delimiter = ',') {
  return {std::forward<Text>(line),
          [=](std::string_view kept) { return field_range(kept, delimiter); }};
}

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/file.hpp
// Random access: files with positions and no cursor, alone and in batches.


// --- include/leat/detail/function.hpp
// std::function, without the rest of <functional>: that brings hash tables and all algorithms.


#include <cstddef>

#if defined(__GLIBCXX__) && __has_include(<bits/std_function.h>)
#  include <new>

#  include <bits/std_function.h>
#else
#  include <functional>
#endif

// --- include/leat/file.hpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What may be done with a file, and where changes go.
enum class mode {
  read,    ///< nothing changes; functions that would change the file fail with errc::read_only
  update,  ///< changes go to the file
  update_or_create,  ///< the same; a file that does not exist is made, and is empty
  copy,  ///< changes stay in memory, for as long as the object lives; the file is only read
};

/// The ways in which a batch can be carried out.
enum class route {
  automatic,  ///< leat measures and chooses; batch_plan says why
  mapped,     ///< through a mapping, in the order given
  merged,     ///< sorted; places that are near each other are read as one range
  single,     ///< sorted; one request for each page that has a place
  direct,     ///< as single, but past the system's cache, many requests at a time
};

/// How a file is visited. Each member has a default: name only those that you change, for example
/// `{.route = route::merged, .threads = 2}`.
struct access_options {
  leat::route route = leat::route::automatic;
  /// Threads for one batch. All of them call the function that is given to the batch, at the same
  /// time for different places.
  unsigned threads = 1;
  /// The widest gap between two places, in bytes, that is read along so that one request reads
  /// both; at least a page. 0: the time of a request times the speed of reading, both as measured.
  std::size_t hole = 0;
  /// The longest range that is read as one, in bytes. 0: 256 KiB; from the disk 1 MiB; up to 8 MiB
  /// where nothing reads ahead, as in a store.
  std::size_t longest = 0;
  /// Requests that are under way at a time. 0: 256; past the cache 128.
  std::size_t depth = 0;
  /// Bytes of memory for sorting a batch. If a batch needs more, it is done in parts.
  std::size_t memory = std::size_t{256} << 20;
  /// direct: batches go past the system's cache. That is for files that are larger than memory and
  /// are visited once. Opening such a file fails if the file system can't do that.
  leat::caching caching = leat::caching::cached;
  /// system: each function that changes the file returns when the change survives a crash of the
  /// machine. process is the same as none: nothing waits in the program's memory.
  leat::durability durability = leat::durability::none;
  /// Called now and then during a batch, with the number of finished places and the number of all
  /// places. If it throws, the batch ends as after an error, and the exception is passed on.
  std::function<void(std::size_t done, std::size_t all)> progress = nullptr;
  bool remote = true;  ///< as in create_options
  /// With mode::read, a seekable zstd file is read decoded; others have no positions, and opening
  /// them fails. automatic takes plain files, too.
  leat::compression compression = leat::compression::none;
};

/// How a batch was carried out.
struct batch_plan {
  leat::route taken = leat::route::automatic;  ///< automatic: there was no batch yet
  std::string why;                             ///< a sentence for people
  std::size_t places = 0;                      ///< positions or ranges asked for
  std::size_t requests = 0;                    ///< to the device; 0 through a mapping
  std::uint64_t bytes = 0;                     ///< read from the device, holes included
  std::size_t hole = 0;                        ///< bytes, as in access_options; 0 through a mapping
  double cached = -1;  ///< the share of a sample that was in the system's cache; -1: no sample
  std::chrono::nanoseconds sorting{};  ///< a part of the total
  std::chrono::nanoseconds total{};
  /// US dollars for all that the device was asked for during the batch, at the usual prices:
  /// samples and batches of other threads too. 0: it is free.
  double dollars = 0;
};

/// A run of bytes in a file.
struct byte_range {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  bool operator==(const byte_range&) const = default;
};

namespace detail {
class random_access;

/// A list of integers.
struct place_list {
  enum kind { signed_32, unsigned_32, signed_64, unsigned_64 };
  const void* data = nullptr;
  std::size_t size = 0;
  kind type = unsigned_64;
};

/// How records lie in a file.
struct record_layout {
  std::uint64_t header = 0;  // bytes before the first one
  std::uint64_t stride = 0;  // bytes from the start of one to the start of the next
  std::size_t size = 0;      // bytes of one
  std::uint64_t count = 0;   // records in the file
};

/// A record in memory, and which of the caller's positions it is for.
struct visit {
  char* record;
  std::size_t occurrence;
};
/// Changes records, in their order.
using visitor = void (*)(void* context, std::span<const visit> visits);

struct batch_failure {
  failure why;
  std::string place;  // "position 12 of 5", if the caller's list is wrong
  explicit operator bool() const noexcept { return static_cast<bool>(why); }
};
}  // namespace detail

/// An open file without a cursor or a buffer. Movable; closes itself.
///
/// Each function comes in two forms. One throws io_error. The other takes a `std::error_code&` as
/// its last argument: it sets or clears that and throws no io_error. Batches in both forms also
/// throw what the program's functions throw, and std::bad_alloc.
///
/// Batches that write lock parts of the file against each other and against single writes of this
/// object. They may read the bytes between two places and write them back unchanged. So another
/// process must not change these bytes at the same time. A function that such a batch calls must
/// not write to the same object: it would wait for the batch to end.
///
/// @par Time
/// A batch sorts its ranges in linear time, and makes one request for ranges that are near each
/// other; last_plan() tells how many there were. read_at and write_at are one system call.
///
/// @par Threads
/// Several may use one object at once.
class LEAT_API [[nodiscard]] file {
 public:
  /// A closed file.
  file() noexcept;
  /// Over any device that has positions, which it owns; `name` is for messages. Throws io_error:
  /// device_traits::refusal() for a device without positions, and in mode::update for one that
  /// appends.
  explicit file(std::unique_ptr<device> on, mode what = mode::update,
                const access_options& how = {}, std::string_view name = "<device>");
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  ~file();

  /// Opens a file, which must exist unless the mode says otherwise.
  static file open(path_ref path, mode what = mode::read, const access_options& how = {});
  static file open(path_ref path, mode what, const access_options& how, std::error_code& ec);
  static file open(path_ref path, mode what, std::error_code& ec) {
    return open(path, what, {}, ec);
  }
  static file open(path_ref path, std::error_code& ec) { return open(path, mode::read, {}, ec); }
  /// Makes an empty file, or empties an existing one, to read and to write.
  static file create(path_ref path, const access_options& how = {});
  static file create(path_ref path, const access_options& how, std::error_code& ec);
  static file create(path_ref path, std::error_code& ec) { return create(path, {}, ec); }

  /// False if the file is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return core_ != nullptr; }
  /// Some file systems report an error of writing only now. Without this call nobody sees it.
  void close();
  void close(std::error_code& ec) noexcept;

  /// Reads exactly into.size() bytes: errc::ended_early if the file ends before.
  void read_at(std::uint64_t at, std::span<char> into) const;
  void read_at(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept;
  void read_at(std::uint64_t at, std::span<std::byte> into) const { read_at(at, chars(into)); }
  void read_at(std::uint64_t at, std::span<std::byte> into, std::error_code& ec) const noexcept {
    read_at(at, chars(into), ec);
  }
  /// Writes all the bytes. The file grows if they reach behind its end.
  void write_at(std::uint64_t at, std::string_view bytes);
  void write_at(std::uint64_t at, std::string_view bytes, std::error_code& ec) noexcept;
  void write_at(std::uint64_t at, std::span<const std::byte> bytes) { write_at(at, chars(bytes)); }
  void write_at(std::uint64_t at, std::span<const std::byte> bytes, std::error_code& ec) noexcept {
    write_at(at, chars(bytes), ec);
  }

  /// In bytes.
  std::uint64_t size() const;
  std::uint64_t size(std::error_code& ec) const noexcept;
  /// Makes the file this many bytes long. New bytes are zeros.
  void resize(std::uint64_t size);
  void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Returns when all written bytes survive a crash of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Tells the system how the file is going to be read.
  void advise(pattern expected) noexcept;
  /// Tells the system that these bytes will be read soon.
  void announce(byte_range soon) noexcept;

  /// Reads ranges of any lengths, in any order, overlapping or not. Calls `each` once for each
  /// range, with its index in the list, in the order in which they come from the disk. The bytes
  /// are valid during the call. If a range ends behind the end of the file (errc::no_such_record),
  /// nothing is read.
  void read_ranges(
      std::span<const byte_range> ranges,
      const std::function<void(std::size_t which, std::string_view bytes)>& each) const;
  void read_ranges(std::span<const byte_range> ranges,
                   const std::function<void(std::size_t which, std::string_view bytes)>& each,
                   std::error_code& ec) const;
  /// Reads the ranges into memory, one behind the other in the order of the list. The size of
  /// `into` must be the sum of their sizes (else invalid_argument).
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into) const;
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into,
                   std::error_code& ec) const;
  /// Writes ranges. Their bytes lie in memory one behind the other, in the order of the list. Where
  /// ranges overlap, the bytes of the one that is later in the list stay. After an error some
  /// ranges are written and others are not.
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes);
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes,
                    std::error_code& ec);

  /// How the last batch was carried out. If several threads run batches, it is one of their last
  /// ones.
  batch_plan last_plan() const;
  /// The path as the program gave it, or the name of a device.
  std::string_view name() const noexcept;
  /// The descriptor of the file, or no_handle.
  native_handle_type native_handle() const noexcept;

 private:
  template <class T>
  friend class records;

  /// into[i] becomes the record at places[i].
  detail::batch_failure gather(const detail::record_layout& records, detail::place_list places,
                               char* into) const;
  /// The record at places[i] becomes values[i]. If a place comes again, its last value stays.
  detail::batch_failure scatter(const detail::record_layout& records, detail::place_list places,
                                const char* values);
  detail::batch_failure update(const detail::record_layout& records, detail::place_list places,
                               detail::visitor each, void* context);
  template <class Target>
  detail::batch_failure read_quietly(std::span<const byte_range> ranges, const Target& into) const;
  detail::batch_failure write_quietly(std::span<const byte_range> ranges, std::string_view bytes);
  failure write_quietly(std::uint64_t at, std::string_view bytes) noexcept;
  [[noreturn]] void raise(const detail::batch_failure& what) const;
  /// What keeps the file from being changed: errc::closed, errc::read_only or nothing.
  std::error_code unchangeable() const noexcept;

  static std::span<char> chars(std::span<std::byte> bytes) noexcept {
    return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
  }
  static std::string_view chars(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::unique_ptr<detail::random_access> core_;  // null: closed
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/file_stream.hpp
// Streams of files: to write one, to read one, to change one; and functions for whole files.


// --- include/leat/reader.hpp
// The input window: the part of the stream that is in memory. A reader calls its source only when
// the window does not have enough bytes for get, read, peek, skip, seek or lines.


// --- include/leat/detail/copy.hpp
// Copies of short texts.


#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leat {
inline namespace v0 {

namespace detail {

/// copy() for any n: a call. copy() itself has it for up to 3 bytes, and for more than 32.
LEAT_API char* copy_other(char* to, const char* from, std::size_t n) noexcept;

/// Copies n bytes and returns the end of the copy. Most words, fields and numbers have 4 to 32
/// bytes. Two loads and two stores that overlap copy these without a call.
[[gnu::always_inline]] inline char* copy(char* to, const char* from, std::size_t n) noexcept {
  if (n - 8 <= 8) {
    std::uint64_t head, tail;
    std::memcpy(&head, from, 8);
    std::memcpy(&tail, from + n - 8, 8);
    std::memcpy(to, &head, 8);
    std::memcpy(to + n - 8, &tail, 8);
  } else if (n - 16 <= 16) {
    char head[16], tail[16];
    std::memcpy(head, from, 16);
    std::memcpy(tail, from + n - 16, 16);
    std::memcpy(to, head, 16);
    std::memcpy(to + n - 16, tail, 16);
  } else if (n - 4 <= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, from, 4);
    std::memcpy(&tail, from + n - 4, 4);
    std::memcpy(to, &head, 4);
    std::memcpy(to + n - 4, &tail, 4);
  } else {
    return copy_other(to, from, n);
  }
  return to + n;
}

/// What copy_with_room() may write, whatever it copies.
inline constexpr std::size_t copy_room = 64;

/// The part of copy_with_room() that is not inline.
LEAT_API char* copy_any(char* to, const char* from, std::size_t n) noexcept;

/// As copy(), where there is room for max(n, copy_room) bytes. Texts of up to 64 bytes all take the
/// same time: no branch depends on how long they are, which for texts of any length would be
/// predicted wrongly.
[[gnu::always_inline]] inline char* copy_with_room(char* to, const char* from,
                                                   std::size_t n) noexcept {
  return __builtin_constant_p(n) ? copy(to, from, n) : copy_any(to, from, n);
}

/// The same where there is room for n bytes, and perhaps for `room`.
[[gnu::always_inline]] inline char* copy_within(char* to, std::ptrdiff_t room, const char* from,
                                                std::size_t n) noexcept {
  if (__builtin_constant_p(n)) return copy(to, from, n);
  return room >= static_cast<std::ptrdiff_t>(copy_room) ? copy_any(to, from, n)
                                                        : copy_other(to, from, n);
}

}  // namespace detail

}  // namespace v0
}  // namespace leat

// --- include/leat/reader.hpp


// --- include/leat/finder.hpp
// Searching for one piece of text again and again.


#include <cstddef>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A needle prepared to be searched for many times. It learns which bytes of the needle are rare in
/// the texts that it has searched.
///
/// @par Time
/// In proportion to the bytes searched, for every needle and every text.
///
/// @par Threads
/// One at a time, because it learns. Give each thread a copy.
class LEAT_API finder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// Keeps a copy of the needle.
  explicit finder(std::string_view needle);
  finder(const finder&);
  finder(finder&&) noexcept;
  finder& operator=(const finder&);
  finder& operator=(finder&&) noexcept;
  ~finder();

  /// The text that it searches for.
  std::string_view needle() const noexcept;

  /// Offset of the first occurrence in the text at or after `from`, or npos. An empty needle is
  /// found at `from`, unless `from` is behind the end of the text.
  std::size_t find_in(std::string_view text, std::size_t from = 0) noexcept;

 private:
  friend struct finder_access;
  struct state;

  state* state_;  // owned; null means the empty needle, as after a move
};

}  // namespace v0
}  // namespace leat

// --- include/leat/reader.hpp


// --- include/leat/parse.hpp
// Numbers from text.


#include <concepts>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

namespace detail {

/// Blanks in ASCII, which std::isspace knows too.
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace detail

/// A type that parse() reads: a number, not a character.
template <class T>
concept parsable =
    std::floating_point<T> || std::same_as<T, signed char> || std::same_as<T, unsigned char> ||
    std::same_as<T, short> || std::same_as<T, unsigned short> || std::same_as<T, int> ||
    std::same_as<T, unsigned> || std::same_as<T, long> || std::same_as<T, unsigned long> ||
    std::same_as<T, long long> || std::same_as<T, unsigned long long>;
/// An integer that parse() reads, also in another base.
template <class T>
concept parsable_integer = parsable<T> && std::integral<T>;

/// The result of leat::parse(), in the manner of std::from_chars_result.
template <class T>
struct parse_result {
  T value{};              ///< 0 if there is an error
  std::string_view rest;  ///< the text behind the number; the whole text if there is no number
  std::errc ec{};         ///< invalid_argument: no number; result_out_of_range: it does not fit

  explicit operator bool() const noexcept { return ec == std::errc{}; }
};

namespace detail {

// Exported functions have no constraints: some compilers put these into a symbol's name, and a
// program of one has to find what another has compiled.
template <class T>
LEAT_API parse_result<T> parse_text(std::string_view text) noexcept;
template <class T>
LEAT_API parse_result<T> parse_text(std::string_view text, int base) noexcept;

}  // namespace detail

/// Passes over blanks and takes a number, as reader::parse() does: in the form of std::from_chars,
/// no '+', no locale. `rest` says how far it went.
///
///     if (auto n = leat::parse<int>(field); n && n.rest.empty()) sum += n.value;
template <parsable T>
[[nodiscard]] parse_result<T> parse(std::string_view text) noexcept {
  return detail::parse_text<T>(text);
}
/// The same in a base from 2 to 36, without a prefix such as "0x". Another base is
/// invalid_argument.
template <parsable_integer T>
[[nodiscard]] parse_result<T> parse(std::string_view text, int base) noexcept {
  return detail::parse_text<T>(text, base);
}

}  // namespace v0
}  // namespace leat

// --- include/leat/reader.hpp

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

class source;
class backward_line_range;
class line_range;
class match_range;
class word_range;

/// How input is divided into lines.
struct line_options {
  char delimiter = '\n';
  /// Also remove one carriage return ("\r") at the end of each line.
  bool crlf = false;
  /// A longer line is an error (errc::line_too_long); for input from people you don't trust.
  std::size_t longest = (std::numeric_limits<std::size_t>::max)();
};

/// A line and where it begins, in bytes from the start of the input.
struct placed_line {
  std::uint64_t start = 0;
  std::string_view text;
};

/// So many bytes behind a window can be read, if the type of the reader promises it by its constant
/// `padding`. Their values mean nothing, and they may change.
inline constexpr std::size_t window_padding = 64;

template <class Stream, std::size_t Padding = window_padding>
class concrete_reader;

namespace detail {
/// The result of what must not compile, because the reader would end before its range. Compilers
/// print this name.
struct name_the_reader;
}  // namespace detail

/// A stream of input: a file, memory, standard input. A function that takes a `reader&` works with
/// all of them.
///
/// A failed read throws leat::io_error, or sets a last argument `std::error_code&`. All bytes
/// before the failure are delivered first: read() returns a short count, lines() all whole lines.
/// The end of the input is no error. Views of its bytes are valid until the next call that is not
/// const.
///
/// The ranges of lines, words and matches refer to the reader. On a temporary of a known type, such
/// as the result of leat::open, they own it; see concrete_reader.
///
/// @par Threads
/// One at a time.
class LEAT_API reader {
 public:
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// The result of get() at the end.
  static constexpr int end_of_file = -1;

  /// Takes the next byte: 0 to 255, or end_of_file.
  int get() {
    if (next_ != end_) [[likely]]
      return static_cast<unsigned char>(*next_++);
    return get_slow(nullptr);
  }
  int get(std::error_code& ec) noexcept {
    ec.clear();
    if (next_ != end_) [[likely]]
      return static_cast<unsigned char>(*next_++);
    return get_slow(&ec);
  }

  /// Takes as many bytes as `into` holds, and returns how many. They are fewer only at the end or
  /// before an error. Large reads go straight into the caller's memory.
  std::size_t read(std::span<char> into) {
    if (into.size() > available()) [[unlikely]]
      return read_slow(into, nullptr);
    take(into.data(), into.size());
    return into.size();
  }
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    if (into.size() > available()) [[unlikely]]
      return read_slow(into, &ec);
    take(into.data(), into.size());
    return into.size();
  }
  std::size_t read(std::span<std::byte> into) { return read(as_chars(into)); }
  std::size_t read(std::span<std::byte> into, std::error_code& ec) noexcept {
    return read(as_chars(into), ec);
  }
  std::size_t read(std::span<unsigned char> into) { return read(as_chars(into)); }
  std::size_t read(std::span<unsigned char> into, std::error_code& ec) noexcept {
    return read(as_chars(into), ec);
  }
  /// Takes the rest of the input. If it has more than `limit` bytes, it throws io_error
  /// (errc::input_too_long), and the reader does not move. If a read fails, the form with `ec`
  /// returns the bytes before the failure.
  ///
  ///     std::string text = leat::in.read_all();
  [[nodiscard]] std::string read_all(std::size_t limit = (std::numeric_limits<std::size_t>::max)());
  [[nodiscard]] std::string read_all(std::size_t limit, std::error_code& ec) noexcept;
  [[nodiscard]] std::string read_all(std::error_code& ec) noexcept;
  std::size_t read(std::string&) LEAT_DELETED("up to its size: read(std::span(s)); or read_all()");
  std::size_t read(std::string&, std::error_code&) LEAT_DELETED("use read(std::span(s), ec)");

  /// Takes exactly as many bytes as `into` holds. If there are fewer it throws io_error:
  /// errc::ended_early, or the error of the failed read. Its unread() says how many bytes are
  /// missing.
  void read_exactly(std::span<char> into) {
    if (into.size() > available()) [[unlikely]]
      return read_exactly_slow(into, nullptr);
    take(into.data(), into.size());
  }
  void read_exactly(std::span<char> into, std::error_code& ec) noexcept {
    ec.clear();
    if (into.size() > available()) [[unlikely]]
      return read_exactly_slow(into, &ec);
    take(into.data(), into.size());
  }
  void read_exactly(std::span<std::byte> into) { read_exactly(as_chars(into)); }
  void read_exactly(std::span<std::byte> into, std::error_code& ec) noexcept {
    read_exactly(as_chars(into), ec);
  }
  void read_exactly(std::span<unsigned char> into) { read_exactly(as_chars(into)); }
  void read_exactly(std::span<unsigned char> into, std::error_code& ec) noexcept {
    read_exactly(as_chars(into), ec);
  }

  /// Looks at the next n bytes without taking them. They are fewer only at the end or before an
  /// error. The window grows to hold them.
  std::string_view peek(std::size_t n) {
    if (n > available()) [[unlikely]]
      return peek_slow(n, nullptr);
    return {next_, n};
  }
  std::string_view peek(std::size_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n > available()) [[unlikely]]
      return peek_slow(n, &ec);
    return {next_, n};
  }
  /// Looks at all bytes in memory, and reads some first if there are none. Empty at the end. With
  /// skip() it makes a loop for parsers that copy nothing:
  ///
  ///     for (auto w = in.window(); !w.empty(); w = in.window()) in.skip(parse_part_of(w));
  ///
  /// For parsers that read beyond the end, such as simdjson: file_reader, file_stream,
  /// standard_reader and, except on Windows, mapped_file have a constant `padding` of 64. So many
  /// bytes can be read behind a window that is not empty, and behind each line. memory_reader's
  /// `padding` is 0, because its memory belongs to the program.
  std::string_view window() {
    if (next_ == end_) [[unlikely]]
      static_cast<void>(peek_slow(1, nullptr));
    return buffered();
  }
  std::string_view window(std::error_code& ec) noexcept {
    ec.clear();
    if (next_ == end_) [[unlikely]]
      static_cast<void>(peek_slow(1, &ec));
    return buffered();
  }
  /// The bytes that are in memory already; it reads nothing.
  std::string_view buffered() const noexcept { return {next_, available()}; }

  /// Passes over n bytes and returns how many it passed; they are fewer only at the end. In a file,
  /// a long way is a jump, not a read.
  std::uint64_t skip(std::uint64_t n) {
    if (n > available()) [[unlikely]]
      return skip_slow(n, nullptr);
    next_ += n;
    return n;
  }
  std::uint64_t skip(std::uint64_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n > available()) [[unlikely]]
      return skip_slow(n, &ec);
    next_ += n;
    return n;
  }

  /// Goes to a position, in bytes from the start. It may be behind the end, where reads return
  /// nothing. Inside the window only the cursor moves. On a pipe or terminal, a position outside
  /// the window throws io_error, invalid_seek.
  void seek(std::uint64_t position) {
    if (begin_ == nullptr || position - base_ > window_size()) [[unlikely]]
      return seek_slow(position, nullptr);
    next_ = begin_ + (position - base_);
  }
  void seek(std::uint64_t position, std::error_code& ec) noexcept {
    ec.clear();
    if (begin_ == nullptr || position - base_ > window_size()) [[unlikely]]
      return seek_slow(position, &ec);
    next_ = begin_ + (position - base_);
  }
  /// Goes forward or back by `offset` bytes. A position before the start throws io_error,
  /// invalid_argument, and the reader does not move.
  void seek_by(std::int64_t offset) {
    if (offset < 0 && magnitude(offset) > tell()) return seek_before_start(nullptr);
    seek(tell() + static_cast<std::uint64_t>(offset));
  }
  void seek_by(std::int64_t offset, std::error_code& ec) noexcept {
    if (offset < 0 && magnitude(offset) > tell())
      seek_before_start(&ec);
    else
      seek(tell() + static_cast<std::uint64_t>(offset), ec);
  }
  /// The position of the next byte.
  std::uint64_t tell() const noexcept {
    if (begin_ == nullptr) [[unlikely]]
      return tell_slow();
    return base_ + static_cast<std::uint64_t>(next_ - begin_);
  }
  /// Bytes from the start to the present end. Throws io_error, operation_not_supported, if the
  /// input has no size, as a pipe.
  std::uint64_t size() const;
  std::uint64_t size(std::error_code& ec) const noexcept;

  /// The lines from the reader's position on, without their delimiters. The last line may have
  /// none. A line may be as long as memory allows. Each line is valid until the next one is taken;
  /// the reader's position is behind it then.
  ///
  ///     for (std::string_view line : in.lines()) use(line);
  line_range lines(const line_options& how = {}) &;
  /// The same; a failure ends the loop and sets `ec`.
  line_range lines(const line_options& how, std::error_code& ec) & noexcept;
  line_range lines(std::error_code& ec) & noexcept;
  detail::name_the_reader lines(const line_options& how = {}) && = delete;
  detail::name_the_reader lines(const line_options& how, std::error_code& ec) && = delete;
  detail::name_the_reader lines(std::error_code& ec) && = delete;
  /// Copies the next line. Returns false at the end, and empties `line`.
  bool read_line(std::string& line, const line_options& how = {});
  bool read_line(std::string& line, const line_options& how, std::error_code& ec) noexcept;
  bool read_line(std::string& line, std::error_code& ec) noexcept;
  /// The lines from the end of the input back to its start, the last one first. When a line is
  /// taken, the reader is at its start. So this is how to print the last ten:
  ///
  ///     int n = 0;
  ///     for (auto line : in.lines_backwards())
  ///       if (++n == 10) break;
  ///     for (auto line : in.lines()) leat::out.println("{}", line);
  ///
  /// Input without a size, as a pipe, is an error (operation_not_supported).
  ///
  /// @par Time
  /// As the lines that are taken are long, however long the input is.
  [[nodiscard]] backward_line_range lines_backwards(const line_options& how = {}) &;
  [[nodiscard]] backward_line_range lines_backwards(const line_options& how,
                                                    std::error_code& ec) & noexcept;
  [[nodiscard]] backward_line_range lines_backwards(std::error_code& ec) & noexcept;
  detail::name_the_reader lines_backwards(const line_options& how = {}) && = delete;
  detail::name_the_reader lines_backwards(const line_options& how, std::error_code& ec) && = delete;
  detail::name_the_reader lines_backwards(std::error_code& ec) && = delete;
  /// Takes the whole line that holds the next byte; the reader is behind it then. A delimiter is
  /// the last byte of its line. The text is valid until the next call that is not const.
  ///
  ///     while (in.find("error")) leat::out.println("{}", in.line_around().text);
  ///
  /// On a pipe the line's start may have left the window; that is an error (invalid_seek).
  ///
  /// @par Time
  /// As the line is long.
  placed_line line_around(const line_options& how = {});
  placed_line line_around(const line_options& how, std::error_code& ec) noexcept;
  placed_line line_around(std::error_code& ec) noexcept;

  /// The words from the reader's position on: texts between blanks, which are a space and the
  /// characters from tab to carriage return. A word may be as long as memory allows. Each word is
  /// valid until the next one is taken; the reader's position is behind it then.
  ///
  ///     for (std::string_view word : in.words()) ++counts[std::string(word)];
  [[nodiscard]] word_range words() &;
  /// The same; a failure ends the loop and sets `ec`.
  [[nodiscard]] word_range words(std::error_code& ec) & noexcept;
  detail::name_the_reader words() && = delete;
  detail::name_the_reader words(std::error_code& ec) && = delete;

  /// Goes to the next occurrence of the needle and returns its position. The reader asks for no
  /// more bytes than the window that contains it. If there is no occurrence it returns nothing, and
  /// the reader is at the end. An empty needle is found at the reader's position.
  ///
  /// @par Time
  /// In proportion to the bytes that are passed, for every needle.
  std::optional<std::uint64_t> find(std::string_view needle);
  std::optional<std::uint64_t> find(std::string_view needle, std::error_code& ec) noexcept;
  std::optional<std::uint64_t> find(finder& needle);
  std::optional<std::uint64_t> find(finder& needle, std::error_code& ec) noexcept;
  /// The positions of all occurrences from the reader's position on, without overlaps; the reader
  /// goes to each. An empty needle is found at every position, including the end.
  ///
  ///     for (std::uint64_t at : in.find_all("error")) …
  ///
  /// @par Time
  /// In proportion to the bytes that are passed, for every needle.
  match_range find_all(finder needle) &;
  match_range find_all(std::string_view needle) &;
  /// The same; a failure ends the loop and sets `ec`.
  match_range find_all(finder needle, std::error_code& ec) &;
  match_range find_all(std::string_view needle, std::error_code& ec) &;
  detail::name_the_reader find_all(finder needle) && = delete;
  detail::name_the_reader find_all(std::string_view needle) && = delete;
  detail::name_the_reader find_all(finder needle, std::error_code& ec) && = delete;
  detail::name_the_reader find_all(std::string_view needle, std::error_code& ec) && = delete;

  /// Passes over blanks and takes a number in the form of std::from_chars: decimal, no '+', no
  /// locale. Returns nothing at the end. If there is no number, or one that does not fit, it throws
  /// io_error (errc::not_a_number or result_out_of_range), and the reader stays before the blanks.
  /// The error tells the byte at which the number should begin; its message tells the line too,
  /// while the start of the input is still in the window.
  ///
  ///     while (auto n = in.parse<int>()) sum += *n;
  template <parsable T>
  std::optional<T> parse() {
    return parse<T>(static_cast<std::error_code*>(nullptr));
  }
  template <parsable T>
  std::optional<T> parse(std::error_code& ec) noexcept {
    ec.clear();
    return parse<T>(&ec);
  }
  /// The same in a base from 2 to 36, without a prefix such as "0x". Another base is an error
  /// (invalid_argument).
  template <parsable_integer T>
  std::optional<T> parse(int base) {
    return parse_slowly<T>(nullptr, base);
  }
  template <parsable_integer T>
  std::optional<T> parse(int base, std::error_code& ec) noexcept {
    ec.clear();
    return parse_slowly<T>(&ec, base);
  }

  /// Closes the stream. Throws io_error if closing fails, or if a read failed and no call has
  /// reported it. Closing again does nothing.
  void close();
  void close(std::error_code& ec) noexcept;
  /// The last failed read, or a zero code; errc::closed if the stream is not open.
  [[nodiscard]] std::error_code error() const noexcept;

 protected:
  constexpr explicit reader(source& below) noexcept : source_(&below) {}
  reader(source& below, std::string_view window) noexcept
      : next_(window.data()), end_(window.data() + window.size()), begin_(next_), source_(&below) {}
  ~reader() = default;

  /// Takes over the window and the source of a stream that is moved from; `other` is closed then.
  void take_window(reader& other) noexcept;
  /// Closes the stream. If a read failed and no call has reported it, the loss handler is called.
  void dispose() noexcept;

 private:
  friend class source;
  friend class backward_line_range;
  friend class line_range;
  friend class match_range;
  friend class word_range;
  friend struct kernel_copy;

  std::size_t available() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  std::size_t window_size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  void take(char* to, std::size_t n) noexcept {
    detail::copy(to, next_, n);
    next_ += n;
  }
  static std::uint64_t magnitude(std::int64_t negative) noexcept {
    return std::uint64_t{0} - static_cast<std::uint64_t>(negative);
  }
  template <class Byte>
  static std::span<char> as_chars(std::span<Byte> bytes) noexcept {
    return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
  }

  // Each sets `ec`, or throws if `ec` is null.
  [[gnu::cold]] int get_slow(std::error_code* ec);
  std::size_t read_unreported(std::span<char> into) noexcept;
  std::string read_all(std::size_t limit, std::error_code* ec);
  [[gnu::cold]] std::size_t read_slow(std::span<char> into, std::error_code* ec);
  [[gnu::cold]] void read_exactly_slow(std::span<char> into, std::error_code* ec);
  [[gnu::cold]] std::string_view peek_slow(std::size_t n, std::error_code* ec);
  [[gnu::cold]] std::uint64_t skip_slow(std::uint64_t n, std::error_code* ec);
  [[gnu::cold]] void seek_slow(std::uint64_t position, std::error_code* ec);
  void fill(std::size_t wanted) noexcept;
  void report(std::error_code* ec);
  void deliver(const failure& what, std::error_code* ec) const;
  bool find_line(std::string_view& line, std::size_t& size, const line_options& how,
                 std::error_code* ec);
  bool read_line(std::string& line, const line_options& how, std::error_code* ec);
  bool seek_to_line(std::uint64_t position, char delimiter, std::error_code* ec);
  placed_line line_around(const line_options& how, std::error_code* ec);
  std::optional<std::uint64_t> find(finder& needle, std::error_code* ec);
  template <class T>  // without a constraint, as detail::parse_text
  std::optional<T> parse(std::error_code* ec);
  template <class T>
  [[gnu::noinline]] std::optional<T> parse_slowly(std::error_code* ec, int base);
  [[gnu::cold]] void seek_before_start(std::error_code* ec) const;
  [[gnu::cold]] std::uint64_t tell_slow() const noexcept;

  // A closed stream has no window. So the check for bytes in the window also detects a closed
  // stream.
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  const char* begin_ = nullptr;
  std::uint64_t base_ = 0;    // the position of *begin_
  std::uint64_t window_ = 0;  // counts windows: two may have the same address

 protected:
  source* source_;
};

/// Standard input; usable in constructors of static objects. stdio and iostreams have buffers of
/// their own for it. If standard input is a file, its descriptor gets the reader's position at the
/// end of the process, so that the next process goes on there.
///
/// @par Threads
/// One at a time. Unlike `out` it has no lock: threads could not share a view of its bytes.
class standard_reader final : public reader {
 public:
  static constexpr std::size_t padding = window_padding;

  constexpr explicit standard_reader(source& below) noexcept : reader(below) {}
};
/// Standard input.
LEAT_API extern constinit standard_reader in;

}  // namespace v0
}  // namespace leat


// --- include/leat/ranges.hpp
// The ranges of a reader: its lines, its words and the places of a needle.


#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

namespace detail {

/// The iterator of a range that can be passed through once. The range holds the current element.
template <class Range, class Value>
class pass_iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  pass_iterator() = default;
  explicit pass_iterator(Range& range) noexcept : range_(&range) {}
  const Value& operator*() const noexcept { return range_->value(); }
  const Value* operator->() const noexcept { return &range_->value(); }
  pass_iterator& operator++() {
    range_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const pass_iterator& i, std::default_sentinel_t) noexcept {
    return i.at_end();
  }

 private:
  bool at_end() const noexcept { return range_->at_end(); }

  Range* range_ = nullptr;
};

}  // namespace detail

/// The result of reader::lines(): a range of std::string_view that can be passed through once.
class LEAT_API [[nodiscard]] line_range {
 public:
  using iterator = detail::pass_iterator<line_range, std::string_view>;

  line_range(const line_range&) = delete;
  line_range& operator=(const line_range&) = delete;

  /// Takes the first line.
  iterator begin() {
    next();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

  /// True if the line that was taken last has no delimiter: the file ends there, or `follow` has
  /// waited for more until its timeout or a stop. What comes later is the rest of that line.
  [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return line_; }
  bool at_end() const noexcept { return line_.data() == nullptr; }

  line_range(reader& from, const line_options& how, std::error_code* ec) noexcept
      : reader_(&from),
        ec_(ec),
        how_(how),
        special_(how.crlf || how.longest != line_options{}.longest) {}

  void next() {
    // The marks are valid as long as nobody else has moved the reader or its window.
    if (marked_ == 0 || reader_->next_ != start_ || reader_->window_ != window_) [[unlikely]]
      return next_slow();
    const char* stop = text_ + marks_[used_];
    line_ = {start_, static_cast<std::size_t>(stop - start_)};
    reader_->next_ = start_ = stop + 1;
    if (++used_ == marked_) marked_ = 0;
    if (special_) [[unlikely]]
      finish();
  }
  [[gnu::cold]] void next_slow();
  void mark() noexcept;
  void finish();
  void fail(const failure& what);

  // Delimiters are searched for some KiB ahead, and kept as offsets from text_.
  static constexpr std::size_t most_marks = 1024;

  reader* reader_;
  const char* start_ = nullptr;   // where the next line begins
  const char* text_ = nullptr;    // the marks are offsets from here
  const char* looked_ = nullptr;  // all delimiters before this have marks
  std::uint64_t window_ = 0;      // the reader's window_ when the marks were made
  unsigned used_ = 0;             // marks of lines that were taken
  unsigned marked_ = 0;           // 0: none left
  std::error_code* ec_;
  // Not next to start_: GCC would store both in one instruction, and loading one of them is slow
  // then.
  std::string_view line_;  // null data at the end
  line_options how_;
  bool special_;  // a line needs more work than to be cut out
  bool unfinished_ = false;
  std::uint16_t marks_[most_marks];
};

/// The result of reader::find_all(): a range of positions that can be passed through once.
class LEAT_API [[nodiscard]] match_range {
 public:
  using iterator = detail::pass_iterator<match_range, std::uint64_t>;

  match_range(const match_range&) = delete;
  match_range& operator=(const match_range&) = delete;

  /// Goes to the first occurrence.
  iterator begin() {
    search();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::uint64_t& value() const noexcept { return at_; }
  bool at_end() const noexcept { return !found_; }

  match_range(reader& from, finder needle, std::error_code* ec)
      : reader_(&from), needle_(std::move(needle)), ec_(ec) {}
  void next();
  void search();

  reader* reader_;
  finder needle_;
  std::uint64_t at_ = 0;
  bool found_ = false;
  std::error_code* ec_;
};

/// The result of reader::words(): a range of std::string_view that can be passed through once.
class LEAT_API [[nodiscard]] word_range {
 public:
  using iterator = detail::pass_iterator<word_range, std::string_view>;

  word_range(const word_range&) = delete;
  word_range& operator=(const word_range&) = delete;

  /// Takes the first word.
  iterator begin() {
    next();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return word_; }
  bool at_end() const noexcept { return word_.empty(); }

  word_range(reader& from, std::error_code* ec) noexcept : reader_(&from), ec_(ec) {}

  // A plain loop: most words are shorter than a call of a search.
  void next() {
    const char* at = reader_->next_;
    const char* const end = reader_->end_;
    while (at != end && detail::is_blank(*at)) ++at;
    const char* stop = at;
    while (stop != end && !detail::is_blank(*stop)) ++stop;
    if (stop == end) [[unlikely]]
      return next_slow();
    word_ = {at, static_cast<std::size_t>(stop - at)};
    reader_->next_ = stop;
  }
  [[gnu::cold]] void next_slow();

  reader* reader_;
  std::error_code* ec_;
  std::string_view word_;  // empty at the end
};

/// The result of reader::lines_backwards(): a range of std::string_view that can be passed through
/// once.
class LEAT_API [[nodiscard]] backward_line_range {
 public:
  using iterator = detail::pass_iterator<backward_line_range, std::string_view>;

  backward_line_range(const backward_line_range&) = delete;
  backward_line_range& operator=(const backward_line_range&) = delete;

  /// Goes to the last line.
  iterator begin();
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class reader;
  friend iterator;

  const std::string_view& value() const noexcept { return line_; }
  bool at_end() const noexcept { return line_.data() == nullptr; }

  backward_line_range(reader& from, const line_options& how, std::error_code* ec) noexcept
      : reader_(&from), ec_(ec), how_(how) {}
  void next();

  reader* reader_;
  std::error_code* ec_;
  line_options how_;
  std::uint64_t start_ = 0;  // of the line taken last; first the end of the input
  std::string_view line_;    // null data at the end
};

/// The base of each stream whose type is known: file_reader, memory_reader, mapped_file,
/// file_stream. On a temporary, lines(), lines_backwards(), words() and find_all() return a range
/// that owns the stream. So the stream lives as long as the loop:
///
///     for (std::string_view line : leat::open("a.txt").lines()) use(line);
///
/// A temporary that is seen as `reader&&` can't be owned; there these calls do not compile.
template <class Stream, std::size_t Padding>
class concrete_reader : public reader {
  template <class Range>
  using owning = detail::owning_range<Stream, Range>;

 public:
  /// So many bytes behind a window that is not empty, and behind each line, can be read.
  static constexpr std::size_t padding = Padding;

  using reader::find_all;
  using reader::lines;
  using reader::lines_backwards;
  using reader::words;

  owning<line_range> lines(const line_options& how = {}) && {
    return {self(), [&](reader& kept) { return kept.lines(how); }};
  }
  owning<line_range> lines(const line_options& how, std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines(how, ec); }};
  }
  owning<line_range> lines(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines(ec); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(const line_options& how = {}) && {
    return {self(), [&](reader& kept) { return kept.lines_backwards(how); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(const line_options& how,
                                                            std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines_backwards(how, ec); }};
  }
  [[nodiscard]] owning<backward_line_range> lines_backwards(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.lines_backwards(ec); }};
  }
  [[nodiscard]] owning<word_range> words() && {
    return {self(), [](reader& kept) { return kept.words(); }};
  }
  [[nodiscard]] owning<word_range> words(std::error_code& ec) && noexcept {
    return {self(), [&](reader& kept) { return kept.words(ec); }};
  }
  owning<match_range> find_all(finder needle) && {
    return {self(), [&](reader& kept) { return kept.find_all(std::move(needle)); }};
  }
  owning<match_range> find_all(std::string_view needle) && {
    return {self(), [&](reader& kept) { return kept.find_all(needle); }};
  }
  owning<match_range> find_all(finder needle, std::error_code& ec) && {
    return {self(), [&](reader& kept) { return kept.find_all(std::move(needle), ec); }};
  }
  owning<match_range> find_all(std::string_view needle, std::error_code& ec) && {
    return {self(), [&](reader& kept) { return kept.find_all(needle, ec); }};
  }

 protected:
  using reader::reader;
  ~concrete_reader() = default;

 private:
  Stream&& self() noexcept { return static_cast<Stream&&>(*this); }
};

}  // namespace v0
}  // namespace leat

// --- include/leat/reader.hpp


// --- include/leat/file_stream.hpp


// --- include/leat/writer.hpp
// The output window: the memory that the next bytes go to. put, write and print only use two
// pointers, the cursor and the end of the window. When the window has no room they call the sink.


// --- include/leat/detail/format_string.hpp
// The names of format strings, for headers that only declare functions with them.

#include <type_traits>

namespace leat {
inline namespace v0 {

struct runtime_format;
template <class... Args>
class basic_format_string;

/// A format string for arguments of these types. It is made from a literal and checked at compile
/// time.
template <class... Args>
using format_string = basic_format_string<std::remove_cvref_t<std::type_identity_t<Args>>...>;

}  // namespace v0
}  // namespace leat

// --- include/leat/writer.hpp

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
struct print_access;

namespace detail {

template <class T>
inline constexpr bool is_byte =
    std::is_same_v<T, char> || std::is_same_v<T, unsigned char> || std::is_same_v<T, signed char> ||
    std::is_same_v<T, std::byte> || std::is_same_v<T, char8_t>;

/// Bytes that lie one behind the other. An array of char is none: it may be a text with its NUL.
template <class Range>
concept range_of_bytes =
    std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    is_byte<std::ranges::range_value_t<const Range>> &&
    !(std::is_array_v<Range> &&
      std::is_same_v<std::remove_cv_t<std::remove_extent_t<Range>>, char>);

}  // namespace detail

/// A stream of output: a file, memory, standard output. A function that takes a `writer&` works
/// with all of them.
///
/// put, write, print and println never throw for I/O errors. The first failure is kept, and later
/// output is dropped and counted. flush, sync, seek, patch and close report the failure: as
/// leat::io_error, or in a last argument `std::error_code&`. Other exceptions come only from
/// formats of runtime() and from null `const char*` arguments.
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

/// A writer that threads share: leat::synchronized, leat::out and leat::err.
///
/// @par Threads
/// Several may use it at once. The bytes of a call stay together.
class LEAT_API shared_writer : public writer {
 public:
  /// Calls work(w) with the writer below, which no other thread uses meanwhile. So what the calls
  /// inside write stays together. Returns what `work` returns.
  ///
  ///     log.with([&](leat::writer& w) {
  ///       for (const auto& line : trace) w.println("  {}", line);
  ///     });
  ///
  /// `work` may call everything of `w` but close(), and may throw, fork, or end the program. It may
  /// use the shared stream itself, too, but for with() and close().
  template <std::invocable<writer&> Work>
  decltype(auto) with(Work&& work) {
    const turn mine(*this);
    return std::forward<Work>(work)(mine.target);
  }

 protected:
  constexpr explicit shared_writer(sink& below) noexcept : writer(below) {}
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

// --- include/leat/file_stream.hpp

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

namespace detail {
struct opening;
}

/// A stream into a file. It can be moved. The destructor closes it, but only close() reports
/// whether all went well.
///
/// After fork() the child's streams start with empty windows. So the parent alone writes what it
/// had buffered, once. The child may go on writing to the stream.
class LEAT_API [[nodiscard]] file_writer final : public writer {
 public:
  /// A closed stream.
  file_writer() noexcept;
  /// A stream over any device. It is closed if `target` is null. Messages call it `name`.
  explicit file_writer(std::unique_ptr<device> target, const writer_options& how = {},
                       std::string_view name = "<device>");
  file_writer(file_writer&& other) noexcept;
  file_writer& operator=(file_writer&& other) noexcept;
  ~file_writer();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the window.
  native_handle_type native_handle() const noexcept;
  /// Flushes and gives the descriptor to the caller; the stream is closed then. If flushing fails
  /// it throws io_error and keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;
  /// Closes without writing what is still in the window, and reports nothing. A `replace` stream
  /// leaves its target unchanged. Use it to give up on purpose.
  void discard() noexcept;

 private:
  friend class standard_sink;
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_writer(sink& below) noexcept : writer(below) {}
  file_writer(const detail::options& how, std::unique_ptr<device> target, std::string_view name);
};

/// Opens a new file, or empties an existing one. The first form throws io_error; the forms with
/// `ec` set it and return a closed stream.
LEAT_API file_writer create(path_ref path, const create_options& how = {});
LEAT_API file_writer create(path_ref path, std::error_code& ec);
LEAT_API file_writer create(path_ref path, const create_options& how, std::error_code& ec);

/// Opens a file to write at its end, and makes it if it does not exist. Several processes may
/// append to one file: the window is written up to the end of a line, so lines of up to 1 MiB stay
/// whole.
LEAT_API file_writer append(path_ref path, const append_options& how = {});
LEAT_API file_writer append(path_ref path, std::error_code& ec);
LEAT_API file_writer append(path_ref path, const append_options& how, std::error_code& ec);

/// Replaces a file as a whole: it writes a temporary file in the same folder, which close()
/// renames. So other programs read either the old content or the new. Without close() the target is
/// unchanged and the loss handler is called, unless an exception ends the stream's block: giving up
/// then is no loss.
///
/// The new file gets the mode of the target, its owner if the process may set it, and on Linux its
/// access list and extended attributes. Where these can't be kept, nobody gets more access than
/// before. A target that the process may not write is refused, as create() refuses it. Symbolic
/// links are followed, except those of strangers in a folder for all (Linux: protected_symlinks).
/// Other hard links of the target keep the old content.
///
/// The temporary file of NAME is `.NAME.XXXXXXXX.tmp`. A program that is killed leaves it, and the
/// next `replace` of that name removes it: only plain files of the same user (on Windows: that may
/// be removed), and never one that a live program writes, which has a lock on it. With more than
/// eight writers of one name at a time, or where the file system has no locks, some may stay. NFS
/// must share its locks between machines, as it does by default.
LEAT_API file_writer replace(path_ref path, const replace_options& how = {});
LEAT_API file_writer replace(path_ref path, std::error_code& ec);
LEAT_API file_writer replace(path_ref path, const replace_options& how, std::error_code& ec);

/// A stream out of a file. It can be moved. The destructor closes it.
class LEAT_API [[nodiscard]] file_reader final : public concrete_reader<file_reader> {
 public:
  /// A closed stream.
  file_reader() noexcept;
  /// A stream over any device. It is closed if `from` is null. Messages call it `name`.
  explicit file_reader(std::unique_ptr<device> from, const reader_options& how = {},
                       std::string_view name = "<device>");
  file_reader(file_reader&& other) noexcept;
  file_reader& operator=(file_reader&& other) noexcept;
  ~file_reader();

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Its offset is not the position of the stream.
  native_handle_type native_handle() const noexcept;
  /// Sets the descriptor's offset to the reader's position and gives the descriptor to the caller;
  /// the stream is closed then. On failure it throws io_error and keeps the descriptor.
  native_handle_type release();
  native_handle_type release(std::error_code& ec) noexcept;

 private:
  friend struct standard_streams;
  friend struct detail::opening;
  explicit file_reader(reader&& other) noexcept;
  file_reader(const detail::options& how, std::unique_ptr<device> from, std::string_view name);
};

/// Opens a file, a pipe or a terminal to read. The first form throws io_error; the forms with `ec`
/// set it and return a closed stream. A folder can be opened; its first read fails.
LEAT_API file_reader open(path_ref path, const open_options& how = {});
LEAT_API file_reader open(path_ref path, std::error_code& ec);
LEAT_API file_reader open(path_ref path, const open_options& how, std::error_code& ec);

/// For the arguments of a command: as open and create, but "-" is standard input or standard output
/// (and "./-" a file of that name).
///
/// `open_or_stdin("-")` takes over leat::in, with what it has read ahead; leat::in is closed then.
/// At its end it leaves the descriptor open, behind the last byte that was taken if it is a file. A
/// second "-" goes on there. `create_or_stdout("-")` is another name of leat::out: they share the
/// buffer, so lines of both keep their order. close() flushes, and reports what leat::out has lost;
/// leat::out goes on. Of the options, only `compression` and those of codecs apply to "-"; what is
/// written compressed is a stream of its own, behind what leat::out has written until then.
///
///     for (auto& name : arguments) {
///       auto in = leat::open_or_stdin(name);
///       leat::copy(in, leat::out);
///     }
LEAT_API file_reader open_or_stdin(path_ref path, const open_options& how = {});
LEAT_API file_reader open_or_stdin(path_ref path, std::error_code& ec);
LEAT_API file_reader open_or_stdin(path_ref path, const open_options& how, std::error_code& ec);
LEAT_API file_writer create_or_stdout(path_ref path, const create_options& how = {});
LEAT_API file_writer create_or_stdout(path_ref path, std::error_code& ec);
LEAT_API file_writer create_or_stdout(path_ref path, const create_options& how,
                                      std::error_code& ec);

/// A file to read and to change, like C's "r+". One window serves both directions. A program may
/// read after a write, write after a read, or seek inside the window, without a flush and without a
/// system call. Reads see what was written; if that was lost and no call has reported it, the next
/// call that reads or seeks does. If a program changes two places in one window, the bytes between
/// them may be written too, with the values that were read.
///
///     auto table = leat::update("table.bin");
///     table.seek(128);
///     table.read_exactly(leat::bytes_of(header));
///     table.seek(128);
///     table.write(leat::bytes_of(++header.version));
class LEAT_API [[nodiscard]] file_stream final : public concrete_reader<file_stream>,
                                                 public writer {
 public:
  /// A closed stream.
  file_stream() noexcept;
  /// A stream over any device with positions. For another device, and for one that appends, it
  /// throws io_error, device_traits::refusal(). It is closed if `on` is null. Messages call it
  /// `name`.
  explicit file_stream(std::unique_ptr<device> on, const stream_options& how = {},
                       std::string_view name = "<device>");
  file_stream(file_stream&& other) noexcept;
  file_stream& operator=(file_stream&& other) noexcept;
  ~file_stream();

  /// The position at which the next byte is read or written.
  std::uint64_t tell() const noexcept { return reader::tell(); }
  /// Throws io_error, too, if bytes were lost and no call has reported it. The position does not
  /// change then.
  void seek(std::uint64_t position) { reader::seek(position); }
  void seek(std::uint64_t position, std::error_code& ec) noexcept { reader::seek(position, ec); }
  /// Flushes and closes the stream. Throws io_error if any byte was lost, or if a read failed and
  /// no call has reported it.
  void close() { writer::close(); }
  void close(std::error_code& ec) noexcept { writer::close(ec); }
  /// The first failed write; if there is none, the last failed read.
  std::error_code error() const noexcept;

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the stream, or no_handle. Some bytes may still be in the window.
  native_handle_type native_handle() const noexcept;

 private:
  friend struct detail::opening;
  file_stream(const detail::options& how, std::unique_ptr<device> on, std::string_view name);
};

/// Opens an existing file to read and to change it. The first form throws io_error; the forms with
/// `ec` set it and return a closed stream. The error is invalid_seek for pipes and terminals.
LEAT_API file_stream update(path_ref path, const update_options& how = {});
LEAT_API file_stream update(path_ref path, std::error_code& ec);
LEAT_API file_stream update(path_ref path, const update_options& how, std::error_code& ec);

/// A new file without a name, in the system's folder for temporary files: to write it, and to read
/// back what was written. It is removed when it is closed.
///
///     auto spill = leat::temporary_file();
///     for (const auto& row : rows) spill.println("{}", row);
///     spill.seek(0);
///     for (auto line : spill.lines()) …
LEAT_API file_stream temporary_file(const temporary_options& how = {});
LEAT_API file_stream temporary_file(std::error_code& ec);
LEAT_API file_stream temporary_file(const temporary_options& how, std::error_code& ec);

/// Writes what a killed process has left in `PATH.leat` to the file, as the next opening
/// to write does too; see leat::durability. Returns how many bytes. If a writer has the file open,
/// its bytes go into the file as well, and from then on each of its calls writes by itself.
LEAT_API std::uint64_t recover(path_ref path);
LEAT_API std::uint64_t recover(path_ref path, std::error_code& ec);

/// All bytes of a file. A file without a size, as in /proc, is read to its end.
LEAT_API std::string read_file(path_ref path);
LEAT_API std::string read_file(path_ref path, std::error_code& ec);

/// Writes a file with this content: a new one, or an existing one that is emptied first.
LEAT_API void write_file(path_ref path, std::string_view bytes);
LEAT_API void write_file(path_ref path, std::string_view bytes, std::error_code& ec);

/// Copies the rest of `from`, inside the kernel where both are files and the system can. Returns
/// the number of bytes taken from `from`. Throws io_error if either side fails; a failure of the
/// writer may be reported only by its flush or close. A copy of a file to its own end, which would
/// never end, fails with errc::same_file before it begins.
LEAT_API std::uint64_t copy(reader& from, writer& to);
LEAT_API std::uint64_t copy(reader& from, writer& to, std::error_code& ec);

/// Called with the number of bytes that have been copied so far, after each piece of up to 64 MiB.
/// An exception that it throws ends the copy.
using copy_progress = std::function<void(std::uint64_t done)>;
/// The same, and calls `progress` now and then.
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress);
LEAT_API std::uint64_t copy(reader& from, writer& to, const copy_progress& progress,
                            std::error_code& ec);

/// Copies a file to a new one, or to an existing one that is emptied first, and gives it the
/// permissions of the first one (on Windows: read-only or not). Returns the number of bytes. If it
/// fails, a part of the copy may be there. A copy of a file to itself fails with errc::same_file
/// and changes nothing.
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to);
LEAT_API std::uint64_t copy_file(path_ref from, path_ref to, std::error_code& ec);

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/folder.hpp
// Files in a folder that other people can write to.


#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// An open folder. Use it for names that come from strangers, and for folders that strangers can
/// write to: at() makes a path that leads to a regular file in this folder or below it, and to
/// nothing that somebody else has put there to be followed. Every function that takes a path takes
/// it: create, append, replace, update, open, map_file, follow, file, records, read_file,
/// write_file, copy_file.
///
///     const leat::folder uploads("/srv/uploads");
///     auto out = leat::create(uploads.at(name), {.exclusive = true});
///
/// Opening such a path fails:
/// - if it is absolute or has a ".." (errc::outside_folder);
/// - if it meets a symbolic link, in any part (too_many_symbolic_link_levels or not_a_directory);
/// - if it leads to a pipe, a device or a socket (errc::not_a_file), without waiting for anybody,
///   or to a folder (is_a_directory).
///
/// The folder is meant that was opened, even if it gets another name. A hard link is a name like
/// every other: a stranger who may make one to a file that you may write has brought that file into
/// the folder (on Linux, protected_hardlinks forbids it). A file that is in the folder may be
/// somebody else's; `{.exclusive = true}` of create makes a new one.
///
/// Only on POSIX systems; on Windows the constructor fails with operation_not_supported.
class LEAT_API [[nodiscard]] folder {
 public:
  /// A closed folder. Paths in it can't be opened (bad_file_descriptor).
  folder() noexcept = default;
  /// Follows symbolic links, as the program chose this path itself; but not if it is a path inside
  /// another folder. The first form throws io_error.
  explicit folder(path_ref path);
  folder(path_ref path, std::error_code& ec) noexcept;
  folder(folder&& other) noexcept : handle_(std::exchange(other.handle_, no_handle)) {}
  folder& operator=(folder&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~folder();

  /// False if the folder is closed or was moved from.
  bool is_open() const noexcept { return handle_ != no_handle; }
  native_handle_type native_handle() const noexcept { return handle_; }
  /// A path in this folder. It refers to the folder and to the characters, so use it only as an
  /// argument.
  path_ref at(const path_ref& path) const { return {handle_, path}; }

 private:
  native_handle_type handle_ = no_handle;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/follow.hpp
// Reading a file while others write to it.


// --- include/leat/detail/stop_token.hpp
// A stop token in a header that does not include <stop_token>: that brings threads and streams. A
// program that has one has included it.


#include <cstddef>

#if defined(__GLIBCXX__)
// NOLINTBEGIN(bugprone-std-namespace-modification): as its own header declares it
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
class stop_token;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// NOLINTEND(bugprone-std-namespace-modification)
#else
#  include <stop_token>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

/// A std::stop_token, and nothing else. Converts from and to it.
class LEAT_API kept_stop_token {
 public:
  kept_stop_token() noexcept;
  kept_stop_token(const std::stop_token& token) noexcept;
  kept_stop_token(const kept_stop_token& other) noexcept;
  kept_stop_token& operator=(const kept_stop_token& other) noexcept;
  ~kept_stop_token();

  operator std::stop_token() const noexcept;

 private:
  alignas(void*) unsigned char token_[sizeof(void*)];
};

}  // namespace detail
}  // namespace v0
}  // namespace leat

// --- include/leat/follow.hpp

#include <cstddef>
#include <limits>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How to follow a file. Every member has a default.
struct follow_options {
  static constexpr std::size_t all_lines = (std::numeric_limits<std::size_t>::max)();

  /// How many of the last lines in the file come first, as with `tail -n`. 0: none, only what is
  /// appended later.
  std::size_t last_lines = all_lines;
  /// The reader reports its end if no byte comes for this long; the next read waits again. 0: it
  /// never waits.
  std::chrono::milliseconds timeout = (std::chrono::milliseconds::max)();
  /// As in open_options; also for the search for the last lines.
  std::size_t window_limit = open_options{}.window_limit;
  /// A std::stop_token. After a stop request the reader delivers what is in the file by then, and
  /// has ended for good.
  detail::kept_stop_token stop = {};  // NOLINT(readability-redundant-member-init): GCC wants one
};

/// Reads a file and then what is appended to it, as `tail -F` does: at the end of the file the
/// reader waits for more. If the file does not exist yet, the reader waits for it.
///
///     for (std::string_view line : leat::follow("events.log").lines()) use(line);
///
/// The file may be rotated: renamed, and another one made under its name. Then the reader reads the
/// old file to its end, and goes on at the start of the new one as soon as that has any bytes. If a
/// file becomes shorter than what has been read, the reader starts again at its beginning. Two
/// events are not noticed: a file is truncated and grows beyond what has been read before the next
/// read; a file comes and goes between two reads.
///
/// After a timeout or a stop, lines() delivers an unfinished line as the last line, and
/// line_range::unfinished() tells so. If the last line of a rotated or shortened file has no end,
/// the reader puts a newline between it and what follows. Positions count the bytes read; there is
/// no seek. The first form throws io_error; the forms with `ec` set it and
/// return a closed stream. It is an error if the folder does not exist or the name can't be a
/// file's.
LEAT_API file_reader follow(path_ref path, const follow_options& how = {});
LEAT_API file_reader follow(path_ref path, std::error_code& ec);
LEAT_API file_reader follow(path_ref path, const follow_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/format.hpp
// Format strings compiled at compile time from plain literals, without a macro.
//
// The consteval constructor of basic_format_string checks the literal and cuts it into pieces. A
// call then checks once for room; after that, each field is a copy or a call of a number writer.
// Positional arguments, and widths that are arguments, are interpreted at run time by the same
// parser. If an argument has a formatter of {fmt} or of the standard library, the call goes through
// that one: leat/detail/custom_format.hpp.
//
// A std::chrono::sys_time of integers is written in ISO 8601, with as many decimals as its unit
// has, up to nanoseconds: "2026-11-21T09:27:19.123Z". A time in days is written as "2026-11-21". A
// field for a time takes a fill, an alignment and a width; or a specification of {fmt} or the
// standard library with '%': "{:%d %b %H:%M}".


#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>


// --- include/leat/detail/custom_format.hpp
// Who formats what leat does not format itself: {fmt}, the standard library, or nobody. The library
// made the choice when it was built (LEAT_FORMAT), and format_choice.h is its record. So all files
// of a program agree.
//
// `formatting` is the chosen namespace. {fmt} and the standard library have the same names there.

#if 0
#elif defined(LEAT_FORMAT_FMT) && defined(LEAT_FORMAT_STD)
// Build systems that make no header say it in each command.
#elif __has_include(<fmt/core.h>)  // sources that were never configured
#  define LEAT_FORMAT_FMT 1
#  define LEAT_FORMAT_STD 0
#else
#  define LEAT_FORMAT_FMT 0
#  define LEAT_FORMAT_STD __has_include(<format>)
#endif

#if LEAT_FORMAT_FMT
#  if __has_include(<fmt/base.h>)  // from 11 on: core.h of 11 and 12.0 brings all of {fmt}
#    include <fmt/base.h>
#  else
#    include <fmt/core.h>
#  endif
#elif LEAT_FORMAT_STD
#  if !__has_include(<format>)
#    error "this leat was built with LEAT_FORMAT=std, and this standard library has no <format>"
#  endif
#  include <format>
#else
#  include <exception>
#  include <string_view>
#endif
#include <limits>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

#if LEAT_FORMAT_FMT

namespace formatting = ::fmt;

/// Does not compile where a T can't be printed; the compiler's message has the name of T.
template <class T>
consteval void check_formatter() {
  static_assert(fmt::is_formattable<T>::value,
                "an argument has no fmt::formatter; include <fmt/ranges.h>, <fmt/chrono.h> or "
                "<fmt/std.h> for standard types, or write one for your own");
}

#elif LEAT_FORMAT_STD

namespace formatting = ::std;

template <class T>
consteval void check_formatter() {
  static_assert(std::is_default_constructible_v<std::formatter<T>>,
                "an argument has no std::formatter; include the header that has it, or write one "
                "(this leat was built with LEAT_FORMAT=std)");
}

#else

/// So much of such a namespace that the compiler prints one message, that of check_formatter.
namespace formatting {
using std::string_view;
template <class T>
struct formatter {
  formatter() = delete;
};
template <class... Args>
struct format_string {
  consteval explicit format_string(std::string_view) {}
};
struct format_args {};
template <class... Args>
format_args make_format_args(Args&...) {
  return {};
}
struct format_error : std::exception {};
}  // namespace formatting

template <class T>
consteval void check_formatter() {
  static_assert(std::is_default_constructible_v<formatting::formatter<T>>,
                "leat prints an argument of this type by {fmt} or std::format, and it was built "
                "with LEAT_FORMAT=none");
}

#endif

/// T has a format of its own.
template <class T>
concept has_format = std::is_default_constructible_v<formatting::formatter<T>> ||
                     requires(T value) { format_as(value); };

/// The value of an argument that is a width or a precision; the largest one if it does not fit.
template <class Arg>
long long integer_of(const Arg& arg) {
  constexpr auto read = [](auto value) {
    constexpr long long most = (std::numeric_limits<long long>::max)();
    if constexpr (std::is_integral_v<decltype(value)> && sizeof value <= sizeof most)
      return std::is_signed_v<decltype(value)> || value <= static_cast<decltype(value)>(most)
                 ? static_cast<long long>(value)
                 : most;
    else
      return most;
  };
  if constexpr (requires { arg.visit(read); })
    return arg.visit(read);
  else
    return visit_format_arg(read, arg);
}

/// Whether the corners of the grammar are as in the linked version of {fmt}; else they are as in
/// the standard.
inline constexpr bool corners_of_fmt = LEAT_FORMAT_FMT;

}  // namespace detail
}  // namespace v0
}  // namespace leat

// --- include/leat/format.hpp


// --- include/leat/detail/format_parser.hpp
// The grammar of format strings, as in std::format. It is parsed at compile time and at run time.


#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>


namespace leat {
inline namespace v0 {

/// The mistakes of format strings, a function for each. At compile time a mistake calls the
/// function, which is not constexpr, so the compiler refuses and names it. At run time the function
/// returns the text of the format_error.
namespace format_mistake {
LEAT_API const char* unmatched_closing_brace() noexcept;
LEAT_API const char* missing_closing_brace() noexcept;
LEAT_API const char* invalid_argument_index() noexcept;
LEAT_API const char* argument_missing() noexcept;
LEAT_API const char* automatic_and_manual_indexing_mixed() noexcept;
LEAT_API const char* invalid_fill_character() noexcept;
LEAT_API const char* number_too_big() noexcept;
LEAT_API const char* invalid_type_for_this_argument() noexcept;
LEAT_API const char* sign_needs_a_signed_number() noexcept;
LEAT_API const char* alternate_form_needs_a_number() noexcept;
LEAT_API const char* zero_padding_needs_a_number() noexcept;
LEAT_API const char* precision_not_allowed_for_this_argument() noexcept;
LEAT_API const char* missing_precision() noexcept;
LEAT_API const char* width_or_precision_must_be_an_integer() noexcept;
LEAT_API const char* locale_not_supported() noexcept;
LEAT_API const char* specification_not_allowed_for_this_argument() noexcept;
LEAT_API const char* calendar_needs_leat_format_fmt_or_std() noexcept;
}  // namespace format_mistake

namespace detail {

enum class arg_kind : std::uint8_t {
  boolean,
  character,
  signed_64,
  unsigned_64,
  signed_128,
  unsigned_128,
  float_32,
  float_64,
  float_80,
  text,
  pointer,
  error_code,
  time,
  custom,
};

constexpr bool is_integer(arg_kind kind) {
  return kind >= arg_kind::signed_64 && kind <= arg_kind::unsigned_128;
}
constexpr bool is_float(arg_kind kind) {
  return kind >= arg_kind::float_32 && kind <= arg_kind::float_80;
}

enum class alignment : std::uint8_t { none, left, right, center, numeric };

/// The specification of a field: what follows its colon.
struct field_spec {
  int width = 0;
  int precision = -1;  ///< -1: none
  char fill[4] = {' '};
  std::uint8_t fill_size = 1;
  alignment align = alignment::none;
  char sign = '-';
  char type = '\0';
  bool alternate = false;
  bool zero = false;    ///< the flag '0'
  bool plain = true;    ///< "{}": nothing is specified
  bool exotic = false;  ///< rare, or versions of {fmt} differ in it: exotic_text()
};

/// A field_spec in two words, which fit in registers. If nobody takes the address of a compiled
/// format string, the compiler replaces it by constants. The flags `plain` and `exotic` are left
/// out, because compiled fields are neither.
struct packed_spec {
  std::uint64_t counts = 0;
  std::uint64_t marks = 0;

  constexpr packed_spec() = default;
  constexpr packed_spec(std::uint64_t c, std::uint64_t m) : counts(c), marks(m) {}
  constexpr explicit packed_spec(const field_spec& spec)
      : counts(static_cast<std::uint32_t>(spec.width) |
               std::uint64_t{static_cast<std::uint32_t>(spec.precision)} << 32) {
    const char bytes[8] = {spec.fill[0],
                           spec.fill[1],
                           spec.fill[2],
                           spec.fill[3],
                           spec.sign,
                           spec.type,
                           static_cast<char>(spec.fill_size | static_cast<int>(spec.align) << 4),
                           static_cast<char>(spec.alternate | spec.zero << 1)};
    for (int i = 0; i != 8; ++i)
      marks |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  }

  constexpr int width() const { return static_cast<int>(static_cast<std::uint32_t>(counts)); }
  constexpr int precision() const { return static_cast<int>(counts >> 32); }

  /// "{:.3f}" or "{:08.3f}": a precision, the type 'f' and perhaps a width.
  constexpr bool is_decimals() const {
    constexpr std::uint64_t mask = 0x010F'FFFF'0000'0000;  // not the fill, alignment and zero flag
    field_spec spec;
    spec.type = 'f';
    return (marks & mask) == (packed_spec(spec).marks & mask) && precision() >= 0;
  }

  constexpr field_spec unpack() const {
    const auto byte = [this](int i) { return static_cast<unsigned char>(marks >> 8 * i); };
    field_spec spec;
    spec.width = width();
    spec.precision = precision();
    for (int i = 0; i != 4; ++i) spec.fill[i] = static_cast<char>(byte(i));
    spec.sign = static_cast<char>(byte(4));
    spec.type = static_cast<char>(byte(5));
    spec.fill_size = byte(6) & 0xF;
    spec.align = static_cast<alignment>(byte(6) >> 4);
    spec.alternate = byte(7) & 1;
    spec.zero = byte(7) & 2;
    spec.plain = false;
    return spec;
  }
};

/// The most bytes that a value of this kind takes with this specification. The size of a text
/// argument comes on top.
constexpr std::uint64_t max_size(arg_kind kind, const field_spec& spec) {
  std::uint64_t content = 0;
  const std::uint64_t precision =
      spec.precision < 0 ? 6 : static_cast<std::uint64_t>(spec.precision);
  switch (kind) {
    case arg_kind::boolean:
      content = 5;
      break;
    case arg_kind::character:
      content = 1;
      break;
    case arg_kind::signed_64:
    case arg_kind::unsigned_64:
      content = 20;
      break;
    case arg_kind::signed_128:
    case arg_kind::unsigned_128:
      content = 40;
      break;
    case arg_kind::float_32:
    case arg_kind::float_64:
      content = 32;
      break;
    case arg_kind::float_80:
      content = 48;
      break;
    case arg_kind::text:
      content = 0;
      break;
    case arg_kind::pointer:
      content = 18;
      break;
    case arg_kind::error_code:
      content = 12;
      break;
    case arg_kind::time:
      content = 48;
      break;
    case arg_kind::custom:
      break;
  }
  if (!spec.plain) {
    if (kind <= arg_kind::unsigned_128) content = 128 + 3;  // sign, "0b" and the bits
    if (is_float(kind)) {
      const std::uint64_t whole_digits = kind == arg_kind::float_80 ? 4933 : 309;
      content = 16 + precision + (spec.type == 'f' || spec.type == 'F' ? whole_digits : 0) + 32;
    }
    content += static_cast<std::uint64_t>(spec.width) * spec.fill_size;
  }
  return content;
}

/// A run of literal text, then perhaps a field.
struct segment {
  std::size_t literal_begin = 0;
  std::size_t literal_end = 0;
  bool is_field = false;
  int arg = 0;
  field_spec spec;
  int width_argument = no_argument;
  int precision_argument = no_argument;
  /// The specification of a time with a '%'; not leat interprets it.
  std::string_view time_spec;

  static constexpr int no_argument = -1;
  constexpr bool is_static() const {
    return width_argument == no_argument && precision_argument == no_argument;
  }
};

[[noreturn]] LEAT_API void throw_format_error(const char* what, std::size_t position);

/// Reads a format string segment by segment and checks it against the kinds of its arguments.
class format_parser {
 public:
  constexpr format_parser(std::string_view text, const arg_kind* kinds, std::size_t count)
      : text_(text), kinds_(kinds), count_(count) {}

  /// False at the end of the text.
  constexpr bool next(segment& out) {
    if (at_end()) return false;
    out = segment{};
    out.literal_begin = at_;
    while (!at_end() && peek() != '{' && peek() != '}') ++at_;
    out.literal_end = at_;
    if (at_end()) return true;
    const char brace = text_[at_++];
    if (!at_end() && peek() == brace) {  // an escape: one brace belongs to the literal
      out.literal_end = at_++;
      return true;
    }
    if (brace == '}') {
      --at_;
      fail(format_mistake::unmatched_closing_brace);
    }
    out.is_field = true;
    out.arg = parse_index('}', ':');
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (accept(':'))
      parse_only_spec(out);
    else
      ++at_;
    return true;
  }

  /// Reads a specification and the brace behind it.
  constexpr void parse_only_spec(segment& out) {
    if (!at_end()) parse_spec(out);
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (peek() != '}') fail(format_mistake::invalid_type_for_this_argument);
    ++at_;
  }

  constexpr std::size_t position() const { return at_; }

 private:
  constexpr bool at_end() const { return at_ == text_.size(); }
  constexpr char peek() const { return text_[at_]; }
  constexpr bool is_digit() const { return !at_end() && peek() >= '0' && peek() <= '9'; }
  constexpr arg_kind kind_of(int arg) const { return kinds_[static_cast<std::size_t>(arg)]; }

  constexpr void fail(const char* (*mistake)() noexcept) const {
    if (std::is_constant_evaluated())
      mistake();
    else
      throw_format_error(mistake(), at_);
  }

  constexpr bool accept(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }

  /// The same for a character that is not allowed there.
  constexpr bool accept(char c, bool allowed, const char* (*mistake)() noexcept) {
    if (!allowed && !at_end() && peek() == c) fail(mistake);
    return accept(c);
  }

  constexpr int parse_number() {
    std::uint64_t value = 0;
    while (is_digit()) {
      value = 10 * value + static_cast<std::uint64_t>(peek() - '0');
      if (value > 2147483647) fail(format_mistake::number_too_big);
      ++at_;
    }
    return static_cast<int>(value);
  }

  /// Reads the index of an argument, or takes the next one if there is none. `end` or `other_end`
  /// must follow.
  constexpr int parse_index(char end, char other_end) {
    const std::size_t begin = at_;
    int index = 0;
    if (is_digit()) {
      if (next_index_ > 0) fail(format_mistake::automatic_and_manual_indexing_mixed);
      next_index_ = -1;
      if (peek() == '0')
        ++at_;  // "00" is no index
      else
        index = parse_number();
    } else if (!at_end() && (peek() == end || peek() == other_end)) {
      if (next_index_ < 0) fail(format_mistake::automatic_and_manual_indexing_mixed);
      index = next_index_++;
    }
    if (at_end()) fail(format_mistake::missing_closing_brace);
    if (peek() != end && peek() != other_end) {
      at_ = begin;
      fail(format_mistake::invalid_argument_index);
    }
    if (static_cast<std::size_t>(index) >= count_) {
      at_ = begin;
      fail(format_mistake::argument_missing);
    }
    return index;
  }

  constexpr void parse_spec(segment& field) {
    field_spec& spec = field.spec;
    const arg_kind kind = kind_of(field.arg);
    if (!at_end() && peek() == '}') return;
    spec.plain = false;
    if (kind == arg_kind::custom) {
      skip_spec();
      return;
    }
    if (kind == arg_kind::error_code)
      fail(format_mistake::specification_not_allowed_for_this_argument);
    const bool numeric = kind <= arg_kind::float_80;

    const std::size_t begin = at_;
    parse_fill_and_align(spec);
    const bool has_sign = !at_end() && (peek() == '+' || peek() == '-' || peek() == ' ');
    if (has_sign) {
      const bool takes_sign = kind == arg_kind::character || kind == arg_kind::signed_64 ||
                              kind == arg_kind::signed_128 || is_float(kind);
      if (!takes_sign) fail(format_mistake::sign_needs_a_signed_number);
      spec.sign = peek();
      ++at_;
    }
    spec.alternate = accept('#', numeric, format_mistake::alternate_form_needs_a_number);
    spec.zero = accept('0', numeric, format_mistake::zero_padding_needs_a_number);
    if (spec.zero && spec.align == alignment::none) spec.align = alignment::numeric;
    spec.width = parse_count(0, field.width_argument);
    if (accept('.', is_float(kind) || kind == arg_kind::text,
               format_mistake::precision_not_allowed_for_this_argument)) {
      if (!is_digit() && (at_end() || peek() != '{')) fail(format_mistake::missing_precision);
      spec.precision = parse_count(-1, field.precision_argument);
    }
    if (kind == arg_kind::time && !at_end() && peek() == '%') {
      parse_time_spec(field, begin);
      return;
    }
    if (!at_end() && peek() == 'L') fail(format_mistake::locale_not_supported);
    if (!at_end() && peek() != '}') {
      check_type(kind, peek());
      spec.type = text_[at_++];
    }
    const bool in_letters =
        spec.type == '\0' || spec.type == 's' || spec.type == 'c' || spec.type == '?';
    if (in_letters && (kind == arg_kind::character || (!corners_of_fmt && is_text(kind, spec)))) {
      if (has_sign) fail(format_mistake::sign_needs_a_signed_number);
      if (spec.alternate) fail(format_mistake::alternate_form_needs_a_number);
      if (spec.align == alignment::numeric || (!corners_of_fmt && spec.zero))
        fail(format_mistake::zero_padding_needs_a_number);
    }
    spec.exotic = is_exotic(kind, spec, in_letters);
  }

  /// Passes over a specification that only the formatter of its type can read.
  constexpr void skip_spec() {
    while (!at_end() && peek() != '}') {
      if (!accept('{')) {
        ++at_;
      } else {
        parse_index('}', '}');
        ++at_;
      }
    }
  }

  constexpr void parse_time_spec(segment& field, std::size_t begin) {
    constexpr std::string_view conversions = "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";
    if (!LEAT_FORMAT_FMT && !LEAT_FORMAT_STD)
      fail(format_mistake::calendar_needs_leat_format_fmt_or_std);
    if (!field.is_static()) fail(format_mistake::width_or_precision_must_be_an_integer);
    field.spec.exotic = true;
    for (; !at_end() && peek() != '}'; ++at_) {
      if (peek() == '{') fail(format_mistake::invalid_type_for_this_argument);
      if (peek() != '%') continue;
      ++at_;
      if (!at_end() && (peek() == 'E' || peek() == 'O')) ++at_;
      if (at_end() || conversions.find(peek()) == std::string_view::npos)
        fail(format_mistake::invalid_type_for_this_argument);
    }
    field.time_spec = text_.substr(begin, at_ - begin);
  }

  /// A number that is written as a character or a word. {fmt} refuses some of these at run time.
  static constexpr bool is_text(arg_kind kind, const field_spec& spec) {
    return kind == arg_kind::boolean || (is_integer(kind) && spec.type == 'c');
  }

  static constexpr bool is_exotic(arg_kind kind, const field_spec& spec, bool in_letters) {
    if (spec.type == '?') return true;
    // If there is an alignment, {fmt} 9 takes the zero as fill character. {fmt} 10 and the standard
    // ignore it.
    if (corners_of_fmt && spec.zero && spec.align != alignment::numeric) return true;
    if (kind == arg_kind::boolean)
      return in_letters && (spec.alternate || spec.align == alignment::numeric);
    if (is_integer(kind)) return spec.type == 'c';
    // The value 1 with "{:#}" is "1.0" in {fmt} 9 and "1." in {fmt} 10.
    return is_float(kind) && spec.alternate && spec.type == '\0' && spec.precision < 0;
  }

  constexpr void parse_fill_and_align(field_spec& spec) {
    if (at_end()) return;
    const std::size_t size = code_point_size(peek());
    if (at_ + size < text_.size() && align_of(text_[at_ + size]) != alignment::none) {
      if (peek() == '{') fail(format_mistake::invalid_fill_character);
      for (std::size_t i = 0; i != size; ++i) spec.fill[i] = text_[at_ + i];
      spec.fill_size = static_cast<std::uint8_t>(size);
      at_ += size;
    }
    spec.align = align_of(peek());
    if (spec.align != alignment::none) ++at_;
  }

  /// A number, or the index of the argument that has it.
  constexpr int parse_count(int none, int& argument) {
    if (is_digit()) return parse_number();
    if (accept('{')) {
      argument = parse_index('}', '}');
      if (!is_integer(kind_of(argument)))
        fail(format_mistake::width_or_precision_must_be_an_integer);
      ++at_;
    }
    return none;
  }

  constexpr void check_type(arg_kind kind, char type) const {
    constexpr std::string_view integer = "dxXoBb";
    std::string_view allowed;
    std::string_view more;
    if (is_float(kind)) {
      allowed = "aAeEfFgG";
    } else if (kind == arg_kind::text) {
      allowed = "s?";
    } else if (kind == arg_kind::pointer) {
      allowed = "p";
    } else if (kind != arg_kind::time) {
      allowed = integer;
      more = kind == arg_kind::boolean ? "s" : kind == arg_kind::character ? "c?" : "c";
    }
    if (allowed.find(type) == std::string_view::npos && more.find(type) == std::string_view::npos)
      fail(format_mistake::invalid_type_for_this_argument);
  }

  static constexpr alignment align_of(char c) {
    return c == '<'   ? alignment::left
           : c == '>' ? alignment::right
           : c == '^' ? alignment::center
                      : alignment::none;
  }

  /// Bytes of the UTF-8 code point that starts with `lead`.
  static constexpr std::size_t code_point_size(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0xC0 || byte >= 0xF8 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  }

  std::string_view text_;
  const arg_kind* kinds_;
  std::size_t count_;
  std::size_t at_ = 0;
  int next_index_ = 0;  // -1 after an index was given explicitly
};

}  // namespace detail
}  // namespace v0
}  // namespace leat

// --- include/leat/format.hpp


// --- include/leat/detail/time_stamp.hpp
// A time in one form for all units, as the writers take it.


#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A point in time of the system's clock.
struct time_stamp {
  static constexpr std::uint32_t date_only = 10;
  static constexpr std::uint32_t local = 16;

  std::int64_t seconds;    ///< since 1970, in UTC
  std::uint32_t fraction;  ///< of a second
  std::uint32_t decimals;  ///< number of decimals of the fraction, 0 to 9; or date_only; + local
};

template <class T>
inline constexpr bool is_time = false;
template <class Duration>
inline constexpr bool is_time<std::chrono::time_point<std::chrono::system_clock, Duration>> =
    std::is_integral_v<typename Duration::rep>;

/// What is printed as a time already, as leat::stamp is.
template <class T>
concept stamped = requires(const T& value) {
  { value.parts() } noexcept -> std::same_as<const time_stamp&>;
};

/// How many decimals a second has in units of 1/`den`: as std::chrono::hh_mm_ss, but at most 9.
consteval unsigned decimals_of(std::intmax_t den) {
  std::intmax_t power = 1;
  for (unsigned n = 0; n <= 9; ++n, power *= 10)
    if (power % den == 0) return n;
  return 1'000'000'000'000'000'000 % den == 0 ? 9 : 6;
}

template <class Duration>
[[gnu::always_inline]] inline time_stamp stamp_of(
    const std::chrono::time_point<std::chrono::system_clock, Duration>& time) noexcept {
  using period = typename Duration::period;
  const auto count = static_cast<std::int64_t>(time.time_since_epoch().count());
  if constexpr (period::den == 1) {  // seconds or longer; what int64_t can't hold is the far end
    const bool is_date = period::num % 86400 == 0;
    std::int64_t all;
    if (__builtin_mul_overflow(count, std::int64_t{period::num}, &all))
      all = (std::numeric_limits<std::int64_t>::max)() ^ (count >> 63);
    return {all, 0, is_date ? time_stamp::date_only : 0};
  } else {
    constexpr unsigned decimals = decimals_of(period::den);
    constexpr auto units = [] {
      std::intmax_t power = 1;
      for (unsigned i = 0; i != decimals; ++i) power *= 10;
      return power;
    }();
    using fractions = std::chrono::duration<std::int64_t, std::ratio<1, units>>;
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    const auto fraction = std::chrono::duration_cast<fractions>(time - whole);
    return {whole.time_since_epoch().count(), static_cast<std::uint32_t>(fraction.count()),
            decimals};
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

// --- include/leat/format.hpp

namespace leat {
inline namespace v0 {

/// A format string that is known only at run time. If it is wrong, print throws format_error and
/// writes nothing.
struct runtime_format {
  std::string_view text;
};
inline runtime_format runtime(std::string_view text) noexcept { return {text}; }

namespace detail {

// Without `__extension__` a pedantic compiler says that ISO C++ has no such types.
__extension__ typedef __int128 int128;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using)

// The kinds of values

template <class T>
inline constexpr bool is_standard_string = false;
template <class Traits, class Allocator>
inline constexpr bool is_standard_string<std::basic_string<char, Traits, Allocator>> = true;
template <class Traits>
inline constexpr bool is_standard_string<std::basic_string_view<char, Traits>> = true;

template <class T>
inline constexpr bool is_text =
    std::is_same_v<T, const char*> || std::is_same_v<T, char*> || is_standard_string<T> ||
    (std::is_array_v<T> && std::is_same_v<std::remove_cv_t<std::remove_extent_t<T>>, char>);

template <class T>
inline constexpr bool is_wide_character =
    std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> || std::is_same_v<T, char16_t> ||
    std::is_same_v<T, char32_t>;

/// An enumeration that is an integer, and that has no format of its own.
template <class T>
concept plain_enum =
    std::is_enum_v<T> && std::is_convertible_v<T, std::underlying_type_t<T>> && !has_format<T>;

/// The native type that a value of type T is printed as: the number in a `little` or `big`, the
/// integer of an unscoped enumeration. Else T.
template <class T>
struct held_by {
  using type = T;
};
template <class T, std::endian Order>
struct held_by<stored<T, Order>> {
  using type = T;
};
template <plain_enum T>
struct held_by<T> {
  using type = std::underlying_type_t<T>;
};
template <class T>
using held = typename held_by<T>::type;
/// T is printed as another type.
template <class T>
concept holder = !std::same_as<held<T>, T>;

/// The kind of argument that a T (without reference and cv) is.
template <class T>
consteval arg_kind kind_of() {
  if constexpr (holder<T>) {
    return kind_of<held<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return arg_kind::boolean;
  } else if constexpr (std::is_same_v<T, char>) {
    return arg_kind::character;
  } else if constexpr (std::is_same_v<T, int128>) {  // is_integral: false with -std=c++20
    return arg_kind::signed_128;
  } else if constexpr (std::is_same_v<T, uint128>) {
    return arg_kind::unsigned_128;
  } else if constexpr (std::is_integral_v<T> && !is_wide_character<T>) {
    return std::is_signed_v<T> ? arg_kind::signed_64 : arg_kind::unsigned_64;
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return arg_kind::unsigned_64;
  } else if constexpr (std::is_same_v<T, float>) {
    return arg_kind::float_32;
  } else if constexpr (std::is_same_v<T, double>) {
    return arg_kind::float_64;
  } else if constexpr (std::is_same_v<T, long double>) {
    return arg_kind::float_80;
  } else if constexpr (is_text<T>) {
    return arg_kind::text;
  } else if constexpr (std::is_same_v<T, std::error_code>) {
    return arg_kind::error_code;
  } else if constexpr (is_time<T> || std::is_same_v<T, time_stamp> || stamped<T>) {
    return arg_kind::time;
  } else if constexpr (std::is_same_v<T, void*> || std::is_same_v<T, const void*> ||
                       std::is_same_v<T, std::nullptr_t>) {
    return arg_kind::pointer;
  } else {
    return arg_kind::custom;
  }
}

template <class... T>
inline constexpr bool has_custom = (0 + ... + int{kind_of<T>() == arg_kind::custom}) != 0;

inline std::string_view text_of(const char* text) {
  if (text == nullptr) [[unlikely]]
    throw_format_error("the argument is a null pointer, not a string", format_error::no_position);
  return text;
}

/// An argument as the number and text writers take it: the widest type of its kind.
template <class T>
[[gnu::always_inline]] inline auto value_of(const T& arg) {
  if constexpr (holder<T>)
    return value_of<held<T>>(arg);
  else if constexpr (std::is_same_v<T, std::byte>)
    return static_cast<unsigned>(arg);
  else if constexpr (std::is_same_v<T, std::nullptr_t>)
    return static_cast<const void*>(nullptr);
  else if constexpr (std::is_same_v<T, void*>)
    return static_cast<const void*>(arg);
  else if constexpr (is_standard_string<T>)
    return std::string_view(arg.data(), arg.size());
  else if constexpr (is_text<T>)
    return text_of(arg);
  else if constexpr (std::is_same_v<T, std::error_code>)
    return &arg;
  else if constexpr (is_time<T>)
    return stamp_of(arg);
  else if constexpr (stamped<T>)
    return arg.parts();
  else if constexpr (kind_of<T>() == arg_kind::signed_64)
    return std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>{arg};
  else if constexpr (kind_of<T>() == arg_kind::unsigned_64)
    return std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>{arg};
  else
    return arg;
}

template <class T>
  requires std::is_scalar_v<T>
[[gnu::always_inline]] inline auto value_of(const volatile T& arg) {
  const T value = arg;
  return value_of(value);
}

/// As value_of, but a C string stays a pointer, which outlined() measures out of line.
template <class T>
[[gnu::always_inline]] inline auto unmeasured(T& arg) {
  using type = std::remove_cv_t<T>;
  if constexpr (is_text<type> && !is_standard_string<type>)
    return static_cast<const char*>(arg);
  else
    return value_of(arg);
}
template <class T>
T outlined(T value) noexcept {
  return value;
}
inline std::string_view outlined(const char* text) { return text_of(text); }

/// An argument with its kind, for the interpreter.
struct any_value {
  arg_kind kind;
  union {
    bool boolean;
    char character;
    std::int64_t signed_64;
    std::uint64_t unsigned_64;
    int128 signed_128;
    uint128 unsigned_128;
    float float_32;
    double float_64;
    long double float_80;
    std::string_view text;
    const void* pointer;
    const std::error_code* error_code;
    time_stamp time;
  };

  any_value(bool v) noexcept : kind(arg_kind::boolean), boolean(v) {}
  any_value(char v) noexcept : kind(arg_kind::character), character(v) {}
  template <std::signed_integral T>
  any_value(T v) noexcept : kind(arg_kind::signed_64), signed_64(v) {}
  template <std::unsigned_integral T>
  any_value(T v) noexcept : kind(arg_kind::unsigned_64), unsigned_64(v) {}
  any_value(int128 v) noexcept : kind(arg_kind::signed_128), signed_128(v) {}
  any_value(uint128 v) noexcept : kind(arg_kind::unsigned_128), unsigned_128(v) {}
  any_value(float v) noexcept : kind(arg_kind::float_32), float_32(v) {}
  any_value(double v) noexcept : kind(arg_kind::float_64), float_64(v) {}
  any_value(long double v) noexcept : kind(arg_kind::float_80), float_80(v) {}
  any_value(std::string_view v) noexcept : kind(arg_kind::text), text(v) {}
  any_value(const void* v) noexcept : kind(arg_kind::pointer), pointer(v) {}
  any_value(const std::error_code* v) noexcept : kind(arg_kind::error_code), error_code(v) {}
  any_value(time_stamp v) noexcept : kind(arg_kind::time), time(v) {}
};

// The writers. Each writes at `to`, where there must be room for max_size() + 16 bytes (that of a
// text: for copy_room), and returns the end of what it wrote.

LEAT_API char* write_value(char* to, std::uint32_t value) noexcept;
LEAT_API char* write_value(char* to, std::int32_t value) noexcept;
LEAT_API char* write_value(char* to, std::uint64_t value) noexcept;
LEAT_API char* write_value(char* to, std::int64_t value) noexcept;
LEAT_API char* write_value(char* to, uint128 value) noexcept;
LEAT_API char* write_value(char* to, int128 value) noexcept;
LEAT_API char* write_value(char* to, float value) noexcept;
LEAT_API char* write_value(char* to, double value) noexcept;
LEAT_API char* write_value(char* to, long double value) noexcept;
LEAT_API char* write_value(char* to, const void* value) noexcept;
LEAT_API char* write_value(char* to, const std::error_code* value) noexcept;
LEAT_API char* write_value(char* to, time_stamp value) noexcept;
/// The same with a specification: `counts` and `marks` are the two words of a packed_spec.
template <class T>
LEAT_API char* write_specified(char* to, T value, std::uint64_t counts, std::uint64_t marks);
/// Declared, so that the compiler does not make a second specialisation.
template <>
LEAT_API char* write_specified(char* to, double value, std::uint64_t counts, std::uint64_t marks);

/// The widest type for integers; other types stay as they are.
template <class T>
using widest =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t,
                       std::conditional_t<std::is_same_v<T, std::uint32_t>, std::uint64_t, T>>;

inline char* write_value(char* to, bool value) noexcept {
  std::memcpy(to, value ? "true" : "false", 5);
  return to + (value ? 4 : 5);
}
inline char* write_value(char* to, char value) noexcept {
  *to = value;
  return to + 1;
}
[[gnu::always_inline]] inline char* write_value(char* to, std::string_view value) noexcept {
  return copy_with_room(to, value.data(), value.size());
}

/// A native argument of a call that goes through `formatting`, where leat writes it all the same.
struct custom_native {
  any_value value;
};

/// {fmt} writes what leat writes, except for error codes and times: for these it needs headers that
/// depend on its version. The standard library writes other texts of floating-point numbers, and
/// leat asks it for integers only.
template <class T>
inline constexpr bool stays_native =
    kind_of<T>() == arg_kind::error_code || kind_of<T>() == arg_kind::time ||
    (LEAT_FORMAT_STD && kind_of<T>() != arg_kind::signed_64 &&
     kind_of<T>() != arg_kind::unsigned_64 && kind_of<T>() != arg_kind::custom);

/// Writes the field of a native value. `spec` is what stands behind the colon; `counts` are the
/// values of the arguments that it names.
LEAT_API std::string format_field(const any_value& value, std::string_view spec,
                                  const long long* counts);

/// An argument in the form that `formatting` takes.
template <class T>
[[gnu::always_inline]] inline decltype(auto) custom_argument(T& arg) {
  if constexpr (stays_native<std::remove_cv_t<T>>)
    return custom_native{value_of(arg)};
  else if constexpr (holder<std::remove_cv_t<T>>)
    return held<std::remove_cv_t<T>>{arg};
  else if constexpr (std::is_same_v<std::remove_cv_t<T>, std::byte>)
    return static_cast<unsigned char>(arg);
  else
    return (arg);
}
template <class T>
using custom_type = std::remove_cvref_t<decltype(custom_argument(std::declval<T&>()))>;

/// A T that is not native has a formatter.
template <class T>
consteval void check_argument() {
  if constexpr (kind_of<T>() == arg_kind::custom) check_formatter<T>();
}

/// Calls use(formatting::format_args) with all arguments.
template <class Use, class... Args>
inline decltype(auto) with_custom_args(const Use& use, Args&&... args) {
  (check_argument<std::remove_cvref_t<Args>>(), ...);
  return use(formatting::make_format_args(args...));
}

inline std::size_t text_size(std::string_view value) noexcept { return value.size(); }
inline std::size_t text_size(const std::error_code* value) noexcept {
  return std::strlen(value->category().name());
}
template <class T>
std::size_t text_size(const T&) noexcept {
  return 0;
}

/// Memory for the output of a call that can't be formatted in the window. Null if `size` is too
/// large for it, or if it is in use. It belongs to the thread and is valid until the thread's next
/// call.
LEAT_API char* scratch(std::size_t size) noexcept;

/// Interprets a format string.
LEAT_API std::string vformat(std::string_view format, const any_value* args, std::size_t count);
/// Throws format_error where the constructor of a format string would not compile.
LEAT_API void check_format(std::string_view format, const arg_kind* kinds, std::size_t count);
/// Formats through `formatting`. Its format_error becomes leat's.
LEAT_API std::string vformat_custom(std::string_view format, formatting::format_args args);

/// A literal between two fields. Up to 16 bytes are held here, so that one store of fixed size
/// writes them. Longer ones are copied from the format string.
struct literal_piece {
  static constexpr std::size_t held = 16;
  char bytes[held]{};
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

}  // namespace detail

/// The compiled form of a format string for arguments of types Args (without reference and cv). It
/// is constructed from a literal or another constant. If the string is wrong it does not compile:
/// the compiler names a function of leat::format_mistake, whose name says what is wrong.
template <class... Args>
class basic_format_string {
  static constexpr bool custom = detail::has_custom<Args...>;
  static constexpr std::size_t count = sizeof...(Args);

 public:
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  consteval basic_format_string(const Text& literal)
      : text_(std::string_view(literal).data()), text_size_(std::string_view(literal).size()) {
    if constexpr (custom) {
      (detail::check_argument<detail::custom_type<Args>>(), ...);
      // What leat refuses of its own types, as 'L', is refused beside other types too.
      constexpr detail::arg_kind kinds[] = {detail::kind_of<Args>()...};
      detail::format_parser parser(text(), kinds, count);
      for (detail::segment next; parser.next(next);) continue;
      static_cast<void>(detail::formatting::format_string<detail::custom_type<Args>...>(
          detail::formatting::string_view(text_, text_size_)));
    } else {
      compile();
    }
  }

  constexpr std::string_view text() const noexcept { return {text_, text_size_}; }

 private:
  friend struct format_access;

  consteval void compile() {
    constexpr detail::arg_kind kinds[count + 1] = {detail::kind_of<Args>()...,
                                                   detail::arg_kind::custom};
    detail::format_parser parser(text(), kinds, count);
    detail::segment next;
    std::size_t fields = 0;
    detail::literal_piece piece;
    bool whole = true;  // false once an escape, "{{" or "}}", interrupts the run
    compiled_ = true;
    std::uint64_t size = 0;
    while (parser.next(next)) {
      if (next.literal_end != next.literal_begin) {
        whole = whole && (piece.size == 0 || piece.begin + piece.size == next.literal_begin);
        if (piece.size == 0) piece.begin = static_cast<std::uint32_t>(next.literal_begin);
        for (std::size_t i = next.literal_begin; i != next.literal_end; ++i, ++piece.size)
          if (piece.size < detail::literal_piece::held) piece.bytes[piece.size] = text_[i];
      }
      if (next.is_field) {
        compiled_ = compiled_ && next.arg == static_cast<int>(fields) && fields < count &&
                    next.is_static() && !next.spec.exotic &&
                    (whole || piece.size <= detail::literal_piece::held);
        if (fields < count) {
          literals_[fields] = piece;
          plain_[fields] = next.spec.plain;
          specs_[fields] = detail::packed_spec(next.spec);
          size += piece.size + detail::max_size(kinds[fields], next.spec);
        }
        ++fields;
        piece = {};
        whole = true;
      }
    }
    compiled_ =
        compiled_ && fields == count && (whole || piece.size <= detail::literal_piece::held);
    literals_[count] = piece;
    size += piece.size;
    compiled_ = compiled_ && size < max_compiled_size;
    size_ = static_cast<std::uint32_t>(size);
  }

  // A larger size isn't worth the room that each call would need.
  static constexpr std::uint64_t max_compiled_size = 4096;

  // Only scalars and arrays of scalars: if GCC copies a part of an object, it keeps the whole
  // object.
  const char* text_;
  std::size_t text_size_;
  bool compiled_ = false;
  std::uint32_t size_ = 0;  // the most bytes that a call writes, without text arguments
  detail::literal_piece literals_[custom ? 1 : count + 1]{};
  bool plain_[custom || count == 0 ? 1 : count]{};
  detail::packed_spec specs_[custom || count == 0 ? 1 : count]{};
};

/// Access for print and format to the parts of a format string.
struct format_access {
  template <class Format>
  [[gnu::always_inline]] static constexpr bool is_compiled(const Format& f) noexcept {
    return f.compiled_;
  }

  template <class Format, class... Values>
  [[gnu::always_inline]] static std::size_t max_size(const Format& f, const Values&... values) {
    // The store of a literal or a text may reach this far beyond its end.
    constexpr bool has_text = (false || ... || std::is_same_v<Values, std::string_view>);
    constexpr std::size_t room = has_text ? detail::copy_room : detail::literal_piece::held;
    return f.size_ + (room + ... + detail::text_size(values));
  }

  template <class Format>
  [[gnu::always_inline]] static char* put_literal(const Format& f, std::size_t i, char* to) {
    const detail::literal_piece& piece = f.literals_[i];
    if (piece.size > detail::literal_piece::held)
      std::memcpy(to, f.text_ + piece.begin, piece.size);
    else if (piece.size > 8)
      std::memcpy(to, piece.bytes, detail::literal_piece::held);
    else if (piece.size > 1)
      std::memcpy(to, piece.bytes, 8);
    else if (piece.size == 1)
      *to = piece.bytes[0];
    return to + piece.size;
  }

  template <class Format, class Value>
  [[gnu::always_inline]] static char* put_field(const Format& f, std::size_t i, char* to,
                                                const Value& value) {
    to = put_literal(f, i, to);
    if (f.plain_[i]) return detail::write_value(to, value);
    if constexpr (std::is_same_v<Value, const std::error_code*>)
      return to;  // takes no specification
    else
      return detail::write_specified<detail::widest<Value>>(to, value, f.specs_[i].counts,
                                                            f.specs_[i].marks);
  }

  /// Writes all pieces at `to`, where there must be room for max_size().
  template <class Format, class... Values>
  [[gnu::always_inline]] static char* write_fields(const Format& f, char* to,
                                                   const Values&... values) {
    std::size_t i = 0;
    ((to = put_field(f, i, to, values), ++i), ...);
    return put_literal(f, sizeof...(Values), to);
  }

  template <class Format, class... Values>
  [[gnu::always_inline]] static std::string format(const Format& f, const Values&... values) {
    if (f.compiled_) [[likely]] {
      if (char* const begin = detail::scratch(max_size(f, values...)))
        return std::string(begin, write_fields(f, begin, values...));
    }
    return vformat(f.text(), values...);
  }

  template <class... Values>
  static std::string vformat(std::string_view text, Values... values) {
    const detail::any_value args[sizeof...(Values) + 1] = {
        detail::any_value(detail::outlined(values))..., false};
    return detail::vformat(text, args, sizeof...(Values));
  }
};

namespace detail {

/// As with_custom_args, for a format that nobody has checked yet.
template <class Use, class... Args>
inline decltype(auto) with_runtime_args(std::string_view format, const Use& use, Args&... args) {
  constexpr arg_kind kinds[] = {kind_of<std::remove_cv_t<Args>>()...};
  check_format(format, kinds, sizeof...(Args));
  return with_custom_args(use, custom_argument(args)...);
}

template <class... Args>
std::string format_runtime(std::string_view format, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    return with_runtime_args(
        format, [&](formatting::format_args all) { return vformat_custom(format, all); }, args...);
  else
    return format_access::vformat(format, value_of(args)...);
}

}  // namespace detail

/// The formatted text as a string.
template <class... Args>
[[gnu::always_inline, nodiscard]] inline std::string format(format_string<Args...> format,
                                                            Args&&... args) {
  if constexpr (detail::has_custom<std::remove_cvref_t<Args>...>)
    return detail::with_custom_args(
        [&](detail::formatting::format_args all) {
          return detail::vformat_custom(format.text(), all);
        },
        detail::custom_argument(args)...);
  else
#if defined(__OPTIMIZE_SIZE__)
    return format_access::vformat(format.text(), detail::unmeasured(args)...);
#else
    return format_access::format(format, detail::value_of(args)...);
#endif
}

template <class... Args>
[[nodiscard]] std::string format(runtime_format format, Args&&... args) {
  return detail::format_runtime(format.text, args...);
}

}  // namespace v0
}  // namespace leat

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

template <>
struct leat::detail::formatting::formatter<leat::detail::custom_native> {
  // What the namespace numbers its arguments with.
  using id = std::conditional_t<LEAT_FORMAT_FMT, int, std::size_t>;

  // leat's own parser has checked it. A width and a precision may be the values of arguments.
  std::string_view spec;
  id ids[2] = {};
  int count = 0;

  template <class Context>
  constexpr auto parse(Context& context) {
    const auto begin = context.begin();
    auto at = begin;
    for (; at != context.end() && *at != '}'; ++at)
      if (*at == '{') ids[count++] = parse_id(context, ++at);
    if (at != begin) spec = {&*begin, static_cast<std::size_t>(at - begin)};
    return at;
  }

  template <class Context>
  auto format(const leat::detail::custom_native& native, Context& context) const {
    long long counts[2] = {};
    for (int i = 0; i != count; ++i) counts[i] = leat::detail::integer_of(context.arg(ids[i]));
    auto out = context.out();
    for (const char c : leat::detail::format_field(native.value, spec, counts)) *out++ = c;
    return out;
  }

 private:
  template <class Context, class Iterator>
  static constexpr id parse_id(Context& context, Iterator& at) {
    if (*at == '}') return context.next_arg_id();
    id number = 0;
    for (; *at != '}'; ++at) number = 10 * number + static_cast<id>(*at - '0');
    context.check_arg_id(number);
    return number;
  }
};

#endif

// --- include/leat/leat.hpp


// --- include/leat/iostream.hpp
// std::ostream and std::istream over leat's streams, for code that needs the standard types.


#include <istream>
#include <ostream>
#include <streambuf>

namespace leat {
inline namespace v0 {

/// A std::ostream over a writer, which must outlive it. It has no buffer of its own, so bytes
/// written to the writer and to the ostream keep their order. badbit is set once the writer has
/// failed.
///
///     auto file = leat::create("points.txt");
///     leat::ostream(file) << point << '\n';
class LEAT_API ostream final : public std::ostream {
 public:
  explicit ostream(writer& target);
  ~ostream() override;

 private:
  class LEAT_API buffer final : public std::streambuf {
   public:
    explicit buffer(writer& target) : target_(&target) {}

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

   private:
    bool failed() const noexcept;

    writer* target_;
  };

  buffer buffer_;
};

/// A std::istream over a reader, which must outlive it. It has no buffer of its own: it reads the
/// reader's window. While the istream is in use, the reader's position may be smaller than the
/// istream's. sync(), a seek and the destructor move the reader to the istream's position. badbit
/// is set after a failed read.
///
///     auto file = leat::open("points.txt");
///     leat::istream in(file);
///     in >> point;
class LEAT_API istream final : public std::istream {
 public:
  explicit istream(reader& from);
  ~istream() override;

 private:
  class LEAT_API buffer final : public std::streambuf {
   public:
    explicit buffer(reader& from) : from_(&from) {}
    ~buffer() override { give_back(); }

   protected:
    int_type underflow() override;
    int_type pbackfail(int_type c) override;
    std::streamsize xsgetn(char* into, std::streamsize size) override;
    std::streamsize showmanyc() override;
    int sync() override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

   private:
    void give_back() noexcept;

    reader* from_;
  };

  buffer buffer_;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/journal.hpp
// Journals: files of records to which records are added, and which survive torn tails and bit rot.
// docs/journals.md has the format.


#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

namespace detail {
class journal_core;
class journal_scan;
}  // namespace detail

/// A record of a journal.
struct journal_record {
  std::uint64_t position = 0;  ///< where it begins, in bytes from the start of the file
  std::string_view bytes;
  std::uint8_t kind = 0;  ///< as the program has said
};

/// How a journal is opened to write. Each member has a default: name only those that you change.
struct journal_options {
  /// process: a killed process loses no record whose append has returned. system: flush and close
  /// return when all records survive a crash of the machine, and so does the opening of a new
  /// journal; sync does at every level. See leat::durability.
  leat::durability durability = leat::durability::none;
  /// When records go to the file: when the window is `full`, or after each `call`. `line` is the
  /// same as `call`.
  leat::flush_when flush = leat::flush_when::full;
  std::size_t buffer_size = 0;                  ///< as in create_options
  std::chrono::milliseconds flush_interval{0};  ///< as in create_options
  bool background = false;                      ///< as in create_options
  std::uint64_t preallocate = 0;                ///< as in create_options
  unsigned permissions = 0666;                  ///< as in create_options
};

/// How a journal is read.
struct journal_read_options {
  /// Damage is an error (errc::damaged). Otherwise it is passed over, and damage() tells.
  bool strict = false;
  /// Also the records that a writer with durability::process keeps beside the file; as in
  /// open_options.
  bool live = false;
  /// How gather() visits the file, and whether the path may be an address or compressed.
  access_options access = {};
};

/// What a reader has passed over because it is not as it was written.
struct journal_damage {
  std::uint64_t places = 0;  ///< runs of damaged bytes
  std::uint64_t bytes = 0;   ///< all of their bytes
  /// Where they lie; of more than 1000 the first ones.
  std::vector<byte_range> list;
};

/// A file of records to which records are added. It can be moved. The destructor closes it, but
/// only close() reports whether all went well.
///
/// One journal has one writer at a time: it holds a lock on the file, and a second writer, in this
/// or another program, fails with device_or_resource_busy. Readers need no lock.
///
/// Opening a journal reads its end. A torn tail, as a kill or a crash leaves it, is cut there: the
/// bytes behind the last whole record. Damage that has a whole record behind it stays, and readers
/// pass over it.
///
/// The first failure is kept, as by a writer: later records are dropped and counted. append, flush,
/// sync and close tell of it, as leat::io_error or in a last argument `std::error_code&`. To go on,
/// for example after a full disk, close the journal and open it again.
///
///     auto log = leat::journal::open("orders");
///     const std::uint64_t place = log.append(order);
///     log.sync();                                   // now the customer may be told
///     for (auto record : leat::journal_reader::open("orders")) restore(record.bytes);
///
/// @par Threads
/// Several may use it at once. Threads that sync at the same time share one sync of the disk. In a
/// forked child it takes no records (operation_not_supported): the journal is the parent's.
class LEAT_API [[nodiscard]] journal {
 public:
  /// A closed journal.
  journal() noexcept;
  /// Over any device that has positions, which it owns; `name` is for messages. An empty device
  /// becomes a journal. No lock is taken.
  explicit journal(std::unique_ptr<device> on, const journal_options& how = {},
                   std::string_view name = "<device>");
  journal(journal&& other) noexcept;
  journal& operator=(journal&& other) noexcept;
  ~journal();

  /// Opens a journal, and makes it if the file does not exist or is empty. errc::bad_journal: the
  /// file is something else, or of a later version.
  static journal open(path_ref path, const journal_options& how = {});
  static journal open(path_ref path, const journal_options& how, std::error_code& ec);
  static journal open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// Cuts a torn tail, as opening does, and nothing else. Bytes that a killed process has left
  /// beside the file go into it first. Returns how many bytes were cut. The file must exist, and
  /// have no writer.
  static std::uint64_t recover(path_ref path);
  static std::uint64_t recover(path_ref path, std::error_code& ec);

  /// False if the journal is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return core_ != nullptr; }

  /// Adds a record, of any bytes and also of none. Returns its position, by which read_at() and
  /// gather() find it; positions grow from record to record. The bytes may wait in the window.
  /// `kind` is stored with the record, for the program to tell kinds apart.
  std::uint64_t append(std::string_view bytes, std::uint8_t kind = 0);
  std::uint64_t append(std::string_view bytes, std::uint8_t kind, std::error_code& ec) noexcept;
  std::uint64_t append(std::string_view bytes, std::error_code& ec) noexcept {
    return append(bytes, 0, ec);
  }
  std::uint64_t append(std::span<const std::byte> bytes, std::uint8_t kind = 0) {
    return append(text(bytes), kind);
  }
  std::uint64_t append(std::span<const std::byte> bytes, std::uint8_t kind,
                       std::error_code& ec) noexcept {
    return append(text(bytes), kind, ec);
  }
  /// Adds records, with none of another thread between them. Where each append writes, this writes
  /// once for all, up to 256 KiB. After a kill the first ones may be there without the others; what
  /// has to come together belongs into one record. Returns their positions.
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind = 0);
  std::vector<std::uint64_t> append_all(std::span<const std::string_view> records,
                                        std::uint8_t kind, std::error_code& ec);

  /// Writes all records to the device, so that readers see them; with durability::system they also
  /// survive a crash of the machine.
  void flush();
  void flush(std::error_code& ec) noexcept;
  /// Returns when all records that were added before survive a crash of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Flushes and closes. Throws io_error if any record was lost.
  void close();
  void close(std::error_code& ec) noexcept;

  /// The record at a position that append() has returned. Flushes first if it may still be in the
  /// window. errc::no_such_record: no whole record begins there.
  std::string read_at(std::uint64_t position);
  std::string read_at(std::uint64_t position, std::error_code& ec);

  /// Where the last record ends, in bytes from the start of the file.
  std::uint64_t size() const noexcept;
  /// Bytes of a torn tail that opening has cut.
  std::uint64_t cut() const noexcept;
  /// The first failure so far, or a zero code. Bytes in the window may still fail.
  [[nodiscard]] std::error_code error() const noexcept;

 private:
  static std::string_view text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[noreturn]] void raise(const failure& what) const;

  std::unique_ptr<detail::journal_core> core_;  // null: closed
};

/// Reads a journal from start to end, or records at any position. It can be moved.
///
/// Damaged bytes are passed over, and damage() tells of them; no record is given that is not as it
/// was written. The end is where no whole record follows. So a torn tail, or a record that a live
/// writer has written in part, is the end, and next() goes on there once there is more.
///
/// @par Threads
/// One at a time; but several may call read_at() and gather() at once, also beside the others.
class LEAT_API [[nodiscard]] journal_reader {
 public:
  class iterator;

  /// A closed reader.
  journal_reader() noexcept;
  /// Over any device that has positions, which it owns; `name` is for messages.
  explicit journal_reader(std::unique_ptr<device> on, const journal_read_options& how = {},
                          std::string_view name = "<device>");
  journal_reader(journal_reader&& other) noexcept;
  journal_reader& operator=(journal_reader&& other) noexcept;
  ~journal_reader();

  /// Opens a journal to read. errc::bad_journal: the file is something else, or of a later version.
  /// An empty file is a journal without records.
  static journal_reader open(path_ref path, const journal_read_options& how = {});
  static journal_reader open(path_ref path, const journal_read_options& how, std::error_code& ec);
  static journal_reader open(path_ref path, std::error_code& ec) { return open(path, {}, ec); }

  /// False if the reader is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return scan_ != nullptr; }
  void close() noexcept;

  /// Takes the next record. False at the end. Its bytes are valid until the next call that is not
  /// const.
  bool next(journal_record& into);
  bool next(journal_record& into, std::error_code& ec);
  /// Goes to a position: the next record is the first one that begins there or behind it. It may be
  /// any number, so that a file can be divided into parts.
  void seek(std::uint64_t position) noexcept;
  /// Where next() goes on, in bytes from the start of the file.
  std::uint64_t tell() const noexcept;
  /// The records from here on: `for (auto record : reader)`.
  iterator begin() &;
  static std::default_sentinel_t end() noexcept { return {}; }

  /// What was passed over so far.
  const journal_damage& damage() const noexcept;
  /// At the end: the bytes behind the last whole record, which recover() would cut.
  std::uint64_t torn() const noexcept;

  /// The record at a position that append() has returned. errc::no_such_record: no whole record
  /// begins there. The last form also gives its kind.
  std::string read_at(std::uint64_t position) const;
  std::string read_at(std::uint64_t position, std::error_code& ec) const;
  std::string read_at(std::uint64_t position, std::uint8_t& kind, std::error_code& ec) const;
  /// Reads the records at these positions in one batch, by leat::file::read_ranges. Calls `each`
  /// once for each position, with its index in the list, in the order in which they come from the
  /// disk; with access_options::threads from several threads at once. errc::no_such_record: no
  /// whole record begins at one of them; others have been given.
  using visitor = std::function<void(std::size_t which, const journal_record& record)>;
  void gather(std::span<const std::uint64_t> positions, const visitor& each) const;
  void gather(std::span<const std::uint64_t> positions, const visitor& each,
              std::error_code& ec) const;

  /// The file under the records.
  const file& underlying() const noexcept;

 private:
  [[noreturn]] void raise(const failure& what) const;

  std::unique_ptr<detail::journal_scan> scan_;  // null: closed
};

/// The records of a reader, in one pass.
class journal_reader::iterator {
 public:
  using value_type = journal_record;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator(iterator&&) noexcept = default;
  iterator& operator=(iterator&&) noexcept = default;

  const journal_record& operator*() const noexcept { return now_; }
  const journal_record* operator->() const noexcept { return &now_; }
  iterator& operator++() {
    more_ = of_->next(now_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return !i.more_; }

 private:
  friend class journal_reader;
  explicit iterator(journal_reader& of) : of_(&of), more_(of.next(now_)) {}

  journal_reader* of_;
  journal_record now_;
  bool more_;
};

inline journal_reader::iterator journal_reader::begin() & { return iterator(*this); }

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/lock.hpp
// Locks on files, for processes that all use them.


#include <concepts>
#include <mutex>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Who else may hold a lock at the same time.
enum class lock_mode {
  shared,     ///< others may hold it too, as shared
  exclusive,  ///< nobody else holds it
};

/// A file_reader, file_writer, mapped_file or anything else with a descriptor.
template <class Stream>
concept has_native_handle = requires(const Stream& s) {
  { s.native_handle() } -> std::same_as<native_handle_type>;
};

/// Holds a lock on an open file until its destruction. It can be moved.
///
/// The lock is advisory: it only stops those who ask for a lock too, by flock(2) or the command
/// flock(1). It belongs to an opening of the file. For example, two streams that were opened one
/// after the other exclude each other, even in one process. All locks through one stream are the
/// same lock, and the first unlock() ends it. A forked child shares its parent's lock, which only
/// the parent can end.
///
/// Bytes in a writer's window are not in the file yet, so flush before the lock ends.
///
///     auto log = leat::append("log");
///     leat::file_lock guard(log, leat::lock_mode::exclusive);
///     log.print("one\n");
///     log.flush();
class LEAT_API [[nodiscard]] file_lock {
 public:
  /// Holds no lock.
  file_lock() noexcept = default;
  /// Waits for the lock. The file may be closed before the lock ends. Throws io_error.
  explicit file_lock(native_handle_type file, lock_mode mode = lock_mode::exclusive);
  file_lock(native_handle_type file, lock_mode mode, std::error_code& ec) noexcept;
  /// Does not wait; owns_lock() tells whether it has the lock. It is no error if somebody else has
  /// it.
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t);
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t,
            std::error_code& ec) noexcept;

  explicit file_lock(const has_native_handle auto& stream, lock_mode mode = lock_mode::exclusive)
      : file_lock(stream.native_handle(), mode) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, ec) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t wait)
      : file_lock(stream.native_handle(), mode, wait) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t wait,
            std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, wait, ec) {}

  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&& other) noexcept;
  ~file_lock();

  /// True while this object holds a lock.
  bool owns_lock() const noexcept { return file_ != no_handle; }
  explicit operator bool() const noexcept { return owns_lock(); }
  /// Ends the lock, even if it reports an error. Does nothing if there is no lock. Throws io_error.
  void unlock();
  void unlock(std::error_code& ec) noexcept;

 private:
  bool acquire(native_handle_type file, lock_mode mode, bool wait, std::error_code& ec) noexcept;

  native_handle_type file_ = no_handle;  // a duplicate: the program may close its own
  long process_ = 0;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/mapped_file.hpp
// A file as memory: all its bytes at once, and a reader over them.


#include <cstddef>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The `padding` of mapped_file. Windows can't map a page behind the end of a file.
#if defined(_WIN32)
inline constexpr std::size_t mapped_padding = 0;
#else
inline constexpr std::size_t mapped_padding = window_padding;
#endif

/// A file in memory, to read. Its window is the whole file. So lines(), find() and parse() copy
/// nothing, and a search touches no page behind its hit. It can be moved. The destructor closes it.
///
/// Pipes, files without a size as in /proc, and all files after guard_mappings(false) can't be
/// mapped; they are read into memory when they are opened. Such a copy does not change later, while
/// a mapping shows what others write to the file.
///
/// If another process makes the file shorter, the missing bytes read as zeros. The reader reports
/// this at the end of its window (errc::file_shrank, at the first missing byte), and so do error()
/// and close(). If the system fails to read a part of the file, this is reported in the same way,
/// with the system's error.
class LEAT_API [[nodiscard]] mapped_file final
    : public concrete_reader<mapped_file, mapped_padding> {
 public:
  /// A closed stream.
  mapped_file() noexcept;
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  /// All bytes of the file, at any position of the reader; valid until the stream is closed.
  /// Several threads may read them. If you read zero bytes, ask error() afterwards: they are in the
  /// file only if it is zero.
  std::string_view view() const noexcept { return view_; }

  /// False if the stream is closed, was moved from, or was never opened.
  bool is_open() const noexcept;
  /// The descriptor of the file, or no_handle. The mapping does not use its offset.
  native_handle_type native_handle() const noexcept;

 private:
  friend class mapping_source;
  std::string_view view_;
};

/// Opens a file and maps it. The first form throws io_error; the forms with `ec` set it and return
/// a closed stream.
///
///     auto text = leat::map_file("big.csv");
///     for (std::string_view line : text.lines()) use(line);
LEAT_API mapped_file map_file(path_ref path, const map_options& how = {});
LEAT_API mapped_file map_file(path_ref path, std::error_code& ec);
LEAT_API mapped_file map_file(path_ref path, const map_options& how, std::error_code& ec);

/// Turns mapping on or off and returns the previous setting. It is on at first.
///
/// If a mapped file shrinks, an access behind its end makes the system send SIGBUS. The first
/// map_file() installs a handler that puts zeros where bytes are missing, and passes all other
/// faults to the previous handler. A program that installs a handler later has to pass faults on to
/// leat's in the same way.
///
/// Off: the previous handler is restored, unless somebody has replaced leat's. From then on
/// map_file() reads files into memory. Existing mappings have no guard then.
LEAT_API bool guard_mappings(bool on) noexcept;

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/memory.hpp
// Streams over memory. The memory itself is the window; there is no second buffer.


#include <concepts>
#include <span>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {

/// Writes into memory of a fixed size that the caller owns. It keeps exactly the bytes that fit.
/// lost() counts the others, and flush and close report them (errc::memory_full). seek and patch
/// work within what was written. The bytes of the area behind the text are undefined. Nothing is
/// allocated.
class LEAT_API memory_writer final : public writer {
 public:
  /// Over memory that must outlive it.
  explicit memory_writer(std::span<char> area) noexcept;
  explicit memory_writer(std::span<std::byte> area) noexcept;
  memory_writer(memory_writer&& other) noexcept;
  memory_writer& operator=(memory_writer&& other) noexcept;
  ~memory_writer();

  /// The text written so far; valid as long as the area is.
  std::string_view view() const noexcept;
  /// Forgets the text and the count of lost bytes, and starts at the beginning. Unlike after
  /// seek(0), view() is empty then, and print may overwrite what lies behind the cursor.
  void clear() noexcept;

 private:
  friend class fixed_sink;
  template <class>
  friend class memory_sink;

  void take_all(memory_writer& other) noexcept;

  char* begin_ = nullptr;
  char* high_ = nullptr;   // the furthest byte that was written, kept by a seek backwards
  char* limit_ = nullptr;  // the end of the memory
  std::uint64_t lost_ = 0;
  std::uint64_t told_ = 0;
};

/// Writes into memory that grows as needed. If the memory runs out, the rest is dropped and
/// counted, and flush and close report it (not_enough_memory).
///
/// @par Time
/// In proportion to the bytes written: the memory doubles when it is full.
class LEAT_API string_writer final : public writer {
 public:
  /// Empty; the first byte allocates.
  string_writer() noexcept;
  string_writer(string_writer&& other) noexcept;
  string_writer& operator=(string_writer&& other) noexcept;
  ~string_writer();

  /// The text written so far; valid until the next call that writes. So don't write it to this
  /// writer.
  std::string_view view() const noexcept;
  /// Returns a copy of the text and starts at the beginning, also after close(). If bytes were lost
  /// and no call has reported it, the loss handler is called.
  std::string take();
  /// Forgets the text and keeps the memory.
  void clear() noexcept;

 private:
  friend class growing_sink;
  template <class>
  friend class memory_sink;

  void take_all(string_writer& other) noexcept;

  char* begin_ = nullptr;
  char* high_ = nullptr;
  char* limit_ = nullptr;
  std::uint64_t lost_ = 0;
  std::uint64_t told_ = 0;
};

/// Reads memory that the caller owns. There is no copy, and nothing is allocated.
class LEAT_API memory_reader final : public concrete_reader<memory_reader, 0> {
 public:
  /// Over text that must outlive it.
  explicit memory_reader(std::string_view text) noexcept;
  explicit memory_reader(std::span<const std::byte> bytes) noexcept;
  template <std::same_as<std::string> Text>
  explicit memory_reader(Text&&) LEAT_DELETED("a temporary is destroyed before it is read");
  memory_reader(memory_reader&& other) noexcept;
  memory_reader& operator=(memory_reader&& other) noexcept;
  ~memory_reader() = default;

 private:
  friend class memory_source;
  std::string_view text_;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/print.hpp
// Formatted output to writers; see <leat/format.hpp> for the grammar and how it is compiled.


#include <cstddef>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// Interprets a format string; `newline` adds "\n" at the end.
LEAT_API void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
                     bool newline);
/// Formats through `formatting`. Its format_error becomes leat's.
LEAT_API void vprint_custom(writer& to, std::string_view format, formatting::format_args args,
                            bool newline);

}  // namespace detail

/// Access for print to the window of a writer.
struct print_access {
  /// True if the output of each call must arrive in one write.
  LEAT_API static bool whole_calls(const writer& w) noexcept;

  /// Writes what is in the scratch memory. The memory counts as in use meanwhile, because the
  /// device may print too.
  [[gnu::cold]] LEAT_API static void write_scratch(writer& w, std::string_view bytes) noexcept;

  template <bool Newline, class Format, class... Values>
  [[gnu::always_inline]] static void print(writer& w, const Format& f, const Values&... values) {
    const bool compiled = format_access::is_compiled(f);
    const std::size_t size = format_access::max_size(f, values...) + Newline;
    char* begin = w.next_;
    if (!compiled || w.print_end_ - w.next_ < static_cast<std::ptrdiff_t>(size)) [[unlikely]] {
      begin = compiled ? detail::scratch(size) : nullptr;
      if (begin == nullptr) return interpret(w, f.text(), Newline, values...);
    }
    char* end = format_access::write_fields(f, begin, values...);
    if constexpr (Newline) *end++ = '\n';
    if (begin == w.next_) [[likely]]
      w.next_ = end;
    else
      write_scratch(w, {begin, static_cast<std::size_t>(end - begin)});
  }

  template <class... Values>
  [[gnu::cold, gnu::noinline]] static void interpret(writer& w, std::string_view text, bool newline,
                                                     Values... values) {
    const detail::any_value args[sizeof...(Values) + 1] = {
        detail::any_value(detail::outlined(values))..., false};
    detail::vprint(w, text, args, sizeof...(Values), newline);
  }
};

namespace detail {

template <bool Newline, class Format, class... Args>
[[gnu::always_inline]] inline void print(writer& w, const Format& format, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    with_custom_args(
        [&](formatting::format_args all) { vprint_custom(w, format.text(), all, Newline); },
        custom_argument(args)...);
  else
#if defined(__OPTIMIZE_SIZE__)  // -Os: the format is checked as ever, and interpreted at run time
    print_access::interpret(w, format.text(), Newline, unmeasured(args)...);
#else
    print_access::print<Newline>(w, format, value_of(args)...);
#endif
}

template <class... Args>
void print_runtime(writer& w, std::string_view format, bool newline, Args&... args) {
  if constexpr (has_custom<std::remove_cv_t<Args>...>)
    with_runtime_args(
        format, [&](formatting::format_args all) { vprint_custom(w, format, all, newline); },
        args...);
  else
    print_access::interpret(w, format, newline, value_of(args)...);
}

}  // namespace detail

template <class... Args>
[[gnu::always_inline]] inline void writer::print(format_string<Args...> format, Args&&... args) {
  detail::print<false>(*this, format, args...);
}

template <class... Args>
[[gnu::always_inline]] inline void writer::println(format_string<Args...> format, Args&&... args) {
  detail::print<true>(*this, format, args...);
}

template <class... Args>
void writer::print(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, false, args...);
}

template <class... Args>
void writer::println(runtime_format format, Args&&... args) {
  detail::print_runtime(*this, format.text, true, args...);
}

/// Prints to standard output: the same as leat::out.print(format, args...) and its like.
template <class... Args>
[[gnu::always_inline]] inline void print(format_string<Args...> format, Args&&... args) {
  detail::print<false>(out, format, args...);
}
template <class... Args>
void print(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, false, args...);
}
template <class... Args>
[[gnu::always_inline]] inline void println(format_string<Args...> format, Args&&... args) {
  detail::print<true>(out, format, args...);
}
template <class... Args>
void println(runtime_format format, Args&&... args) {
  detail::print_runtime(out, format.text, true, args...);
}
inline void println() { out.println(); }

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/records.hpp
// A file as an array of records: one at a time, in batches at any places, and in order.


#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {

/// How records lie in a file, and how they are visited.
struct records_options {
  std::uint64_t header = 0;  ///< bytes before the first record
  std::size_t stride = 0;  ///< bytes from the start of one record to the next: at least sizeof(T);
                           ///< 0: sizeof(T)
  access_options access = {};
};

/// A range of integers: numbers of records, in any order, with or without repeats.
template <class R>
concept places_range =
    std::ranges::input_range<R> && std::integral<std::ranges::range_value_t<R>> &&
    sizeof(std::ranges::range_value_t<R>) <= sizeof(std::uint64_t);

namespace detail {

/// Refers to the caller's integers if they lie in an array of 4 or 8 bytes each; else keeps a copy.
class places {
 public:
  template <places_range R>
  explicit places(R&& from) {
    using value = std::ranges::range_value_t<R>;
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                  !std::same_as<value, bool> && (sizeof(value) == 4 || sizeof(value) == 8)) {
      list_ = {std::ranges::data(from), std::ranges::size(from), kind<value>()};
    } else {
      // A negative number stays negative, so that a message says "position -3" and not a large
      // number.
      using wide = std::conditional_t<std::is_signed_v<value>, std::int64_t, std::uint64_t>;
      if constexpr (std::ranges::sized_range<R>) copy_.reserve(std::ranges::size(from));
      for (auto&& one : from) copy_.push_back(static_cast<std::uint64_t>(static_cast<wide>(one)));
      list_ = {copy_.data(), copy_.size(), kind<wide>()};
    }
  }
  places(const places&) = delete;
  places& operator=(const places&) = delete;

  place_list list() const noexcept { return list_; }

 private:
  template <class T>
  static constexpr place_list::kind kind() noexcept {
    if constexpr (sizeof(T) == 4)
      return std::is_signed_v<T> ? place_list::signed_32 : place_list::unsigned_32;
    else
      return std::is_signed_v<T> ? place_list::signed_64 : place_list::unsigned_64;
  }

  std::vector<std::uint64_t> copy_;
  place_list list_;
};

template <class T>
struct number_of {
  using type = T;
};
template <class T, std::endian Order>
struct number_of<stored<T, Order>> {
  using type = T;
};

}  // namespace detail

/// A file as an array of T. A part of a record at the end of the file does not count.
///
///     auto nodes = leat::records<std::int32_t>::open("graph.bin", leat::mode::update);
///     std::int32_t v = nodes[7];
///     nodes.gather(positions, values);
///     nodes.update(positions, [](std::int32_t& node) { ++node; });
///
/// If a position is not in the file, the error (errc::no_such_record) names it, and nothing is read
/// or changed. The same holds for lists of different lengths (invalid_argument). Each function
/// throws io_error, or takes a `std::error_code&` as its last argument and sets or clears that.
///
/// @par Time
/// A batch sorts its places in linear time, and makes one request for places that are near each
/// other; last_plan() tells how many there were. Reading or writing one record is one system call.
///
/// @par Threads
/// Several may use one object at once, to read and to change different records. While one calls
/// append or resize, no other may use the object.
template <class T>
class [[nodiscard]] records {
  static_assert(std::is_trivially_copyable_v<T>, "records are stored as the bytes they have");
  static_assert(!std::is_const_v<T>, "leat::mode says whether records may change");

 public:
  using value_type = T;
  /// What the functions that read one record return. A class is const, so that `nodes[7] = value`
  /// and `nodes[7].weight = 3`, which would change only a copy, do not compile.
  using result = std::conditional_t<std::is_scalar_v<T>, T, const T>;
  /// If T is little<number> or big<number>: the number, which gather can return as well. Else T.
  using number = typename detail::number_of<T>::type;

  /// Without a file.
  records() noexcept = default;
  /// Over an open file, which it owns then. Throws io_error.
  explicit records(file over, const records_options& how = {}) {
    if (const auto failed = take(over, how)) over.raise(failed);
  }

  /// Opens a file, which must exist unless the mode says otherwise.
  static records open(path_ref path, mode what = mode::read, const records_options& how = {}) {
    return records(file::open(path, what, how.access), how);
  }
  static records open(path_ref path, mode what, const records_options& how, std::error_code& ec) {
    return make(file::open(path, what, how.access, ec), how, ec);
  }
  static records open(path_ref path, mode what, std::error_code& ec) {
    return open(path, what, {}, ec);
  }
  static records open(path_ref path, std::error_code& ec) { return open(path, mode::read, {}, ec); }
  /// Makes an empty file, or empties an existing one. The first append fills a header with zeros.
  static records create(path_ref path, const records_options& how = {}) {
    return records(file::create(path, how.access), how);
  }
  static records create(path_ref path, const records_options& how, std::error_code& ec) {
    return make(file::create(path, how.access, ec), how, ec);
  }
  static records create(path_ref path, std::error_code& ec) { return create(path, {}, ec); }

  /// False without a file.
  bool is_open() const noexcept { return file_.is_open(); }
  /// As file::close: some file systems report an error of writing only now.
  void close() { file_.close(); }
  void close(std::error_code& ec) noexcept { file_.close(ec); }

  /// Records in the file when it was opened, and what this object has added since.
  std::size_t size() const noexcept { return static_cast<std::size_t>(layout_.count); }
  bool empty() const noexcept { return layout_.count == 0; }

  /// One record, by one read of the system.
  result operator[](std::uint64_t position) const { return get(position); }
  /// The same.
  result get(std::uint64_t position) const {
    T value;
    if (position >= layout_.count) refuse(position);
    file_.read_at(offset(position), bytes(value));
    return value;
  }
  result get(std::uint64_t position, std::error_code& ec) const noexcept {
    T value{};
    if (position >= layout_.count)
      ec = errc::no_such_record;
    else
      file_.read_at(offset(position), bytes(value), ec);
    return value;
  }
  /// Changes one record.
  void set(std::uint64_t position, const T& value) {
    if (position >= layout_.count) refuse(position);
    file_.write_at(offset(position), bytes(value));
  }
  void set(std::uint64_t position, const T& value, std::error_code& ec) noexcept {
    if (position >= layout_.count)
      ec = errc::no_such_record;
    else
      file_.write_at(offset(position), bytes(value), ec);
  }

  /// Adds records behind the last one: all of them, or none and an error. Only if what was written
  /// can't be cut off again either, size() counts the whole records that are in the file, and the
  /// error tells how many bytes are not.
  void append(const T& value) { append(std::span(&value, 1)); }
  void append(const T& value, std::error_code& ec) noexcept { append(std::span(&value, 1), ec); }
  void append(std::span<const T> values) { raise_if({append_quietly(values), {}}); }
  void append(std::span<const T> values, std::error_code& ec) noexcept {
    ec = append_quietly(values).code;
  }
  /// Makes the array this long; new records are zeros.
  void resize(std::uint64_t count) { raise_if({resize_quietly(count), {}}); }
  void resize(std::uint64_t count, std::error_code& ec) noexcept {
    ec = resize_quietly(count).code;
  }

  /// into[i] becomes the record at positions[i]. The two must not overlap.
  template <places_range R>
  void gather(R&& positions, std::span<T> into) const {
    raise_if(gather_quietly(positions, into));
  }
  template <places_range R>
  void gather(R&& positions, std::span<T> into, std::error_code& ec) const {
    ec = gather_quietly(positions, into).why.code;
  }
  /// The same, converted to numbers in the machine's byte order.
  template <places_range R>
    requires(!std::same_as<T, number>)
  void gather(R&& positions, std::span<number> into, std::error_code& ec) const {
    const std::span stored(reinterpret_cast<T*>(into.data()), into.size());
    gather(positions, stored, ec);
    for (std::size_t i = 0; !ec && i != into.size(); ++i) into[i] = stored[i];
  }
  template <places_range R>
    requires(!std::same_as<T, number>)
  void gather(R&& positions, std::span<number> into) const {
    const std::span stored(reinterpret_cast<T*>(into.data()), into.size());
    gather(positions, stored);
    for (std::size_t i = 0; i != into.size(); ++i) into[i] = stored[i];
  }
  template <places_range R>
    requires(!std::same_as<T, bool>)  // a vector of them has no bytes
  std::vector<T> gather(R&& positions) const {
    const detail::places places(positions);
    std::vector<T> into(places.list().size);
    raise_if(file_.gather(layout_, places.list(), reinterpret_cast<char*>(into.data())));
    return into;
  }

  /// The record at positions[i] becomes values[i]. If a position comes again, the last of its
  /// values stays. After an error some records are written and others are not. If another program
  /// has made the file shorter meanwhile, the file grows again.
  template <places_range R>
  void scatter(R&& positions, std::span<const T> values) {
    raise_if(scatter_quietly(positions, values));
  }
  template <places_range R>
  void scatter(R&& positions, std::span<const T> values, std::error_code& ec) {
    ec = scatter_quietly(positions, values).why.code;
  }

  /// Changes the records at these positions: reads, calls `each(T&)` or `each(T&, std::size_t
  /// index)` for positions[index], and writes back. Records come in any order. The occurrences of
  /// one record come in the caller's order, and each sees the change of the one before.
  ///
  /// If `each` throws, its record stays as it was; the changes before it are written, and then the
  /// exception is passed on. If they can't be written, or not made durable, the loss handler is
  /// called. After an error, records for which `each` has not been called are
  /// unchanged; other records may be unchanged too, if the range that holds them could not be
  /// written.
  template <places_range R, class F>
  void update(R&& positions, F&& each) {
    raise_if(update_quietly(positions, each));
  }
  template <places_range R, class F>
  void update(R&& positions, F&& each, std::error_code& ec) {
    ec = update_quietly(positions, each).why.code;
  }

  class iterator;
  /// The records in order: `for (T v : nodes)`. Reads the file from start to end, 128 KiB at a
  /// time. Each iterator makes one pass. A record is as it was in the file when it was read.
  iterator begin() const { return iterator(*this); }
  static std::default_sentinel_t end() noexcept { return {}; }

  /// Returns when all changes survive a crash of the machine.
  void sync() { file_.sync(); }
  void sync(std::error_code& ec) noexcept { file_.sync(ec); }
  /// How the last batch was carried out.
  batch_plan last_plan() const { return file_.last_plan(); }
  /// The file under the records.
  file& underlying() noexcept { return file_; }
  const file& underlying() const noexcept { return file_; }

 private:
  static records make(file over, const records_options& how, std::error_code& ec) {
    records made;
    if (!ec) ec = made.take(over, how).why.code;
    return made;
  }
  detail::batch_failure take(file& over, const records_options& how) {
    if (how.stride != 0 && how.stride < sizeof(T)) {
      return {{std::make_error_code(std::errc::invalid_argument), "open"},
              "a stride of " + std::to_string(how.stride) + " bytes, records of " +
                  std::to_string(sizeof(T))};
    }
    std::error_code ec;
    const std::uint64_t size = over.size(ec);
    if (ec) return {{ec, "tell the size of"}, {}};
    layout_ = {how.header, how.stride != 0 ? how.stride : sizeof(T), sizeof(T), 0};
    file_ = std::move(over);
    count_records(size);
    return {};
  }
  void count_records(std::uint64_t size) noexcept {
    const bool has_one = size >= sizeof(T) && layout_.header <= size - sizeof(T);
    layout_.count = has_one ? (size - sizeof(T) - layout_.header) / layout_.stride + 1 : 0;
  }

  /// True if a file can be so large that this many records fit.
  bool fits(std::uint64_t count) const noexcept {
    constexpr std::uint64_t most = (std::numeric_limits<std::int64_t>::max)();
    if (count == 0) return layout_.header <= most;
    const std::uint64_t stride = layout_.stride != 0 ? layout_.stride : 1;
    return layout_.header <= most - sizeof(T) &&
           count - 1 <= (most - sizeof(T) - layout_.header) / stride;
  }

  std::uint64_t offset(std::uint64_t position) const noexcept {
    return layout_.header + position * layout_.stride;
  }
  std::uint64_t end_of(std::uint64_t count) const noexcept {
    return count == 0 ? layout_.header : offset(count - 1) + sizeof(T);
  }
  static std::span<char> bytes(T& value) noexcept {
    return {reinterpret_cast<char*>(&value), sizeof value};
  }
  static std::string_view bytes(const T& value) noexcept {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  void raise_if(const detail::batch_failure& what) const {
    if (what) file_.raise(what);
  }
  [[noreturn]] void refuse(std::uint64_t position) const {
    file_.raise({{errc::no_such_record, "find"},
                 "position " + std::to_string(position) + " of " + std::to_string(layout_.count)});
  }

  template <class R>
  detail::batch_failure gather_quietly(R&& positions, std::span<T> into) const {
    const detail::places places(positions);
    if (auto wrong = different(places.list().size, into.size())) return wrong;
    return file_.gather(layout_, places.list(), reinterpret_cast<char*>(into.data()));
  }
  template <class R>
  detail::batch_failure scatter_quietly(R&& positions, std::span<const T> values) {
    const detail::places places(positions);
    if (auto wrong = different(places.list().size, values.size())) return wrong;
    return file_.scatter(layout_, places.list(), reinterpret_cast<const char*>(values.data()));
  }
  template <class R, class F>
  detail::batch_failure update_quietly(R&& positions, F& each) {
    const detail::places places(positions);
    const auto visitor = [](void* context, std::span<const detail::visit> visits) {
      auto& change = **static_cast<F**>(context);
      for (const auto& one : visits) {
        T value;
        std::memcpy(&value, one.record, sizeof value);
        if constexpr (std::invocable<F&, T&, std::size_t>)
          change(value, one.occurrence);
        else
          change(value);
        std::memcpy(one.record, &value, sizeof value);
      }
    };
    F* change = std::addressof(each);  // may be a function, which no void* points to
    return file_.update(layout_, places.list(), visitor, static_cast<void*>(&change));
  }
  static detail::batch_failure different(std::size_t positions, std::size_t values) {
    if (positions == values) return {};
    return {{std::make_error_code(std::errc::invalid_argument), "visit"},
            std::to_string(positions) + " positions, " + std::to_string(values) + " values"};
  }

  failure resize_quietly(std::uint64_t count) noexcept {
    std::error_code ec = file_.unchangeable();
    if (!ec && !fits(count)) ec = std::make_error_code(std::errc::file_too_large);
    if (ec) return {ec, "resize", end_of(count)};
    const std::uint64_t size = file_.size(ec);
    const std::uint64_t at = offset(layout_.count);
    // A part of a record at the end of the file is cut off first: the new record there must be
    // zeros.
    if (!ec && count > layout_.count && size > at && size - at < sizeof(T)) file_.resize(at, ec);
    if (!ec) file_.resize(end_of(count), ec);
    if (ec) return {ec, "resize", end_of(count)};
    layout_.count = count;
    return {};
  }
  failure append_quietly(std::span<const T> values) noexcept {
    const std::uint64_t at = offset(layout_.count);
    const failure refused{file_.unchangeable(), "write", at, values.size_bytes()};
    if (refused) return refused;
    if (values.size() > ~layout_.count || !fits(layout_.count + values.size()))
      return {std::make_error_code(std::errc::file_too_large), "write", at, values.size_bytes()};
    failure why;
    std::size_t whole = values.size();  // records that are in the file
    if (layout_.stride == sizeof(T)) {
      why = file_.write_quietly(
          at, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
      if (why.unwritten != 0) whole = (values.size_bytes() - why.unwritten) / sizeof(T);
    } else {
      for (std::size_t i = 0; i != values.size() && !why; ++i) {
        why = file_.write_quietly(at + i * layout_.stride, bytes(values[i]));
        if (!why) continue;
        whole = why.unwritten == 0 ? i + 1 : i;
        why.unwritten += (values.size() - i - 1) * sizeof(T);
      }
    }
    if (why) {
      std::error_code ec;
      file_.resize(end_of(layout_.count), ec);
      if (!ec) {
        why.offset = at;
        why.unwritten = values.size_bytes();
        return why;
      }
    }
    layout_.count += whole;
    return why;
  }

  file file_;
  detail::record_layout layout_;
};

/// Reads ahead by windows of its own. Can be moved but not copied.
template <class T>
class records<T>::iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator(iterator&&) noexcept = default;
  iterator& operator=(iterator&&) noexcept = default;

  result operator*() const noexcept {
    T value;
    std::memcpy(&value, next_, sizeof value);
    return value;
  }
  iterator& operator++() {
    if (static_cast<std::size_t>(end_ - next_) <= stride_)
      fill();
    else
      next_ += stride_;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept {
    return i.next_ == nullptr;
  }

 private:
  friend class records;
  static constexpr std::size_t window = 128 << 10;  // larger ones are not faster from start to end

  explicit iterator(const records& of) : of_(&of), stride_(of.layout_.stride) { fill(); }

  void fill() {
    const std::uint64_t count_now = of_->layout_.count;
    if (position_ >= count_now) {
      next_ = nullptr;
      return;
    }
    const std::uint64_t left = count_now - position_;
    const std::size_t most = stride_ < window ? window / stride_ : 1;
    const std::size_t count = left < most ? static_cast<std::size_t>(left) : most;
    const std::size_t size = (count - 1) * stride_ + sizeof(T);
    if (size > buffer_size_) {
      buffer_ = std::make_unique_for_overwrite<char[]>(size);
      buffer_size_ = size;
    }
    of_->file_.read_at(of_->offset(position_), {buffer_.get(), size});
    position_ += count;
    next_ = buffer_.get();
    end_ = next_ + size;
  }

  const records* of_;
  std::size_t stride_;
  std::uint64_t position_ = 0;  // of the first record behind the window
  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_size_ = 0;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/rotating.hpp
// Logs that get a new file now and then.


#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How the old files of a log are called.
enum class old_names {
  numbers,  ///< app.log.1 is the newest one, app.log.2 the one before: as logrotate does
  times,    ///< app.log.20261125T184415.120345Z: when it became an old one, in UTC
};

/// Called when a log has got an old file, or when that is compressed, with its path then: with
/// numbers it will get other names. With an error: that keeps the log from getting a new file
/// (`path` is the log's), or the old file from being compressed. It is tried again later, and no
/// line is lost.
using rotated_callback = std::function<void(std::string_view path, std::error_code ec)>;

/// For leat::rotating. Without a size and a period the file never changes.
struct rotating_options {
  /// A file has at most so many bytes, unless it has a single line that is longer. 0: no limit.
  std::uint64_t size = 0;
  /// The first line of each period begins a new file. Periods are multiples of this time since
  /// 1970, in UTC: 24h begins at midnight. 0: none. When nothing is written, no file is made.
  std::chrono::seconds every{0};
  /// How many old files stay; older ones are removed. 0: all.
  std::size_t keep = 0;
  /// Old files are compressed by a thread: app.log.1.gz. It needs <leat/codecs.hpp>, or opening
  /// fails with errc::no_component. `automatic` fails with invalid_argument.
  leat::compression compression = leat::compression::none;
  int level = 0;  ///< of the codec; 0: its default
  old_names names = old_names::numbers;
  /// Periods are of the local time.
  bool local_time = false;
  /// Called by the thread that compresses, and also without compression. It must not throw.
  rotated_callback finished = {};  // NOLINT(readability-redundant-member-init): GCC wants one

  // As in append_options.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  bool readable = false;
  unsigned permissions = 0666;
};

/// Opens a log to write at its end, and makes it if it does not exist. When it is full, or a period
/// is over, it gets the name of an old file, and the stream goes on in a new one. That happens
/// between two lines.
///
///     auto log = leat::rotating("app.log", {.size = 64 << 20, .every = 24h, .keep = 10});
///     log.println("{} started", leat::now());
///
/// Several processes may write to one log, with the same options: one changes the file, and the
/// others go on in the new one. No line is lost, and none is there twice; all old files and then
/// the log have the lines of each process in order. For that each write takes a lock on the file.
/// Programs that write to the log in another way must not do so. If an outside tool moves the file,
/// the stream notices that, as with append_options::reopen.
///
/// A program can be killed at any time. Then a number may be missing among the old files, and the
/// next change fills it; what was not compressed, is compressed after the next opening. `close`
/// waits for the thread that compresses. NAME.compressing is its temporary file.
///
/// The first form throws io_error; the forms with `ec` set it and return a closed stream.
LEAT_API file_writer rotating(path_ref path, const rotating_options& how);
LEAT_API file_writer rotating(path_ref path, const rotating_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/scheme.hpp
// Addresses that are no paths, such as "s3://bucket/key". A component that opens them registers
// itself for their scheme, the part before "://".


#include <cstdint>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What an address is opened for.
enum class address_use {
  read,         ///< a stream: leat::open, leat::read_file, …
  read_random,  ///< places anywhere: leat::file and leat::records
  create,       ///< a new content, as leat::create and leat::replace make it
};

/// How somebody opens an address.
struct address_request {
  std::string_view address;  ///< as it was given, with its scheme; a NUL follows it
  address_use use = address_use::read;
  bool exclusive = false;  ///< for `create`: file_exists if there is something already
  leat::pattern pattern = leat::pattern::automatic;
};

/// Opens an address: a device that is positional for `read_random`, and one that commits for
/// `create`. Null, and the error in `ec`, if it fails. Any thread may call it.
using address_opener = std::unique_ptr<device> (*)(const address_request& request,
                                                   std::error_code& ec) noexcept;

/// From now on the functions that open paths give addresses of this scheme to `open`; before, they
/// took them for paths. The scheme is in lower case, without "://", and stays valid; there may be
/// 16. The last one to register a scheme has it. Returns false if there is no room for one more.
LEAT_API bool register_scheme(const char* scheme, address_opener open) noexcept;

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/simulated.hpp
// Simulated disks and networks: a model of latency over real bytes, with its own clock.


#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The models that leat has; src/device/simulated/models.cpp names the source of each figure.
enum class simulated_disk {
  hdd,   ///< a hard disk of 7200 rpm
  ssd,   ///< an SSD behind SATA
  nvme,  ///< an SSD behind PCIe
  nfs,   ///< a network file system, over Ethernet of 1 Gbit/s
  s3,    ///< an object store, seen from a machine in the same region
};

/// The mechanics of a hard disk. Its bytes lie on one spiral from the outer edge to the inner one.
struct simulated_platter {
  std::uint64_t capacity = 0;               ///< bytes; a file begins at the outer edge
  std::chrono::nanoseconds rotation{};      ///< one turn
  std::chrono::nanoseconds track_switch{};  ///< the shortest seek, to the next track
  std::chrono::nanoseconds average_seek{};  ///< between random tracks
  std::chrono::nanoseconds full_stroke{};   ///< the longest seek, across all tracks
  std::uint64_t outer_rate = 0;             ///< bytes a second of a long read at the outer edge …
  std::uint64_t inner_rate = 0;             ///< … and at the inner one
  std::uint64_t read_ahead = 0;  ///< bytes the drive reads ahead by itself while it is idle
  unsigned queue = 1;  ///< it chooses among so many requests the one that it can start first
};

/// The cost of reads, or of writes. A request occupies one of the channels: for `latency` until its
/// first byte, then for its bytes at `stream_rate`. All channels share a connection: it lets one
/// request pass in every `interval`, and bytes at `rate`. A rate of 0 is no limit.
struct simulated_service {
  std::chrono::nanoseconds latency{};
  std::chrono::nanoseconds interval{};
  std::uint64_t rate = 0;         ///< bytes a second, all requests together
  std::uint64_t stream_rate = 0;  ///< bytes a second of one request
  double dollars_per_request = 0;
  double dollars_per_gigabyte = 0;  ///< of 10^9 bytes
};

/// The parameters of a simulated_device.
struct simulated_model {
  simulated_service read, write;
  unsigned channels = 1;              ///< requests served at the same time; a platter has one
  std::chrono::nanoseconds submit{};  ///< time of the program to submit one request
  std::chrono::nanoseconds sync{};    ///< time of one sync()
  /// Adds the times to seek, to rotate and to pass under the head. A read that continues the one
  /// before costs no `latency`, because the head passes its bytes anyway.
  std::optional<simulated_platter> platter = {};  // NOLINT(readability-redundant-member-init)
};

/// The parameters of a model that leat has.
LEAT_API simulated_model model_of(simulated_disk disk) noexcept;

/// The requests to the disk so far.
struct simulated_statistics {
  std::uint64_t reads = 0, bytes_read = 0;
  std::uint64_t writes = 0, bytes_written = 0;
};

/// Does what the device below does, and counts how long it would have taken by the model. The clock
/// starts at 0 and moves only with calls: the same calls give the same times, to the nanosecond, on
/// every machine. The model is of a disk, not of a system. There is no page cache: bytes that are
/// read twice are requested twice, and a write ends when the disk has the bytes.
///
/// An announcement is one request; its bytes arrive together. A later read of them waits for it and
/// costs no second request. The read discards what it took and the announced bytes before that.
/// 4096 announcements are kept; the next one waits until the oldest has arrived, and takes its
/// place.
///
/// A failure of the device below is passed on, and takes the time of the whole request. Bytes
/// behind the end of the file are not requested.
class LEAT_API simulated_device final : public device {
 public:
  /// Over a device that has the bytes.
  simulated_device(std::unique_ptr<device> bytes, const simulated_model& model);
  simulated_device(std::unique_ptr<device> bytes, simulated_disk disk)
      : simulated_device(std::move(bytes), model_of(disk)) {}
  ~simulated_device() override;

  /// Simulated time since the start.
  std::chrono::nanoseconds now() const noexcept override;
  /// Advances the clock by time that the program uses for something else; requests under way go on.
  void spend(std::chrono::nanoseconds time) noexcept;
  /// The requests so far.
  simulated_statistics statistics() const noexcept;
  /// US dollars for the requests and bytes so far; storage is not counted.
  double cost() const noexcept override;

  /// The functions of a device, for one thread at a time.
  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  /// Gives announced bytes that have arrived, in no time. A call that gives nothing costs `submit`,
  /// so the clock advances for a program that asks again and again.
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  void read_many(std::span<read_request> requests) noexcept override;
  void write_many(std::span<write_request> requests) noexcept override;
  std::uint64_t position() const noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override;
  void sync(std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;

 private:
  class simulation;

  std::unique_ptr<device> bytes_;
  std::unique_ptr<simulation> simulation_;
};

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/split.hpp
// One file for several threads.


#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

/// For leat::split; see open_options for what each one does.
struct split_options {
  char delimiter = '\n';  ///< that ends lines
  std::size_t buffer_size = 0;
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();
  bool remote = true;
  /// Only a seekable zstd file has places to begin at.
  leat::compression compression = leat::compression::none;
  std::uint64_t limit = (std::numeric_limits<std::uint64_t>::max)();
};

/// Opens a file as up to `parts` streams, each over its own part of it, for as many threads. The
/// parts have about the same size, meet at ends of lines, and one behind the other they are the
/// file. There are fewer where lines are longer than parts; at least one.
///
///     std::vector<std::jthread> threads;
///     for (auto& part : leat::split("big.csv", 8))
///       threads.emplace_back([part = std::move(part)]() mutable {
///         for (std::string_view line : part.lines()) use(line);
///       });
///
/// A stream begins at the first byte of its part and ends behind the last one; what is appended
/// later belongs to no part. Positions are those of the file. All streams share one opening of the
/// file, and have no descriptor. Quotes are not looked at: a CSV file with newlines in its fields
/// can't be split. Pipes can't either (invalid_seek). The first form throws io_error; the forms
/// with `ec` set it and return no stream.
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts,
                                        const split_options& how = {});
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, std::error_code& ec);
LEAT_API std::vector<file_reader> split(path_ref path, std::size_t parts, const split_options& how,
                                        std::error_code& ec);

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/time.hpp
// The time now, as lines of a log begin with it.


namespace leat {
inline namespace v0 {

/// A time of the system's clock in microseconds, to be printed: "2026-11-21T09:27:19.120345Z" in
/// UTC, or "2026-11-21T10:27:19.120345+01:00" in local time. A specification with '%' works as for
/// times of std::chrono.
class stamp {
 public:
  /// The start of 1970.
  stamp() = default;
  stamp(const detail::time_stamp& time) noexcept : time_(time) {}

  /// The same time for std::chrono.
  std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds> time()
      const noexcept {
    return std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>(
        std::chrono::seconds(time_.seconds) + std::chrono::microseconds(time_.fraction));
  }
  /// For the writers of times.
  const detail::time_stamp& parts() const noexcept { return time_; }

 private:
  detail::time_stamp time_{0, 0, 6};
};

/// The time now. Each thread keeps the text of the last second, so printing it costs little more
/// than reading the clock.
///
///     log.println("{} started", leat::now());
LEAT_API stamp now() noexcept;
/// The same to be printed in local time, with its offset from UTC. The zone is that of the
/// environment variable TZ, or the system's; where it has changed, the C library's tzset() tells.
LEAT_API stamp local_now() noexcept;

}  // namespace v0
}  // namespace leat

// --- include/leat/leat.hpp


// --- include/leat/testing.hpp
// Devices for tests: one that fails as told, and a file that loses its power. <leat/leat.hpp> does
// not include this header.
//
//     // Whatever operation of the disk fails, save() throws or the file is right.
//     for (std::uint64_t n = 1;; ++n) {
//       leat::volatile_file disk;
//       leat::fault_plan faults({{.nth = n, .ec = std::make_error_code(std::errc::io_error)}});
//       bool saved = true;
//       try {
//         save(std::make_unique<leat::failing_device>(disk.open(), faults));
//       } catch (const leat::io_error&) {
//         saved = false;
//       }
//       assert(!saved || disk.content() == "all of it");
//       if (faults.count() < n) break;  // no operation was left to fail
//     }


#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {

/// The kinds of operations that can fail. A batch of a device is one read or write a request.
enum class device_operation { any, read, write, sync, size, resize, reserve, close };

/// What goes wrong, and in which operation.
struct device_fault {
  device_operation in = device_operation::any;  ///< operations of this kind are counted
  std::uint64_t nth = 1;                        ///< the one that is hit; 1 is the first
  bool onwards = false;                         ///< all later ones are hit, too
  /// What the operation reports; std::errc::interrupted is a signal. Zero: it does its work.
  std::error_code ec = {};  // NOLINT(readability-redundant-member-init): GCC wants one
  /// Bytes that a read or a write moves at most. By default all of them without an error, and none
  /// with one. A read moves none if there is an error. A read of 0 bytes looks like the end.
  std::optional<std::size_t> most = {};  // NOLINT(readability-redundant-member-init)
  std::chrono::nanoseconds delay{};      ///< how much longer the operation takes
};

/// What goes wrong in some failing_devices, and how many operations they have carried out. It must
/// outlive them.
///
/// @par Threads
/// Several may use it at once.
class LEAT_API fault_plan {
 public:
  fault_plan() = default;
  explicit fault_plan(std::vector<device_fault> faults) : faults_(std::move(faults)) {}

  /// Adds a fault. Its `nth` counts from the first operation of the plan on.
  void add(const device_fault& one);
  /// Operations of a kind so far, with those that have failed.
  std::uint64_t count(device_operation of = device_operation::any) const;

 private:
  friend class failing_device;
  /// Counts one operation; the first fault that hits it, or one that changes nothing.
  device_fault next(device_operation one) noexcept;

  mutable std::mutex lock_;
  std::vector<device_fault> faults_;
  std::array<std::uint64_t, 8> counts_{};  // by operation; `any`: all
};

/// Does what the device below does, but for the faults. A failed `close` closes the device below
/// nevertheless, as the system does. The device below is asked for no other operation than those
/// that are counted: it copies nothing by itself, and has no descriptor.
class LEAT_API failing_device final : public device {
 public:
  /// Does what `below` does, but for the faults of `plan`, which must outlive it.
  failing_device(std::unique_ptr<device> below, fault_plan& plan) noexcept;

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  std::uint64_t position() const noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override;
  void expect_sync() noexcept override;
  void sync(std::error_code& ec) noexcept override;
  std::chrono::nanoseconds now() const noexcept override;
  double cost() const noexcept override;
  void close(std::error_code& ec) noexcept override;

 private:
  device_fault next(device_operation one, std::error_code& ec) const noexcept;

  std::unique_ptr<device> below_;
  fault_plan* plan_;
};

/// A file whose disk may lose its power: it keeps apart what was not synced yet. Programs see what
/// they have written; a power cut leaves what was synced, and of the rest what the test says.
/// Functions may throw std::bad_alloc.
///
/// A change is what one write does within one sector of 512 bytes, or one resize. A disk may carry
/// out changes in any order, and some of them not at all; a sector is written as a whole.
///
///     leat::volatile_file disk;
///     leat::file_writer journal(disk.open());
///     journal.write("one\n");
///     journal.sync();
///     journal.write("two\n");
///     journal.flush();
///     disk.cut_power();
///     assert(disk.content() == "one\n");
///
/// @par Threads
/// One at a time may use it and its devices.
class LEAT_API volatile_file {
 public:
  static constexpr std::size_t sector_size = 512;

  /// A file in memory that has this content already.
  explicit volatile_file(std::string synced = {});
  /// Over a device with positions, which gets the bytes when they are synced, or survive a cut.
  /// Throws std::system_error if the device can't be read.
  explicit volatile_file(std::unique_ptr<device> disk);
  ~volatile_file();
  volatile_file(const volatile_file&) = delete;
  volatile_file& operator=(const volatile_file&) = delete;

  /// Opens the file, as often as you like. The file must outlive the device.
  std::unique_ptr<device> open();
  /// What programs see.
  const std::string& content() const noexcept;
  /// The number of changes that were not synced.
  std::size_t unsynced() const noexcept;

  /// The power fails: of the changes that were not synced these are carried out, by their numbers
  /// from 0 on and in this order; the others are lost. Devices that are open have no file any more,
  /// and report io_error; open() has what is left. Throws std::system_error if the disk fails, and
  /// std::out_of_range for a number that no change has.
  void cut_power(std::span<const std::size_t> surviving = {});
  /// Each change survives or not, in an order by chance; the same seed gives the same.
  void cut_power_at_random(std::uint64_t seed);

 private:
  class view;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace v0
}  // namespace leat
