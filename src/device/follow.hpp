// A growing file as a device; see leat::follow.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A read waits up to `timeout` for bytes, or until a stop is requested. `from_end`: leaves out
/// what is in the file now. Returns null and sets `ec` on failure.
std::unique_ptr<device> open_following(path_ref path, bool from_end,
                                       std::chrono::milliseconds timeout,
                                       const std::stop_token& stop, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
