// Opens files on Windows. opening/open.cpp and other files call these functions.
#include <array>
#include <new>

#include "device/descriptor.hpp"
#include "device/direct/direct.hpp"
#include "device/system.hpp"
#include "device/windows/file.hpp"
#include "device/windows/system.hpp"
#include "opening/open.hpp"
#include "opening/windows/replacement.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Makes a device that owns the handle. On failure closes the handle, sets `ec` and returns null.
std::unique_ptr<windows_file> make_file(HANDLE handle, std::error_code& ec) noexcept {
  std::unique_ptr<windows_file> file(new (std::nothrow)
                                         windows_file(handle, windows_file::ownership::owned));
  if (file != nullptr) return file;
  ::CloseHandle(handle);
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<windows_file> open_file(path_ref path, const open_parameters& how,
                                        std::error_code& ec) noexcept {
  const HANDLE handle = open_handle(path, how, ec);
  return ec ? nullptr : make_file(handle, ec);
}

std::error_code not_supported() noexcept {
  return std::make_error_code(std::errc::operation_not_supported);
}

/// Gives a file a second handle, for direct I/O, and puts a direct_device over the file. Returns
/// null and sets `ec` on failure.
template <class File>
std::unique_ptr<device> with_direct_io(std::unique_ptr<File> file, bool writable,
                                       direct_device::idle_mode state,
                                       direct_device::read_order order,
                                       std::error_code& ec) noexcept {
  if (file == nullptr) return nullptr;
  if (!file->traits().positional || file->traits().appends) {
    ec = not_supported();
    return nullptr;
  }
  const HANDLE direct =
      ::ReOpenFile(file->native_handle(), writable ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
                   share_all, FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED);
  if (direct == no_handle) {
    // A file system that does not know FILE_FLAG_NO_BUFFERING answers with invalid_argument.
    ec = system_code();
    if (ec == std::errc::invalid_argument) ec = not_supported();
    return nullptr;
  }
  file->use_direct_handle(direct);
  std::unique_ptr<device> made(new (std::nothrow) direct_device(std::move(file), state, order));
  if (made == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
  return made;
}

/// If the options ask for direct I/O, puts a direct_device over a file that is written as a stream.
template <class File>
std::unique_ptr<device> with_caching(caching wanted, std::unique_ptr<File> file,
                                     std::error_code& ec) noexcept {
  if (wanted == caching::cached) return file;
  return with_direct_io(std::move(file), true, direct_device::idle_mode::cached,
                        direct_device::read_order::sequential, ec);
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

/// Returns the flag that tells the page cache how the file will be read.
DWORD flags_for(pattern expected) noexcept {
  return expected == pattern::sequential ? FILE_FLAG_SEQUENTIAL_SCAN
         : expected == pattern::random   ? FILE_FLAG_RANDOM_ACCESS
                                         : 0;
}

/// Windows has only one of these permissions: the permission to write to the file.
DWORD attributes_for(unsigned permissions) noexcept {
  constexpr unsigned anyone_writes = 0222;
  return (permissions & anyone_writes) != 0 ? FILE_ATTRIBUTE_NORMAL : FILE_ATTRIBUTE_READONLY;
}

}  // namespace

std::unique_ptr<device> files::open_existing(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  auto file = open_file(path, {.flags = flags_for(how.pattern)}, ec);
  if (how.caching == caching::cached) return file;
  return with_direct_io(std::move(file), false, direct_device::idle_mode::direct,
                        direct_device::read_order::sequential, ec);
}

std::unique_ptr<device> files::open_updating(path_ref path, const options& how,
                                             std::error_code& ec) noexcept {
  auto file = open_file(path,
                        {.access = GENERIC_READ | GENERIC_WRITE,
                         .disposition = how.create ? DWORD{OPEN_ALWAYS} : DWORD{OPEN_EXISTING},
                         .flags = flags_for(how.pattern) | attributes_for(how.permissions)},
                        ec);
  return with_reserved_space(std::move(file), how, ec);
}

std::unique_ptr<device> files::open_created(path_ref path, const options& how,
                                            std::error_code& ec) noexcept {
  // With direct I/O the file is emptied only when it is certain that direct I/O is possible. Direct
  // I/O needs the right to read as well.
  const bool direct = how.caching == caching::direct;
  auto opened = open_file(path,
                          {.access = GENERIC_WRITE | (how.readable || direct ? GENERIC_READ : 0),
                           .disposition = how.exclusive ? DWORD{CREATE_NEW} : DWORD{OPEN_ALWAYS},
                           .flags = attributes_for(how.permissions),
                           .truncates = !how.exclusive && !direct},
                          ec);
  if (ec) return nullptr;
  auto file = with_caching(how.caching, std::move(opened), ec);
  if (file != nullptr && direct && !how.exclusive) file->resize(0, ec);
  if (!ec) file = with_reserved_space(std::move(file), how, ec);
  if (!ec) return file;
  file.reset();
  if (how.exclusive) remove_file(path);  // this call has created the file
  return nullptr;
}

std::unique_ptr<device> files::open_appending(path_ref path, const options& how,
                                              std::error_code& ec) noexcept {
  open_parameters opening{.access = append_access | GENERIC_READ,
                          .disposition = how.exclusive ? DWORD{CREATE_NEW} : DWORD{OPEN_ALWAYS},
                          .flags = attributes_for(how.permissions)};
  auto file = open_file(path, opening, ec);
  if (ec == std::errc::permission_denied && !how.readable) {
    // Only locks need the right to read. Without this right the stream can append to the file, but
    // not lock the file.
    opening.access = append_access;
    file = open_file(path, opening, ec);
  }
  return ec ? nullptr : with_reserved_space(std::move(file), how, ec);
}

std::unique_ptr<device> files::open_replacing(path_ref path, const options& how,
                                              std::error_code& ec) noexcept try {
  return with_reserved_space(
      with_caching(how.caching, windows_replacement::open(path, how, ec), ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::unique_ptr<device> files::open_copy(native_handle_type from, path_ref to,
                                         std::error_code& ec) noexcept {
  auto file = open_file(to, {.access = GENERIC_WRITE, .disposition = OPEN_ALWAYS}, ec);
  if (file == nullptr || !file->traits().positional) return file;
  if (is_same_file(from, file->native_handle())) {
    ec = errc::same_file;
    return nullptr;
  }
  file->resize(0, ec);
  if (ec) return nullptr;
  BY_HANDLE_FILE_INFORMATION original{};
  if (::GetFileInformationByHandle(from, &original) != 0 &&
      (original.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0) {
    FILE_BASIC_INFO about{};  // times of 0 change nothing
    about.FileAttributes = FILE_ATTRIBUTE_READONLY;
    static_cast<void>(
        ::SetFileInformationByHandle(file->native_handle(), FileBasicInfo, &about, sizeof about));
  }
  return file;
}

std::string temporary_folder() {
  std::array<wchar_t, MAX_PATH + 1> folder{};
  return ::GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()) == 0
             ? "the folder for temporary files"
             : to_utf8(folder.data());
}

std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept try {
  std::array<wchar_t, MAX_PATH + 1> folder{};
  if (::GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()) == 0) {
    ec = system_code();
    return nullptr;
  }
  const open_parameters opening{
      .access = GENERIC_READ | GENERIC_WRITE | DELETE,
      .disposition = CREATE_NEW,
      .flags = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
  };
  HANDLE handle = no_handle;
  for (int attempt = 0; attempt != 100; ++attempt) {
    handle = open_native(folder.data() + to_utf16("leat-" + random_name()), opening, ec);
    if (ec != std::errc::file_exists) break;
  }
  if (ec) return nullptr;
  return with_reserved_space(make_file(handle, ec), how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::string tmpfile_folder() { return temporary_folder(); }

int open_tmpfile(std::error_code& ec) noexcept {
  const auto file = open_temporary({}, ec);
  return file == nullptr ? -1 : descriptor_of(file->release(0, ec));
}

std::unique_ptr<device> open_direct_twin(const device& of, bool writable,
                                         std::error_code& ec) noexcept {
  const native_handle_type handle = of.native_handle();
  if (handle == no_handle || !of.traits().positional || of.traits().appends) {
    ec = not_supported();
    return nullptr;
  }
  const HANDLE second = ::ReOpenFile(handle, writable ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
                                     share_all, FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS);
  if (second == no_handle) {
    ec = system_code();
    return nullptr;
  }
  ec.clear();
  return with_direct_io(make_file(second, ec), writable, direct_device::idle_mode::direct,
                        direct_device::read_order::random, ec);
}

std::unique_ptr<device> files::open_random(path_ref path, bool writable,
                                           std::error_code& ec) noexcept {
  return open_file(path,
                   {.access = writable ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
                    .flags = FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS},
                   ec);
}

std::unique_ptr<device> files::create_random(path_ref path, bool empties,
                                             std::error_code& ec) noexcept {
  return open_file(path,
                   {.access = GENERIC_READ | GENERIC_WRITE,
                    .disposition = OPEN_ALWAYS,
                    .flags = FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS,
                    .truncates = empties},
                   ec);
}

int open_recovered_descriptor(const char* path, const open_mode& mode) noexcept {
  return open_descriptor(path, mode);
}

}  // namespace v0
}  // namespace leat
