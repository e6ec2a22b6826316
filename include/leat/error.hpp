// How leat reports what went wrong: io_error, error codes of its own, and the loss handler.
#pragma once

#if __cplusplus < 202002L
#  error "leat needs C++20: compile with -std=c++20"
#endif

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Failures that the operating system has no code for.
enum class errc {
  closed = 1,      ///< the stream is closed, was moved from, or was never opened
  no_progress,     ///< a device took or gave no byte and reported no error
  not_committed,   ///< a `replace` stream was destroyed without close(); its target is unchanged
  memory_full,     ///< a memory_writer has no room left
  not_a_file,      ///< the target of `replace` is there, but no regular file
  ended_early,     ///< fewer bytes are left than read_exactly was to take
  line_too_long,   ///< a line is longer than line_options::longest
  not_a_number,    ///< what parse() found is none of the type asked for
  file_shrank,     ///< a mapped file has lost bytes since it was mapped
  no_such_record,  ///< a position or a range that is not in the file
  reserved_name,   ///< on Windows a device has this name, in every folder: CON, COM1, …
};

LEAT_API const std::error_category& error_category() noexcept;

inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// What failed, at which byte, and how much did not get there.
struct failure {
  static constexpr std::uint64_t no_offset = ~std::uint64_t{0};

  std::error_code code;              ///< zero: nothing failed
  const char* operation = "write";   ///< a verb: "open", "write", "seek", …; static storage
  std::uint64_t offset = no_offset;  ///< bytes from the start of the stream
  std::uint64_t unwritten = 0;       ///< bytes the program handed over that did not arrive
  std::uint64_t unread = 0;          ///< bytes the program asked for that did not come

  explicit operator bool() const noexcept { return static_cast<bool>(code); }
};

/// Thrown by the functions that take no `std::error_code&`. what() reads
/// "cannot write 'out.csv': No space left on device (at byte 12288, 1036288 bytes not written)".
class LEAT_API io_error : public std::system_error {
 public:
  io_error(const failure& what, std::string_view path);
  /// The same with a remark, such as "position 12 of 5".
  io_error(const failure& what, std::string_view path, std::string_view remark);

  const char* what() const noexcept override;
  /// The path as it was given; "<standard output>", "<memory>", … for streams without one.
  const std::string& path() const noexcept;
  const char* operation() const noexcept;
  /// Where the first byte was that could not be moved; failure::no_offset if there is no such
  /// place.
  std::uint64_t offset() const noexcept;
  /// Bytes accepted from the program that are not in the file.
  std::uint64_t unwritten() const noexcept;
  /// Bytes that read_exactly was to take and that are not there.
  std::uint64_t unread() const noexcept;

 private:
  struct details;
  std::shared_ptr<const details> details_;  // shared, so that copying an exception can't throw
};

/// Called with bytes lost that nobody could be told of: a destructor whose last write failed, or a
/// stream that failed unnoticed, which for a reader is a read that came short by an error. It must
/// not throw. Any thread may call it.
using loss_handler = void (*)(const io_error& loss) noexcept;

/// Sets the handler and returns the one before. Null restores the default: a line on standard
/// error.
LEAT_API loss_handler set_loss_handler(loss_handler handler) noexcept;

/// A format string of leat::runtime() that is wrong, or an argument that can't be formatted: a null
/// `const char*`, a negative width.
class LEAT_API format_error : public std::runtime_error {
 public:
  format_error(const char* what, std::size_t position);
  /// Where in the format string, in bytes from its start; no_position where it is an argument's
  /// fault or {fmt} did not say.
  static constexpr std::size_t no_position = ~std::size_t{0};
  std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

}  // namespace v0
}  // namespace leat

template <>
struct std::is_error_code_enum<leat::errc> : std::true_type {};
