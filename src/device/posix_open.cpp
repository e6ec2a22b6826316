// Opening files on POSIX systems.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string>

#include "device/direct.hpp"
#include "device/open.hpp"
#include "device/posix_file.hpp"
#include "device/posix_replacement.hpp"
#include "device/posix_system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// A device of this kind, or null with `ec` set.
template <class Device, class... Args>
std::unique_ptr<device> make(std::error_code& ec, Args&&... args) noexcept {
  std::unique_ptr<device> made(new (std::nothrow) Device(std::forward<Args>(args)...));
  if (made == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
  return made;
}

std::unique_ptr<device> own(int descriptor, std::error_code& ec,
                            posix_file::offset own = posix_file::offset::moves) noexcept {
  auto file = make<posix_file>(ec, descriptor, posix_file::ownership::owned, own);
  if (file == nullptr) ::close(descriptor);
  return file;
}

/// The same file with what the options reserve, or null.
std::unique_ptr<device> with_space(std::unique_ptr<device> file, const options& how,
                                   std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  file->reserve(how.preallocate, ec);
  if (ec) return nullptr;
  return file;
}

std::unique_ptr<device> open_file(path_ref path, int flags, unsigned permissions,
                                  std::error_code& ec) noexcept {
  const int descriptor = open_descriptor(path, flags, permissions, ec);
  if (ec) return nullptr;
  return own(descriptor, ec);
}

std::unique_ptr<device> open_for_writing(path_ref path, int flags, const options& how,
                                         std::error_code& ec) noexcept try {
  auto file =
      open_file(path, flags | (how.readable ? O_RDWR : O_WRONLY) | O_CREAT, how.permissions, ec);
  if (file == nullptr) return nullptr;
  if (how.durability == durability::system && file->traits().positional) {
    // The name of a new file must survive too.
    sync_folder(folder_of(path.view()).c_str(), ec);
    if (ec) return nullptr;
  }
  file = with_space(std::move(file), how, ec);
  if (file == nullptr && how.exclusive) ::unlink(path.c_str());  // it is certainly ours
  return file;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

/// A file to read past the system's cache.
std::unique_ptr<device> open_direct(path_ref path, std::error_code& ec) noexcept {
#if defined(O_DIRECT)
  auto file = open_file(path, O_RDONLY | O_DIRECT, 0, ec);
  // That is how file systems without it answer, open(2).
  if (ec == std::errc::invalid_argument)
    ec = std::make_error_code(std::errc::operation_not_supported);
#else
  auto file = open_file(path, O_RDONLY, 0, ec);
#  if defined(F_NOCACHE)
  if (file != nullptr && ::fcntl(file->native_handle(), F_NOCACHE, 1) < 0) ec = last_error();
#  else
  if (!ec) ec = std::make_error_code(std::errc::operation_not_supported);
#  endif
#endif
  if (!ec && !file->traits().positional)
    ec = std::make_error_code(std::errc::operation_not_supported);
  if (ec) return nullptr;
  return make<direct_device>(ec, std::move(file));
}

}  // namespace

std::unique_ptr<device> open_existing(path_ref path, const options& how,
                                      std::error_code& ec) noexcept {
  if (how.caching == caching::direct) return open_direct(path, ec);
  return open_file(path, O_RDONLY, 0, ec);
}

std::unique_ptr<device> open_updating(path_ref path, const options&, std::error_code& ec) noexcept {
  return open_file(path, O_RDWR, 0, ec);
}

std::unique_ptr<device> open_created(path_ref path, const options& how,
                                     std::error_code& ec) noexcept {
  return open_for_writing(path, how.exclusive ? O_EXCL : O_TRUNC, how, ec);
}

std::unique_ptr<device> open_appending(path_ref path, const options& how,
                                       std::error_code& ec) noexcept {
  return open_for_writing(path, O_APPEND, how, ec);
}

std::unique_ptr<device> open_direct_twin(const device&, bool, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return nullptr;
}

std::unique_ptr<device> open_random(path_ref path, bool writable, std::error_code& ec) noexcept {
  const int descriptor = open_descriptor(path, writable ? O_RDWR : O_RDONLY, 0, ec);
  return ec ? nullptr : own(descriptor, ec, posix_file::offset::stays);
}

std::unique_ptr<device> create_random(path_ref path, std::error_code& ec) noexcept {
  const int descriptor = open_descriptor(path, O_RDWR | O_CREAT | O_TRUNC, 0666, ec);
  return ec ? nullptr : own(descriptor, ec, posix_file::offset::stays);
}

std::unique_ptr<device> open_replacing(path_ref path, const options& how,
                                       std::error_code& ec) noexcept try {
  return with_space(posix_replacement::open(path, how, ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept try {
  const char* folder = std::getenv("TMPDIR");
  std::string path = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  path += "/leat-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    ec = last_error();
    return nullptr;
  }
  ec.clear();
  ::unlink(path.c_str());
  return with_space(own(descriptor, ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace v0
}  // namespace leat
