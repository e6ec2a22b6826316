// Files in a folder that other people can write to.
#pragma once

#include <leat/path.hpp>

#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// An open folder. Use it for names that come from strangers, and for folders that strangers can
/// write to: at() makes a path that leads to a regular file in this folder or below it, and to
/// nothing that somebody else has put there to be followed. Every function that takes a path takes
/// it: create, append, replace, update, open, map_file, follow, file, records, read_file,
/// write_file, copy_file.
///
///     const leat::folder uploads("/srv/uploads");
///     auto out = leat::create(uploads.at(name), {.exclusive = true});
///
/// Opening such a path fails:
/// - if it is absolute or has a ".." (errc::outside_folder);
/// - if it meets a symbolic link, in any part (too_many_symbolic_link_levels or not_a_directory);
/// - if it leads to a pipe, a device or a socket (errc::not_a_file), without waiting for anybody,
///   or to a folder (is_a_directory).
///
/// The folder is meant that was opened, even if it gets another name. A hard link is a name like
/// every other: a stranger who may make one to a file that you may write has brought that file into
/// the folder (on Linux, protected_hardlinks forbids it). A file that is in the folder may be
/// somebody else's; `{.exclusive = true}` of create makes a new one.
///
/// Only on POSIX systems; on Windows the constructor fails with operation_not_supported.
class LEAT_API [[nodiscard]] folder {
 public:
  /// A closed folder. Paths in it can't be opened (bad_file_descriptor).
  folder() noexcept = default;
  /// Follows symbolic links, as the program chose this path itself; but not if it is a path inside
  /// another folder. The first form throws io_error.
  explicit folder(path_ref path);
  folder(path_ref path, std::error_code& ec) noexcept;
  folder(folder&& other) noexcept : handle_(std::exchange(other.handle_, no_handle)) {}
  folder& operator=(folder&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~folder();

  /// False if the folder is closed or was moved from.
  bool is_open() const noexcept { return handle_ != no_handle; }
  native_handle_type native_handle() const noexcept { return handle_; }
  /// A path in this folder. It refers to the folder and to the characters, so use it only as an
  /// argument.
  path_ref at(const path_ref& path) const { return {handle_, path}; }

 private:
  native_handle_type handle_ = no_handle;
};

}  // namespace v0
}  // namespace leat
