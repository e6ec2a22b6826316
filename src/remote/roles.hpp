// Credentials of roles, which somebody else gives for a while.
#pragma once

#include <optional>
#include <string>
#include <system_error>

#include "remote/credentials.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

/// A role that is given for a token, as Kubernetes has it in a file.
struct web_identity {
  std::string token_file, role, session;
};

// What is answered is remembered until some minutes before it expires, or until somebody wants it
// `anew`: for each service and each role by itself.

std::optional<login> find_role(const web_identity& of, const std::string& region, bool anew,
                               std::error_code& ec);
/// The role of the container that the environment names, or else of the instance. `metadata` is the
/// address of the instance's service, if the environment has none.
std::optional<login> find_role(const std::string& metadata, bool anew, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
