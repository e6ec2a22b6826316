// Function follow: reads a file while other processes append to it.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/chrono.hpp>
#include <leat/detail/stop_token.hpp>
#include <leat/file_stream.hpp>

#include <cstddef>
#include <limits>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How to follow a file. Every member has a default.
struct follow_options {
  static constexpr std::size_t all_lines = (std::numeric_limits<std::size_t>::max)();

  /// The number of last lines of the file to start with, as with `tail -n`. 0: only later lines.
  std::size_t last_lines = all_lines;
  /// If no byte arrives for this time, the reader is at its end; the next read waits again. 0: the
  /// reader never waits.
  std::chrono::milliseconds timeout = (std::chrono::milliseconds::max)();
  /// As in open_options; also for the search for the last lines.
  std::size_t window_limit = open_options{}.window_limit;
  /// A std::stop_token. After a stop request the reader delivers the bytes that are in the file,
  /// and then stays at its end.
  detail::kept_stop_token stop = {};  // NOLINT(readability-redundant-member-init): else GCC warns
};

/// Reads a file and the bytes that are appended later, as `tail -F` does: at the end of the file
/// the reader waits for more bytes. The reader also waits for a file that does not exist yet.
///
///     for (std::string_view line : leat::follow("events.log").lines()) use(line);
///
/// The file may be rotated: renamed, and a new file created with its name. The reader then reads
/// the old file to its end, and continues at the start of the new file when the new file has bytes.
/// If the program may list the folder, archives of a leat::rotating log that were made between two
/// reads are read, too. No file is read twice, even if newer archives have higher numbers.
/// If the file becomes shorter than the reader's position, the reader starts again at the start of
/// the file. Two events are not detected: a file that is truncated and grows beyond the reader's
/// position before the next read; a file that is created and removed between two reads.
///
/// After a timeout or a stop, lines() delivers an unfinished line as the last line, and
/// line_range::unfinished() is true. If the last line of a rotated or shortened file has no
/// newline, the reader inserts a newline after the line. Positions count the bytes read, and the
/// reader can't seek. The first form throws io_error; the forms with `ec` set it and return a
/// closed stream. Errors: the folder does not exist, the name is not valid, the path is an address
/// (operation_not_supported), or the path leads to a folder (is_a_directory) or to another file
/// that is not regular (errc::not_a_file); or an error of the system.
LEAT_API file_reader follow(path_ref path, const follow_options& how = {});
LEAT_API file_reader follow(path_ref path, std::error_code& ec);
LEAT_API file_reader follow(path_ref path, const follow_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
