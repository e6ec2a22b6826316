// The platform's functions for rotated logs, called by log_files.cpp, log_finisher.cpp and
// rotating.cpp. Each platform implements these functions.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {

/// Returns an absolute path. The path leads to the log's name even after the program has changed
/// its working directory, or after the file was renamed. POSIX: the path has no links, except a
/// link in /proc to an open file; a path in a leat::folder is returned unchanged. Throws
/// std::bad_alloc.
std::string absolute_log_path(path_ref path, std::error_code& ec);

/// True if the name is too long for a file in this folder.
bool is_too_long(path_ref path) noexcept;
/// Gives the new file `made` the mode, the owner, the access list and the extended attributes of
/// the open file `old`, as far as the process may. POSIX: the new file is never more accessible
/// than `old`. Windows: only the access list is copied. If the copy fails, the new file keeps the
/// list that its folder gives.
void copy_log_access(native_handle_type old, native_handle_type made, std::error_code& ec) noexcept;

/// Opens an existing file for lock_log(). Other programs may still rename or remove the file. The
/// caller closes the handle by close_followed(). Returns no_handle and sets `ec` on failure.
native_handle_type open_to_lock(path_ref path, std::error_code& ec) noexcept;

/// Waits for a lock on an open file, which must be writable. The lock belongs to the open file
/// description (Windows: to the handle). On Windows, and where the system has OFD locks (Linux),
/// the lock is independent of the locks of <leat/lock.hpp>. Elsewhere lock_log() and
/// <leat/lock.hpp> both use flock(). Reading and writing need no lock.
void lock_log(native_handle_type file, std::error_code& ec) noexcept;
/// As lock_log(), without waiting. Returns false without an error if the lock is held by another
/// open file description.
bool try_lock_log(native_handle_type file, std::error_code& ec) noexcept;
/// Releases the lock of lock_log() or try_lock_log(). Ignores errors.
void unlock_log(native_handle_type file) noexcept;

/// Renames a file in its folder. If `to` exists, replaces no file, and the error is file_exists. If
/// the system can only check before the rename, a file that another process makes between the check
/// and the rename is replaced.
void rename_log(path_ref from, path_ref to, std::error_code& ec) noexcept;
/// Removes a file.
void remove_log(path_ref path, std::error_code& ec) noexcept;
/// Sets the time of the last write to an open file, in nanoseconds since 1970. Ignores errors.
void set_write_time(native_handle_type file, std::int64_t when) noexcept;

/// Returns the names in a folder that begin with `prefix`. Throws std::bad_alloc.
std::vector<std::string> names_in(path_ref folder, std::string_view prefix, std::error_code& ec);

}  // namespace v0
}  // namespace leat
