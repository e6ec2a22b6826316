// Reads ~/.aws/config and ~/.aws/credentials as botocore does, with the rules of Python's
// configparser. Called by server.cpp, credentials.cpp and roles.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// Returns the variable's value; empty if the variable is unset or empty.
std::string from_environment(const char* name);

/// Options: names and their values. The names of a section's options are in lower case. A newline
/// separates the lines of a value.
using option_map = std::map<std::string, std::string, std::less<>>;
/// Returns the value of an option; empty if there is no such option.
std::string value_of(const option_map& all, std::string_view name);
/// The sections of a file, in the file's order.
using sections = std::vector<std::pair<std::string, option_map>>;

/// Returns the content of a file. The error's message names the file.
std::string read_text(const std::string& path, std::error_code& ec);
/// Reads a file. The path may begin with '~' and contain variables. Returns nothing, without an
/// error, if there is no regular file. A malformed or unreadable file is an error.
std::optional<sections> read_sections(const std::string& path, std::error_code& ec);

/// Returns the values of the lines NAME=VALUE of a file. The path may have the same form as for
/// read_sections(). Keeps the case of the names. Skips other lines. A file that can't be read is an
/// error.
option_map read_assignments(const std::string& path, std::error_code& ec);

/// One profile in both files.
struct profile {
  std::string name;
  option_map config;    ///< from "[profile NAME]" in ~/.aws/config
  option_map shared;    ///< from "[NAME]" in ~/.aws/credentials
  option_map services;  ///< from "s3" in "[services NAME]", if the profile has `services = NAME`

  /// The value in the credentials file, else in the config file; null if neither file has the
  /// option.
  const std::string* find(std::string_view option) const noexcept;
  bool has(std::string_view option) const noexcept { return find(option) != nullptr; }
  /// The value in the credentials file, else in the config file; empty if neither file has the
  /// option.
  std::string operator[](std::string_view option) const {
    const std::string* const found = find(option);
    return found == nullptr ? std::string() : *found;
  }
};

/// Reads a profile. If `name` is empty, reads the profile that AWS_DEFAULT_PROFILE or AWS_PROFILE
/// names, or the profile "default". Errors: `name` or a variable names a profile that neither file
/// has; a file is malformed or can't be read.
profile read_profile(const std::string& name, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
