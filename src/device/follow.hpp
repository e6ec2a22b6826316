// A growing file as a device. Each platform has its own implementation of this.
#pragma once

#include <leat/follow.hpp>

#include <memory>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Returns null and sets `ec` on failure.
std::unique_ptr<device> open_following(path_ref path, const follow_options& how,
                                       std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
