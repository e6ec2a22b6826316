// Requests credentials of roles from STS, container and instance services. credentials.cpp calls
// this code.
#include "remote/roles.hpp"

#include <leat/format.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "remote/address.hpp"
#include "remote/client.hpp"
#include "remote/encoding.hpp"
#include "remote/errors.hpp"
#include "remote/profiles.hpp"
#include "remote/server.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

/// Sends a request to a credential service and returns the response's body. `is_remote` is false
/// for the services of containers and instances: such a request has short timeouts and no proxy.
std::string fetch_from_service(const char* method, const std::string& address,
                               const header_list& headers, bool is_remote, std::error_code& ec) {
  settings how;
  how.retries = is_remote ? 3 : 1;
  how.deadline = is_remote ? 10s : 2s;
  how.connect_timeout = is_remote ? 5s : 1s;  // a missing service does not answer at all
  server target = find_server(address, how, ec);
  if (ec) return {};
  target.direct = !is_remote;
  call request;
  request.method = method;
  request.path = target.path;
  request.query = target.query;
  request.headers = headers;
  client service(std::move(target), how);
  service.perform(request);
  ec = request.ec;
  return std::move(request.response.body);
}

/// Removes the '/' at the end of an endpoint, because a path follows.
std::string without_trailing_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

/// Returns the login. If a key is missing, sets an error.
std::optional<login> checked_login(login received, std::error_code& ec) {
  if (!received.keys.access_key.empty() && !received.keys.secret_key.empty()) return received;
  ec = make_error(std::errc::io_error, "The response has no credentials");
  return {};
}

std::optional<login> login_from_json(const std::string& text, std::error_code& ec) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  const auto member = [&](const char* name) {
    const auto found = parsed.is_object() ? parsed.find(name) : parsed.end();
    return found != parsed.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return checked_login({.keys = {.access_key = member("AccessKeyId"),
                                 .secret_key = member("SecretAccessKey"),
                                 .session_token = member("Token")},
                        .expires = parse_iso_time(member("Expiration"))},
                       ec);
}

std::string sts_endpoint(const std::string& region) {
  std::string endpoint = without_trailing_slash(from_environment("AWS_ENDPOINT_URL_STS"));
  if (!endpoint.empty()) return endpoint;
  return "https://" + amazon_host("sts", region);
}

std::optional<login> assume_web_identity(const web_identity& identity, const std::string& region,
                                         std::error_code& ec) {
  const std::string token = read_text(identity.token_file, ec);
  if (ec) return {};
  const std::string answer = fetch_from_service(
      "GET",
      sts_endpoint(region) + "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" +
          percent_encoded(identity.role, false) + "&RoleSessionName=" +
          percent_encoded(identity.session.empty() ? "leat" : identity.session, false) +
          "&WebIdentityToken=" + percent_encoded(trimmed(token), false),
      {}, true, ec);
  if (ec) return {};
  login received;
  parse_xml(answer, [&](std::string_view path, std::string_view text) {
    if (path.ends_with("/Credentials/AccessKeyId")) received.keys.access_key = text;
    if (path.ends_with("/Credentials/SecretAccessKey")) received.keys.secret_key = text;
    if (path.ends_with("/Credentials/SessionToken")) received.keys.session_token = text;
    if (path.ends_with("/Credentials/Expiration"))
      received.expires = parse_iso_time(std::string(text));
  });
  return checked_login(received, ec);
}

/// True for this machine and for the addresses of Amazon's local services. Credentials are
/// requested without encryption only from these hosts.
bool is_local_service(std::string_view authority) noexcept {
  const bool in_brackets = authority.starts_with('[');
  const std::size_t end = in_brackets ? authority.find(']') + 1 : authority.find(':');
  const std::string_view host = authority.substr(0, end);
  const bool is_loopback =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_loopback || host == "[::1]" || host == "localhost" || host == "169.254.170.2" ||
         host == "169.254.170.23" || host == "[fd00:ec2::23]";
}

