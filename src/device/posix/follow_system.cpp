// The status of files, and opening files to follow them, on POSIX systems. Logs call these
// functions.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "base/no_cancel.hpp"
#include "device/follow_system.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

std::int64_t time_of_last_write(const struct stat& from) noexcept {
#if defined(__APPLE__)
  const timespec& time = from.st_mtimespec;
#else
  const timespec& time = from.st_mtim;
#endif
  // A file may have any time. Nanoseconds in 64 bits end in the year 2262.
  constexpr std::int64_t second = 1'000'000'000;
  constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
  const std::int64_t seconds{time.tv_sec};
  if (seconds >= most / second) return most;
  if (seconds <= -(most / second)) return -most;
  return seconds * second + time.tv_nsec;
}

file_status status_from(const struct stat& from) noexcept {
  return {S_ISREG(from.st_mode)   ? file_kind::regular
          : S_ISDIR(from.st_mode) ? file_kind::folder
                                  : file_kind::other,
          static_cast<std::uint64_t>(from.st_size),
          {static_cast<std::uint64_t>(from.st_dev), static_cast<std::uint64_t>(from.st_ino)},
          time_of_last_write(from),
          from.st_nlink == 0,
          true};
}

}  // namespace

bool status_of(path_ref path, file_status& status) noexcept {
  std::error_code ec;
  const resolved_path where(path, ec);
  struct stat now{};
  if (ec || where.status(now) != 0) return false;
  status = status_from(now);
  return true;
}

file_status status_of(native_handle_type file, std::error_code& ec) noexcept {
  struct stat now{};
  ec = file < 0                   ? std::make_error_code(std::errc::bad_file_descriptor)
       : ::fstat(file, &now) == 0 ? std::error_code{}
                                  : system_code();
  file_status status = status_from(now);
  if (ec || status.kind != file_kind::regular) return status;
  status.size = size_of_file(file, now, ec);
  status.has_size = ec != std::errc::operation_not_supported;
  if (!status.has_size) ec.clear();
  return status;
}

native_handle_type open_followed(path_ref path, std::error_code& ec) noexcept {
  return open_descriptor(path, O_RDONLY | O_NONBLOCK, 0, ec);  // a pipe must not block here
}

std::size_t read_followed(native_handle_type file, std::uint64_t at, std::span<char> into,
                          std::error_code& ec) noexcept {
  const no_cancel guard;
  const ssize_t n = retry_on_eintr(
      [&] { return ::pread(file, into.data(), into.size(), static_cast<off_t>(at)); });
  if (n < 0) {
    ec = system_code();
    return 0;
  }
  ec.clear();
  return static_cast<std::size_t>(n);
}

void close_followed(native_handle_type file) noexcept {
  const no_cancel guard;
  ::close(file);
}

bool is_transient(const std::error_code& ec) noexcept {
  return ec == std::errc::no_such_file_or_directory || ec == std::errc::permission_denied ||
         ec.value() == ESTALE;
}

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

}  // namespace v0
}  // namespace leat
