// System calls as the Windows devices need them.
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

/// What GetLastError says, with the system's own message.
inline std::error_code last_error() noexcept {
  return {static_cast<int>(::GetLastError()), std::system_category()};
}

/// For functions that report as C's do.
int fail_with(const std::error_code& ec) noexcept;

/// Others may read, write, rename and remove a file that is open, as elsewhere.
inline constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Writes go to the end, and only there.
inline constexpr DWORD append_access =
    FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;

/// A path of UTF-8 as the system wants it: whole and normal, of any length. Names of devices are
/// refused (errc::reserved_name), but for NUL, which programs write into to have nothing written,
/// and for those that say what they are, as in \\.\COM1. Throws std::bad_alloc.
std::wstring native_path(std::string_view path, std::error_code& ec);

/// UTF-16 of UTF-8; bytes that are none become U+FFFD. Throws std::bad_alloc.
std::wstring widened(std::string_view text);
/// The other way round.
std::string narrowed(std::wstring_view text);

struct open_how {
  DWORD access = GENERIC_READ;
  DWORD disposition = OPEN_EXISTING;
  DWORD flags = 0;  ///< FILE_FLAG_… and FILE_ATTRIBUTE_…
  bool truncates =
      false;  ///< keeps the attributes of a file that is there, as CREATE_ALWAYS would not
  bool inherited = false;  ///< programs that are started have the handle too
};

/// CreateFileW. Returns no_handle and sets `ec` on failure.
HANDLE open_handle(path_ref path, const open_how& how, std::error_code& ec) noexcept;
/// The same for a path that is native already.
HANDLE open_native(const std::wstring& path, const open_how& how, std::error_code& ec) noexcept;

/// What may be done with it, as FILE_READ_DATA and the like; 0 if it is none.
DWORD access_of(HANDLE handle) noexcept;
/// True if its transfers are not waited for by the system, and so have no common place in the file.
bool is_asynchronous(HANDLE handle) noexcept;
bool is_on_disk(HANDLE handle) noexcept;
bool is_console(HANDLE handle) noexcept;

/// Who waits until a transfer is done: the system, by itself, for files that were not opened as
/// overlapped; or we, for an event, whatever it is.
enum class waiting { by_event, by_system };

/// Reads or writes once at a position, which pipes and the like pass over, and waits for it.
std::size_t read_handle(HANDLE file, std::uint64_t at, std::span<char> into, std::error_code& ec,
                        waiting who = waiting::by_event) noexcept;
std::size_t write_handle(HANDLE file, std::uint64_t at, std::string_view bytes, std::error_code& ec,
                         waiting who = waiting::by_event) noexcept;
/// The position by which the system writes to the end, in one step.
inline constexpr std::uint64_t at_the_end = ~std::uint64_t{0};
/// And that by which it goes on where the handle is, which moves. Not for overlapped handles.
inline constexpr std::uint64_t where_it_is = at_the_end - 1;

/// Moves the handle's own place in the file.
bool place_handle(HANDLE file, std::uint64_t at, std::error_code& ec) noexcept;
/// Where that is; -1 if it has none.
std::int64_t place_of(HANDLE file) noexcept;

/// The end of a file.
std::uint64_t size_of(HANDLE file, std::error_code& ec) noexcept;
void resize_file(HANDLE file, std::uint64_t size, std::error_code& ec) noexcept;
/// What is never written takes no space from now on. Where a file system can't, nothing happens.
void make_sparse(HANDLE file) noexcept;

}  // namespace v0
}  // namespace leat
