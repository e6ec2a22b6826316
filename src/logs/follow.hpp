// A growing file as a device; see leat::follow, which opens it.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Returns the position at which reading begins. Called only if the file exists when the device is
/// opened. A file that appears later is read from its start.
using first_position_finder =
    std::function<std::uint64_t(native_handle_type file, std::error_code& ec)>;

/// Opens a device whose reads wait up to `timeout` for bytes, or until a stop is requested. A read
/// that gets no bytes returns 0 without an error. Returns null and sets `ec` on failure.
std::unique_ptr<device> open_following(path_ref path, const first_position_finder& find_begin,
                                       std::chrono::milliseconds timeout,
                                       const std::stop_token& stop, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
