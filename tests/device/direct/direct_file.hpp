// Opens files for direct I/O, for tests on file systems that support direct I/O.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <system_error>

#include "device/system.hpp"
#if defined(_WIN32)
#  include "device/windows/file.hpp"
#else
#  include "device/posix/file.hpp"
#endif
#include "support/files.hpp"

namespace leat_test {

inline constexpr const char* no_direct = "this file system has no O_DIRECT";

/// Opens an existing file for direct I/O. If the system refuses, returns null.
#if defined(_WIN32)
inline std::unique_ptr<leat::device> open_direct(const std::string& path) {
  auto file = std::make_unique<leat::windows_file>(open_to_share(path),
                                                   leat::windows_file::ownership::owned);
  const HANDLE direct =
      ::ReOpenFile(file->native_handle(), GENERIC_READ | GENERIC_WRITE, leat::share_all,
                   FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED);
  if (direct == leat::no_handle) return nullptr;
  file->use_direct_handle(direct);
  return file;
}
#else
inline std::unique_ptr<leat::device> open_direct(const std::string& path) {
  const int descriptor = open_to_share(path);
  auto file = std::make_unique<leat::posix_file>(descriptor, leat::posix_file::ownership::owned,
                                                 leat::posix_file::offset::stays);
  std::error_code ec;
  leat::set_direct(descriptor, true, ec);
  if (ec) return nullptr;
  return file;
}
#endif

}  // namespace leat_test
