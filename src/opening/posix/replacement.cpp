// Writes a temporary file, then renames this file to the target. open.cpp makes the device.
#include "opening/posix/replacement.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <utility>

#include "base/no_cancel.hpp"
#include "device/follow_system.hpp"
#include "device/posix/attributes.hpp"
#include "device/posix/links.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Returns at most `size` bytes of a name, cut between two characters of UTF-8. Some file systems
/// refuse half a character.
std::string_view shortened(std::string_view name, std::size_t size) noexcept {
  if (name.size() <= size) return name;
  while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) --size;
  return name.substr(0, size);
}

// A program that writes a temporary file holds a lock on the file (flock). The lock ends with the
// program. So a file that can be locked was left by a killed program. Before a program removes a
// leftover, the program takes the lock and then checks that the name still belongs to the file.
// After a program has locked its own new file, the program also checks that the file still has its
// name. From then on, no other program changes the name.

bool try_lock_file(int descriptor) noexcept {
  return retry_on_eintr([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) == 0;
}

/// Locks a new file. Returns false if another program was first: the other program takes the file
/// for a leftover, and has locked the file, or locked and removed it. Returns true on a file system
/// without locks, where no program removes leftovers. Sets `status` to the file's status once the
/// file is locked. If the status can't be read, sets `ec` and returns false.
bool lock_new_file(int descriptor, struct stat& status, std::error_code& ec) noexcept {
  const bool locked = try_lock_file(descriptor);
  if (!locked && errno == EWOULDBLOCK) return false;
  if (get_status(descriptor, status) != 0) ec = system_code();
  return !ec && (!locked || status.st_nlink != 0);
}

/// Removes a temporary file that a killed program has left: a regular file of this user whose lock
/// no process holds.
void remove_leftover(int folder, const char* name) noexcept {
  struct stat status{};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return;
  // NFS locks only files that are open to write. Other file systems also lock a file that is open
  // to read only.
  constexpr int safe_flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  std::error_code ec;
  unique_descriptor file(::openat(folder, name, O_WRONLY | safe_flags));
  if (file.get() < 0) file = unique_descriptor(::openat(folder, name, O_RDONLY | safe_flags));
  if (file.get() >= 0 && try_lock_file(file.get()) && is_name_of(folder, name, file.get(), ec))
    ::unlinkat(folder, name, 0);
}

/// The number of names under which leftovers are looked for. More than eight programs rarely
/// replace one file at the same time.
constexpr int numbered_names = 8;
constexpr int most_names = 100;

/// The name of the n-th attempt. The first names are fixed, so that leftovers are found without
/// listing the folder.
std::string temporary_name(const std::string& stem, int n) {
  return stem + (n < numbered_names ? "0000000" + std::to_string(n) : random_name()) + ".tmp";
}

/// Makes and locks a temporary file. If the first name is taken, removes the files that killed
/// programs have left. Returns the descriptor, and sets `name` to the file's name and `status` to
/// its status. On failure sets `ec` and returns no_handle.
int make_temporary(int folder, const std::string& stem, unsigned permissions, std::string& name,
                   struct stat& status, std::error_code& ec) {
  bool cleaned = false;
  for (int n = 0; n != most_names;) {
    name = temporary_name(stem, n);
    const int descriptor = open_at(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL, permissions);
    ec = descriptor < 0 ? system_code() : std::error_code{};
    if (ec == std::errc::file_exists) {
      if (cleaned) ++n;
      for (int i = 0; !cleaned && i != numbered_names; ++i)
        remove_leftover(folder, temporary_name(stem, i).c_str());
      cleaned = true;
      continue;
    }
    if (ec || lock_new_file(descriptor, status, ec)) return descriptor;
    ::close(descriptor);
    // The program cannot know which file has the name now. Attempts with other names would only
    // leave more files.
    if (ec) return no_handle;
    ++n;
    ec = std::make_error_code(std::errc::file_exists);
  }
  return no_handle;
}

/// Gives a new file the attributes of the old file; see copy_attributes_to.
void copy_old_attributes(const posix_file& to, const resolved_path& old, const char* target,
                         struct stat status, std::error_code& ec) noexcept {
  const int descriptor = to.native_handle();
  const struct stat& own = to.first_status();
#if defined(O_PATH)
  if (old.is_inside()) {
    // Opens the file itself, because its name may lead to another file by now.
    const unique_descriptor file(::openat(old.folder(), target, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file.get() < 0 || get_status(file.get(), status) != 0)
      ec = system_code();
    else if (!S_ISREG(status.st_mode))
      ec = errc::not_a_file;
    else
      copy_attributes_to(descriptor, own, proc_fd_path(file.get()).text, status, ec);
    return;
  }
#endif
  static_cast<void>(old);
  copy_attributes_to(descriptor, own, target, status, ec);
}

}  // namespace

posix_replacement::posix_replacement(int descriptor, const struct stat& status,
                                     unique_descriptor folder, std::string temporary,
                                     std::string target, const options& how) noexcept
    : posix_file({.descriptor = descriptor, .flags = O_WRONLY, .status = &status}),
      folder_(std::move(folder)),
      temporary_(std::move(temporary)),
      target_(std::move(target)),
      sync_folder_(how.durability == durability::system),
      process_(this_process()) {
  traits_.commits = true;
}

std::unique_ptr<device> posix_replacement::open(path_ref path, const options& how,
                                                std::error_code& ec) {
  const resolved_path where(path, ec);
  if (ec) return nullptr;
  unique_descriptor folder = where.parent(ec).first;
  std::string target = where.is_inside() ? where.name() : std::string(path.view());
  if (ec) return nullptr;

  struct stat status{};
  bool exists = ::fstatat(folder.get(), target.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISLNK(status.st_mode) && !where.is_inside()) {
    target = follow_links(std::move(target), ec);
    if (ec) return nullptr;
    exists = ::fstatat(folder.get(), target.c_str(), &status, 0) == 0;
  }
  if (!exists && errno != ENOENT) {
    ec = system_code();
    return nullptr;
  }
  if (exists && S_ISLNK(status.st_mode)) {
    ec = std::make_error_code(std::errc::too_many_symbolic_link_levels);
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
  // The temporary file is hidden. Even if the target's name has 255 bytes, the name of the
  // temporary file fits into NAME_MAX (255).
  const std::string_view name = std::string_view(target).substr(name_at);
  const std::string stem =
      target.substr(0, name_at) + '.' + std::string(shortened(name, 200)) + '.';
  std::string temporary;
  struct stat temporary_status{};
  const int descriptor = make_temporary(folder.get(), stem, exists ? 0600 : how.permissions,
                                        temporary, temporary_status, ec);
  if (ec) return nullptr;
  // Refuses a file that create() would refuse: the right to change the folder does not include the
  // right to write to this file.
  const bool is_own = temporary_status.st_uid == status.st_uid && (status.st_mode & S_IWUSR) != 0;
  if (exists && !is_own && ::faccessat(folder.get(), target.c_str(), W_OK, AT_EACCESS) != 0)
    ec = system_code();
  std::unique_ptr<posix_replacement> result(
      new (std::nothrow) posix_replacement(descriptor, temporary_status, std::move(folder),
                                           std::move(temporary), std::move(target), how));
  if (result == nullptr) {
    // NOLINTNEXTLINE(bugprone-use-after-move): nothing was moved then
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    ::close(descriptor);
    ec = std::make_error_code(std::errc::not_enough_memory);
    return nullptr;
  }
  if (exists && !ec) copy_old_attributes(*result, where, result->target_.c_str(), status, ec);
  if (ec) return nullptr;
  return result;
}

posix_replacement::~posix_replacement() { remove(); }

/// Removes the temporary file. The caller holds the file's lock.
void posix_replacement::remove() noexcept {
  if (!temporary_.empty() && process_ == this_process())
    ::unlinkat(folder_.get(), temporary_.c_str(), 0);
  temporary_.clear();
}

native_handle_type posix_replacement::release(std::uint64_t, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return no_handle;
}

void posix_replacement::close(std::error_code& ec) noexcept {
  const no_cancel guard;
  // A second descriptor keeps the lock until the file has its new name.
  const int lock = ::fcntl(native_handle(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (lock < 0) {
    ec = system_code();
    return;
  }
  posix_file::close(ec);
  if (!ec) commit(lock, ec);
  if (ec) remove();
  // A forked child may have the descriptor, and with it the lock.
  if (process_ == this_process()) ::flock(lock, LOCK_UN);
  ::close(lock);
}

bool posix_replacement::check_process(std::error_code& ec) const noexcept {
  if (process_ == this_process()) return true;
  ec = std::make_error_code(std::errc::operation_not_permitted);
  return false;
}

std::size_t posix_replacement::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                        std::error_code& ec) noexcept {
  return check_process(ec) ? posix_file::write_at(at, pieces, ec) : 0;
}

std::size_t posix_replacement::copy_at(std::uint64_t at, device& from, std::uint64_t from_at,
                                       std::size_t n, std::error_code& ec) noexcept {
  return check_process(ec) ? posix_file::copy_at(at, from, from_at, n, ec) : 0;
}

void posix_replacement::commit(int file, std::error_code& ec) noexcept {
  if (!check_process(ec)) return;
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), target_.c_str()) != 0) {
    ec = system_code();
    return;
  }
  temporary_.clear();
  traits_.commits = false;
  if (sync_folder_) {
    try {
      sync_folder(folder_.get(), folder_of(target_).c_str(), file, ec);
    } catch (const std::bad_alloc&) {
      ec = std::make_error_code(std::errc::not_enough_memory);
    }
  }
}

}  // namespace v0
}  // namespace leat
