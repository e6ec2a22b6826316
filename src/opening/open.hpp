// Opens paths as devices: the system's files, and the addresses of components.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include "device/descriptor.hpp"
#include "device/options.hpp"

#include <memory>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

// Each returns null and sets `ec` on failure.

/// A file to read.
std::unique_ptr<device> open_existing(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
/// A file to read and to write.
std::unique_ptr<device> open_updating(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
std::unique_ptr<device> open_created(path_ref path, const options& how,
                                     std::error_code& ec) noexcept;
std::unique_ptr<device> open_appending(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;
/// A temporary file beside `path` that close() renames to it.
std::unique_ptr<device> open_replacing(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;
/// An empty file for a copy of an open one, with its permissions; of a device without a descriptor,
/// just an empty file. errc::same_file if `to` is that file.
std::unique_ptr<device> open_copy(native_handle_type from, path_ref to,
                                  std::error_code& ec) noexcept;
/// Where open_temporary() makes its files.
std::string temporary_folder();
std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept;
/// Opens the file of another device a second time, past the system's cache. It is for batches, and
/// any number of threads may make them at once. Each device sees what the other one writes; see
/// direct_device. The second one stays open when the first is closed. operation_not_supported if
/// the system, the file system or the device can't do this.
std::unique_ptr<device> open_direct_twin(const device& of, bool writable,
                                         std::error_code& ec) noexcept;

/// A file that several threads may read at any place at once, and write if `writable`.
std::unique_ptr<device> open_random(path_ref path, bool writable, const options& how,
                                    std::error_code& ec) noexcept;
/// The same to read and to write; a file that does not exist is made. `empties` one that does.
std::unique_ptr<device> create_random(path_ref path, bool empties, const options& how,
                                      std::error_code& ec) noexcept;

/// As open_descriptor(). What a killed process has left beside the file is settled, before the file
/// is emptied.
int open_settled_descriptor(const char* path, const open_mode& mode) noexcept;

/// The same for files only. Each platform has its own implementation of these.
namespace files {

std::unique_ptr<device> open_existing(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
std::unique_ptr<device> open_updating(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
std::unique_ptr<device> open_created(path_ref path, const options& how,
                                     std::error_code& ec) noexcept;
std::unique_ptr<device> open_appending(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;
std::unique_ptr<device> open_replacing(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;
std::unique_ptr<device> open_copy(native_handle_type from, path_ref to,
                                  std::error_code& ec) noexcept;
std::unique_ptr<device> open_random(path_ref path, bool writable, std::error_code& ec) noexcept;
std::unique_ptr<device> create_random(path_ref path, bool empties, std::error_code& ec) noexcept;

}  // namespace files

}  // namespace v0
}  // namespace leat
