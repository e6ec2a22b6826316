// Temporary credentials of roles.
#pragma once

#include <optional>
#include <string>
#include <system_error>

#include "remote/credentials.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

/// A role for a token from a file, as in Kubernetes.
struct web_identity {
  std::string token_file, role, session;
};

// Responses are cached per service and role, until 5 minutes before they expire. `anew` bypasses
// the cache.

std::optional<login> find_role(const web_identity& of, const std::string& region, bool anew,
                               std::error_code& ec);
/// Returns the role of the container that the environment names, else of the instance. `metadata`
/// is the address of the instance's service, used if the environment has none.
std::optional<login> find_role(const std::string& metadata, bool anew, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
