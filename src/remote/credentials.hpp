// Who signs requests: what the settings, the environment and the files of the AWS command line say.
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

/// Credentials, and until when a store takes them.
struct login {
  credentials who;
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

/// Who signs requests with these settings. In the order of botocore: the settings; the environment,
/// unless the settings name a profile; the profile; the files of older tools; and the roles of a
/// container and of an instance, which are asked by HTTP and remembered until they expire. `anew`:
/// what is remembered has been refused.
///
/// Returns nothing if no source has credentials; `ec` is then the last source's error, or none.
/// Unusable credentials are an error: trying the next source could sign as somebody else.
std::optional<login> find_login(const settings& how, const profile& of, const std::string& region,
                                bool anew, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
