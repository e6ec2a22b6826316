// Opens, moves, writes to and closes descriptors, and renames and removes files, on Windows.
// descriptor.hpp names the callers.
#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <cstdint>
#include <new>

#include "device/descriptor.hpp"
#include "device/windows/console.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

HANDLE handle_of(int descriptor) noexcept {
  if (descriptor < 0) {
    errno = EBADF;
    return no_handle;
  }
  const std::intptr_t handle = ::_get_osfhandle(descriptor);
  return handle == -2 ? no_handle : reinterpret_cast<HANDLE>(handle);
}

DWORD access_for(const open_mode& mode) noexcept {
  DWORD access = mode.readable ? GENERIC_READ : 0;
  if (mode.appends)
    access |= append_access;
  else if (mode.writable)
    access |= GENERIC_WRITE;
  return access;
}

/// Makes a descriptor of the C library for a handle. If there is no free descriptor, closes the
/// handle and returns -1. The descriptor is binary, so the C library translates no line ends. In
/// text mode, the stream translates the line ends.
int make_descriptor(HANDLE handle, const open_mode& mode) noexcept {
  const int flags =
      _O_BINARY | (mode.appends ? _O_APPEND : 0) | (mode.close_on_exec ? _O_NOINHERIT : 0);
  const int descriptor = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags);
  if (descriptor < 0) ::CloseHandle(handle);
  return descriptor;
}

}  // namespace

bool has_text_mode() noexcept { return true; }

int open_descriptor(const char* path, const open_mode& mode) noexcept {
  const DWORD disposition_to_create = mode.exclusive ? CREATE_NEW : OPEN_ALWAYS;
  std::error_code ec;
  const HANDLE opened = open_handle(
      path,
      {.access = access_for(mode),
       .disposition = mode.truncates || mode.appends ? disposition_to_create : DWORD{OPEN_EXISTING},
       .truncates = mode.truncates && !mode.exclusive,
       .inherited = !mode.close_on_exec},
      ec);
  return ec ? fail_with(ec) : make_descriptor(opened, mode);
}

int open_inside(int, const char*, const open_mode&) noexcept {
  errno = ENOTSUP;
  return -1;
}

native_handle_type handle_of_descriptor(int descriptor) noexcept { return handle_of(descriptor); }

path_ref path_inside(int, const char* path) noexcept { return {no_handle, path}; }

int reopen_descriptor(int descriptor, const open_mode& mode) noexcept {
  const HANDLE old = handle_of(descriptor);
  if (old == no_handle) return -1;
  HANDLE opened = ::ReOpenFile(old, access_for(mode), share_all, 0);
  if (opened == no_handle) {
    // Pipes, for example, can't be opened again.
    const HANDLE self = ::GetCurrentProcess();
    open_mode suited = mode;
    if (!apply_open_mode(descriptor, suited)) return -1;
    if (::DuplicateHandle(self, old, self, &opened, 0, FALSE, DUPLICATE_SAME_ACCESS) == 0)
      return fail_with(system_code());
  }
  std::error_code ec;
  if (mode.truncates && is_on_disk(opened)) resize_file(opened, 0, ec);
  if (ec) {
    ::CloseHandle(opened);
    return fail_with(ec);
  }
  return make_descriptor(opened, mode);
}

bool apply_open_mode(int descriptor, open_mode& mode) noexcept {
  const HANDLE handle = handle_of(descriptor);
  if (handle == no_handle) return false;
  const DWORD access = access_of(handle);
  // If `access` is 0, the system does not report the rights, as for the console. Then the rights
  // are not checked.
  if (access != 0 && ((mode.readable && (access & FILE_READ_DATA) == 0) ||
                      (mode.writable && (access & (FILE_WRITE_DATA | FILE_APPEND_DATA)) == 0))) {
    errno = EINVAL;
    return false;
  }
  if (mode.close_on_exec) ::SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
  return true;
}

int move_descriptor(int from, int to, bool close_on_exec) noexcept {
  if (from == to) return to;
  const bool moved = ::_dup2(from, to) == 0;
  close_descriptor(from);
  if (!moved) return -1;
  const HANDLE handle = handle_of(to);
  if (close_on_exec) ::SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
  // Started programs, and code that calls GetStdHandle, use this handle.
  constexpr DWORD standard[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  if (to <= 2) ::SetStdHandle(standard[to], handle);
  return to;
}

void close_descriptor(int descriptor) noexcept {
  const int before = errno;
  ::_close(descriptor);
  errno = before;
}

std::ptrdiff_t write_once(int descriptor, std::string_view bytes) noexcept {
  const HANDLE handle = handle_of(descriptor);
  if (handle == no_handle) return -1;
  if (bytes.empty()) return 0;
  std::error_code ec;
  // Both functions write at the handle's offset. Unlike _write, these functions ignore the
  // descriptor's _O_APPEND.
  const std::size_t n =
      is_console(handle)
          ? windows_console(handle).write(bytes, ec)
          : write_handle(handle, is_on_disk(handle) ? at_current_offset : 0, bytes, ec);
  return ec ? fail_with(ec) : static_cast<std::ptrdiff_t>(n);
}

int descriptor_of(native_handle_type released) noexcept {
  return released == no_handle ? -1
                               : make_descriptor(released, {.readable = true, .writable = true});
}

/// Returns -1: a device that leat opens by a path has a handle, but no descriptor.
int descriptor_of(const device&) noexcept { return -1; }

int remove_path(const char* path) noexcept try {
  std::error_code ec;
  const std::wstring native = native_path(path, ec);
  if (!ec && ::DeleteFileW(native.c_str()) == 0) ec = system_code();
  return ec ? fail_with(ec) : 0;
} catch (const std::bad_alloc&) {
  return fail_with(std::make_error_code(std::errc::not_enough_memory));
}

/// If a file has the new name, fails, as Microsoft's library does.
int rename_path(const char* from, const char* to) noexcept try {
  std::error_code ec, other;
  const std::wstring old_name = native_path(from, ec), new_name = native_path(to, other);
  if (!ec) ec = other;
  if (!ec && ::MoveFileExW(old_name.c_str(), new_name.c_str(), MOVEFILE_COPY_ALLOWED) == 0)
    ec = system_code();
  return ec ? fail_with(ec) : 0;
} catch (const std::bad_alloc&) {
  return fail_with(std::make_error_code(std::errc::not_enough_memory));
}

void rename_and_sync(path_ref from, path_ref to, std::error_code& ec) noexcept try {
  const HANDLE file = open_handle(from, {.access = GENERIC_WRITE}, ec);
  if (ec) return;
  if (::FlushFileBuffers(file) == 0) ec = system_code();
  ::CloseHandle(file);
  if (ec) return;
  const std::wstring old_name = native_path(from, ec);
  if (ec) return;
  const std::wstring new_name = native_path(to, ec);
  constexpr DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (!ec && ::MoveFileExW(old_name.c_str(), new_name.c_str(), how) == 0) ec = system_code();
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

/// Does nothing: FlushFileBuffers writes the name of a file together with the file's bytes.
void sync_name(path_ref, int, std::error_code& ec) noexcept { ec.clear(); }

}  // namespace v0
}  // namespace leat
