// Error codes that remember what a server has answered.
#pragma once

#include <leat/remote.hpp>

#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// Keeps an answer and returns a code for it, whose message() is `text` with the answer. The last
/// 256 are kept; older codes still know their condition. `like` is what the code compares equal to.
std::error_code incident(std::errc like, std::string text, answer of = {});

inline std::error_code no_memory() noexcept {
  return std::make_error_code(std::errc::not_enough_memory);
}

/// The condition for a status of HTTP.
std::errc condition_of(int status) noexcept;

}  // namespace remote
}  // namespace v0
}  // namespace leat
