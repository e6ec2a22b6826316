// Error codes as errno.
#pragma once

#include <cerrno>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The errno value for a device's error; EIO if there is none.
inline int errno_of(const std::error_code& ec) noexcept {
  const std::error_condition plain = ec.default_error_condition();
  return plain.category() == std::generic_category() && plain.value() != 0 ? plain.value() : EIO;
}

}  // namespace v0
}  // namespace leat
