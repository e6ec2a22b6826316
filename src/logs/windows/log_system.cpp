// Implements log_system.hpp on Windows: paths, locks, names and times of rotated logs.
#include "logs/log_system.hpp"

#include <cstddef>
#include <new>
#include <vector>

#include "device/follow_system.hpp"
#include "device/windows/system.hpp"
#include "opening/windows/replacement.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The byte that is locked. Other processes can't read or write a locked byte, so this byte lies
/// after the end of every file. <leat/lock.hpp> locks another byte.
constexpr DWORD log_byte_low = 0xFFFFFFFC;
constexpr DWORD log_byte_high = 0x7FFFFFFF;

bool lock_byte(HANDLE file, DWORD flags) noexcept {
  OVERLAPPED where{};
  where.Offset = log_byte_low;
  where.OffsetHigh = log_byte_high;
  where.hEvent = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  DWORD unused;
  const bool done = ::LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | flags, 0, 1, 0, &where) != 0 ||
                    (::GetLastError() == ERROR_IO_PENDING &&
                     ::GetOverlappedResult(file, &where, &unused, TRUE) != 0);
  const DWORD why = ::GetLastError();
  if (where.hEvent != nullptr) ::CloseHandle(where.hEvent);
  ::SetLastError(why);
  return done;
}

}  // namespace

std::string absolute_log_path(path_ref path, std::error_code& ec) {
  const std::wstring native = native_path(path, ec);
  return ec ? std::string() : to_utf8(native);
}

bool is_too_long(path_ref path) noexcept try {
  constexpr std::size_t longest_name = 255;
  const std::string_view text = path.view();
  return to_utf16(text.substr(text.find_last_of("/\\") + 1)).size() > longest_name;
} catch (const std::bad_alloc&) {
  return false;
}

void copy_log_access(native_handle_type old, native_handle_type made, std::error_code& ec) noexcept
    try {
  constexpr SECURITY_INFORMATION what = DACL_SECURITY_INFORMATION;
  DWORD size = 0;
  ::GetKernelObjectSecurity(old, what, nullptr, 0, &size);
  std::vector<std::byte> rights(size);
  const HANDLE changed = ::ReOpenFile(made, WRITE_DAC, share_all, 0);
  if (changed == no_handle) return;  // the file keeps the rights that its folder gives
  if (size != 0 && ::GetKernelObjectSecurity(old, what, rights.data(), size, &size) != 0)
    static_cast<void>(::SetKernelObjectSecurity(changed, what, rights.data()));
  ::CloseHandle(changed);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

native_handle_type open_to_lock(path_ref path, std::error_code& ec) noexcept {
  return open_handle(path, {.access = GENERIC_READ | GENERIC_WRITE}, ec);
}

void lock_log(native_handle_type file, std::error_code& ec) noexcept {
  ec = lock_byte(file, 0) ? std::error_code{} : system_code();
}

bool try_lock_log(native_handle_type file, std::error_code& ec) noexcept {
  const bool done = lock_byte(file, LOCKFILE_FAIL_IMMEDIATELY);
  ec = done || ::GetLastError() == ERROR_LOCK_VIOLATION ? std::error_code{} : system_code();
  return done;
}

void unlock_log(native_handle_type file) noexcept {
  OVERLAPPED where{};
  where.Offset = log_byte_low;
  where.OffsetHigh = log_byte_high;
  ::UnlockFileEx(file, 0, 1, 0, &where);
}

void rename_log(path_ref from, path_ref to, std::error_code& ec) noexcept try {
  const std::wstring old = native_path(from, ec);
  if (ec) return;
  const std::wstring future = native_path(to, ec);
  if (!ec && ::MoveFileExW(old.c_str(), future.c_str(), 0) == 0) ec = system_code();
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

void remove_log(path_ref path, std::error_code& ec) noexcept try {
  const std::wstring native = native_path(path, ec);
  if (!ec && ::DeleteFileW(native.c_str()) == 0) ec = system_code();
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

void set_write_time(native_handle_type file, std::int64_t when) noexcept {
  FILE_BASIC_INFO times{};  // a time of 0 changes nothing
  times.LastWriteTime.QuadPart = when / 100 + 116'444'736'000'000'000;
  static_cast<void>(::SetFileInformationByHandle(file, FileBasicInfo, &times, sizeof times));
}

std::vector<std::string> names_in(path_ref folder, std::string_view prefix, std::error_code& ec) {
  std::vector<std::string> names;
  const std::wstring all =
      native_path((std::string(folder.view()) + "\\").c_str(), ec) + to_utf16(prefix) + L"*";
  if (ec) return names;
  WIN32_FIND_DATAW one{};
  const HANDLE list = ::FindFirstFileW(all.c_str(), &one);
  if (list == no_handle) {
    if (::GetLastError() != ERROR_FILE_NOT_FOUND) ec = system_code();
    return names;
  }
  try {
    do {
      std::string name = to_utf8(one.cFileName);
      if (name.starts_with(prefix)) names.push_back(std::move(name));
    } while (::FindNextFileW(list, &one) != 0);
    if (::GetLastError() != ERROR_NO_MORE_FILES) ec = system_code();
  } catch (...) {
    ::FindClose(list);
    throw;
  }
  ::FindClose(list);
  return names;
}

}  // namespace v0
}  // namespace leat
