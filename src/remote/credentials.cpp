#include "remote/credentials.hpp"

#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <cstdlib>
#include <string_view>

#include "remote/encoding.hpp"
#include "remote/roles.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

/// Reads the members of one section of a file: "[profile work]" of the config file, "[work]" of the
/// credentials, "[default]" of both.
void read_section(const std::string& path, const std::string& section, profile& into) {
  std::error_code ec;
  const std::string text = read_file(path, ec);
  bool inside = false;
  memory_reader file{std::string_view(text)};
  for (std::string_view line : file.lines()) {
    if (line.starts_with(' ') || line.starts_with('\t')) continue;  // of what stands above it
    line = trimmed(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      std::string_view name = trimmed(line.substr(1, line.find(']') - 1));
      if (name.starts_with("profile ")) name = trimmed(name.substr(8));
      inside = name == section;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
    std::string* const member = name == "region"                  ? &into.region
                                : name == "endpoint_url"          ? &into.endpoint_url
                                : name == "ca_bundle"             ? &into.ca_bundle
                                : name == "aws_access_key_id"     ? &into.login.access_key
                                : name == "aws_secret_access_key" ? &into.login.secret_key
                                : name == "aws_session_token"     ? &into.login.session_token
                                                                  : nullptr;
    if (member != nullptr) *member = value;
  }
}

}  // namespace

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

profile read_profile(const std::string& name) {
  std::string section = name;
  if (section.empty()) section = from_environment("AWS_PROFILE");
  if (section.empty()) section = "default";
  const std::string home = from_environment("HOME");
  std::string config = from_environment("AWS_CONFIG_FILE");
  if (config.empty()) config = home + "/.aws/config";
  std::string login = from_environment("AWS_SHARED_CREDENTIALS_FILE");
  if (login.empty()) login = home + "/.aws/credentials";
  profile read;
  read_section(config, section, read);
  read_section(login, section, read);
  return read;
}

std::optional<login> find_login(const settings& how, const profile& of, const std::string& region,
                                bool anew, std::error_code& ec) {
  ec.clear();
  if (how.anonymous) return {};
  if (how.login) return login{*how.login};
  const credentials told{.access_key = from_environment("AWS_ACCESS_KEY_ID"),
                         .secret_key = from_environment("AWS_SECRET_ACCESS_KEY"),
                         .session_token = from_environment("AWS_SESSION_TOKEN")};
  // A profile that the program names comes before the environment.
  if (!how.profile.empty() && !of.login.access_key.empty()) return login{of.login};
  if (!told.access_key.empty()) return login{told};
  if (!of.login.access_key.empty()) return login{of.login};
  if (!how.profile.empty()) return {};
  return find_role(region, anew, ec);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
