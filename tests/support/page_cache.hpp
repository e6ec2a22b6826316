// Queries of the page cache and of this process's reads. Linux only.
#pragma once

#if defined(__linux__)
#  include <sys/stat.h>
#  include <sys/uio.h>
#  include <unistd.h>
#  include <leat/file_stream.hpp>

#  include <cstdint>
#  include <string>
#  include <string_view>
#  include <vector>

#  if defined(RWF_NOWAIT)
namespace leat_test {

/// A number of /proc/self/io: "rchar", the bytes that this process has read by system calls, or
/// "syscr", the number of these calls.
inline std::uint64_t io_of_process(std::string_view name) {
  auto in = leat::open("/proc/self/io");
  in.find(name);
  in.skip(name.size() + 2);
  return in.parse<std::uint64_t>().value_or(0);
}

/// Returns true if the file has no holes, and the file system says that all bytes are in the page
/// cache. If the file cannot be opened, throws leat::io_error.
inline bool is_known_to_be_cached(const std::string& path) {
  const leat::file_reader file = leat::open(path);
  struct stat status{};
  if (::fstat(file.native_handle(), &status) != 0 || status.st_blocks * 512 < status.st_size)
    return false;
  std::vector<char> bytes(64 << 10);
  const iovec vector{bytes.data(), bytes.size()};
  for (off_t at = 0; at < status.st_size;) {
    const ssize_t n = ::preadv2(file.native_handle(), &vector, 1, at, RWF_NOWAIT);
    if (n <= 0) return false;
    at += n;
  }
  return true;
}

}  // namespace leat_test
#  endif
#endif
