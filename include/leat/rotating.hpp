// Rotating logs: function rotating. An archive is an old file of a log.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/function.hpp>
#include <leat/file_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How the archives of a log are named.
enum class old_names {
  numbers,  ///< app.log.1 is the newest, then app.log.2: as logrotate does
  times,    ///< app.log.20261125T184415.120345Z: the time of the rotation, in UTC
};

/// Called after a rotation, with the archive's current path; old_names::numbers will rename the
/// archive later. With `compression`, the call comes after the archive's compression instead. If
/// `ec` is an error, the rotation failed (then `path` is the log's path), or the compression
/// failed. Of several failed rotations in a row only the first is reported. A failed rotation is
/// retried later, and no line is lost.
using rotated_callback = std::function<void(std::string_view path, std::error_code ec)>;

/// For leat::rotating. If `size` and `every` are both 0, there is no rotation.
struct rotating_options {
  /// The largest size of a file in bytes. A line longer than `size` is a file of its own. 0: no
  /// limit.
  std::uint64_t size = 0;
  /// The first line of each period begins a new file. Periods are multiples of this time since
  /// 1970, in UTC: 24h begins at midnight. 0: no periods. Without output no file is created.
  std::chrono::seconds every{0};
  /// The number of archives to keep; older archives are removed. 0: all archives are kept.
  std::size_t keep = 0;
  /// A thread compresses archives: app.log.1.gz. Without <leat/codecs.hpp> opening fails with
  /// errc::no_codecs. `automatic` fails with invalid_argument.
  leat::compression compression = leat::compression::none;
  int level = 0;  ///< compression level; 0: the codec's default
  old_names names = old_names::numbers;
  /// Periods are in local time. Each period occurs once: the repeated hour at the end of daylight
  /// saving time begins no new period.
  bool local_time = false;
  /// Called by a thread of the log; the same thread compresses archives. Must not throw.
  rotated_callback finished = {};  // NOLINT(readability-redundant-member-init): else GCC warns

  // As in append_options.
  std::size_t buffer_size = 0;
  leat::durability durability = leat::durability::none;
  leat::flush_when flush = leat::flush_when::full;
  std::chrono::milliseconds flush_interval{0};
  bool background = false;
  leat::when_full when_full = leat::when_full::wait;
  bool readable = false;
  unsigned permissions = 0666;
};

/// Opens a log to write at its end; creates a missing file. When the file is full, or a period
/// ends, the log is rotated: the file is renamed to an archive's name, and the stream continues in
/// a new file. Rotation happens between two lines.
///
///     auto log = leat::rotating("app.log", {.size = 64 << 20, .every = 24h, .keep = 10});
///     log.println("{} started", leat::now());
///
/// Several processes may write to one log, with the same options: one process rotates the log, and
/// the other processes continue in the new file. No line is lost or duplicated. The archives, and
/// then the log, have the lines of each process in order. To keep this order, each write locks the
/// file. Programs without leat must not write to the log. If an outside tool moves the file, the
/// stream detects the move, as with append_options::reopen.
///
/// A program can be killed at any time. A number may then be missing among the archives; the next
/// rotation fills the gap. Uncompressed archives are compressed after the next opening. `close`
/// waits for the thread that compresses. The temporary file is app.log.compressing.
///
/// io_error::offset() is the position in the stream, as tell(). The position counts from the start
/// of the file that was opened, across all later files, and not in the file that path() names.
///
/// Opening fails with errc::not_a_file if the path does not lead to a regular file, with
/// filename_too_long if an archive's name would be too long, and with invalid_argument if `every`
/// is negative. The first form throws io_error; the form with `ec` sets it and returns a closed
/// stream.
LEAT_API file_writer rotating(path_ref path, const rotating_options& how);
LEAT_API file_writer rotating(path_ref path, const rotating_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
