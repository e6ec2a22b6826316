// Options of file streams: how they are opened, buffered, flushed and read.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>
#include <leat/detail/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace leat {
inline namespace v0 {

/// The order in which a program is going to read.
enum class pattern {
  automatic,   ///< leat detects the pattern while it reads
  sequential,  ///< from start to end
  random,      ///< small pieces at any position
};

/// The failures that written bytes survive.
enum class durability {
  none,  ///< other processes see the bytes after a flush; a killed process can leave half a line
  /// Every completed call survives the death of the process, at any moment. On Linux, `create` and
  /// `append` keep the bytes of completed calls in a mapped sidecar `PATH.leat` beside the file. A
  /// write to the sidecar costs little more than a copy. These pending bytes go into the file,
  /// where other programs see them, after each 256 KiB, at each flush, after `flush_interval`, and
  /// at close. close removes PATH.leat. If the process was killed, the next stream or file of
  /// records that is opened to write the file first recovers the pending bytes, as leat::recover
  /// does; `create` discards them. Keep the two files together: PATH.leat belongs to its file, even
  /// if the file is renamed. Opening can fail with errc::bad_sidecar or errc::foreign_sidecar;
  /// removing PATH.leat discards its bytes. open_options::live reads pending bytes. If a second
  /// process opens the file to write with leat, each call writes directly; calls of up to 64 KiB in
  /// a file opened to append stay whole. Without a sidecar each call is a plain write, which a kill
  /// can cut. There is no sidecar for pipes and devices, in a leat::folder, on file systems that
  /// have no O_TMPFILE or can't map a sidecar, and for `create` after a seek or a fork. While the
  /// stream is open, no program may write to the file without leat.
  process,
  /// Flush and close return when the bytes would survive a crash of the machine. On Linux, writing
  /// to the disk starts while the program still produces output.
  system,
};

/// When the buffer is written to the device.
enum class flush_when {
  full,  ///< when the buffer is full
  line,  ///< also at the end of each call that wrote a newline
  call,  ///< at the end of each call
};

/// The behaviour of a writer with `background` when all its buffers are full.
enum class when_full {
  wait,  ///< waits until a buffer is written
  /// Drops the call: all its bytes, or none. writer::dropped() counts such calls. For logs that
  /// must not make the program wait for a disk. A flush always waits. If a call of more than a
  /// quarter of the buffer is not dropped, the call may wait, too.
  drop,
};

/// Use of the page cache, or direct I/O.
enum class caching {
  cached,  ///< through the page cache, which reads ahead and writes later
  /// Direct I/O, without the page cache; a reader keeps two reads in flight. For files that are
  /// larger than memory and are read or written once. With `durability::system`, direct I/O saves
  /// CPU time, but not elapsed time. If the file system has no direct I/O, opening fails with
  /// operation_not_supported. When writing:
  /// - The buffers have 2 MiB, or `buffer_size`, and are written as with `background`, with up to
  /// three buffers in memory. Streams that flush after each line or call, or have
  /// durability::process, write without a thread. Only whole 4 KiB blocks of the file use direct
  /// I/O. With a smaller buffer_size or frequent flushes, more bytes go through the page cache.
  /// - After each flush the length and the content of the file are exact; other readers of the file
  ///   see them as usual.
  /// - During a call, and while a buffer is being written, the descriptor may have O_DIRECT set. So
  /// flush before using the descriptor directly. If the stream is `readable`, no buffer is being
  /// written between two calls; each call waits for the disk instead.
  direct,
};

/// How the bytes of a file are compressed. The component of <leat/codecs.hpp> decodes and encodes;
/// see docs/compressed.md.
enum class compression {
  none,  ///< no compression, whatever the file's name is
  /// Reading: by the magic number of the file; `none` if there is no magic number. Writing: by the
  /// end of the path, .gz, .zst, .lz4 or .xz; `none` for other paths.
  automatic,
  gzip,
  zstd,
  lz4,
  xz,
};

namespace detail {
struct options;  // all options, see src/device/options.hpp
}

// How to open a stream: one struct for each opening function, with the options that it supports.
// Every member has a default, so name only the members that you change: `leat::create("big.csv",
// {.exclusive = true})`.

/// For leat::create.
struct create_options {
  /// Size of the buffer in bytes. 0: adaptive. The buffer starts at 64 KiB and doubles up to 256
  /// KiB. Over a device that has positions, but no read-ahead by the system, the buffer doubles up
  /// to 4 MiB. With when_full::drop, the buffer has its full size from the start.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  /// Above 0: a thread flushes each byte within this time. So each call on the stream takes a lock.
  /// The next flush or close reports the thread's errors.
  std::chrono::milliseconds flush_interval{0};
  /// A thread of the stream writes full buffers while the program fills the next buffer. An error
  /// takes effect at the next call that needs the device, and flush or close reports it. The thread
  /// starts when the buffer has reached its full size; if no thread can be started, the stream
  /// writes without a thread. `background` has no effect on streams that flush after each line or
  /// call, or have durability::process. If a core is free, and producing the bytes takes about as
  /// long as writing the bytes, a stream is faster with `background` than without: see
  /// docs/measurements.md.
  bool background = false;
  leat::when_full when_full = leat::when_full::wait;
  /// Expected size of the file in bytes. Opening reserves the space, which keeps large files
  /// contiguous on the disk. If there is too little space, opening fails with no_space_on_device.
  /// An existing file then keeps its content. A new file that opening has created stays empty; with
  /// `exclusive`, opening removes the new file. If the file system can't reserve, nothing happens.
  /// The reservation does not change the size of the file. Closing the stream releases unused
  /// space; no other program may be writing to the file at that time. `append` releases nothing:
  /// later appends can use the space.
  std::uint64_t preallocate = 0;
  /// If the file exists, fail with file_exists instead of truncating it (C's "x").
  bool exclusive = false;
  /// Also allow reading through native_handle() (C's "w+" and "a+").
  bool readable = false;
  /// The mode bits of a new file, from which the umask of the process is removed.
  unsigned permissions = 0666;
  leat::caching caching = leat::caching::cached;
  /// True: an address in object storage, such as "s3://bucket/key", fails with errc::not_local.
  /// For names from untrusted sources, in programs that include <leat/remote.hpp>.
  bool local_only = false;
  /// Compresses the output. The stream then has no positions to seek to and no descriptor. Flushes
  /// pass bytes to the codec. sync, or `durability::system`, makes all earlier bytes readable.
  /// close ends the file and reports all errors. durability::process and `readable` fail with
  /// operation_not_supported.
  leat::compression compression = leat::compression::none;
  /// Compression level, as in the codec's command; 0: the codec's default. For a level that the
  /// codec does not have, opening fails with invalid_argument.
  int level = 0;
  /// Additional threads that compress; only zstd can use them. 0: none.
  unsigned codec_threads = 0;
  /// Writes zstd frames of 1 MiB of content, with a table of frames at the end. Such a file has
  /// positions; leat::file and leat::records can read it. With another codec, opening fails with
  /// invalid_argument.
  bool seekable = false;
};

/// For leat::append; see create_options for each option. There is no direct I/O, because other
/// processes may append to the same block.
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
  /// Appends a new member or frame; the file must have the same codec, which is not checked.
  leat::compression compression = leat::compression::none;
  int level = 0;
  unsigned codec_threads = 0;
  /// Checks before each write that the path still names the file. If the file was moved or removed,
  /// as by logrotate, the stream continues in the file that has the path now, or creates a file.
  /// The check takes less than a microsecond. Opening a compressed file fails with
  /// operation_not_supported. writer::reopen() checks immediately.
  bool reopen = false;
};

