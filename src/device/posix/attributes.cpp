// Copies mode, owner, access list and extended attributes to a new file.
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

/// Returns the mode without those rights of the group that other users do not have: for 0750, 0700.
mode_t as_for_others(mode_t mode) noexcept {
  return mode & ~(mode_t{S_IRWXG} & ~((mode & mode_t{S_IRWXO}) << 3));
}

#if defined(__linux__)
constexpr std::string_view access_list = "system.posix_acl_access";
/// The capabilities of a program, which are not copied, because they were granted to the old
/// content. The system also removes them at a write.
constexpr std::string_view capabilities = "security.capability";

/// Calls listxattr or getxattr with enough memory. Returns the list of names, or one value, and
/// sets `size`. Returns null with a size of 0 if there are no names or the value is empty (errno is
/// 0), or if the call fails (errno). Returns null with a size above 0 if there is no memory.
template <class Call>
std::unique_ptr<char[]> all_of(const Call& call, std::size_t& size) noexcept {
  size = 256;  // enough for most
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

ssize_t names_of(const char* file, char* into, std::size_t room) noexcept {
  return ::listxattr(file, into, room);
}
ssize_t names_of(int file, char* into, std::size_t room) noexcept {
  return ::flistxattr(file, into, room);
}
ssize_t value_of(const char* file, const char* name, char* into, std::size_t room) noexcept {
  return ::getxattr(file, name, into, room);
}
ssize_t value_of(int file, const char* name, char* into, std::size_t room) noexcept {
  return ::fgetxattr(file, name, into, room);
}

/// Copies the access list and the extended attributes, except capabilities. Returns false if the
/// new file can't have the access list, or if it is unknown whether there is one. Skips other
/// attributes that the system refuses. Does nothing on systems other than Linux.
template <class From>
bool copy_attributes(int to, From from) noexcept {
  std::size_t size = 0;
  const auto names =
      all_of([&](char* into, std::size_t room) { return names_of(from, into, room); }, size);
  // ENOTSUP: the file system has no attributes.
  if (names == nullptr) return size == 0 && (errno == 0 || errno == ENOTSUP);
  bool kept = true;
  for (const char* name = names.get(); name < names.get() + size; name += std::strlen(name) + 1) {
    if (name == capabilities) continue;
    std::size_t length = 0;
    const auto value = all_of(
        [&](char* into, std::size_t room) { return value_of(from, name, into, room); }, length);
    const bool known = value != nullptr || (length == 0 && errno == 0);
    const bool copied = known && ::fsetxattr(to, name, value.get(), length, 0) == 0;
    if (!copied && name == access_list) kept = false;
  }
  return kept;
}
#else
template <class From>
bool copy_attributes(int, From) noexcept {
  return true;
}
#endif

template <class From>
void keep(int descriptor, const struct stat& own, From of, const struct stat& status,
          std::error_code& ec) noexcept {
  mode_t mode = status.st_mode & 07777;
  const bool same_owner = own.st_uid == status.st_uid && own.st_gid == status.st_gid;
  if (!same_owner && ::fchown(descriptor, status.st_uid, status.st_gid) != 0) {
    // If the process may not change the owner, change only the group. Rights and set-id bits must
    // not pass from one owner or group to another.
    if (::fchown(descriptor, static_cast<uid_t>(-1), status.st_gid) != 0)
      mode = as_for_others(mode & ~mode_t{S_ISGID});
    mode &= ~mode_t{S_ISUID};
  }
  // In a file with an access list the group's bits are not the group's rights, but the most that
  // the entries of groups and of named users can allow.
  if (!copy_attributes(descriptor, of)) mode = as_for_others(mode);
  if (::fchmod(descriptor, mode) != 0) ec = system_code();
}

}  // namespace

void keep_attributes(int descriptor, const struct stat& own, const char* of,
                     const struct stat& status, std::error_code& ec) noexcept {
  keep(descriptor, own, of, status, ec);
}

void keep_attributes(int descriptor, int of, std::error_code& ec) noexcept {
  struct stat own{}, status{};
  if (::fstat(descriptor, &own) == 0 && ::fstat(of, &status) == 0)
    keep(descriptor, own, of, status, ec);
  else
    ec = system_code();
}

}  // namespace v0
}  // namespace leat
