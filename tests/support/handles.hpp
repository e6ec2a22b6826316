// Descriptors and handles, for tests that use the system directly.
#pragma once

#include <leat/device.hpp>

#if defined(_WIN32)
#  include "support/windows.hpp"
#else
#  include <fcntl.h>
#  include <gtest/gtest.h>
#  include <sys/stat.h>
#  include <unistd.h>
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace leat_test {

using handle = leat::native_handle_type;

/// Prints the name of the call and the text of errno, and aborts. Does not throw, because some
/// tests are compiled without exceptions.
[[noreturn]] inline void abort_with_errno(const char* call) {
  std::perror(call);
  std::abort();
}

/// Returns a handle that is not open.
inline handle closed_handle() { return (handle)std::intptr_t{1 << 20}; }

#if defined(_WIN32)

/// Makes a new folder whose path begins with `name`. Returns the path. If the folder can't be
/// made, aborts.
inline std::string make_folder(std::string name) {
  static unsigned number = 0;
  for (int attempt = 0; attempt != 1000; ++attempt) {
    const std::string path =
        name + std::to_string(::GetCurrentProcessId()) + '-' + std::to_string(number++);
    if (::CreateDirectoryA(path.c_str(), nullptr) != 0) return path;
  }
  abort_with_errno("CreateDirectory");
}

inline void close_handle(handle one) { ::CloseHandle(one); }

inline handle duplicate(handle one) {
  const HANDLE self = ::GetCurrentProcess();
  HANDLE other;
  if (::DuplicateHandle(self, one, self, &other, 0, FALSE, DUPLICATE_SAME_ACCESS) == 0)
    abort_with_errno("DuplicateHandle");
  return other;
}

/// Reads or writes by a single system call. Returns the number of bytes, or -1 after an error.
inline std::ptrdiff_t read_once(handle from, char* to, std::size_t size) {
  DWORD n;
  if (::ReadFile(from, to, static_cast<DWORD>(size), &n, nullptr) == 0)
    return ::GetLastError() == ERROR_BROKEN_PIPE ? 0 : -1;
  return static_cast<std::ptrdiff_t>(n);
}
inline std::ptrdiff_t write_once(handle to, std::string_view bytes) {
  DWORD n;
  return ::WriteFile(to, bytes.data(), static_cast<DWORD>(bytes.size()), &n, nullptr) == 0
             ? -1
             : static_cast<std::ptrdiff_t>(n);
}

/// Opens an existing file to read and write, for concurrent requests. The caller closes the handle.
inline handle open_to_share(const std::string& path) {
  return ::CreateFileA(path.c_str(), GENERIC_READ | GENERIC_WRITE,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                       OPEN_EXISTING, FILE_FLAG_OVERLAPPED, nullptr);
}

inline bool is_descriptor(handle one) {
  DWORD flags;
  return ::GetHandleInformation(one, &flags) != 0;
}

/// Counts this process's open handles with values below 0x4000.
inline std::ptrdiff_t count_open_descriptors() {
  // GetProcessHandleCount is always 0 under Wine.
  std::ptrdiff_t count = 0;
  DWORD flags = 0;
  for (std::uintptr_t handle = 4; handle != 0x4000; handle += 4)
    count += ::GetHandleInformation(reinterpret_cast<HANDLE>(handle), &flags) != 0;
  return count;
}

#else

/// Makes a new folder whose path begins with `name`. Returns the path. If the folder can't be
/// made, aborts.
inline std::string make_folder(std::string name) {
  name += "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) abort_with_errno("mkdtemp");
  return name;
}

inline void close_handle(handle descriptor) { ::close(descriptor); }
inline handle duplicate(handle descriptor) { return ::dup(descriptor); }

/// Reads or writes by a single system call. Returns the number of bytes, or -1 after an error.
inline std::ptrdiff_t read_once(handle from, char* to, std::size_t size) {
  return ::read(from, to, size);
}
inline std::ptrdiff_t write_once(handle to, std::string_view bytes) {
  return ::write(to, bytes.data(), bytes.size());
}

/// Opens an existing file to read and write, for concurrent requests. The caller closes the handle.
inline handle open_to_share(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

/// Returns the status of a file, or of a symbolic link itself. If there is no such file,
/// reports a failure of the test.
inline struct stat status_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

/// Returns the permission bits of a file, with setuid, setgid and sticky bit.
inline unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(status_of(path).st_mode) & 07777u;
}

inline bool is_descriptor(handle descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

/// Counts this process's open descriptors below 1024.
inline std::ptrdiff_t count_open_descriptors() {
  std::ptrdiff_t count = 0;
  for (int i = 0; i != 1024; ++i) count += is_descriptor(i);
  return count;
}

/// Opens a pipe like pipe2, but not atomically, for systems without pipe2. Ignores flags other than
/// O_CLOEXEC and O_NONBLOCK. If pipe() fails, aborts.
inline void open_pipe(int (&ends)[2], int flags) {
  if (::pipe(ends) != 0) abort_with_errno("pipe");
  for (const int end : ends) {
    if ((flags & O_CLOEXEC) != 0) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    if ((flags & O_NONBLOCK) != 0) ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
}

#endif

/// Reads to the end, or to the first error. Returns the bytes that were read.
inline std::string read_rest(handle from) {
  std::string result;
  char buffer[65536];
  for (;;) {
    const std::ptrdiff_t n = read_once(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return result;  // EIO: the other end of a terminal is closed
    result.append(buffer, static_cast<std::size_t>(n));
  }
}

/// A pipe. The destructor closes the ends that are still open.
class pipe_pair {
 public:
#if defined(_WIN32)
  pipe_pair() {
    if (::CreatePipe(&ends_[0], &ends_[1], nullptr, 0) == 0) abort_with_errno("CreatePipe");
  }
#else
  explicit pipe_pair(int flags = O_CLOEXEC) { open_pipe(ends_, flags); }
#endif
  ~pipe_pair() {
    close_reader();
    close_writer();
  }
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  handle reader() const { return ends_[0]; }
  handle writer() const { return ends_[1]; }
  void close_reader() { shut(ends_[0]); }
  void close_writer() { shut(ends_[1]); }
  /// Gives the writing end to the caller, who closes it.
  handle release_writer() { return std::exchange(ends_[1], leat::no_handle); }

 private:
  static void shut(handle& end) {
    if (end != leat::no_handle) close_handle(end);
    end = leat::no_handle;
  }
  handle ends_[2];
};

}  // namespace leat_test
