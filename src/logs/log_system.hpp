// What logs that are rotated need from the system. Each platform has its own implementation of
// these.
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

/// The path that stays the same if the program changes its folder or the file gets another name:
/// absolute, and where a link leads. Throws std::bad_alloc.
std::string lasting_path(path_ref path, std::error_code& ec);

/// True if no file in this folder can have this name.
bool is_too_long(path_ref path) noexcept;
/// Gives a new file the mode, the owner and the access list of the one that had its name, as far as
/// the process may. Nobody gets more access by it. Windows: the access list.
void keep_log_access(native_handle_type old, native_handle_type made, std::error_code& ec) noexcept;

/// Opens an existing file for lock_log(). Nobody is kept from renaming or removing it.
native_handle_type open_to_lock(path_ref path, std::error_code& ec) noexcept;

/// Waits for a lock on an open file, which can be written. It belongs to the opening of the file,
/// and is another lock than that of <leat/lock.hpp>. No lock is needed to read or to write.
void lock_log(native_handle_type file, std::error_code& ec) noexcept;
/// Does not wait. False without an error: somebody else has it.
bool try_lock_log(native_handle_type file, std::error_code& ec) noexcept;
void unlock_log(native_handle_type file) noexcept;

/// Gives a file another name in its folder. file_exists if a file has that name: none is replaced.
/// Where the system can only look before, another process may still come in between.
void rename_log(path_ref from, path_ref to, std::error_code& ec) noexcept;
void remove_log(path_ref path, std::error_code& ec) noexcept;
/// Notes a time as that of the last write to an open file, in nanoseconds since 1970.
void set_written(native_handle_type file, std::int64_t when) noexcept;

/// The names in a folder that begin with `prefix`. Throws std::bad_alloc.
std::vector<std::string> names_in(path_ref folder, std::string_view prefix, std::error_code& ec);

}  // namespace v0
}  // namespace leat
