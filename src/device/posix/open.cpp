// Opening files on POSIX systems.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/no_cancel.hpp"
#include "device/direct/direct.hpp"
#include "device/follow_system.hpp"
#include "device/live.hpp"
#include "device/open.hpp"
#include "device/posix/file.hpp"
#include "device/posix/place.hpp"
#include "device/posix/replacement.hpp"
#include "device/posix/system.hpp"
#include "device/sidecar.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// A device of this kind, or null with `ec` set.
template <class Device, class... Args>
std::unique_ptr<Device> make(std::error_code& ec, Args&&... args) noexcept {
  std::unique_ptr<Device> made(new (std::nothrow) Device(std::forward<Args>(args)...));
  if (made == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
  return made;
}

std::unique_ptr<posix_file> own(int descriptor, std::error_code& ec,
                                posix_file::offset own = posix_file::offset::moves) noexcept {
  auto file = make<posix_file>(ec, descriptor, posix_file::ownership::owned, own);
  if (file == nullptr)
    ::close(descriptor);
  else if (ec = file->unknown(); ec)
    file.reset();
  return file;
}

/// Reserves the space that the options ask for. Returns the same file, or null.
std::unique_ptr<device> with_space(std::unique_ptr<device> file, const options& how,
                                   std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  file->reserve(how.preallocate, ec);
  if (ec) return nullptr;
  return file;
}

std::unique_ptr<posix_file> open_file(path_ref path, int flags, unsigned permissions,
                                      std::error_code& ec) noexcept {
  const int descriptor = open_descriptor(path, flags, permissions, ec);
  if (descriptor < 0) return nullptr;
  return own(descriptor, ec);
}

/// Puts a direct_device over an open file. Null, with `ec` set, if the file can't be direct.
std::unique_ptr<device> made_direct(std::unique_ptr<device> file, direct_device::rests state,
                                    direct_device::reads order, std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  const device_traits traits = file->traits();
  if (!traits.positional || traits.appends) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return nullptr;
  }
  set_direct(file->native_handle(), true, ec);
  if (!ec && state == direct_device::rests::cached) set_direct(file->native_handle(), false, ec);
  if (ec) return nullptr;
  return make<direct_device>(ec, std::move(file), state, order);
}

/// The same for a file that is written as a stream, if it is to be direct.
std::unique_ptr<device> cached_as(caching wanted, std::unique_ptr<device> file,
                                  std::error_code& ec) noexcept {
  if (wanted == caching::cached) return file;
  return made_direct(std::move(file), direct_device::rests::cached,
                     direct_device::reads::sequential, ec);
}

