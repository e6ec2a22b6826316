// The search for credentials, in botocore's order. server.cpp starts the search.
#include "remote/credentials.hpp"

#include <leat/detail/escaped.hpp>
#include <leat/file_stream.hpp>
#include <leat/format.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "remote/encoding.hpp"
#include "remote/errors.hpp"
#include "remote/roles.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

std::nullopt_t refuse(const std::string& why, std::error_code& ec) {
  ec = make_error(std::errc::permission_denied, why);
  return std::nullopt;
}

/// True if each character may be in a key: visible ASCII.
bool is_usable(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

/// Checks a key, a secret and a token of one source. If one of the values is unusable, sets `ec`
/// and returns nothing. `source` names the source in messages.
std::optional<login> checked_login(credentials keys, const std::string& source,
                                   std::error_code& ec) {
  if (keys.access_key.empty()) return refuse(source + " has an empty access key", ec);
  if (keys.secret_key.empty()) return refuse(source + " has an access key without its secret", ec);
  if (!is_usable(keys.access_key) || !is_usable(keys.secret_key) || !is_usable(keys.session_token))
    return refuse(
        source + " has credentials with blanks, newlines or other characters that no key has", ec);
  return login{.keys = std::move(keys)};
}

/// If AWS_ACCESS_KEY_ID is unset or empty, returns nothing, without an error. If the credentials
/// are unusable or have expired, sets `ec` and returns nothing.
std::optional<login> login_from_environment(std::error_code& ec) {
  credentials keys{.access_key = from_environment("AWS_ACCESS_KEY_ID"),
                   .secret_key = from_environment("AWS_SECRET_ACCESS_KEY"),
                   .session_token = from_environment("AWS_SECURITY_TOKEN")};
  if (keys.access_key.empty()) return {};
  if (keys.session_token.empty()) keys.session_token = from_environment("AWS_SESSION_TOKEN");
  auto found = checked_login(std::move(keys), "The environment (AWS_ACCESS_KEY_ID)", ec);
  const std::string expiration = from_environment("AWS_CREDENTIAL_EXPIRATION");
  if (!found || expiration.empty()) return found;
  found->expires = parse_iso_time(expiration);
  if (found->expires <= std::chrono::system_clock::now())
    return refuse(
        "The credentials of the environment have expired: AWS_CREDENTIAL_EXPIRATION is in the past "
        "or is not a time",
        ec);
  return found;
}

/// Returns the keys of one section, never combined with a token of another section. If the section
/// has no access key, returns nothing, without an error. If the keys are unusable, sets `ec` and
/// returns nothing.
std::optional<login> login_from_options(const option_map& all, const std::string& source,
                                        std::error_code& ec) {
  if (!all.contains("aws_access_key_id")) return {};
  const bool has_old_token = all.contains("aws_security_token");
  return checked_login(
      {.access_key = value_of(all, "aws_access_key_id"),
       .secret_key = value_of(all, "aws_secret_access_key"),
       .session_token = value_of(all, has_old_token ? "aws_security_token" : "aws_session_token")},
      source, ec);
}

std::optional<login> login_from_profile(const profile& from, bool uses_environment,
                                        const std::string& region, bool refresh,
                                        std::error_code& ec) {
  const std::string name = "The profile '" + detail::escaped(from.name, longest_name) + "'";
  const auto unusable = [&](std::string_view method) {
    return refuse(
        leat::format("{} gets its credentials from {}, which leat can't use: put keys into the "
                     "profile, or name no profile in the settings and set AWS_ACCESS_KEY_ID and "
                     "AWS_SECRET_ACCESS_KEY",
                     name, method),
        ec);
  };
  const auto setting = [&](const char* variable, std::string_view option) {
    const std::string value = uses_environment ? from_environment(variable) : std::string();
    return value.empty() ? from[option] : value;
  };
  if (from.has("role_arn") && !from.has("web_identity_token_file"))
    return unusable("a role (role_arn)");
  const web_identity identity{
      .token_file = setting("AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file"),
      .role = setting("AWS_ROLE_ARN", "role_arn"),
      .session = setting("AWS_ROLE_SESSION_NAME", "role_session_name")};
  if (!identity.token_file.empty()) {
    if (identity.role.empty())
      return refuse("There is a web identity, but no role for it (AWS_ROLE_ARN, role_arn)", ec);
    return find_role_login(identity, region, refresh, ec);
  }
  if (from.has("sso_account_id") || from.has("sso_role_name"))
    return unusable("single sign-on (sso_…)");
  auto found = login_from_options(from.shared, name + " of the credentials file", ec);
  if (found || ec) return found;
  if (from.has("login_session")) return unusable("a login of the console (login_session)");
  if (from.has("credential_process")) return unusable("a program (credential_process)");
  return login_from_options(from.config, name + " of the config file", ec);
}

/// Reads the files of Amazon's first tools (AWS_CREDENTIAL_FILE) and of boto.
std::optional<login> login_from_older_tools(std::error_code& ec) {
  if (const std::string path = from_environment("AWS_CREDENTIAL_FILE"); !path.empty()) {
    const auto all = read_assignments(path, ec);
    if (ec) return {};
    if (all.contains("AWSAccessKeyId"))
      return checked_login({.access_key = value_of(all, "AWSAccessKeyId"),
                            .secret_key = value_of(all, "AWSSecretKey"),
                            .session_token = {}},
                           "The file of AWS_CREDENTIAL_FILE", ec);
  }
  std::vector<std::string> paths{"/etc/boto.cfg", "~/.boto"};
  if (const std::string path = from_environment("BOTO_CONFIG"); !path.empty()) paths = {path};
  for (const std::string& path : paths) {
    const auto file = read_sections(path, ec);
    if (ec) return {};
    if (!file) continue;
    for (const auto& [name, values] : *file) {
      if (name != "Credentials") continue;
      option_map options = values;  // botocore takes no token from these files
      options.erase("aws_security_token");
      options.erase("aws_session_token");
      auto found = login_from_options(options, "'" + detail::escaped(path, longest_name) + "'", ec);
      if (found || ec) return found;
    }
  }
  return {};
}

}  // namespace

std::optional<login> find_login(const settings& how, const profile& from, const std::string& region,
                                bool refresh, std::error_code& ec) {
  ec.clear();
  if (how.anonymous) return {};
  if (how.login) return checked_login(*how.login, "settings.login", ec);
  // If the program names a profile, keys and web identities of the environment are not used.
  const bool uses_environment = how.profile.empty();
  auto found = uses_environment ? login_from_environment(ec) : std::nullopt;
  if (!found && !ec) found = login_from_profile(from, uses_environment, region, refresh, ec);
  if (!found && !ec) found = login_from_older_tools(ec);
  if (!found && !ec) found = find_role_login(from["ec2_metadata_service_endpoint"], refresh, ec);
  return found;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
