// Descriptors: the numbers that C has for open files. Each platform has its own implementation. C's
// streams, leat.h, the standard streams, devices, and the functions that open or rename files use
// these functions.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The mode with which C opens a file, as in fopen.
struct open_mode {
  bool readable = false;
  bool writable = false;
  bool truncates = false;
  bool appends = false;
  bool exclusive = false;        ///< x: the file must be new
  bool close_on_exec = false;    ///< e: started programs do not get the descriptor
  bool text = false;             ///< t, if has_text_mode(): lines end in "\r\n" in the file
  bool already_appends = false;  ///< the descriptor appends: its stream begins at its offset
  /// The descriptor is new: the descriptor has the flags of this mode, and no other code has moved
  /// its offset.
  bool just_opened = false;
};

/// True if this platform has a text mode. A stream uses the text mode only if the program asks for
/// this mode.
bool has_text_mode() noexcept;

// Functions that return a number or bool return -1 or false on failure and set errno, as C's do.

/// Opens a file. Opening a fifo waits until another process has opened the other side.
int open_descriptor(const char* path, const open_mode& mode) noexcept;
/// Opens a file inside the folder of this descriptor (see path_ref). The new descriptor is closed
/// on exec. Windows: fails with ENOTSUP.
int open_inside(int folder, const char* path, const open_mode& mode) noexcept;
/// A path inside the folder of this descriptor, for functions that take a path_ref.
path_ref path_inside(int folder, const char* path) noexcept;
/// Makes a new descriptor of the same file in another mode, as far as the system allows.
int reopen_descriptor(int descriptor, const open_mode& mode) noexcept;
/// If the mode says so, makes an open descriptor append (POSIX), or be closed on exec. If the
/// descriptor was not opened for what the mode needs, fails with EINVAL. POSIX: stores in
/// `mode.already_appends` whether the descriptor appended before this call.
bool apply_open_mode(int descriptor, open_mode& mode) noexcept;
/// Makes `to` refer to the file of `from`, and closes `from`, also on failure. If `from` and `to`
/// are the same number, does nothing. Returns `to`.
int move_descriptor(int from, int to, bool close_on_exec) noexcept;
/// Closes a descriptor. Leaves errno as it is.
void close_descriptor(int descriptor) noexcept;
/// Writes once, as write(2) does. POSIX: not a cancellation point. Returns the number of written
/// bytes.
std::ptrdiff_t write_once(int descriptor, std::string_view bytes) noexcept;
/// Writes all the bytes, as write_all does: repeats interrupted calls, and continues short writes.
bool write_descriptor(int descriptor, std::string_view bytes) noexcept;

/// Makes a descriptor for a handle that a device has released. If no descriptor is free, closes the
/// handle and returns -1.
int descriptor_of(native_handle_type released) noexcept;
/// The descriptor of an open device, or -1.
int descriptor_of(const device& open) noexcept;
/// The system's handle of a descriptor's file. POSIX: the descriptor, without a check. Windows:
/// no_handle (EBADF) if the descriptor is not open.
native_handle_type handle_of_descriptor(int descriptor) noexcept;
/// A device over the file that the descriptor refers to at the time of each call. The descriptor
/// stays open. Throws std::bad_alloc.
std::unique_ptr<device> borrow_descriptor(int descriptor);

/// C's remove() and rename(). On Windows the paths are UTF-8, and if a file has the new name,
/// rename_path() fails.
int remove_path(const char* path) noexcept;
int rename_path(const char* from, const char* to) noexcept;

/// Syncs a file, renames the file, and syncs both names. Replaces an existing file of the new name.
/// If only the sync of a name fails, sets `ec`, although the file has the new name.
void rename_and_sync(path_ref from, path_ref to, std::error_code& ec) noexcept;

/// Makes the name of an open file survive a crash of the machine. `file` is the file's descriptor.
void sync_name(path_ref path, int file, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
