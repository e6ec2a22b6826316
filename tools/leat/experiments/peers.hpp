// What the experiments share: the peers' files, checked, files to read, and the check of what was
// written.
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "../bench.hpp"
#include "../system.hpp"

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
      : path_(path), verb_(*mode == 'r' ? "read" : "write"), file_(open_c_file(path, mode)) {
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

/// Makes a file of a text that is repeated, and lets the disk have it, so that its pages in the
/// cache are clean. Large writes leave large folios in the cache, which are read faster than single
/// pages: files that are to be compared are all made here.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies = 1);
/// The same with writes of this size, of which the text is a multiple.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t at_once);

/// The finding where nothing can be dropped from the cache.
inline constexpr auto nothing_was_cold =
    on_windows ? "Windows does not tell what is in its cache: nothing was read cold."
               : "this file system keeps its files in the cache: nothing was read cold.";

/// Throws unless the file has this size. Cheap, so that every repetition can afford it.
void require_size(const std::filesystem::path& path, std::uint64_t expected);

/// Throws unless the file holds exactly these bytes.
void require_content(const std::filesystem::path& path, std::string_view expected);

}  // namespace bench