std::unique_ptr<device> open_for_writing(path_ref path, int flags, const options& how,
                                         std::error_code& ec) noexcept try {
  // A file is emptied only when it is certain that it can be direct, that there is space, and that
  // no bytes of another file lie beside it.
  const int late = flags & O_TRUNC;
  const place where(path, ec);
  if (ec) return nullptr;
  auto folder = where.parent(ec);
  if (ec) return nullptr;
  held_descriptor made(where.open((flags & ~late) | (how.readable ? O_RDWR : O_WRONLY) | O_CREAT,
                                  how.permissions, ec));
  if (made.get() < 0) return nullptr;
  settle_sidecar(path, made.get(), late != 0 ? settling::drop : settling::replay, ec);
  // After that, because a stream that appends begins behind the bytes of a killed process.
  auto opened = ec ? nullptr : own(made.release(), ec);
  if (ec && how.exclusive) ::unlinkat(where.folder(), where.name(), 0);  // this call has made it
  if (ec) return nullptr;
  if (opened->traits().positional) {
    if (how.durability == durability::system)
      sync_folder(folder.first.get(), folder.second.c_str(), opened->native_handle(), ec);
    else
      opened->sync_later(std::move(folder));
  }
  std::unique_ptr<device> file;
  if (!ec) file = cached_as(how.caching, std::move(opened), ec);
  if (file != nullptr && late != 0 && file->traits().positional) {
    file->reserve(how.preallocate, ec);
    if (!ec && file->size(ec) != 0) file->resize(0, ec);  // gives the space back
  }
  if (!ec) file = with_space(std::move(file), how, ec);
  if (ec && how.exclusive) ::unlinkat(where.folder(), where.name(), 0);  // this call has made it
  if (ec) return nullptr;
  return file;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace

std::unique_ptr<device> files::open_existing(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  std::unique_ptr<device> file = open_file(path, O_RDONLY, 0, ec);
  if (how.caching == caching::direct)
    file = made_direct(std::move(file), direct_device::rests::direct,
                       direct_device::reads::sequential, ec);
  if (how.live) file = live_device::over(path, std::move(file), ec);
  return file;
}

std::unique_ptr<device> files::open_updating(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  if (!how.create) {
    auto file = open_file(path, O_RDWR, 0, ec);
    if (file != nullptr) settle_sidecar(path, file->native_handle(), settling::replay, ec);
    if (ec) return nullptr;
    return file;
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

/// Opens a file that has to have positions. A pipe has none, so nobody waits for its other side.
std::unique_ptr<posix_file> open_positional(path_ref path, int flags,
                                            std::error_code& ec) noexcept {
  const int descriptor = open_descriptor(path, flags | O_NONBLOCK, 0666, ec);
  if (descriptor < 0) return nullptr;
  ::fcntl(descriptor, F_SETFL, flags);
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    ec = std::make_error_code(std::errc::is_a_directory);
    return nullptr;
  }
  return own(descriptor, ec, posix_file::offset::stays);
}

}  // namespace

std::unique_ptr<device> files::open_random(path_ref path, bool writable,
                                           std::error_code& ec) noexcept {
  auto file = open_positional(path, writable ? O_RDWR : O_RDONLY, ec);
  if (file != nullptr && writable)
    settle_sidecar(path, file->native_handle(), settling::replay, ec);
  if (ec) return nullptr;
  return file;
}

std::unique_ptr<device> files::create_random(path_ref path, bool empties,
                                             std::error_code& ec) noexcept try {
  const place where(path, ec);
  if (ec) return nullptr;
  auto folder = where.parent(ec);
  if (ec) return nullptr;
  auto file = open_positional(path, O_RDWR | O_CREAT, ec);
  if (file == nullptr) return nullptr;
  settle_sidecar(path, file->native_handle(), empties ? settling::drop : settling::replay, ec);
  if (!ec && empties && file->traits().positional && file->size(ec) != 0 && !ec)
    file->resize(0, ec);
  if (ec) return nullptr;
  file->sync_later(std::move(folder));
  return file;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> files::open_replacing(path_ref path, const options& how,
                                              std::error_code& ec) noexcept try {
  const no_cancel guard;
  return with_space(cached_as(how.caching, posix_replacement::open(path, how, ec), ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> files::open_copy(int from, path_ref to, std::error_code& ec) noexcept {
  struct stat status{};
  if (from < 0 || ::fstat(from, &status) != 0) {
    ec = from < 0 ? std::make_error_code(std::errc::bad_file_descriptor) : last_error();
    return nullptr;
  }
  // Nobody else may read a private file's copy before it has its permissions.
  auto file = open_file(to, O_WRONLY | O_CREAT, 0600, ec);
  if (file == nullptr || !file->traits().positional) return file;
  if (is_same_file(from, file->native_handle())) {
    ec = errc::same_file;
    return nullptr;
  }
  settle_sidecar(to, file->native_handle(), settling::drop, ec);
  if (!ec) file->resize(0, ec);
  if (!ec && ::fchmod(file->native_handle(), status.st_mode & 0777) != 0) ec = last_error();
  if (ec) return nullptr;
  return file;
}

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept try {
  const no_cancel guard;
  std::string path = temporary_folder() + "/leat-XXXXXX";
  const int made = ::mkostemp(path.data(), O_CLOEXEC);
  const int descriptor = above_standard_streams(made);
  ec = descriptor < 0 ? last_error() : std::error_code{};
  const bool unlinked = made < 0 || ::unlink(path.c_str()) == 0;
  if (descriptor < 0) return nullptr;
  if (!unlinked) {
    ec = last_error();
    ::close(descriptor);
    return nullptr;
  }
  return with_space(own(descriptor, ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> open_direct_twin(const device& of, bool writable,
                                         std::error_code& ec) noexcept {
#if defined(__linux__)
  if (of.native_handle() != no_handle && of.traits().positional && !of.traits().appends) {
    const name_of_open path(of.native_handle());
    const int descriptor = open_descriptor(path.text, writable ? O_RDWR : O_RDONLY, 0, ec);
    if (ec == std::errc::no_such_file_or_directory)  // there is no /proc
      ec = std::make_error_code(std::errc::operation_not_supported);
    if (descriptor < 0) return nullptr;
    auto file = own(descriptor, ec, posix_file::offset::stays);
    return made_direct(std::move(file), direct_device::rests::direct, direct_device::reads::random,
                       ec);
  }
#else
  static_cast<void>(of);
  static_cast<void>(writable);
#endif
  ec = std::make_error_code(std::errc::operation_not_supported);
  return nullptr;
}

}  // namespace v0
}  // namespace leat
