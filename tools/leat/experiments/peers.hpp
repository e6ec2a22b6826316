// What the experiments share: files of the peers, files to read, and the check of what was written.
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "measuring/experiment.hpp"
#include "system/c_library.hpp"
#include "system/raw_file.hpp"

namespace bench {

/// A value that the compiler cannot know: it cannot compute any of the work in advance.
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
      : c_file(open_c_file(path, mode), path, *mode == 'r' ? "read" : "write") {}
  /// Takes over what an open function returned. `name` and `verb` are for the messages.
  explicit c_file(std::FILE* opened, std::filesystem::path name = "<memory>",
                  const char* verb = "write")
      : name_(std::move(name)), verb_(verb), file_(opened) {
    if (!file_) fail("open", name_, errno);
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
    if (failed || unclosed) fail(verb_, name_, errno ? errno : EIO);
  }

 private:
  std::filesystem::path name_;
  const char* verb_;
  std::FILE* file_;
};

/// Makes a file that holds a text several times. The disk has all of it when this returns: the
/// file's pages in the cache are clean. Large writes leave large folios in the cache, which are
/// read faster than single pages. So this function makes all files that are compared.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies = 1);
/// The same with writes of `at_once` bytes. The text is a multiple of them.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t at_once);

/// The finding where nothing can be dropped from the cache.
inline constexpr auto nothing_was_cold =
    on_windows ? "Windows does not tell what is in its cache: nothing was read cold."
               : "this file system keeps its files in the cache: nothing was read cold.";

/// What a report says of an experiment with the factor "cache".
inline constexpr auto warm_and_cold =
    "Warm: the file is in the system's cache. Cold: the file is dropped from the cache before each "
    "repetition.";

/// Drops a file from the cache where the factor "cache" says "cold".
inline void drop_if_cold(const run& now, const std::filesystem::path& path) {
  if (now.at.has("cache", "cold")) drop_from_cache(path);
}

/// Throws unless the file has this size. Cheap enough to follow every repetition.
void require_size(const std::filesystem::path& path, std::uint64_t expected);

/// Throws unless the file holds exactly these bytes.
void require_content(const std::filesystem::path& path, std::string_view expected);

}  // namespace bench
