// Finds credentials in the settings, the environment, the files of the AWS command line, and roles.
// Called by server.cpp.
#pragma once

#include <leat/remote.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "remote/profiles.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

/// Credentials and their expiry.
struct login {
  credentials keys;
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

/// Finds the credentials for these settings. Order, as in botocore: the settings; if the settings
/// name no profile, the environment; a web identity; the profile; the files of older tools; the
/// roles of a container and of an instance. Credentials of roles are requested by HTTP and cached;
/// see roles.hpp. `refresh` bypasses the cache, because the cached credentials were refused.
///
/// Returns nothing if no source has credentials; `ec` is then the error that ended the search, or
/// none. Returns nothing, without an error, for anonymous requests. If cached credentials are about
/// to expire and new credentials can't be obtained, returns the cached credentials; `ec` may then
/// be set. Unusable credentials are an error: the next source could sign as another identity.
std::optional<login> find_login(const settings& how, const profile& from, const std::string& region,
                                bool refresh, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
