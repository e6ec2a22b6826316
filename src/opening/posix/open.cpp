// Opens files on POSIX systems. opening/open.cpp and other files call these functions.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/errno.hpp"
#include "base/no_cancel.hpp"
#include "device/direct/direct.hpp"
#include "device/follow_system.hpp"
#include "device/posix/file.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/posix/system.hpp"
#include "device/system.hpp"
#include "opening/open.hpp"
#include "opening/posix/replacement.hpp"
#include "recovery/live.hpp"
#include "recovery/sidecar.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Makes a device of this kind. Returns null and sets `ec` if there is no memory.
template <class Device, class... Args>
std::unique_ptr<Device> make(std::error_code& ec, Args&&... args) noexcept {
  std::unique_ptr<Device> result(new (std::nothrow) Device(std::forward<Args>(args)...));
  if (result == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
  return result;
}

/// Makes a device that owns the descriptor. Returns null if the descriptor is negative. On another
/// failure sets `ec`, closes the descriptor and returns null.
std::unique_ptr<posix_file> make_file(
    const posix_file::opened_descriptor& file, std::error_code& ec,
    posix_file::offset offset = posix_file::offset::moves) noexcept {
  if (file.descriptor < 0) return nullptr;
  auto result = make<posix_file>(ec, file, offset);
  if (result == nullptr)
    ::close(file.descriptor);
  else if (ec = result->detection_error(); ec)
    result.reset();
  return result;
}

/// Reserves the space that the options ask for. Returns the same device. On failure returns null
/// and sets `ec`.
std::unique_ptr<device> with_reserved_space(std::unique_ptr<device> file, const options& how,
                                            std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  file->reserve(how.preallocate, ec);
  if (ec) return nullptr;
  return file;
}

/// Opens a file to write, and recovers the file's sidecar as `how` says. Returns null and sets `ec`
/// on failure.
std::unique_ptr<posix_file> open_recovered(
    path_ref path, const resolved_path& where, int flags, unsigned permissions, recovery_mode how,
    std::error_code& ec, posix_file::offset offset = posix_file::offset::moves) noexcept {
  opened_path name(path);
  unique_descriptor descriptor(open_to_write(
      name.may_be_link, [&](int more) { return where.open(flags | more, permissions, ec); }));
  if (descriptor.get() < 0) return nullptr;
  recover_sidecar(name, descriptor.get(), how, ec);
  // The device is made after the recovery, because a stream that appends begins after the recovered
  // bytes.
  auto opened = ec ? nullptr : make_file({descriptor.release(), flags}, ec, offset);
  if (ec && (flags & O_EXCL) != 0)
    ::unlinkat(where.folder(), where.name(), 0);  // this call has created the file
  return opened;
}

/// Puts a direct_device over an open file. Returns null and sets `ec` if direct I/O is not
/// possible.
std::unique_ptr<device> with_direct_io(std::unique_ptr<device> file, direct_device::idle_mode state,
                                       direct_device::read_order order,
                                       std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  const device_traits traits = file->traits();
  if (!traits.positional || traits.appends) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return nullptr;
  }
  set_direct(file->native_handle(), true, ec);
  if (!ec && state == direct_device::idle_mode::cached)
    set_direct(file->native_handle(), false, ec);
  if (ec) return nullptr;
  return make<direct_device>(ec, std::move(file), state, order);
}

/// If the options ask for direct I/O, puts a direct_device over a file that is written as a stream.
std::unique_ptr<device> with_caching(caching wanted, std::unique_ptr<device> file,
                                     std::error_code& ec) noexcept {
  if (wanted == caching::cached) return file;
  return with_direct_io(std::move(file), direct_device::idle_mode::cached,
                        direct_device::read_order::sequential, ec);
}

