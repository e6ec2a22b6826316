// Follows symbolic links by readlink. replacement.cpp and log_system.cpp call follow_links().
#include "device/posix/links.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <optional>

#include "base/no_cancel.hpp"
#include "device/follow_system.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr int max_links = 40;  // the kernel's own limit, path_resolution(7)

/// Returns the text of a symbolic link. Returns nothing if the path is not a link or does not
/// exist, and on an error, which sets `ec`. In a folder that all users can write to and that has
/// the sticky bit, such as /tmp, Linux follows a link only if the link belongs to the user who
/// follows the link, or to the folder's owner. Any other link there may be a trap, and is refused
/// with permission_denied. (proc(5), protected_symlinks; the kernel applies this rule to open, but
/// not to readlink.) On systems without O_PATH this function does not check the owner.
std::optional<std::string> text_of_link(const std::string& path, std::error_code& ec) {
  char text[PATH_MAX];
#if defined(O_PATH)
  const std::string folder = folder_of(path);
  const unique_descriptor parent(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto slash = path.rfind('/');
  const char* const name = path.c_str() + (slash == std::string::npos ? 0 : slash + 1);
  const unique_descriptor link(
      parent.get() < 0 ? -1 : ::openat(parent.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat link_status{}, parent_status{};
  if (link.get() < 0 || get_status(link.get(), link_status) != 0 ||
      get_status(parent.get(), parent_status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) ec = system_code();
    return {};
  }
  if (!S_ISLNK(link_status.st_mode)) return {};
  constexpr mode_t sticky_and_writable = S_ISVTX | S_IWOTH;
  if ((parent_status.st_mode & sticky_and_writable) == sticky_and_writable &&
      link_status.st_uid != ::geteuid() && link_status.st_uid != parent_status.st_uid) {
    ec = std::make_error_code(std::errc::permission_denied);
    return {};
  }
  const ssize_t n = ::readlinkat(link.get(), "", text, sizeof text);
  if (n < 0) ec = system_code();
#else
  const ssize_t n = ::readlink(path.c_str(), text, sizeof text);
  if (n < 0 && errno != EINVAL && errno != ENOENT && errno != ENOTDIR) ec = system_code();
#endif
  if (n < 0) return {};
  return std::string(text, static_cast<std::size_t>(n));
}

}  // namespace

std::string follow_links(std::string path, std::error_code& ec) {
  const no_cancel guard;
  for (int i = 0; i <= max_links; ++i) {
    const auto next = text_of_link(path, ec);
    if (!next) return path;
    path = next->starts_with('/') ? *next : folder_of(path) + '/' + *next;
  }
  ec = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return path;
}

}  // namespace v0
}  // namespace leat