std::optional<login> container_login(const std::string& uri, std::error_code& ec) {
  std::string token = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const auto path = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !path.empty())
    token = read_text(path, ec);
  if (ec) return {};
  const address parsed = parse_address(uri, ec);
  if (ec) return {};
  if (parsed.scheme != "https" && !is_local_service(parsed.authority)) {
    ec = make_error(std::errc::permission_denied,
                    "Credentials of a container are requested only by https or from this machine");
    return {};
  }
  header_list headers;
  const std::string_view value = trimmed(token);  // files end with a line end
  if (value.find_first_of("\r\n") != std::string_view::npos) {
    ec = make_error(std::errc::invalid_argument,
                    "The token for the container's credentials has several lines");
    return {};
  }
  if (!value.empty()) headers.emplace_back("authorization", value);
  const std::string answer = fetch_from_service("GET", uri, headers, false, ec);
  return ec ? std::nullopt : login_from_json(answer, ec);
}

/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
std::optional<login> instance_login(const std::string& service, std::error_code& ec) {
  const std::string token =
      fetch_from_service("PUT", service + "/latest/api/token",
                         {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}}, false, ec);
  if (ec) return {};
  const header_list headers{{"x-aws-ec2-metadata-token", token}};
  const std::string roles = service + "/latest/meta-data/iam/security-credentials/";
  std::string role = fetch_from_service("GET", roles, headers, false, ec);
  // An instance without a role gets status 404.
  if (ec == std::errc::no_such_file_or_directory) ec.clear();
  role.resize(std::min(role.find('\n'), role.size()));
  if (ec || role.empty()) return {};
  const std::string answer =
      fetch_from_service("GET", roles + percent_encoded(role, false), headers, false, ec);
  return ec ? std::nullopt : login_from_json(answer, ec);
}

struct login_cache {
  std::mutex lock;
  std::map<std::string, login> all;  // key: service and role
};

/// The cache is never destroyed, because streams may be closed at exit.
login_cache& cached_logins() {
  static login_cache& cache = *new login_cache;
  return cache;
}

/// Returns cached credentials that are valid for more than 5 minutes, or requests new credentials.
/// If the request fails, returns cached credentials that have not expired, and sets `ec`. If
/// `refresh` is true, always requests new credentials, and never returns cached credentials. If two
/// threads request the same key at once, the later response stays in the cache.
template <class Request>
std::optional<login> cached_login(const std::string& key, bool refresh, Request&& request_login,
                                  std::error_code& ec) {
  using clock = std::chrono::system_clock;
  ec.clear();
  auto& cache = cached_logins();
  std::optional<login> last;
  if (!refresh) {
    const std::scoped_lock lock(cache.lock);
    if (const auto kept = cache.all.find(key); kept != cache.all.end()) last = kept->second;
  }
  if (last && last->expires - clock::now() > 5min) return last;
  std::optional<login> found = request_login(ec);  // not under the lock: the service may be slow
  if (found) {
    constexpr std::size_t most_logins = 1024;
    const std::scoped_lock lock(cache.lock);
    if (cache.all.size() >= most_logins) cache.all.clear();
    cache.all.insert_or_assign(key, *found);
    return found;
  }
  // Credentials that have not yet expired are better than no credentials.
  if (last && last->expires > clock::now()) return last;
  return {};
}

}  // namespace

std::optional<login> find_role_login(const web_identity& identity, const std::string& region,
                                     bool refresh, std::error_code& ec) {
  return cached_login(
      leat::format("{}\n{}\n{}\n{}", sts_endpoint(region), identity.token_file, identity.role,
                   identity.session),
      refresh,
      [&](std::error_code& failed) { return assume_web_identity(identity, region, failed); }, ec);
}

std::optional<login> find_role_login(const std::string& metadata, bool refresh,
                                     std::error_code& ec) {
  ec.clear();
  std::string uri = from_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (const auto path = from_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty())
    uri = "http://169.254.170.2" + path;
  if (!uri.empty())
    return cached_login(
        uri, refresh, [&](std::error_code& failed) { return container_login(uri, failed); }, ec);
  if (equal_ignoring_case(from_environment("AWS_EC2_METADATA_DISABLED"), "true")) return {};
  std::string service =
      without_trailing_slash(from_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT"));
  if (service.empty()) service = without_trailing_slash(metadata);
  if (service.empty()) service = "http://169.254.169.254";
  auto found = cached_login(
      service, refresh, [&](std::error_code& failed) { return instance_login(service, failed); },
      ec);
  // A missing service is no error: the machine is not an instance.
  if (ec == std::errc::timed_out || ec == std::errc::connection_refused ||
      ec == std::errc::host_unreachable)
    ec.clear();
  return found;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
