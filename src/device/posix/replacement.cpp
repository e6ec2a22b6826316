#include "device/posix/replacement.hpp"
#include "device/follow_system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <new>

#include "device/posix/system.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr int max_links = 40;  // as the kernel's own limit, path_resolution(7)

/// Follows symbolic links, also to a file that does not exist yet, so that the link stays and its
/// target is replaced.
std::string follow_links(std::string path, std::error_code& ec) {
  for (int i = 0; i <= max_links; ++i) {
    char text[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), text, sizeof text);
    if (n < 0) return path;  // it is no link, or does not exist
    const std::string_view next(text, static_cast<std::size_t>(n));
    path = next.starts_with('/') ? std::string(next) : folder_of(path) + '/' + std::string(next);
  }
  ec = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return path;
}

/// At most `size` bytes of a name, cut between two characters of UTF-8: some file systems refuse
/// half a character.
std::string_view shortened(std::string_view name, std::size_t size) noexcept {
  if (name.size() <= size) return name;
  while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) --size;
  return name.substr(0, size);
}

/// Gives a file the mode and the owner of the target, as far as the process may.
void keep_attributes(int descriptor, const struct stat& target, std::error_code& ec) noexcept {
  struct stat own{};
  if (::fstat(descriptor, &own) != 0) {
    ec = last_error();
    return;
  }
  mode_t mode = target.st_mode & 07777;
  const bool same_owner = own.st_uid == target.st_uid && own.st_gid == target.st_gid;
  if (!same_owner && ::fchown(descriptor, target.st_uid, target.st_gid) != 0) {
    // If the process may not change the owner, it changes only the group. Set-id bits of another
    // owner must not become set-id bits of this one.
    if (::fchown(descriptor, static_cast<uid_t>(-1), target.st_gid) != 0) mode &= ~mode_t{S_ISGID};
    mode &= ~mode_t{S_ISUID};
  }
  if (::fchmod(descriptor, mode) != 0) ec = last_error();
}

}  // namespace

posix_replacement::posix_replacement(int descriptor, std::string temporary, std::string target,
                                     const options& how) noexcept
    : posix_file(descriptor, ownership::owned),
      temporary_(std::move(temporary)),
      target_(std::move(target)),
      sync_folder_(how.durability == durability::system),
      process_(::getpid()) {
  traits_.commits = true;
}

std::unique_ptr<device> posix_replacement::open(path_ref path, const options& how,
                                                std::error_code& ec) {
  if (path.view().find('\0') != std::string_view::npos) {
    ec = std::make_error_code(std::errc::invalid_argument);
    return nullptr;
  }
  ec.clear();
  std::string target = follow_links(std::string(path.view()), ec);
  if (ec) return nullptr;

  struct stat status{};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    ec = last_error();
    return nullptr;
  }
  if (exists && !S_ISREG(status.st_mode)) {
    ec = S_ISDIR(status.st_mode) ? std::make_error_code(std::errc::is_a_directory)
                                 : make_error_code(errc::not_a_file);
    return nullptr;
  }
  if (!exists && (target.empty() || target.back() == '/')) {
    ec = std::make_error_code(target.empty() ? std::errc::no_such_file_or_directory
                                             : std::errc::is_a_directory);
    return nullptr;
  }

  const auto slash = target.rfind('/');
  const std::size_t name_at = slash == std::string::npos ? 0 : slash + 1;
  // A hidden file, whose name is short enough whatever the target's name is (NAME_MAX is 255).
  const std::string_view name = std::string_view(target).substr(name_at);
  const std::string stem =
      target.substr(0, name_at) + '.' + std::string(shortened(name, 200)) + '.';
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string temporary = stem + random_name() + ".tmp";
    const int descriptor = open_descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL,
                                           exists ? 0600 : how.permissions, ec);
    if (ec == std::errc::file_exists) continue;
    if (ec) return nullptr;
    std::unique_ptr<device> result(new (std::nothrow) posix_replacement(
        descriptor, std::move(temporary), std::move(target), how));
    if (result == nullptr) {
      ::close(descriptor);
      ::unlink(temporary.c_str());  // NOLINT(bugprone-use-after-move): nothing was moved then
      ec = std::make_error_code(std::errc::not_enough_memory);
      return nullptr;
    }
    if (exists) keep_attributes(descriptor, status, ec);
    if (ec) return nullptr;
    return result;
  }
  return nullptr;
}

posix_replacement::~posix_replacement() {
  if (!temporary_.empty() && process_ == ::getpid()) ::unlink(temporary_.c_str());
}

native_handle_type posix_replacement::release(std::uint64_t, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return no_handle;
}

void posix_replacement::close(std::error_code& ec) noexcept {
  posix_file::close(ec);
  if (ec) return;
  if (process_ != ::getpid()) {
    ec = std::make_error_code(std::errc::operation_not_permitted);
    return;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    ec = last_error();
    return;
  }
  temporary_.clear();
  if (sync_folder_) {
    try {
      sync_folder(folder_of(target_).c_str(), ec);
    } catch (const std::bad_alloc&) {
      ec = std::make_error_code(std::errc::not_enough_memory);
    }
  }
}

}  // namespace v0
}  // namespace leat
