// The status of files, and opening files to follow them, on Windows. Logs call these functions.
#include <limits>

#include "device/follow_system.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Opens a file or a folder with these access rights.
HANDLE open_file_or_folder(path_ref path, DWORD access, std::error_code& ec) noexcept {
  return open_handle(path, {.access = access, .flags = FILE_FLAG_BACKUP_SEMANTICS}, ec);
}

/// Converts a FILETIME, which counts units of 100 ns since 1601, to nanoseconds since 1970.
std::int64_t nanoseconds_of(std::uint64_t time) noexcept {
  // Nanoseconds in 64 bits end in the year 2262. For a file without a time, `time` is 0.
  constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
  const std::int64_t units = static_cast<std::int64_t>(time) - 116'444'736'000'000'000;
  if (units >= most / 100) return most;
  if (units <= -(most / 100)) return -most;
  return units * 100;
}

}  // namespace

bool status_of(path_ref path, file_status& status) noexcept {
  std::error_code ec;
  const HANDLE file = open_file_or_folder(path, FILE_READ_ATTRIBUTES, ec);
  if (ec) return false;
  status = status_of(file, ec);
  ::CloseHandle(file);
  return !ec && !status.removed;
}

file_status status_of(native_handle_type file, std::error_code& ec) noexcept {
  ec.clear();
  if (!is_on_disk(file)) return {};
  BY_HANDLE_FILE_INFORMATION about{};
  if (::GetFileInformationByHandle(file, &about) == 0) {
    ec = system_code();
    return {};
  }
  // A removed file keeps its name until all programs have closed the file.
  FILE_STANDARD_INFO more{};
  if (::GetFileInformationByHandleEx(file, FileStandardInfo, &more, sizeof more) == 0) {
    ec = system_code();
    return {};
  }
  const auto both = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; };
  return {(about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? file_kind::folder
                                                                   : file_kind::regular,
          both(about.nFileSizeHigh, about.nFileSizeLow),
          {about.dwVolumeSerialNumber, both(about.nFileIndexHigh, about.nFileIndexLow)},
          nanoseconds_of(
              both(about.ftLastWriteTime.dwHighDateTime, about.ftLastWriteTime.dwLowDateTime)),
          more.DeletePending || about.nNumberOfLinks == 0,
          true};
}

native_handle_type open_followed(path_ref path, std::error_code& ec) noexcept {
  return open_file_or_folder(path, GENERIC_READ, ec);
}

std::size_t read_followed(native_handle_type file, std::uint64_t at, std::span<char> into,
                          std::error_code& ec) noexcept {
  return read_handle(file, at, into, ec);
}

void close_followed(native_handle_type file) noexcept { ::CloseHandle(file); }

bool is_transient(const std::error_code& ec) noexcept {
  return ec == std::errc::no_such_file_or_directory || ec == std::errc::permission_denied ||
         ec.value() == ERROR_SHARING_VIOLATION || ec.value() == ERROR_DELETE_PENDING;
}

std::string folder_of(std::string_view path) {
  const auto slash = path.find_last_of("\\/");
  if (slash == std::string_view::npos) return ".";
  // The root keeps its slash: the folder of C:\a is C:\. Without a slash, C: would mean the current
  // folder of drive C.
  const bool root = slash == 0 || path[slash - 1] == ':';
  return std::string(path.substr(0, root ? slash + 1 : slash));
}

}  // namespace v0
}  // namespace leat
