// What the devices need from the system. Each platform has its own implementation of these
// functions.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

/// False if a buffer of this size is more than half of the machine's memory. Systems hand out more
/// memory than they have, and kill a program that uses it.
bool is_affordable(std::uint64_t bytes) noexcept;
/// False if the system would refuse to make a file in this folder. Windows: always true.
bool may_make_files_in(const char* folder) noexcept;

/// The page faults of this thread so far, or nothing where the system does not tell.
std::optional<std::int64_t> page_faults() noexcept;

/// Switches a descriptor: its transfers go past the system's cache, or through it.
/// operation_not_supported where the file or the system can't.
void set_direct(native_handle_type descriptor, bool direct, std::error_code& ec) noexcept;

/// The handle through which whole blocks go past the cache, or no_handle. `disk` is a device that
/// has been opened for that.
native_handle_type direct_handle(const device& disk) noexcept;

/// True as soon as a pipe, terminal or socket takes bytes without waiting, or refuses them. False:
/// it has not for all this time.
bool is_ready_soon(native_handle_type descriptor, std::chrono::milliseconds patience) noexcept;

/// True if both are open descriptors of one file.
bool is_same_file(native_handle_type a, native_handle_type b) noexcept;

/// Eight random letters and digits, for the name of a temporary file.
std::string random_name();

/// The id of this process: a forked child has another one than its parent.
using process_id = long;
process_id this_process() noexcept;

}  // namespace v0
}  // namespace leat
