// The platform's functions for the status of files and for following a file. Logs call these
// functions. Other code calls only folder_of().
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

enum class file_kind { regular, folder, other };

struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;
  std::array<std::uint64_t, 2>
      identity{};               ///< no other file has the same identity while the file is open
  std::int64_t write_time = 0;  ///< time of the last write, in nanoseconds since 1970
  bool removed = false;         ///< the file has no name any more
  bool has_size = true;         ///< false: the file system reports false sizes
};

/// Stores the status of the file with this path in `status`. Does not find out whether the reported
/// size is false. If no file has this path, or if the system reports an error, returns false, and
/// `status` has no meaning.
bool status_of(path_ref path, file_status& status) noexcept;
/// Returns the status of an open file. If the system reports an error, sets `ec`.
file_status status_of(native_handle_type file, std::error_code& ec) noexcept;

/// Opens the file or folder of this name to read, without waiting for the other side of a pipe.
/// The caller closes the handle by close_followed(). Returns no_handle and sets `ec` on failure.
native_handle_type open_followed(path_ref path, std::error_code& ec) noexcept;
/// Reads once at a position. Returns the number of bytes. A result of 0 without an error means the
/// end.
std::size_t read_followed(native_handle_type file, std::uint64_t at, std::span<char> into,
                          std::error_code& ec) noexcept;
/// Closes a handle of open_followed(). Ignores errors.
void close_followed(native_handle_type file) noexcept;

/// True for errors of open() that may pass soon, for example while another process renames or makes
/// the file.
bool is_transient(const std::error_code& ec) noexcept;

/// Returns the folder of the path's last name: "a" for "a/b", "." for "b", "/" for "/b". Throws
/// std::bad_alloc.
std::string folder_of(std::string_view path);

}  // namespace v0
}  // namespace leat