/// For leat::replace; see create_options for each option.
struct replace_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  std::uint64_t preallocate = 0;
  /// The mode bits if there is no file to replace.
  unsigned permissions = 0666;
  leat::caching caching = leat::caching::cached;
  bool local_only = false;  ///< as in create_options
  leat::compression compression = leat::compression::none;
  int level = 0;
  unsigned codec_threads = 0;
  bool seekable = false;
};

/// For leat::open.
struct open_options {
  /// Size of the buffer in bytes. 0: adaptive. The buffer starts at 8 KiB, also after each seek
  /// outside of the buffer, and doubles up to 256 KiB. Over a device that has positions, but no
  /// read-ahead by the system, the buffer doubles up to 4 MiB.
  std::size_t buffer_size = 0;
  leat::pattern pattern = leat::pattern::automatic;
  leat::caching caching = leat::caching::cached;
  /// Also reads the pending bytes in the sidecar of a writer with durability::process: all bytes of
  /// the writer's completed calls, even if the writer was killed. Reading changes neither file.
  /// If PATH.leat can't be read, opening fails with errc::bad_sidecar, errc::foreign_sidecar or
  /// permission_denied. A live stream has no descriptor.
  bool live = false;
  /// Limits how far the buffer grows, for untrusted input. The buffer grows until the buffer holds
  /// the line, word, number or peek that a call requests. If the request has more bytes than this
  /// limit, and the buffer does not hold these bytes yet, the call fails with errc::input_too_long.
  /// So memory is at most about twice the limit. A limit below 64 KiB is raised to 64 KiB. Backward
  /// searches may fail from half the limit on. line_options::longest limits each line exactly.
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();
  bool local_only = false;  ///< as in create_options
  /// Decompresses the input; positions count decoded bytes. A seek forward decodes and skips. A
  /// seek backward decodes again from the start. A seekable zstd file supports real seeks. A stream
  /// of a compressed file has no descriptor.
  leat::compression compression = leat::compression::none;
  /// The largest decoded size of a compressed file. All bytes up to the limit are delivered; a
  /// longer file then fails with file_too_large. Set this limit for untrusted files. Plain files
  /// are not limited.
  std::uint64_t limit = (std::numeric_limits<std::uint64_t>::max)();
  /// The most memory that a compressed file may require: the window of zstd, the dictionary of xz,
  /// the table and the frames of seekable zstd. A file that needs more memory fails with
  /// operation_not_supported (leat::codecs::fault::unsupported). Files of `zstd --long=31` need 2
  /// GiB. @since 0.3
  std::uint64_t codec_memory = std::uint64_t{128} << 20;
  /// A thread of the stream decodes ahead while the program processes the decoded bytes. False:
  /// reads decode. No effect on uncompressed files and on pipes. A forked child can't continue
  /// reading (operation_not_supported).
  bool background = false;
};

