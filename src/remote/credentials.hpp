// What the environment and the files of the AWS command line say.
#pragma once

#include <leat/remote.hpp>

#include <optional>
#include <string>

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

/// Who signs requests with these settings: nobody if they are anonymous, or if nothing tells
/// credentials.
std::optional<credentials> find_credentials(const settings& how, const profile& of);

}  // namespace remote
}  // namespace v0
}  // namespace leat