std::unique_ptr<device> open_for_writing(path_ref path, int flags, const options& how,
                                         std::error_code& ec) noexcept try {
  // The file is emptied only when it is certain that direct I/O is possible, that there is space,
  // and that the sidecar has no bytes of another file.
  const int truncate_flag = flags & O_TRUNC;
  const resolved_path where(path, ec);
  if (ec) return nullptr;
  auto folder = where.parent(ec);
  if (ec) return nullptr;
  const int open_flags = (flags & ~truncate_flag) | (how.readable ? O_RDWR : O_WRONLY) | O_CREAT;
  auto opened =
      open_recovered(path, where, open_flags, how.permissions,
                     truncate_flag != 0 ? recovery_mode::drop : recovery_mode::replay, ec);
  if (ec) return nullptr;
  if (opened->traits().positional) {
    if (how.durability == durability::system)
      sync_folder(folder.first.get(), folder.second.c_str(), opened->native_handle(), ec);
    else
      opened->sync_folder_later(std::move(folder));
  }
  const bool has_bytes = opened->first_status().st_size != 0;
  std::unique_ptr<device> file;
  if (!ec) file = with_caching(how.caching, std::move(opened), ec);
  if (file != nullptr && truncate_flag != 0 && file->traits().positional) {
    file->reserve(how.preallocate, ec);
    if (!ec && has_bytes) file->resize(0, ec);  // frees the reserved space
  }
  if (!ec) file = with_reserved_space(std::move(file), how, ec);
  if (ec && how.exclusive)
    ::unlinkat(where.folder(), where.name(), 0);  // this call has created the file
  if (ec) return nullptr;
  return file;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace

std::unique_ptr<device> files::open_existing(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  std::unique_ptr<device> file = make_file({open_descriptor(path, O_RDONLY, 0, ec), O_RDONLY}, ec);
  if (how.caching == caching::direct)
    file = with_direct_io(std::move(file), direct_device::idle_mode::direct,
                          direct_device::read_order::sequential, ec);
  if (how.live) file = live_device::wrap(path, std::move(file), ec);
  return file;
}

std::unique_ptr<device> files::open_updating(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  if (!how.create) {
    const resolved_path where(path, ec);
    return ec ? nullptr : open_recovered(path, where, O_RDWR, 0, recovery_mode::replay, ec);
  }
  options both = how;
  both.readable = true;
  return open_for_writing(path, 0, both, ec);
}

std::unique_ptr<device> files::open_created(path_ref path, const options& how,
                                            std::error_code& ec) noexcept {
  return open_for_writing(path, how.exclusive ? O_EXCL : O_TRUNC, how, ec);
}

std::unique_ptr<device> files::open_appending(path_ref path, const options& how,
                                              std::error_code& ec) noexcept {
  return open_for_writing(path, O_APPEND | (how.exclusive ? O_EXCL : 0), how, ec);
}

namespace {

/// Opens a file for access at positions. Does not wait for the other side of a pipe: a pipe has no
/// positions, and the caller refuses a pipe.
std::unique_ptr<posix_file> open_positional(path_ref path, int flags, recovery_mode how,
                                            std::error_code& ec) noexcept {
  const resolved_path where(path, ec);
  if (ec) return nullptr;
  constexpr auto stays = posix_file::offset::stays;
  flags |= O_NONBLOCK;
  auto file = (flags & O_ACCMODE) != O_RDONLY
                  ? open_recovered(path, where, flags, 0666, how, ec, stays)
                  : make_file({where.open(flags, 0666, ec), flags}, ec, stays);
  if (file == nullptr) return nullptr;
  if (S_ISDIR(file->first_status().st_mode)) {
    ec = std::make_error_code(std::errc::is_a_directory);
    return nullptr;
  }
  ::fcntl(file->native_handle(), F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

}  // namespace

std::unique_ptr<device> files::open_random(path_ref path, bool writable,
                                           std::error_code& ec) noexcept {
  return open_positional(path, writable ? O_RDWR : O_RDONLY, recovery_mode::replay, ec);
}

std::unique_ptr<device> files::create_random(path_ref path, bool empties,
                                             std::error_code& ec) noexcept try {
  const resolved_path where(path, ec);
  if (ec) return nullptr;
  auto folder = where.parent(ec);
  if (ec) return nullptr;
  auto file = open_positional(path, O_RDWR | O_CREAT,
                              empties ? recovery_mode::drop : recovery_mode::replay, ec);
  if (file == nullptr) return nullptr;
  if (empties && file->first_status().st_size != 0) file->resize(0, ec);
  if (ec) return nullptr;
  file->sync_folder_later(std::move(folder));
  return file;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> files::open_replacing(path_ref path, const options& how,
                                              std::error_code& ec) noexcept try {
  const no_cancel guard;
  return with_reserved_space(with_caching(how.caching, posix_replacement::open(path, how, ec), ec),
                             how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> files::open_copy(int from, path_ref to, std::error_code& ec) noexcept {
  struct stat status{};
  if (from < 0 || get_status(from, status) != 0) {
    ec = from < 0 ? std::make_error_code(std::errc::bad_file_descriptor) : system_code();
    return nullptr;
  }
  // No other user may read the copy of a private file before the copy has the permissions of the
  // original.
  const resolved_path where(to, ec);
  if (ec) return nullptr;
  opened_path name(to);
  constexpr int flags = O_WRONLY | O_CREAT;
  const int descriptor =
      open_to_write(name.may_be_link, [&](int more) { return where.open(flags | more, 0600, ec); });
  auto file = make_file({descriptor, flags}, ec);
  if (file == nullptr || !file->traits().positional) return file;
  if (const struct stat& own = file->first_status();
      own.st_dev == status.st_dev && own.st_ino == status.st_ino) {
    ec = errc::same_file;
    return nullptr;
  }
  recover_sidecar(name, file->native_handle(), recovery_mode::drop, ec);
  const auto set_mode = [&](mode_t mode) {
    if (!ec && ::fchmod(file->native_handle(), mode) != 0) ec = system_code();
  };
  const mode_t before = file->first_status().st_mode & 07777, after = status.st_mode & 0777;
  if (!ec && file->first_status().st_size != 0) {
    // If another user owns the file, changing the permissions fails. Then the file keeps its
    // content.
    if (before != after) set_mode(before & after);
    if (!ec) file->resize(0, ec);
  }
  if (before != after) set_mode(after);
  if (ec) return nullptr;
  return file;
}

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::string tmpfile_folder() { return P_tmpdir; }

namespace {

/// Makes a file without a name. `name`: a name in the file's folder that ends with "XXXXXX", for
/// file systems where each file must have a name at first. `flags`: O_CLOEXEC or 0. Returns -1 with
/// errno on failure.
int open_nameless(const char* folder, char* name, int flags) noexcept {
#if defined(O_TMPFILE)
  const int nameless = ::open(folder, O_TMPFILE | O_RDWR | O_EXCL | flags, 0600);
  if (nameless >= 0) return nameless;
#else
  static_cast<void>(folder);
#endif
  const int descriptor = ::mkostemp(name, flags);
  if (descriptor < 0 || ::unlink(name) == 0) return descriptor;
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return -1;
}

}  // namespace

int open_tmpfile(std::error_code& ec) noexcept {
  const no_cancel guard;
  char name[] = P_tmpdir "/leat-XXXXXX";
  const int descriptor = open_nameless(P_tmpdir, name, 0);
  ec = descriptor < 0 ? system_code() : std::error_code{};
  return descriptor;
}

std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept try {
  const no_cancel guard;
  const std::string folder = temporary_folder();
  std::string name = folder + "/leat-XXXXXX";
  const int descriptor =
      above_standard_streams(open_nameless(folder.c_str(), name.data(), O_CLOEXEC));
  ec = descriptor < 0 ? system_code() : std::error_code{};
  if (ec) return nullptr;
  return with_reserved_space(make_file({descriptor, O_RDWR}, ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> open_direct_twin(const device& of, bool writable,
                                         std::error_code& ec) noexcept {
#if defined(__linux__)
  if (of.native_handle() != no_handle && of.traits().positional && !of.traits().appends) {
    const proc_fd_path path(of.native_handle());
    const int flags = writable ? O_RDWR : O_RDONLY;
    const int descriptor = open_descriptor(path.text, flags, 0, ec);
    if (ec == std::errc::no_such_file_or_directory)  // there is no /proc
      ec = std::make_error_code(std::errc::operation_not_supported);
    if (descriptor < 0) return nullptr;
    auto file = make_file({descriptor, flags}, ec, posix_file::offset::stays);
    return with_direct_io(std::move(file), direct_device::idle_mode::direct,
                          direct_device::read_order::random, ec);
  }
#else
  static_cast<void>(of);
  static_cast<void>(writable);
#endif
  ec = std::make_error_code(std::errc::operation_not_supported);
  return nullptr;
}

int open_recovered_descriptor(const char* path, const open_mode& mode) noexcept {
  const int flags = flags_of(mode);
  const int truncate_flag = mode.exclusive ? 0 : flags & O_TRUNC;
  opened_path name{path_ref(path)};
  const int opened = open_to_write(name.may_be_link, [&](int more) {
    return ::open(path, (flags & ~truncate_flag) | more, 0666);
  });
  if (opened < 0 || !mode.writable) return opened;
  std::error_code ec;
  recover_sidecar(name, opened, mode.truncates ? recovery_mode::drop : recovery_mode::replay, ec);
  struct stat status{};
  if (!ec && truncate_flag != 0 &&
      (get_status(opened, status) != 0 || (S_ISREG(status.st_mode) && ::ftruncate(opened, 0) != 0)))
    ec = system_code();
  if (!ec) return opened;
  if (mode.exclusive) ::unlink(path);  // this call has created the file
  ::close(opened);
  errno = errno_of(ec);
  return -1;
}

}  // namespace v0
}  // namespace leat
