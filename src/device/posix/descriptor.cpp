// Opens, moves, writes to and closes descriptors, and renames and removes files, on POSIX systems.
// descriptor.hpp names the callers.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/errno.hpp"
#include "base/no_cancel.hpp"
#include "device/descriptor.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr mode_t permissions = 0666;

}  // namespace

int flags_of(const open_mode& mode) noexcept {
  int flags = mode.readable && mode.writable ? O_RDWR : mode.writable ? O_WRONLY : O_RDONLY;
  if (mode.truncates) flags |= O_CREAT | O_TRUNC;
  if (mode.appends) flags |= O_CREAT | O_APPEND;
  if (mode.exclusive && (flags & O_CREAT) != 0) flags |= O_EXCL;
  if (mode.close_on_exec) flags |= O_CLOEXEC;
  return flags;
}

bool has_text_mode() noexcept { return false; }

int open_descriptor(const char* path, const open_mode& mode) noexcept {
  return ::open(path, flags_of(mode), permissions);
}

int open_inside(int folder, const char* path, const open_mode& mode) noexcept {
  std::error_code ec;
  const int opened = open_descriptor(path_inside(folder, path), flags_of(mode), permissions, ec);
  if (ec) errno = errno_of(ec);
  return opened;
}

native_handle_type handle_of_descriptor(int descriptor) noexcept { return descriptor; }

path_ref path_inside(int folder, const char* path) noexcept { return {folder, path}; }

int reopen_descriptor(int descriptor, const open_mode& mode) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return -1;
  const int opened = ::open(proc_fd_path(descriptor).text, flags_of(mode) & ~(O_CREAT | O_EXCL));
  const int access = flags & O_ACCMODE;
  const bool fits = access == O_RDWR || (access == O_RDONLY && !mode.writable) ||
                    (access == O_WRONLY && !mode.readable);
  if (opened >= 0 || !fits) return opened;
  // The open may fail: a socket can't be opened by a name, this process may have lost the right to
  // open the file, or the system has no /proc. If the open fails, make a copy of the descriptor.
  // The copy shares offset and flags with the original.
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return -1;
  ::fcntl(copy, F_SETFL, mode.appends ? flags | O_APPEND : flags & ~O_APPEND);
  if (mode.truncates && ::ftruncate(copy, 0) != 0 && errno != EINVAL) {
    close_descriptor(copy);
    return -1;
  }
  ::lseek(copy, 0, SEEK_SET);
  return copy;
}

bool apply_open_mode(int descriptor, open_mode& mode) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return false;
  const int access = flags & O_ACCMODE;
  if ((mode.readable && access == O_WRONLY) || (mode.writable && access == O_RDONLY)) {
    errno = EINVAL;
    return false;
  }
  mode.already_appends = (flags & O_APPEND) != 0;
  if (mode.appends && !mode.already_appends) ::fcntl(descriptor, F_SETFL, flags | O_APPEND);
  if (mode.close_on_exec) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return true;
}

int move_descriptor(int from, int to, bool close_on_exec) noexcept {
  if (from == to) return to;
  const int moved = duplicate(from, to, close_on_exec);
  close_descriptor(from);
  return moved;
}

void close_descriptor(int descriptor) noexcept {
  const int before = errno;
  ::close(descriptor);
  errno = before;
}

std::ptrdiff_t write_once(int descriptor, std::string_view bytes) noexcept {
  return write_at_cursor(descriptor, {bytes.data(), std::min(bytes.size(), longest_request)});
}

int descriptor_of(native_handle_type released) noexcept { return released; }

int descriptor_of(const device& open) noexcept { return open.native_handle(); }

std::unique_ptr<device> borrow_descriptor(int descriptor) { return borrow(descriptor); }

int remove_path(const char* path) noexcept { return std::remove(path); }

int rename_path(const char* from, const char* to) noexcept { return std::rename(from, to); }

void rename_and_sync(path_ref from, path_ref to, std::error_code& ec) noexcept try {
  const no_cancel guard;
  const resolved_path source(from, ec);
  if (ec) return;
  const resolved_path target(to, ec);
  if (ec) return;
  struct stat status{};
  if (::fstatat(source.folder(), source.name(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    ec = system_code();
    return;
  }
  // Sync the bytes first: a name must not lead to a file that lacks bytes. Links and pipes have no
  // bytes to sync.
  unique_descriptor file;
  if (S_ISREG(status.st_mode)) {
    constexpr int safe_flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    file = unique_descriptor(open_at(source.folder(), source.name(), O_RDONLY | safe_flags, 0));
    if (file.get() >= 0)
      sync_file(file.get(), ec);
    else
      ec = system_code();
  }
  if (!ec && ::renameat(source.folder(), source.name(), target.folder(), target.name()) != 0)
    ec = system_code();
  if (!ec) sync_name(to, file.get(), ec);
  if (!ec) sync_name(from, file.get(), ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

void sync_name(path_ref path, int file, std::error_code& ec) noexcept try {
  const resolved_path where(path, ec);
  if (ec) return;
  const auto [folder, name] = where.parent(ec);
  if (!ec) sync_folder(folder.get(), name.c_str(), file, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace v0
}  // namespace leat
