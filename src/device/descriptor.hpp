// Descriptors: the numbers that C has for open files. Each platform has its own implementation. C's
// streams use them.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The mode with which C opens a file; see fopen.
struct open_mode {
  bool readable = false;
  bool writable = false;
  bool truncates = false;
  bool appends = false;
  bool exclusive = false;      ///< x: the file must be new
  bool close_on_exec = false;  ///< e: started programs do not get the descriptor
  bool text = false;           ///< t, if has_text_mode(): lines end in "\r\n" in the file
  bool in_place = false;       ///< the descriptor appended already: its offset stays
};

/// True if this platform has a text mode. A stream uses it only if the program asks for it.
bool has_text_mode() noexcept;

// On failure each returns -1 or false and sets errno, as C's functions do.

/// Opens a file. A fifo waits for the other side.
int open_descriptor(const char* path, const open_mode& mode) noexcept;
/// Opens a file inside the folder of this descriptor (see path_ref), closed on exec.
int open_inside(int folder, const char* path, const open_mode& mode) noexcept;
/// The same path, for functions that take a path_ref.
path_ref path_inside(int folder, const char* path) noexcept;
/// Makes a new descriptor of the same file in another mode, as far as the system allows.
int reopen_descriptor(int descriptor, const open_mode& mode) noexcept;
/// Makes an open descriptor append, or be closed on exec, if the mode says so. EINVAL: it was not
/// opened for what the mode needs. Sets `mode.in_place` if the system reports that the descriptor
/// appends.
bool suit_descriptor(int descriptor, open_mode& mode) noexcept;
/// Makes `to` refer to the file of `from`. `from` is closed in any case.
int move_descriptor(int from, int to, bool close_on_exec) noexcept;
/// Leaves errno as it is.
void close_descriptor(int descriptor) noexcept;
/// Writes once, as write(2). Returns how many bytes.
std::ptrdiff_t write_once(int descriptor, std::string_view bytes) noexcept;
/// Writes all the bytes, as write_all does.
bool write_descriptor(int descriptor, std::string_view bytes) noexcept;

/// Makes a descriptor for a handle that a device has released. If no descriptor is left, the handle
/// is closed.
int descriptor_of(native_handle_type released) noexcept;
/// The descriptor of an open device, or -1.
int descriptor_of(const device& open) noexcept;
/// The system's handle of a descriptor's file; no_handle (EBADF) if there is none.
native_handle_type handle_behind(int descriptor) noexcept;
/// A device over the file that a descriptor refers to now, and over another file if that changes
/// later. The descriptor stays open.
std::unique_ptr<device> borrow_descriptor(int descriptor);

/// As C's functions of these names, with paths in UTF-8.
int remove_path(const char* path) noexcept;
int rename_path(const char* from, const char* to) noexcept;

/// Syncs a file, renames it over an existing file of the new name, and syncs the names.
void rename_and_sync(path_ref from, path_ref to, std::error_code& ec) noexcept;

/// Makes the name of an open file survive a crash of the machine.
void sync_name(path_ref path, int file, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
