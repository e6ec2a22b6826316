// Reading a file that others still write.
#pragma once

#include <leat/file_stream.hpp>

#include <chrono>
#include <stop_token>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How to follow a file. Every member has a default.
struct follow_options {
  /// Leave out what is in the file when it is opened.
  bool from_end = false;
  /// When no byte comes for this long the reader is at its end; reading again goes on. 0: never
  /// wait.
  std::chrono::milliseconds timeout = std::chrono::milliseconds::max();
  /// A request ends the reader for good, behind the bytes that are in the file then.
  std::stop_token stop = {};  // NOLINT(readability-redundant-member-init): GCC wants one
};

/// Reads a file and then what is appended to it, as `tail -F` does: at the end the reader waits for
/// more. A file that is not there yet is waited for.
///
///     for (std::string_view line : leat::follow("events.log").lines()) use(line);
///
/// A file that takes the name (by rename and create, as logs are rotated) is read from its start as
/// soon as something is in it and the one before has been read to its end. A file that gets shorter
/// than what has been read is read from its start again. What can't be seen: a file that was
/// truncated and has already grown beyond what has been read, and one that came and went while the
/// reader was not reading.
///
/// At a timeout and after a stop lines() gives the beginning of a line, if that is all there is, as
/// the last line. Positions count the bytes read; there is no seek. Throws io_error, or fills `ec`
/// and returns a closed stream: the folder is not there, or the name is none of a file.
LEAT_API file_reader follow(path_ref path, const follow_options& how = {});
LEAT_API file_reader follow(path_ref path, std::error_code& ec);
LEAT_API file_reader follow(path_ref path, const follow_options& how, std::error_code& ec);

}  // namespace v0
}  // namespace leat
