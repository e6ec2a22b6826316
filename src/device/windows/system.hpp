// System calls, as the Windows devices use them. The files in the folders named windows call these
// functions.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The error of GetLastError, with the system's message.
inline std::error_code system_code() noexcept {
  return {static_cast<int>(::GetLastError()), std::system_category()};
}

/// Sets errno and returns -1, for functions that report errors as C's functions do.
int fail_with(const std::error_code& ec) noexcept;

/// Other processes may read, write, rename and remove an open file, as on POSIX.
inline constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// The access rights for a handle that can write only at the end of the file.
inline constexpr DWORD append_access =
    FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;

/// Converts a UTF-8 path to an absolute, normalized path in UTF-16. The result may be longer than
/// MAX_PATH. A path that starts with \\?\ or \\.\ is only converted to UTF-16. In other paths the
/// device names CON, PRN, AUX, COM1, LPT1 and so on are refused (errc::reserved_name). The device
/// NUL is allowed. A path inside a folder is not supported (operation_not_supported). Also sets
/// `ec` if the path is empty, has a NUL character, is longer than 32,767 bytes or is not UTF-8.
/// Throws std::bad_alloc.
std::wstring native_path(const path_ref& path, std::error_code& ec);

/// Converts UTF-8 to UTF-16. Bytes that are not UTF-8 become U+FFFD. Throws std::bad_alloc.
std::wstring to_utf16(std::string_view text);
/// Converts UTF-16 to UTF-8. Throws std::bad_alloc.
std::string to_utf8(std::wstring_view text);

struct open_parameters {
  DWORD access = GENERIC_READ;
  DWORD disposition = OPEN_EXISTING;
  DWORD share = share_all;  ///< what other programs may do with the open file
  DWORD flags = 0;          ///< FILE_FLAG_… and FILE_ATTRIBUTE_…
  bool truncates = false;  ///< an existing file keeps its attributes; CREATE_ALWAYS would drop them
  bool inherited = false;  ///< started programs get the handle, too
};

/// Opens a file by CreateFileW. The caller closes the handle. Returns no_handle and sets `ec` on
/// failure.
HANDLE open_handle(path_ref path, const open_parameters& how, std::error_code& ec) noexcept;
/// open_handle() for a native path.
HANDLE open_native(const std::wstring& path, const open_parameters& how,
                   std::error_code& ec) noexcept;

/// Returns the rights of a handle, for example FILE_READ_DATA. Returns 0 if the system does not
/// report the rights.
DWORD access_of(HANDLE handle) noexcept;
/// True if the handle of a file on a disk was opened as overlapped: calls do not wait for the end
/// of a transfer, and the handle has no offset. Also true if the system does not report the
/// handle's mode.
bool is_asynchronous(HANDLE handle) noexcept;
bool is_on_disk(HANDLE handle) noexcept;
bool is_console(HANDLE handle) noexcept;

/// The wait for the end of a transfer. by_system: the call itself waits, which needs a handle that
/// was not opened as overlapped. by_event: leat waits for an event, with any handle.
enum class waiting { by_event, by_system };

/// Reads or writes once at a position, and waits until the transfer has ended. Returns the number
/// of bytes. On failure sets `ec` and returns 0. For a read, a result of 0 without an error means
/// the end. Pipes ignore the position.
std::size_t read_handle(HANDLE file, std::uint64_t at, std::span<char> into, std::error_code& ec,
                        waiting mode = waiting::by_event) noexcept;
std::size_t write_handle(HANDLE file, std::uint64_t at, std::string_view bytes, std::error_code& ec,
                         waiting mode = waiting::by_event) noexcept;
/// A position for write_handle: the system writes to the end, in one step.
inline constexpr std::uint64_t at_end_of_file = ~std::uint64_t{0};
/// A position for transfers: the handle's offset, which the transfer moves. Must not be used
/// with overlapped handles.
inline constexpr std::uint64_t at_current_offset = at_end_of_file - 1;

/// Moves the handle's offset. Returns false and sets `ec` on failure.
bool seek_handle(HANDLE file, std::uint64_t at, std::error_code& ec) noexcept;
/// Returns the handle's offset, or -1 if the handle has no offset.
std::int64_t position_of(HANDLE file) noexcept;

/// Returns the size of a file on a disk. For other handles, fails with operation_not_supported.
std::uint64_t size_of(HANDLE file, std::error_code& ec) noexcept;
/// Sets the size of a file. Sets `ec` on failure: file_too_large if the size is above 2^63 - 1.
void resize_file(HANDLE file, std::uint64_t size, std::error_code& ec) noexcept;
/// Makes a file sparse: bytes that are never written take no space. Does nothing if the file system
/// has no sparse files.
void make_sparse(HANDLE file) noexcept;

}  // namespace v0
}  // namespace leat
