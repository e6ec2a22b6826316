// The files of the AWS command line, as botocore reads them: Python's configparser over
// ~/.aws/config and ~/.aws/credentials.
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

/// The variable's value, or nothing if it is not set or empty.
std::string from_environment(const char* name);

/// Names in lower case, and their values. A value of several lines has ends of lines between them.
using members = std::map<std::string, std::string, std::less<>>;
/// The value, or nothing.
std::string value_of(const members& all, std::string_view name);
/// The sections of a file, in its order.
using sections = std::vector<std::pair<std::string, members>>;

/// The bytes of a file. The error's message names the file.
std::string read_text(const std::string& path, std::error_code& ec);
/// A file whose path may begin with '~' and name variables. Nothing if there is no such file. A
/// file that is damaged is an error.
std::optional<sections> read_sections(const std::string& path, std::error_code& ec);

/// The lines NAME=VALUE of a file. The names are as they are.
members read_assignments(const std::string& path, std::error_code& ec);

/// What both files say of one profile.
struct profile {
  std::string name;
  members config;    ///< of "[profile NAME]" in ~/.aws/config
  members shared;    ///< of "[NAME]" in ~/.aws/credentials
  members services;  ///< of "s3" in the section that `services` names

  /// The value in the credentials file, or else in the config file; null if neither has it.
  const std::string* find(std::string_view member) const noexcept;
  bool has(std::string_view member) const noexcept { return find(member) != nullptr; }
  /// The value, or nothing.
  std::string operator[](std::string_view member) const {
    const std::string* const found = find(member);
    return found == nullptr ? std::string() : *found;
  }
};

/// The profile of this name. Empty: of AWS_DEFAULT_PROFILE or AWS_PROFILE, or "default". If
/// `name` or a variable names a profile that neither file has, that is an error.
profile read_profile(const std::string& name, std::error_code& ec);

}  // namespace remote
}  // namespace v0
}  // namespace leat
