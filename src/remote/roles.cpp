#include "remote/roles.hpp"

#include <leat/file_stream.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>
#include <utility>

#include "remote/client.hpp"
#include "remote/encoding.hpp"
#include "remote/incident.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

/// A request to one of the services that give credentials. Not by a proxy: they are near.
std::string ask(const char* method, const std::string& address, const header_list& headers,
                bool far, std::error_code& ec) {
  settings how;
  how.retries = far ? 3 : 1;
  how.deadline = far ? 10s : 2s;
  how.connect_timeout = far ? 5s : 1s;  // where there is no such service, nobody answers
  server where = find_server(address, how, ec);
  if (ec) return {};
  where.direct = !far;
  call one;
  one.method = method;
  one.path = where.path;
  one.query = where.query;
  one.headers = headers;
  client asking(std::move(where), how);
  asking.perform(one);
  ec = one.ec;
  return std::move(one.said.body);
}

/// "2026-11-23T10:00:00Z"; a time that nobody understands has passed.
std::chrono::system_clock::time_point parse_time(const std::string& text) {
  std::tm time{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return {};
  if (time.tm_year > 300) return std::chrono::system_clock::time_point::max();  // as after 2262
  return std::chrono::system_clock::from_time_t(::timegm(&time));
}

std::optional<login> read_json(const std::string& text, std::error_code& ec) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  const auto member = [&](const char* name) {
    const auto found = parsed.is_object() ? parsed.find(name) : parsed.end();
    return found != parsed.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  login read{.who = {.access_key = member("AccessKeyId"),
                     .secret_key = member("SecretAccessKey"),
                     .session_token = member("Token")},
             .expires = parse_time(member("Expiration"))};
  if (!read.who.access_key.empty() && !read.who.secret_key.empty()) return read;
  ec = incident(std::errc::io_error, "The answer has no credentials");
  return {};
}

std::optional<login> web_identity(const std::string& region, std::error_code& ec) {
  const std::string token = read_file(from_environment("AWS_WEB_IDENTITY_TOKEN_FILE"), ec);
  if (ec) return {};
  std::string service = from_environment("AWS_ENDPOINT_URL_STS");
  if (service.empty()) service = "https://sts." + region + ".amazonaws.com";
  std::string session = from_environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "leat";
  const std::string answer =
      ask("GET",
          service + "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" +
              percent_encoded(from_environment("AWS_ROLE_ARN"), false) +
              "&RoleSessionName=" + percent_encoded(session, false) +
              "&WebIdentityToken=" + percent_encoded(trimmed(token), false),
          {}, true, ec);
  if (ec) return {};
  login read;
  parse_xml(answer, [&](std::string_view path, std::string_view text) {
    if (path.ends_with("/Credentials/AccessKeyId")) read.who.access_key = text;
    if (path.ends_with("/Credentials/SecretAccessKey")) read.who.secret_key = text;
    if (path.ends_with("/Credentials/SessionToken")) read.who.session_token = text;
    if (path.ends_with("/Credentials/Expiration")) read.expires = parse_time(std::string(text));
  });
  if (!read.who.access_key.empty() && !read.who.secret_key.empty()) return read;
  ec = incident(std::errc::io_error, "The answer has no credentials");
  return {};
}

std::optional<login> container(const std::string& address, std::error_code& ec) {
  std::string token = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const auto path = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !path.empty())
    token = read_file(path, ec);
  if (ec) return {};
  header_list headers;
  if (const auto value = trimmed(token); !value.empty())  // files end with a line
    headers.emplace_back("authorization", value);
  const std::string answer = ask("GET", address, headers, false, ec);
  return ec ? std::nullopt : read_json(answer, ec);
}

/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
std::optional<login> instance(std::error_code& ec) {
  std::string service = from_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) service = "http://169.254.169.254";
  const std::string token = ask("PUT", service + "/latest/api/token",
                                {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}}, false, ec);
  if (ec) return {};
  const header_list headers{{"x-aws-ec2-metadata-token", token}};
  const std::string roles = service + "/latest/meta-data/iam/security-credentials/";
  std::string role = ask("GET", roles, headers, false, ec);
  role.resize(std::min(role.find('\n'), role.size()));
  if (ec || role.empty()) return {};
  const std::string answer = ask("GET", roles + percent_encoded(role, false), headers, false, ec);
  return ec ? std::nullopt : read_json(answer, ec);
}

std::optional<login> ask_for_role(const std::string& region, std::error_code& ec) {
  if (!from_environment("AWS_WEB_IDENTITY_TOKEN_FILE").empty()) return web_identity(region, ec);
  if (const auto full = from_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI"); !full.empty())
    return container(full, ec);
  if (const auto path = from_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty())
    return container("http://169.254.170.2" + path, ec);
  if (from_environment("AWS_EC2_METADATA_DISABLED") == "true") return {};
  auto found = instance(ec);
  // Where there is no service, this is no instance.
  if (ec == std::errc::timed_out || ec == std::errc::connection_refused ||
      ec == std::errc::host_unreachable)
    ec.clear();
  return found;
}

struct remembered_role {
  std::mutex lock;
  std::optional<login> last;
};

/// Never destroyed: streams may be closed at exit.
remembered_role& last_role() {
  static remembered_role& here = *new remembered_role;
  return here;
}

}  // namespace

std::optional<login> find_role(const std::string& region, bool anew, std::error_code& ec) {
  ec.clear();
  auto& here = last_role();
  const std::scoped_lock lock(here.lock);
  if (here.last && !anew && here.last->expires - std::chrono::system_clock::now() > 5min)
    return here.last;
  auto found = ask_for_role(region, ec);
  if (found) here.last = found;
  // Those that have not expired yet are better than none.
  if (!found && !anew && here.last && here.last->expires > std::chrono::system_clock::now())
    return here.last;
  return found;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
