// Queries of the page cache and of this process's reads. Linux only.
#pragma once

#if defined(__linux__)
#  include <fcntl.h>
#  include <sys/stat.h>
#  include <sys/uio.h>
#  include <unistd.h>
#  include <leat/file_stream.hpp>

#  include <cstdint>
#  include <string>
#  include <string_view>

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

/// Returns true if the file has no holes, and the file system says that the first byte is in the
/// page cache. For a file that the test has just written or read as a whole.
inline bool is_known_to_be_cached(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  char byte = 0;
  const iovec vector{&byte, 1};
  struct stat status{};
  const bool known = ::preadv2(file, &vector, 1, 0, RWF_NOWAIT) == 1 &&
                     ::fstat(file, &status) == 0 && status.st_blocks * 512 >= status.st_size;
  ::close(file);
  return known;
}

}  // namespace leat_test
#  endif
#endif
