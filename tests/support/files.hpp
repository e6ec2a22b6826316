// Files of a test: a folder that goes away again, and plain ways to look into files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat_test {

/// Without an exception, as some tests are compiled without.
[[noreturn]] inline void give_up(const char* call) {
  std::perror(call);
  std::abort();
}

/// An empty folder, removed with all that is in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = testing::TempDir();
    if (const char* wanted = std::getenv("TMPDIR"); wanted != nullptr && *wanted != '\0')
      name = std::string(wanted) + '/';
    name += "leat-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) give_up("mkdtemp");
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }

  /// The names in it, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::string path_;
};

inline std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What is left to read from a descriptor.
inline std::string read_rest(int descriptor) {
  std::string result;
  char block[65536];
  for (;;) {
    const ssize_t n = ::read(descriptor, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return result;  // a terminal whose other side is closed ends with EIO
    result.append(block, static_cast<std::size_t>(n));
  }
}

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
  ASSERT_TRUE(out.flush().good()) << path;
}

inline struct stat status_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

inline unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(status_of(path).st_mode) & 07777u;
}

inline bool is_descriptor(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

/// Asks the system to forget what it has in its cache of a file that is on the disk.
inline void drop_cache([[maybe_unused]] int descriptor) {
#if defined(POSIX_FADV_DONTNEED)
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
#endif
}

/// How many descriptors this process has open.
inline std::ptrdiff_t open_descriptors() {
  std::ptrdiff_t count = 0;
  for (int i = 0; i != 1024; ++i) count += is_descriptor(i);
  return count;
}

/// pipe2, which not every system has.
inline void open_pipe(int (&ends)[2], int flags) {
  if (::pipe(ends) != 0) give_up("pipe");
  for (const int end : ends) {
    if ((flags & O_CLOEXEC) != 0) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    if ((flags & O_NONBLOCK) != 0) ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
}

/// Both ends of a pipe; each is closed at the end unless it was closed before.
class pipe_pair {
 public:
  explicit pipe_pair(int flags = O_CLOEXEC) { open_pipe(ends_, flags); }
  ~pipe_pair() {
    close_reader();
    close_writer();
  }
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { shut(ends_[0]); }
  void close_writer() { shut(ends_[1]); }
  /// The writing end is somebody else's to close now.
  int give_writer() { return std::exchange(ends_[1], -1); }

 private:
  static void shut(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  int ends_[2];
};

/// Text in which each byte's place shows: no two windows of it are alike for long.
inline std::string numbered_text(std::size_t size) {
  std::string text;
  text.reserve(size + 16);
  for (std::size_t i = 0; text.size() < size; ++i) {
    text += std::to_string(i);
    text += i % 8 == 7 ? '\n' : ' ';
  }
  text.resize(size);
  return text;
}

}  // namespace leat_test
