// Temporary credentials of roles, requested by HTTP. Used by credentials.cpp.
#pragma once

#include <optional>
#include <string>
#include <system_error>

#include "remote/credentials.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

/// A role whose credentials STS gives for the token in a file, as in Kubernetes.
struct web_identity {
  std::string token_file, role, session;
};

// Responses are cached per service and role. If a response expires within 5 minutes, a new response
// is requested. If this request fails before the old response has expired, the old response is
// returned, and `ec` is the request's error (no error if no instance service answers). `refresh`
// bypasses the cache.

/// Returns credentials for a role by a web identity. Returns nothing and sets `ec` if the token
/// can't be read, or if STS in this region gives no credentials.
std::optional<login> find_role_login(const web_identity& identity, const std::string& region,
                                     bool refresh, std::error_code& ec);
/// If the environment names the service of a container, returns credentials for the container's
/// role. Otherwise returns credentials for the instance's role. `metadata` is the address of the
/// instance's service; empty: the default address. An address in the environment precedes
/// `metadata`. Returns nothing, without an error, if the machine is not an instance, if the service
/// lists no role, or if AWS_EC2_METADATA_DISABLED is "true". Returns nothing and sets `ec` if the
/// token for a container's service can't be read, if this service may not be used without
/// encryption, or if a service gives no credentials.
std::optional<login> find_role_login(const std::string& metadata, bool refresh,
                                     std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