/// For leat::map_file.
struct map_options {
  /// `sequential` increases the system's read-ahead; `random` turns it off.
  leat::pattern pattern = leat::pattern::automatic;
  bool local_only = false;  ///< as in create_options
};

/// For leat::update; see create_options for the options without a comment.
struct update_options {
  /// Size of the buffer in bytes. 0: 64 KiB. Only a longer line, word or peek makes the buffer
  /// larger.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
  /// If the file does not exist, create an empty file instead of failing.
  bool create = false;
  /// The mode bits of a new file, from which the umask of the process is removed.
  unsigned permissions = 0666;
};

/// For leat::temporary_file; see update_options and create_options for each option.
struct temporary_options {
  /// Size of the buffer in bytes. 0: 64 KiB.
  std::size_t buffer_size = 0;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
  std::uint64_t preallocate = 0;
};

/// For a file_writer over any device; see create_options for each option.
struct writer_options {
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  leat::when_full when_full = leat::when_full::wait;
};

/// For a file_reader over any device; see open_options for each option.
struct reader_options {
  std::size_t buffer_size = 0;
  leat::pattern pattern = leat::pattern::automatic;
  std::size_t window_limit = (std::numeric_limits<std::size_t>::max)();  ///< as in open_options
};

/// For a file_stream over any device; see update_options for each option.
struct stream_options {
  /// Size of the buffer in bytes. 0: 64 KiB.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  leat::pattern pattern = leat::pattern::automatic;
};

}  // namespace v0
}  // namespace leat
