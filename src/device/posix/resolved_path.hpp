// A path's last name, and the folder in which the system looks the name up. The POSIX functions
// that open, rename or remove files use this class.
#pragma once

#include <leat/path.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// A descriptor that is closed with the object. Negative numbers such as AT_FDCWD are not closed.
class unique_descriptor {
 public:
  unique_descriptor() noexcept = default;
  explicit unique_descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  unique_descriptor(unique_descriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  unique_descriptor& operator=(unique_descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~unique_descriptor();
  int get() const noexcept { return descriptor_; }
  /// Passes the descriptor to the caller.
  int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

/// The flags for opening a folder to look up names in it.
#if defined(O_PATH)
inline constexpr int lookup_flags = O_PATH | O_DIRECTORY;
#else
inline constexpr int lookup_flags = O_RDONLY | O_DIRECTORY;
#endif

/// A path as openat, fstatat, unlinkat and renameat take it. A path inside a folder is walked part
/// by part, without following links, and its name() is the last part. The name() of any other path
/// is the whole path. The object refers to the path's characters.
class resolved_path {
 public:
  /// If the path has a NUL, sets `ec` to invalid_argument. A path inside a folder must not be empty
  /// (no_such_file_or_directory), and must not begin with '/' or have a part ".."
  /// (errc::outside_folder). If a folder of such a path has a name that is too long, or can't be
  /// opened, also sets `ec`. Without an error, clears `ec`.
  resolved_path(path_ref path, std::error_code& ec) noexcept;

  int folder() const noexcept { return last_folder_.get() >= 0 ? last_folder_.get() : folder_; }
  const char* name() const noexcept { return name_; }
  bool is_inside() const noexcept { return inside_; }
  /// openat with O_CLOEXEC. The descriptor's number is above the numbers of the standard streams.
  /// Inside a folder only a regular file is opened, or with O_DIRECTORY only a folder. The caller
  /// closes the descriptor. Returns no_handle and sets `ec` on failure.
  int open(int flags, unsigned permissions, std::error_code& ec) const noexcept;
  /// fstatat. Returns 0, or -1 with errno. Follows links as open() does.
  int status(struct stat& into) const noexcept;
  /// Returns the folder that contains name(), as openat takes it: a descriptor, and the folder's
  /// name relative to the descriptor. Example: AT_FDCWD and "a" for "a/b". Inside a folder the name
  /// is ".". If the folder can't be opened, sets `ec`. Throws std::bad_alloc.
  std::pair<unique_descriptor, std::string> parent(std::error_code& ec) const;

 private:
  unique_descriptor last_folder_;
  int folder_ = AT_FDCWD;
  const char* name_;
  bool inside_;
};

/// Calls open(more), which opens a file to write and adds the flags `more`. Returns the result of
/// the last call. On Linux, first calls open(O_NOFOLLOW). If the path may name a link, sets
/// `may_be_link` to true, and calls open(0), which follows the link. Otherwise sets `may_be_link`
/// to false, so the path of the sidecar is known without a system call. Other systems leave
/// `may_be_link` as it is.
template <class Open>
int open_to_write([[maybe_unused]] bool& may_be_link, const Open& open) noexcept {
#if defined(__linux__)  // elsewhere there are no sidecars
  const int opened = open(O_NOFOLLOW);
  may_be_link = opened < 0 && errno == ELOOP;
  if (!may_be_link) return opened;
#endif
  return open(0);
}

}  // namespace v0
}  // namespace leat
