// The platform's functions for devices. Each platform has its own implementation. Devices, the
// functions that open files, streams, logs, journals and random access call these functions.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

/// False if a buffer of this size is larger than 64 MiB and larger than half of the machine's
/// memory. Systems promise more memory than the machine has, and kill a program that uses too much
/// of the promised memory.
bool is_affordable(std::uint64_t bytes) noexcept;
/// True if this process has the right to make a file in this folder. False if the folder does not
/// exist. Windows: always true.
bool may_make_files_in(const char* folder) noexcept;

/// Returns the number of page faults of this thread so far. Returns nothing if the system does not
/// report page faults.
std::optional<std::int64_t> page_faults() noexcept;

/// Switches a descriptor to direct I/O, or back to the page cache. If the file or the system has no
/// direct I/O, fails with operation_not_supported. Windows: does nothing.
void set_direct(native_handle_type descriptor, bool direct, std::error_code& ec) noexcept;

/// Returns the handle for direct I/O of whole blocks, or no_handle. `disk` must have been opened
/// for direct I/O.
native_handle_type direct_handle(const device& disk) noexcept;

/// True as soon as a pipe, terminal or socket takes bytes without waiting, or refuses them. False
/// if the descriptor has neither taken nor refused bytes within `timeout`.
bool wait_until_writable(native_handle_type descriptor, std::chrono::milliseconds timeout) noexcept;

/// True if `a` and `b` are open descriptors of one file.
bool is_same_file(native_handle_type a, native_handle_type b) noexcept;

/// Eight random letters and digits, for the name of a temporary file.
std::string random_name();

/// The id of a process. A forked child has another id than its parent.
using process_id = long;
/// The id of the calling process.
process_id this_process() noexcept;

}  // namespace v0
}  // namespace leat
