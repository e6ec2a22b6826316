// Credentials of roles, which somebody else gives for a while.
#pragma once

#include <optional>
#include <string>
#include <system_error>

#include "remote/credentials.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

/// Asks for a role's credentials in the way that the environment names, an instance last. They are
/// remembered until some minutes before they expire, or until somebody wants them `anew`.
std::optional<login> find_role(const std::string& region, bool anew, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
