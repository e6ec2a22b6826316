// Class folder: paths inside a folder that other users can write to.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/path.hpp>

#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// An open folder, for untrusted names and for folders that other users can write to. at() makes a
/// path that leads only to a regular file in this folder or below it, and through no link. Every
/// function with a path parameter accepts such a path, for example create, append, replace, update,
/// open, map_file, follow, file, records, read_file, write_file and copy_file.
///
///     const leat::folder uploads("/srv/uploads");
///     auto out = leat::create(uploads.at(name), {.exclusive = true});
///
/// Opening such a path fails:
/// - if it is absolute or has a ".." (errc::outside_folder);
/// - if any part is a symbolic link (too_many_symbolic_link_levels or not_a_directory);
/// - if it leads to a pipe, a device or a socket (errc::not_a_file), without blocking, or to a
/// folder (is_a_directory).
///
/// Paths refer to the folder that was opened, even if it is renamed. Hard links are not detected:
/// another user may make a hard link in the folder to a file that only you may write (on Linux,
/// protected_hardlinks forbids such links). A file in the folder may belong to another user;
/// `{.exclusive = true}` of create makes a new file.
///
/// POSIX systems only; on Windows the constructor fails with operation_not_supported.
class LEAT_API [[nodiscard]] folder {
 public:
  /// A closed folder. Paths in a closed folder can't be opened (bad_file_descriptor).
  folder() noexcept = default;
  /// Opens a folder. Follows symbolic links, because the program chose this path. If `path` is
  /// inside another folder, follows no link. The first form throws io_error; the second form sets
  /// or clears `ec`, and after an error the object is a closed folder.
  explicit folder(path_ref path);
  folder(path_ref path, std::error_code& ec) noexcept;
  folder(folder&& other) noexcept : handle_(std::exchange(other.handle_, no_handle)) {}
  folder& operator=(folder&& other) noexcept {
    folder old(std::move(other));
    std::swap(handle_, old.handle_);
    return *this;
  }
  ~folder();

  /// False if this object has no open folder.
  bool is_open() const noexcept { return handle_ != no_handle; }
  /// The descriptor of the folder, or no_handle.
  native_handle_type native_handle() const noexcept { return handle_; }
  /// Returns a path in this folder. The returned path refers to the folder and to the characters of
  /// `path`, so use it only as an argument.
  path_ref at(const path_ref& path) const { return {handle_, path}; }

 private:
  native_handle_type handle_ = no_handle;
};

}  // namespace v0
}  // namespace leat
