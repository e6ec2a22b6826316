// Shared by the experiments and `leat tune`: the peers' files, files to read, and the check of
// written bytes.
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

/// Returns `known`, but hides its value from the compiler, so that no work is computed at compile
/// time.
template <class T>
T hidden(T known) {
  T volatile seen = known;
  return seen;
}

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

/// A FILE whose `close` reports all earlier failures. The measured code calls `close` last.
class c_file {
 public:
  explicit c_file(const std::filesystem::path& path, const char* mode = "wb")
      : c_file(open_c_file(path, mode), path, *mode == 'r' ? "read" : "write") {}
  /// Takes ownership of a stream; if the stream is null, throws `failure` with the error in errno.
  /// `name` and `verb` are for the messages.
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

  /// Closes the file. Throws `failure` if the close or an earlier call failed, with errno as the
  /// error, or EIO if errno is 0.
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

/// Makes a file that repeats a text. Throws `failure`. When the function returns, the disk has all
/// bytes: the file's pages in the page cache are clean. Large writes leave large folios in the page
/// cache, and large folios are read faster than single pages. So files whose times are compared
/// must be made in the same way.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies = 1);
/// As above, by writes of `write_size` bytes. The text's size must be a multiple of `write_size`.
void make_file(const std::filesystem::path& path, std::string_view text, std::size_t copies,
               std::size_t write_size);

/// The text of the finding if no file can be dropped from the page cache.
inline constexpr auto nothing_was_cold =
    on_windows ? "Windows does not report what is in its cache: nothing was read cold."
               : "this file system keeps its files in the cache: nothing was read cold.";

/// The text of a report for an experiment with the factor "cache".
inline constexpr auto warm_and_cold =
    "Warm: the file is in the page cache. Cold: the file is dropped from the cache before each "
    "repetition.";

/// If the factor "cache" is "cold", drops a file from the page cache.
inline void drop_if_cold(const run& this_run, const std::filesystem::path& path) {
  if (this_run.setting.has("cache", "cold")) drop_from_cache(path);
}

/// If the file has another size, throws `failure`. The check is cheap enough for every repetition.
void require_size(const std::filesystem::path& path, std::uint64_t expected);

/// If the file contains other bytes, throws `failure`.
void require_content(const std::filesystem::path& path, std::string_view expected);

}  // namespace bench
