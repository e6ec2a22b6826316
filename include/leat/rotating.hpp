// Logs that get a new file now and then.
#pragma once

#include <leat/detail/function.hpp>
#include <leat/file_stream.hpp>

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
  /// Periods are of the local time. Each comes once; an hour that comes twice begins no new one.
  bool local_time = false;
  /// Called by the thread that compresses, and also without compression. It must not throw.
  rotated_callback finished = {};  // NOLINT(readability-redundant-member-init): GCC wants one

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
/// io_error::offset() is the position in the stream, as tell() has it: it counts from the start of
/// the file that was opened, over all files since. It is no position in the file that path() names.
///
/// The first form throws io_error; the forms with `ec` set it and return a closed stream.
LEAT_API file_writer rotating(path_ref path, const rotating_options& how);
LEAT_API file_writer rotating(path_ref path, const rotating_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
