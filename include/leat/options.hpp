// How streams of files are opened and read.
#pragma once

#include <leat/config.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {

/// In which order a program is going to read.
enum class pattern {
  automatic,   ///< leat sees for itself
  sequential,  ///< from start to end
  random,      ///< small pieces anywhere
};

/// What a completed call survives.
enum class durability {
  none,     ///< visible to other processes at flush
  process,  ///< every completed call survives the death of the process
  /// Flush and close return when the bytes survive the death of the machine. The disk begins with
  /// them while the program still writes (Linux).
  system,
};

/// When the window is handed to the device.
enum class flush_when {
  full,  ///< when it is full
  line,  ///< also at the end of each call that wrote a newline
  call,  ///< at the end of each call
};

/// Whether bytes go through the system's cache.
enum class caching {
  cached,  ///< the system's cache, which reads ahead and writes later
  /// Between the program and the disk itself, reads two at a time: for files that are read or
  /// written once and are larger than memory. Output that has to be on the disk at the end
  /// (`durability::system`) takes less of the processor so, but not less time. For open, create,
  /// replace and temporary_file; others, and file systems that can't, fail with
  /// operation_not_supported. What `direct` writes:
  /// - Windows of 2 MiB, or of `buffer_size`, go to the disk as in `background`, with up to three
  ///   of them in memory, but for those that flush after lines or calls. With a smaller
  ///   buffer_size, or frequent flushes, more goes through the cache after all: whatever is not a
  ///   whole block of 4 KiB in the file does.
  /// - The file's length and content are exact after each flush; other readers of the file see
  ///   them as usual.
  /// - While a call is going on or a window is on its way, the descriptor may have O_DIRECT set, so
  ///   whoever uses it besides the stream has to flush first. Where it is `readable` no window is
  ///   on its way between calls, at the price of waiting for the disk.
  direct,
};

/// How to open a file. Every member has a default, so name what you change:
/// `leat::create("big.csv", {.buffer_size = 1 << 20})`.
struct options {
  /// Bytes of the window. 0: it adapts. A writer's starts at 64 KiB and doubles to 256 KiB as the
  /// stream goes on; a reader's starts at 8 KiB, also after a jump. Over a device of which no
  /// system reads ahead they double to 4 MiB.
  std::size_t buffer_size = 0;

  // For writing.

  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  /// Above 0: no byte waits longer than this for its flush. A thread sees to it, so the stream
  /// takes a lock for each call. Errors come back at the next flush or close.
  std::chrono::milliseconds flush_interval{0};
  /// Full windows are written by a thread of the stream, while the program fills the next one; how
  /// that went is known at the next call that needs the device, at flush or close at the latest.
  /// The thread starts when the window has its full size; where there is none to be had the stream
  /// writes itself. Nothing to streams that flush more often. It pays where making the bytes takes
  /// as long as writing them and a core is free: see docs/performance.md.
  bool background = false;
  /// Bytes that the file is going to have. The space is reserved at opening (no_space_on_device if
  /// there is too little; where the file system can't, nothing happens), which keeps large files in
  /// one piece, and what is left of it is given back at the end, when nobody else may be writing to
  /// the file; `append` leaves it to those who append next. The size does not show it.
  std::uint64_t preallocate = 0;
  /// create: fail with file_exists instead of truncating a file that is there (C's "x").
  bool exclusive = false;
  /// Also allow reading, through native_handle() (C's "w+" and "a+").
  bool readable = false;
  /// The mode bits of a new file, before the process's umask.
  unsigned permissions = 0666;

  // For reading.

  leat::pattern pattern = leat::pattern::automatic;

  // For both.

  leat::caching caching = leat::caching::cached;
};

}  // namespace v0
}  // namespace leat
