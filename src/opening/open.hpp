// Opens paths as devices: the system's files, and the addresses of components. Also opens temporary
// files. Called by all layers above that open a path.
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

// Each function that returns a device returns null and sets `ec` on failure.

/// Opens a file to read.
std::unique_ptr<device> open_existing(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
/// Opens a file to read and to write. If the option `create` is set, creates a missing file. Fails
/// for an address.
std::unique_ptr<device> open_updating(path_ref path, const options& how,
                                      std::error_code& ec) noexcept;
/// Opens a file to write. Creates a missing file. Empties an existing file. If the option
/// `exclusive` is set, fails for an existing file: file_exists. For an address, writes a new
/// version of the object.
std::unique_ptr<device> open_created(path_ref path, const options& how,
                                     std::error_code& ec) noexcept;
/// Opens a file to append. Creates a missing file. If the option `exclusive` is set, fails for an
/// existing file: file_exists. Fails for an address.
std::unique_ptr<device> open_appending(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;

/// Opens a temporary file in the folder of `path`. close() renames the file to `path`. If `path` is
/// a symbolic link, the temporary file is in the folder of the link's target, and replaces the
/// target. For an address, does what open_created() does.
std::unique_ptr<device> open_replacing(path_ref path, const options& how,
                                       std::error_code& ec) noexcept;
/// Opens an empty file for a copy of the open file `from`, with the permissions of that file. (On
/// Windows, only the read-only attribute is copied; an address or a pipe gets no permissions.) If
/// `from` is no_handle, the permissions are those of any new file. If `to` is the file `from`, the
/// error is errc::same_file.
std::unique_ptr<device> open_copy(native_handle_type from, path_ref to,
                                  std::error_code& ec) noexcept;
/// The folder of open_temporary()'s files. Windows: if the system does not name the folder, a text
/// for messages. Throws std::bad_alloc.
std::string temporary_folder();
/// The folder of C's tmpfile(): P_tmpdir, as in glibc, although TMPDIR may name another folder.
/// Windows: temporary_folder(). Throws std::bad_alloc.
std::string tmpfile_folder();
/// Opens a new file in tmpfile_folder(), to read and to write. The system removes the file when the
/// file is closed. As POSIX says, programs that the process starts inherit the descriptor. Returns
/// the descriptor, or -1.
int open_tmpfile(std::error_code& ec) noexcept;
/// Opens a new file in temporary_folder(), to read and to write. The system removes the file when
/// the file is closed.
std::unique_ptr<device> open_temporary(const options& how, std::error_code& ec) noexcept;
/// Opens the file of another device a second time, for direct I/O in batches. Any number of threads
/// may make batches at once. Each device sees the writes of the other; see direct_device. The
/// second device stays open when the first device is closed. If the system, the file system or the
/// device has no direct I/O, the error is operation_not_supported. If the system refuses the second
/// opening, the error is the system's error.
std::unique_ptr<device> open_direct_twin(const device& of, bool writable,
                                         std::error_code& ec) noexcept;

/// Opens a file that several threads may read at any position at once. If `writable` is true, the
/// threads may also write, but the call fails for an address, and for every option `compression`
/// except `none`.
std::unique_ptr<device> open_random(path_ref path, bool writable, const options& how,
                                    std::error_code& ec) noexcept;
/// Opens a file that several threads may read and write at any position at once. Creates a missing
/// file. If `empties` is true, empties an existing file. Fails for an address, and for every option
/// `compression` except `none`.
std::unique_ptr<device> create_random(path_ref path, bool empties, const options& how,
                                      std::error_code& ec) noexcept;

/// Opens a file as open_descriptor() does. POSIX: if the file is opened to write, also recovers or
/// drops the sidecar that a killed process has left, before the file is emptied. Returns -1 and
/// sets errno on failure.
int open_recovered_descriptor(const char* path, const open_mode& mode) noexcept;

/// The functions above for files, without addresses and codecs. open_copy() needs an open file
/// `from`. Each platform implements these functions.
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
