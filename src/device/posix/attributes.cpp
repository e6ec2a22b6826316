// Copies mode, owner, access control list and extended attributes from an old file to a new file.
// replacement.cpp and log_system.cpp call these functions.
#include "device/posix/attributes.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "device/posix/system.hpp"

#if defined(__linux__)
#  include <sys/xattr.h>
#endif

namespace leat {
inline namespace v0 {

namespace {

/// Removes a right of the group from the mode if other users do not have this right. Example: 0750
/// becomes 0700.
mode_t limit_group_to_others(mode_t mode) noexcept {
  return mode & ~(mode_t{S_IRWXG} & ~((mode & mode_t{S_IRWXO}) << 3));
}

#if defined(__linux__)
constexpr std::string_view access_list = "system.posix_acl_access";
/// The attribute for the capabilities of a program. Capabilities are not copied, because they were
/// granted to the old content. The system also removes the capabilities at a write.
constexpr std::string_view capabilities = "security.capability";

/// Calls listxattr or getxattr with enough memory. Returns the list of names, or one value, and
/// sets `size`. If there are no names or the value is empty, returns null, sets `size` to 0 and
/// errno to 0. If the call fails, returns null, sets `size` to 0, and errno has the error. If there
/// is no memory, returns null with a `size` above 0.
template <class Call>
std::unique_ptr<char[]> call_with_buffer(const Call& call, std::size_t& size) noexcept {
  size = 256;  // bytes; enough for most lists and values
  for (;;) {
    std::unique_ptr<char[]> bytes(new (std::nothrow) char[size]);
    if (bytes == nullptr) return nullptr;
    errno = 0;
    ssize_t n = call(bytes.get(), size);
    const bool is_longer = n < 0 && errno == ERANGE;
    if (is_longer) n = call(nullptr, 0);
    size = n > 0 ? static_cast<std::size_t>(n) : 0;
    if (size == 0) return nullptr;
    if (!is_longer) return bytes;
  }
}

ssize_t list_attributes(const char* file, char* into, std::size_t room) noexcept {
  return ::listxattr(file, into, room);
}
ssize_t list_attributes(int file, char* into, std::size_t room) noexcept {
  return ::flistxattr(file, into, room);
}
ssize_t get_attribute(const char* file, const char* name, char* into, std::size_t room) noexcept {
  return ::getxattr(file, name, into, room);
}
ssize_t get_attribute(int file, const char* name, char* into, std::size_t room) noexcept {
  return ::fgetxattr(file, name, into, room);
}

/// Removes the access list that a new file gets from the default list of its folder. Returns false
/// if the list is still there.
bool remove_access_list(int file) noexcept {
  return ::fremovexattr(file, access_list.data()) == 0 || errno == ENODATA || errno == ENOTSUP;
}

/// Copies the access list and the extended attributes, except capabilities. Returns false if the
/// new file can't have the access list, or if it is unknown whether the old file has an
/// access list. Skips other attributes that the system refuses. Does nothing on systems other than
/// Linux.
template <class From>
bool copy_extended_attributes(int to, From from) noexcept {
  std::size_t size = 0;
  const auto names = call_with_buffer(
      [&](char* into, std::size_t room) { return list_attributes(from, into, room); }, size);
  // ENOTSUP: the file system has no attributes.
  if (names == nullptr) return size == 0 && (errno == 0 || errno == ENOTSUP);
  bool is_list_copied = true;
  for (const char* name = names.get(); name < names.get() + size; name += std::strlen(name) + 1) {
    if (name == capabilities) continue;
    std::size_t length = 0;
    const auto value = call_with_buffer(
        [&](char* into, std::size_t room) { return get_attribute(from, name, into, room); },
        length);
    const bool known = value != nullptr || (length == 0 && errno == 0);
    const bool copied = known && ::fsetxattr(to, name, value.get(), length, 0) == 0;
    if (!copied && name == access_list) is_list_copied = false;
  }
  return is_list_copied;
}
#else
bool remove_access_list(int) noexcept { return true; }
template <class From>
bool copy_extended_attributes(int, From) noexcept {
  return true;
}
#endif

template <class From>
void copy_all_attributes(int descriptor, const struct stat& own_status, From old_file,
                         const struct stat& status, std::error_code& ec) noexcept {
  mode_t mode = status.st_mode & 07777;
  const bool same_owner = own_status.st_uid == status.st_uid && own_status.st_gid == status.st_gid;
  if (!same_owner && ::fchown(descriptor, status.st_uid, status.st_gid) != 0) {
    // If the process may not change the owner, change only the group. Rights and set-id bits must
    // not pass from one owner or group to another.
    if (::fchown(descriptor, static_cast<uid_t>(-1), status.st_gid) != 0)
      mode = limit_group_to_others(mode & ~mode_t{S_ISGID});
    mode &= ~mode_t{S_ISUID};
  }
  // If a file has an access list, the group's bits of the mode are a mask: the most that the
  // entries of groups and of named users can allow. So if the old file has no list, the new file
  // must not have a list that gives named users the group's rights.
  const mode_t safe = limit_group_to_others(mode);
  if (mode != safe && !remove_access_list(descriptor)) mode = safe;
  if (!copy_extended_attributes(descriptor, old_file)) mode = safe;
  if (::fchmod(descriptor, mode) != 0) ec = system_code();
}

}  // namespace

void copy_attributes_to(int descriptor, const struct stat& own_status, const char* old_file,
                        const struct stat& status, std::error_code& ec) noexcept {
  copy_all_attributes(descriptor, own_status, old_file, status, ec);
}

void copy_attributes_to(int descriptor, int old_file, std::error_code& ec) noexcept {
  struct stat own_status{}, status{};
  if (get_status(descriptor, own_status) == 0 && get_status(old_file, status) == 0)
    copy_all_attributes(descriptor, own_status, old_file, status, ec);
  else
    ec = system_code();
}

}  // namespace v0
}  // namespace leat
