// What the environment and the files of the AWS command line say.
#pragma once

#include <leat/remote.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// The variable's value, or nothing if it is not set or empty.
std::string from_environment(const char* name);

/// A profile of ~/.aws/config and ~/.aws/credentials. Files that are not there are empty.
struct profile {
  std::string region, endpoint_url, ca_bundle;
  credentials login;
};
profile read_profile(const std::string& name);

/// Credentials, and until when a store takes them.
struct login {
  credentials who;
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

/// Who signs requests with these settings. In this order: the settings; a profile that they name;
/// the environment; the default profile; and the roles of a web identity, of a container and of an
/// instance, which are asked by HTTP and remembered until they expire. `anew`: what is remembered
/// has been refused. Nobody, if nothing tells credentials; `ec` is the last error then, or none.
std::optional<login> find_login(const settings& how, const profile& of, const std::string& region,
                                bool anew, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
