// Implements log_system.hpp on POSIX systems: paths, locks, names and times of rotated logs.
#include "logs/log_system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#  include <sys/syscall.h>
#elif defined(__APPLE__)
#  include <stdio.h>
#endif

#include <cerrno>
#include <memory>

#include "base/no_cancel.hpp"
#include "device/follow_system.hpp"
#include "device/posix/attributes.hpp"
#include "device/posix/links.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

struct free_path {
  void operator()(char* text) const noexcept { ::free(text); }
};

/// Returns the path without links, or an empty path if the system reports an error.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, free_path> text(::realpath(path.c_str(), nullptr));
  return text == nullptr ? std::string() : std::string(text.get());
}

#if defined(F_OFD_SETLK)

/// Locks or unlocks the whole file. flock() would conflict with a lock that the program itself may
/// take.
int change_log_lock(int file, short type, bool wait) noexcept {
  struct flock request{};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  const no_cancel guard;
  return retry_on_eintr([&] { return ::fcntl(file, wait ? F_OFD_SETLKW : F_OFD_SETLK, &request); });
}
constexpr short log_locked = F_WRLCK;
constexpr short log_unlocked = F_UNLCK;

#else

int change_log_lock(int file, int type, bool wait) noexcept {
  const no_cancel guard;
  return retry_on_eintr([&] { return ::flock(file, type | (wait ? 0 : LOCK_NB)); });
}
constexpr int log_locked = LOCK_EX;
constexpr int log_unlocked = LOCK_UN;

#endif

/// Like renameat, but if the new name exists, fails. Makes one system call or, if the system has no
/// such call, checks before the rename. Returns -1 and sets errno on failure.
int rename_to_free(const resolved_path& old, const resolved_path& future) noexcept {
#if defined(__linux__)
  constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
  if (::syscall(SYS_renameat2, old.folder(), old.name(), future.folder(), future.name(),
                no_replace) == 0)
    return 0;
  if (errno == EEXIST) return -1;  // else the kernel or file system may lack this call
#elif defined(__APPLE__)
  if (::renameatx_np(old.folder(), old.name(), future.folder(), future.name(), RENAME_EXCL) == 0)
    return 0;
  if (errno == EEXIST) return -1;
#endif
  struct stat existing{};
  if (::fstatat(future.folder(), future.name(), &existing, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return ::renameat(old.folder(), old.name(), future.folder(), future.name());
}

}  // namespace

std::string absolute_log_path(path_ref path, std::error_code& ec) {
  ec.clear();
  std::string text(path.view());
  if (path.is_inside()) return text;
  if (text.empty() || text.find('\0') != std::string::npos) {
    ec = std::make_error_code(text.empty() ? std::errc::no_such_file_or_directory
                                           : std::errc::invalid_argument);
    return text;
  }
  std::string target = follow_links(text, ec);
  if (ec) return text;
  // A link in /proc leads to an open file, even if the link's text is the path of another file.
  struct stat wanted{}, found{};
  if (::stat(text.c_str(), &wanted) == 0 &&
      (::stat(target.c_str(), &found) != 0 || found.st_dev != wanted.st_dev ||
       found.st_ino != wanted.st_ino))
    target = text;
  const std::string folder = real_path(folder_of(target));
  if (folder.empty()) {
    ec = system_code();
    return text;
  }
  return folder + (folder.ends_with('/') ? "" : "/") + target.substr(target.rfind('/') + 1);
}

bool is_too_long(path_ref path) noexcept {
  std::error_code ec;
  const resolved_path where(path, ec);
  struct stat unused{};
  if (!ec && ::fstatat(where.folder(), where.name(), &unused, AT_SYMLINK_NOFOLLOW) != 0)
    ec = system_code();
  return ec == std::errc::filename_too_long;
}

void copy_log_access(native_handle_type old, native_handle_type made,
                     std::error_code& ec) noexcept {
  copy_attributes_to(made, old, ec);
}

native_handle_type open_to_lock(path_ref path, std::error_code& ec) noexcept {
  return open_descriptor(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY, 0, ec);
}

void lock_log(native_handle_type file, std::error_code& ec) noexcept {
  ec = change_log_lock(file, log_locked, true) == 0 ? std::error_code{} : system_code();
}

bool try_lock_log(native_handle_type file, std::error_code& ec) noexcept {
  const bool done = change_log_lock(file, log_locked, false) == 0;
  const bool is_held = !done && (errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES);
  ec = done || is_held ? std::error_code{} : system_code();
  return done;
}

void unlock_log(native_handle_type file) noexcept { change_log_lock(file, log_unlocked, false); }

void rename_log(path_ref from, path_ref to, std::error_code& ec) noexcept {
  const resolved_path source(from, ec);
  if (ec) return;
  const resolved_path target(to, ec);
  if (!ec && rename_to_free(source, target) != 0) ec = system_code();
}

void remove_log(path_ref path, std::error_code& ec) noexcept {
  const resolved_path where(path, ec);
  if (!ec && ::unlinkat(where.folder(), where.name(), 0) != 0) ec = system_code();
}

void set_write_time(native_handle_type file, std::int64_t when) noexcept {
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_OMIT;
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t rest = (when % second + second) % second;  // not negative, even before 1970
  times[1].tv_sec = static_cast<time_t>((when - rest) / second);
  times[1].tv_nsec = static_cast<long>(rest);
  static_cast<void>(::futimens(file, times));
}

std::vector<std::string> names_in(path_ref folder, std::string_view prefix, std::error_code& ec) {
  const no_cancel guard;
  std::vector<std::string> names;
  const int descriptor = open_descriptor(folder, O_RDONLY | O_DIRECTORY, 0, ec);
  if (descriptor < 0) return names;
  DIR* const list = ::fdopendir(descriptor);
  if (list == nullptr) {
    ec = system_code();
    ::close(descriptor);
    return names;
  }
  try {
    for (;;) {
      errno = 0;
      const dirent* const one = ::readdir(list);
      if (one == nullptr) break;
      const std::string_view name(one->d_name);
      if (name.starts_with(prefix)) names.emplace_back(name);
    }
    if (errno != 0) ec = system_code();
  } catch (...) {
    ::closedir(list);
    throw;
  }
  ::closedir(list);
  return names;
}

}  // namespace v0
}  // namespace leat
