// Reading a file while others write to it.
#pragma once

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
/// return a closed stream. It is an error if the folder does not exist, or the name can't be a
/// file's, or is an address (operation_not_supported).
LEAT_API file_reader follow(path_ref path, const follow_options& how = {});
LEAT_API file_reader follow(path_ref path, std::error_code& ec);
LEAT_API file_reader follow(path_ref path, const follow_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
