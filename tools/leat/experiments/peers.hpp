// What the experiments share: the peers' files, checked, files to read, and the check of what was
// written.
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
  explicit c_file(const std::filesystem::path& path, const char* mode = "wb")
      : path_(path), verb_(*mode == 'r' ? "read" : "write"), file_(std::fopen(path.c_str(), mode)) {
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
    if (failed || unclosed) fail(verb_, path_, errno ? errno : EIO);
  }

 private:
  std::filesystem::path path_;
  const char* verb_;
  std::FILE* file_;
};

/// A descriptor, to write to unless the flags say otherwise.
class raw_file {
 public:
  explicit raw_file(const std::filesystem::path& path, int flags = O_WRONLY | O_CREAT | O_TRUNC)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("open", path_, errno);
  }
  raw_file(const raw_file&) = delete;
  raw_file& operator=(const raw_file&) = delete;
  ~raw_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0) fail("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// One system call; 0 at the end.
  std::size_t read(char* to, std::size_t size) {
    const auto count = ::read(fd_, to, size);
    if (count < 0) fail("read", path_, errno);
    return static_cast<std::size_t>(count);
  }

  void sync() {
    if (::fsync(fd_) != 0) fail("write", path_, errno);
  }

  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) fail("write", path_, errno);
  }

 private:
  std::filesystem::path path_;
  int fd_;
};

/// A file that is not empty, mapped by hand.
class mapped_bytes {
 public:
  explicit mapped_bytes(const std::filesystem::path& path);
  mapped_bytes(const mapped_bytes&) = delete;
  mapped_bytes& operator=(const mapped_bytes&) = delete;
  ~mapped_bytes();

  std::string_view view() const { return {data_, size_}; }

 private:
  char* data_;
  std::size_t size_;
};

/// Makes a file of a text that is repeated, and lets the disk have it, so that its pages in the
/// cache are clean. Large writes leave large folios in the cache, which are read faster than single
/// pages: files that are to be compared are all made here.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies = 1);
/// The same with writes of this size, of which the text is a multiple.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t at_once);

/// Asks the system to forget what it caches of a file whose pages are clean, and returns whether it
/// did.
bool drop_from_cache(const std::filesystem::path& path);
/// The finding where that could not be done.
inline constexpr auto nothing_was_cold =
    "this file system keeps its files in the cache: nothing was read cold.";

/// Throws unless the file has this size. Cheap, so that every repetition can afford it.
void require_size(const std::filesystem::path& path, std::uint64_t expected);

/// Throws unless the file holds exactly these bytes.
void require_content(const std::filesystem::path& path, std::string_view expected);

}  // namespace bench
