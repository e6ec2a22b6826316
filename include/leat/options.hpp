// How streams of files are opened and read.
#pragma once

#include <leat/config.h>
#include <leat/detail/chrono.hpp>

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
  none,  ///< other processes see the bytes after a flush; a kill can cut the last line
  /// Every completed call survives the death of the process, at any moment. On Linux, `create` and
  /// `append` keep the bytes of completed calls in a mapped file `PATH.leat` beside the file, which
  /// costs little more than a copy. They go into the file when 256 KiB have come, at each flush,
  /// after `flush_interval`, and at close, which removes PATH.leat; so that is when other programs
  /// see them. If the process was killed, the next stream or file of records that is opened to
  /// write the file puts them into it first, as leat::recover does; `create` gives them up. Keep
  /// the two files together: PATH.leat belongs to its file, also under another name. Errors of
  /// opening: errc::bad_sidecar and errc::foreign_sidecar; removing PATH.leat gives its bytes up.
  /// open_options::live sees them before. If a second process opens the file to write with leat,
  /// each call writes by itself; calls of up to 64 KiB in a file opened to append stay whole. Each
  /// call is a plain write, which a kill can cut, for pipes, devices, in a leat::folder, where no
  /// file can be mapped beside it (O_TMPFILE), and for `create` after a seek or a fork. Programs
  /// that write to the file in another way must not do so while the stream is open.
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

/// What a writer with `background` does when all its windows are full, because the thread is still
/// writing.
enum class when_full {
  wait,  ///< until one is written
  /// Drops the call: all its bytes, or none. writer::dropped() counts such calls. It is for logs
  /// that must not make the program wait for a disk. A flush waits as ever; so does a call of more
  /// than a quarter of the window, if it is not dropped.
  drop,
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
  leat::when_full when_full = leat::when_full::wait;
  /// Number of bytes that the file is going to have. The space is reserved when the file is opened,
  /// which keeps large files in one piece on the disk. If there is too little space, opening fails
  /// with no_space_on_device: an existing file keeps its content, and a file that opening has made
  /// stays, empty. If the file system can't reserve, nothing happens. The size of the file does not
  /// show the reservation. The end of the stream releases what was not used; so nobody else may be
  /// writing to the file then. `append` releases nothing: those who append next can use it.
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
  leat::when_full when_full = leat::when_full::wait;
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
  /// The most memory that a compressed file may ask for: the window of zstd, the dictionary of xz,
  /// the table and the frames of seekable zstd. A file that needs more is operation_not_supported
  /// (leat::codecs::fault::unsupported). Files of `zstd --long=31` need 2 GiB. @since 0.3
  std::uint64_t codec_memory = std::uint64_t{128} << 20;
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
  leat::when_full when_full = leat::when_full::wait;
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
