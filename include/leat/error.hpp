// Error reporting: io_error, format_error, leat's error codes, last_error, and the loss handler.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>
#include <leat/detail/escaped.hpp>
#include <leat/path.hpp>

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
  closed = 1,     ///< the stream is closed, was moved from, or was never opened
  no_progress,    ///< a device moved no byte and reported no error
  not_committed,  ///< a stream of `replace`, or to object storage, ended without close(); the
                  ///< target is unchanged
  memory_full,    ///< a memory_writer has no room left
  not_a_file,   ///< not a regular file, which replace, follow, rotating, folder, file, records and
                ///< journal require
  ended_early,  ///< the input ended before all requested bytes were read
  line_too_long,   ///< a line or a row is longer than the option `longest`
  not_a_number,    ///< parse() found text that is not a number of the requested type
  file_shrank,     ///< a mapped file has lost bytes since it was mapped
  no_such_record,  ///< a position or a range is not in the file, or no record begins there
  reserved_name,   ///< Windows: the name means a device in every folder: CON, COM1, …
  same_file,  ///< a copy from a file to itself, which would never end or would destroy the file
  read_only,  ///< a change to a `file` or `records` that was opened with mode::read
  input_too_long,   ///< more bytes than read_all() or window_limit allows
  bad_sidecar,      ///< PATH.leat is damaged or from another version of leat; see durability
  foreign_sidecar,  ///< PATH.leat belongs to another file, or another program has written at the
                    ///< positions of its pending bytes
  stale_sidecar,    ///< PATH.leat is older than the last boot; its bytes are lost
  left_open,        ///< the program ended while a thread used the stream
  outside_folder,   ///< a path of leat::folder::at is absolute or has ".."
  no_component,  ///< an address such as "s3://bucket/key" needs <leat/remote.hpp> and leat_remote
  not_local,     ///< an address, with {.local_only = true}
  bad_journal,   ///< the file is not a journal, or is from a later version of leat
  damaged,       ///< a journal has damaged bytes; see journal_read_options
  bad_quotes,    ///< rows() found a quote where RFC 4180 allows none, or an unclosed quote
  no_codecs,     ///< a compressed file needs <leat/codecs.hpp> and leat_codecs. @since 0.3
};

/// The category of errc; its name is "leat".
LEAT_API const std::error_category& error_category() noexcept;

/// Lets errc convert to std::error_code, and compare with it.
inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// A failed operation: its name, its offset, and the number of bytes that were not transferred.
struct failure {
  static constexpr std::uint64_t no_offset = ~std::uint64_t{0};

  std::error_code code;              ///< zero: nothing failed
  const char* operation = "write";   ///< a verb: "open", "write", "seek", …; static storage
  std::uint64_t offset = no_offset;  ///< bytes from the start of the stream
  std::uint64_t unwritten = 0;       ///< bytes accepted from the program that were not written
  std::uint64_t unread = 0;          ///< bytes that the program requested and that were not read

  explicit operator bool() const noexcept { return static_cast<bool>(code); }
};

/// Returns the text of a failure that a function with an `ec` has reported, in the form of
/// io_error::what(): `message(ec, "open", path)` is "cannot open 'in.csv': No such file or
/// directory".
LEAT_API std::string message(std::error_code ec, const char* operation, path_ref path);

/// Thrown by the functions that take no `std::error_code&`. what() reads "cannot write 'out.csv':
/// No space left on device (at byte 12288, 1036288 bytes not written)". what() escapes control
/// characters of the path, as `\n`; path() does not.
class LEAT_API io_error : public std::system_error {
 public:
  io_error(const failure& what, std::string_view path);
  /// As above, with a remark such as "position 12 of 5".
  io_error(const failure& what, std::string_view path, std::string_view remark);
  io_error(const io_error& other) noexcept;
  io_error& operator=(const io_error& other) noexcept;
  ~io_error() override;

  /// The whole message.
  const char* what() const noexcept override;
  /// The path as the program gave it. Streams without a path have names such as "<standard output>"
  /// and "<memory>".
  const std::string& path() const noexcept;
  /// The verb of the failed operation: "open", "write", "seek", …
  const char* operation() const noexcept;
  /// Offset of the first byte that could not be read or written; failure::no_offset if the failure
  /// has no offset.
  std::uint64_t offset() const noexcept;
  /// Bytes accepted from the program that are not in the file.
  std::uint64_t unwritten() const noexcept;
  /// Bytes that a call such as read_exactly() requested and did not get.
  std::uint64_t unread() const noexcept;

 private:
  struct details;
  const details& all() const noexcept;

  // Holds a std::shared_ptr<const details>, so that copying an exception can't throw.
  alignas(void*) unsigned char details_[2 * sizeof(void*)];
};

/// Returns the last failure that a call of this thread has reported by an `ec`. The result is the
/// exception that the call would have thrown without an `ec`. The exception has the path (at most
/// its last 1023 bytes), the offset, and the number of lost bytes. Calls of streams, files, records
/// and journals keep their failures here. leat::recover(), folder, file_lock, and the functions of
/// leat::codecs and leat::remote do not. A call that succeeds does not change the last failure. If
/// nothing has failed, the code is zero.
///
///     out.close(ec);
///     if (ec) complain(leat::last_error().what());
///
/// @since 0.3
LEAT_API io_error last_error();

/// Called for losses, and for failures of a log's rotation, that no call has reported. Examples:
/// the last write of a destructor failed; a failed stream is destroyed before a call has reported
/// the failure; a reader is destroyed after a failed read that no call reported. The handler must
/// not throw. Any thread may call the handler. If there is no memory for the io_error, a line is
/// printed on standard error instead.
using loss_handler = void (*)(const io_error& loss) noexcept;

/// Sets the handler and returns the previous one. Null restores the default handler, which prints a
/// line on standard error.
LEAT_API loss_handler set_loss_handler(loss_handler handler) noexcept;

/// Sets the exit status of a program that has an unreported loss at exit: of standard output, of a
/// stream that was still open, or (with glibc) of a static object. This status replaces the status
/// 0, so a full disk can't look like success. The default is EXIT_FAILURE; with 0, a loss does not
/// change the exit status. Returns the previous status. Some losses never change the exit
/// status: in a program that ends by _exit, quick_exit or a signal; of C's streams without
/// `replace`; and of a plugin with its own copy of leat. Only glibc reports the status with which a
/// program ends; with other C libraries any status is replaced.
LEAT_API int set_loss_status(int status) noexcept;

/// Reports a wrong format string of leat::runtime(), or an argument that can't be formatted, for
/// example a null `const char*` or a negative width.
class LEAT_API format_error : public std::runtime_error {
 public:
  format_error(const char* what, std::size_t position);
  /// Position of the mistake in the format string, in bytes from its start. no_position if an
  /// argument is wrong, or if {fmt} did not report the position.
  static constexpr std::size_t no_position = ~std::size_t{0};
  std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

}  // namespace v0
}  // namespace leat

template <>
struct std::is_error_code_enum<leat::errc> : std::true_type {};
