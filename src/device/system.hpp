// What there is to know of the system. Each platform has its own implementation of these.
#pragma once

#include <leat/device.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

/// False if a buffer of this size is more than half of the machine's memory: systems promise more
/// than they have, and end programs that believe them.
bool is_affordable(std::uint64_t bytes) noexcept;

/// Has transfers through this descriptor go past the system's cache, or through it.
/// operation_not_supported where the file or the system can't.
void set_direct(native_handle_type descriptor, bool direct, std::error_code& ec) noexcept;

/// The handle by which whole blocks of a direct device's disk go past the cache, or no_handle.
native_handle_type direct_handle(const device& disk) noexcept;

/// Eight letters and digits, for a name that no file has yet.
std::string random_name();

/// Tells a forked child from its parent.
using process_id = long;
process_id this_process() noexcept;

}  // namespace v0
}  // namespace leat
