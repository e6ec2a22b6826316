// Error codes that keep the server's response. Most files of src/remote make such codes.
#pragma once

#include <leat/remote.hpp>

#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// Keeps a response and returns an error code. The code's message() is `text`. If there was a
/// response, the status, the store's error code and the request id follow the text. The returned
/// code equals the `condition`. The last 256 responses are kept; older codes still have their
/// condition.
std::error_code make_error(std::errc condition, std::string text, answer response = {});

/// The error of an allocation that failed.
inline std::error_code no_memory() noexcept {
  return std::make_error_code(std::errc::not_enough_memory);
}

/// The condition for an HTTP status.
std::errc condition_of(int status) noexcept;

}  // namespace remote
}  // namespace v0
}  // namespace leat
