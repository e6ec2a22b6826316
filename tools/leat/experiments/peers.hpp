// What the experiments share: the peers' files, checked, and the check of what was written.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "../bench.hpp"

namespace bench {

/// A value that the compiler cannot know, so that it folds nothing of the work away.
template <class T>
T hidden(T known) {
  T volatile seen = known;
  return seen;
}

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

/// A FILE whose failures surface. The work calls `close` as its last step.
class c_file {
 public:
  explicit c_file(const std::filesystem::path& path)
      : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (!file_) fail("open", path_, errno);
    errno = 0;
  }
  c_file(const c_file&) = delete;
  c_file& operator=(const c_file&) = delete;
  ~c_file() {
    if (file_) std::fclose(file_);
  }

  std::FILE* get() const { return file_; }

  /// Throws for any failure since the file was opened; errno is still that of the last one.
  void close() {
    const bool failed = std::ferror(file_) != 0;
    const bool unclosed = std::fclose(std::exchange(file_, nullptr)) != 0;
    if (failed || unclosed) fail("write", path_, errno ? errno : EIO);
  }

 private:
  std::filesystem::path path_;
  std::FILE* file_;
};

/// A descriptor to write to.
class raw_file {
 public:
  explicit raw_file(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("open", path_, errno);
  }
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  ~raw_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0) fail("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) fail("write", path_, errno);
  }

 private:
  std::filesystem::path path_;
  int fd_;
};

/// Throws unless the file has this size. Cheap, so that every repetition can afford it.
void require_size(const std::filesystem::path& path, std::uint64_t expected);

/// Throws unless the file holds exactly these bytes.
void require_content(const std::filesystem::path& path, std::string_view expected);

}  // namespace bench
