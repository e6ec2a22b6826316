// Credentials of roles (of instances, containers and web identities), profiles' endpoints, and the
// error conditions of HTTP statuses.
#include "remote/roles.hpp"

#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "remote/credentials.hpp"
#include "remote/scripted_server.hpp"
#include "remote/server.hpp"
#include "support/files.hpp"

namespace {

using namespace leat::remote;

/// Answers each request by its method and its path without the query, for example "GET /role".
/// Answers 404 if the map does not have the method and path. "GET /status/N" gets the status N.
class services : public leat_test::scripted_server {
 public:
  using responses = std::map<std::string, std::string>;
  explicit services(responses bodies)
      : scripted_server([all = std::move(bodies)](const std::string& head) {
          const std::string line = head.substr(0, head.find(" HTTP/"));
          if (line.starts_with("GET /status/"))
            return make_response(line.substr(12) + " Status", "");
          const auto found = all.find(line.substr(0, line.find('?')));
          return found == all.end() ? make_response("404 Not Found", "")
                                    : make_response("200 OK", found->second);
        }) {}
};

constexpr const char* json_response =
    R"({"AccessKeyId":"key","SecretAccessKey":"secret","Token":"token",
        "Expiration":"2999-01-01T00:00:00Z"})";

/// Tests of credentials. Each test begins without the environment variables that have credentials
/// or name a service.
class roles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
          "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
          "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_ENDPOINT_URL_STS",
          "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
          "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
          "AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT"})
      ::unsetenv(name);
    ::setenv("AWS_CONFIG_FILE", (folder_ / "config").c_str(), 1);
    ::setenv("AWS_SHARED_CREDENTIALS_FILE", (folder_ / "credentials").c_str(), 1);
  }
  void TearDown() override { SetUp(); }

  /// Returns the login that environment variables and services give, without settings or a profile.
  /// `refresh` bypasses the cache.
  static std::optional<login> find_any(bool refresh, std::error_code& ec) {
    return find_login({}, {}, "us-east-1", refresh, ec);
  }
  static void expect_role(const std::optional<login>& found, const std::error_code& ec) {
    ASSERT_TRUE(found) << ec.message();
    EXPECT_EQ(found->keys.access_key, "key");
    EXPECT_EQ(found->keys.secret_key, "secret");
    EXPECT_EQ(found->keys.session_token, "token");
    EXPECT_GT(found->expires, std::chrono::system_clock::now() + std::chrono::hours(1));
  }

  leat_test::temporary_folder folder_;
};

TEST_F(roles, of_an_instance_are_requested_with_a_token) {
  const services service(services::responses{
      {"PUT /latest/api/token", "the token"},
      {"GET /latest/meta-data/iam/security-credentials/", "a role"},
      {"GET /latest/meta-data/iam/security-credentials/a%20role", json_response}});
  ::setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", service.address().c_str(), 1);
  std::error_code ec;
  expect_role(find_any(true, ec), ec);
  ASSERT_EQ(service.requests().size(), 3U);
  EXPECT_NE(service.requests()[0].find("x-aws-ec2-metadata-token-ttl-seconds: 21600"),
            std::string::npos);
  EXPECT_NE(service.requests()[2].find("x-aws-ec2-metadata-token: the token"), std::string::npos);
  // The login is cached until the caller bypasses the cache, after a refused request.
  expect_role(find_any(false, ec), ec);
  EXPECT_EQ(service.requests().size(), 3U);
  expect_role(find_any(true, ec), ec);
  EXPECT_EQ(service.requests().size(), 6U);
}

TEST_F(roles, are_absent_without_an_error_if_an_instance_has_none) {
  const services service(services::responses{{"PUT /latest/api/token", "the token"}});
  ::setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", service.address().c_str(), 1);
  std::error_code ec;
  EXPECT_FALSE(find_any(true, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(service.requests().size(), 2U);
}

TEST_F(roles, of_a_container_are_requested_from_its_address) {
  const services service(services::responses{{"GET /role", json_response}});
  ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/role").c_str(), 1);
  ::setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "let me in", 1);
  std::error_code ec;
  expect_role(find_any(true, ec), ec);
  EXPECT_NE(service.requests().at(0).find("authorization: let me in"), std::string::npos);
}

/// The file ends with a newline, which a header must not have.
TEST_F(roles, of_a_container_may_have_their_token_in_a_file) {
  const services service(services::responses{{"GET /role", json_response}});
  leat_test::write_file(folder_ / "token", "let me in\n");
  ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/role").c_str(), 1);
  ::setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", (folder_ / "token").c_str(), 1);
  std::error_code ec;
  expect_role(find_any(true, ec), ec);
  EXPECT_NE(service.requests().at(0).find("authorization: let me in\r\n"), std::string::npos);
}

/// If the service fails, a cached login is used until the login expires.
TEST_F(roles, that_have_expired_are_not_taken_from_the_cache) {
  for (const bool expired : {false, true}) {
    const auto when = std::chrono::system_clock::now() + std::chrono::minutes(expired ? -1 : 2);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    std::atomic<bool> is_answering = true;
    const leat_test::scripted_server service([&](const std::string&) {
      if (!is_answering) return services::make_response("404 Not Found", "");
      return services::make_response(
          "200 OK", R"({"AccessKeyId":"key","SecretAccessKey":"secret","Expiration":")" +
                        std::string(text) + "\"}");
    });
    ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/role").c_str(), 1);
    std::error_code ec;
    EXPECT_TRUE(find_any(true, ec));
    is_answering = false;
    EXPECT_EQ(find_any(false, ec).has_value(), !expired);
    EXPECT_TRUE(ec);
  }
}

TEST_F(roles, of_a_web_identity_are_requested_with_its_token) {
  const services service(services::responses{
      {"GET /",
       "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
       "<AccessKeyId>key</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>"
       "<SessionToken>token</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>"
       "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"}});
  leat_test::write_file(folder_ / "token", "a=token");
  ::setenv("AWS_WEB_IDENTITY_TOKEN_FILE", (folder_ / "token").c_str(), 1);
  ::setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r", 1);
  ::setenv("AWS_ENDPOINT_URL_STS", service.address().c_str(), 1);
  std::error_code ec;
  expect_role(find_any(true, ec), ec);
  EXPECT_NE(service.requests().at(0).find("WebIdentityToken=a%3Dtoken"), std::string::npos);
  EXPECT_NE(service.requests().at(0).find("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"),
            std::string::npos);
}

TEST_F(roles, with_an_invalid_response_are_an_error) {
  const services service(services::responses{{"GET /role", "{\"AccessKeyId\":7}"}});
  ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/role").c_str(), 1);
  std::error_code ec;
  EXPECT_FALSE(find_any(true, ec));
  EXPECT_EQ(ec.message(), "The response has no credentials");
  ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/none").c_str(), 1);
  EXPECT_FALSE(find_any(true, ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

/// The order is: settings.login, settings.profile, the environment's keys, AWS_PROFILE, the profile
/// "default".
TEST_F(roles, are_not_requested_if_settings_environment_or_profile_have_keys) {
  ::setenv("AWS_EC2_METADATA_DISABLED", "TRUE", 1);
  const auto found = [](const settings& chosen) -> std::string {
    std::error_code ec;
    const profile used_profile = read_profile(chosen.profile, ec);
    if (ec) return ec.message();
    const auto found_login = find_login(chosen, used_profile, "us-east-1", true, ec);
    return found_login ? found_login->keys.access_key : ec ? ec.message() : "nobody";
  };
  EXPECT_EQ(found({}), "nobody");
  leat_test::write_file(folder_ / "credentials",
                        "# a comment\n[default]\naws_access_key_id = default-key\n"
                        "aws_secret_access_key=s\n\n[work]\naws_access_key_id=work-key\n"
                        "aws_secret_access_key=s\n");
  EXPECT_EQ(found({}), "default-key");
  ::setenv("AWS_PROFILE", "work", 1);
  EXPECT_EQ(found({}), "work-key");
  ::setenv("AWS_ACCESS_KEY_ID", "environment-key", 1);
  EXPECT_EQ(found({}), "The environment (AWS_ACCESS_KEY_ID) has an access key without its secret");
  ::setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
  EXPECT_EQ(found({}), "environment-key");
  EXPECT_EQ(found({.profile = "work"}), "work-key");
  const credentials own{.access_key = "own-key", .secret_key = "s", .session_token = {}};
  EXPECT_EQ(found({.login = own, .profile = "work"}), "own-key");
  EXPECT_EQ(found({.login = credentials{.access_key = "own-key"}}),
            "settings.login has an access key without its secret");
  EXPECT_EQ(found({.login = credentials{}}), "settings.login has an empty access key");
  EXPECT_EQ(found({.anonymous = true}), "nobody");
  EXPECT_EQ(found({.profile = "no\nne"}), "There is no profile 'no\\nne' in '" +
                                              (folder_ / "config") + "' or '" +
                                              (folder_ / "credentials") + "'");
}

/// Two addresses of one container service are two roles.
TEST_F(roles, are_cached_separately_for_each_address) {
  const services service(services::responses{
      {"GET /one",
       R"({"AccessKeyId":"one","SecretAccessKey":"s","Expiration":"2999-01-01T00:00:00Z"})"},
      {"GET /two",
       R"({"AccessKeyId":"two","SecretAccessKey":"s","Expiration":"2999-01-01T00:00:00Z"})"}});
  for (const char* const name : {"one", "two", "one"}) {
    ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + "/" + name).c_str(), 1);
    std::error_code ec;
    const auto found_login = find_any(false, ec);
    ASSERT_TRUE(found_login) << ec.message();
    EXPECT_EQ(found_login->keys.access_key, name);
  }
  EXPECT_EQ(service.requests().size(), 2U);
}

/// A service that does not answer does not delay requests to other services.
TEST_F(roles, are_found_in_the_cache_while_another_service_does_not_answer) {
  using namespace std::chrono_literals;
  std::atomic<bool> is_answering = false;
  const leat_test::scripted_server service([&](const std::string& head) {
    while (head.starts_with("GET /slow") && !is_answering) std::this_thread::sleep_for(1ms);
    return services::make_response("200 OK", json_response);
  });
  const auto set_path = [&](const char* path) {
    ::setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", (service.address() + path).c_str(), 1);
  };
  std::error_code ec;
  set_path("/fast");
  expect_role(find_any(true, ec), ec);
  set_path("/slow");
  std::thread other([] {
    std::error_code ignored;
    find_any(true, ignored);
  });
  while (service.requests().size() != 2) std::this_thread::sleep_for(1ms);
  set_path("/fast");
  const auto begin = std::chrono::steady_clock::now();
  expect_role(find_any(false, ec), ec);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);  // the limit for a service is 2 s
  is_answering = true;
  other.join();
}

TEST_F(roles, of_a_web_identity_may_be_in_a_profile) {
  const services service(services::responses{
      {"GET /sts/",
       "<A><B><Credentials><AccessKeyId>key</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>"
       "<SessionToken>token</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>"
       "</Credentials></B></A>"}});
  leat_test::write_file(folder_ / "token", "a=token");
  leat_test::write_file(folder_ / "config",
                        "[profile web]\nrole_arn = arn:r\nrole_session_name = me\n"
                        "web_identity_token_file = " +
                            (folder_ / "token") + "\n");
  ::setenv("AWS_ENDPOINT_URL_STS", (service.address() + "/sts/").c_str(), 1);
  std::error_code ec;
  const profile used_profile = read_profile("web", ec);
  ASSERT_FALSE(ec) << ec.message();
  expect_role(find_login({.profile = "web"}, used_profile, "us-east-1", true, ec), ec);
  EXPECT_NE(service.requests().at(0).find("RoleArn=arn%3Ar&RoleSessionName=me&"),
            std::string::npos);
}

TEST_F(roles, have_profiles_whose_nested_values_are_ignored) {
  const auto read = [](const char* name) {
    std::error_code ec;
    profile used_profile = read_profile(name, ec);
    EXPECT_FALSE(ec) << ec.message();
    return used_profile;
  };
  leat_test::write_file(folder_ / "config",
                        "[default]\nregion = eu-west-1\n[profile work]\r\nregion=us-west-2\r\n"
                        "endpoint_url = http://store:9000\r\nca_bundle=/ca.pem\r\n");
  EXPECT_EQ(read("")["region"], "eu-west-1");
  const profile work = read("work");
  EXPECT_EQ(work["region"], "us-west-2");
  EXPECT_EQ(work["endpoint_url"], "http://store:9000");
  EXPECT_EQ(work["ca_bundle"], "/ca.pem");
  EXPECT_EQ(work["none"], "");
  leat_test::write_file(folder_ / "config",
                        "[default]\nlambda =\n  endpoint_url = http://other\n\tregion = x\n"
                        "region = eu-west-1\n");
  EXPECT_EQ(read("")["endpoint_url"], "") << "the nested endpoint_url belongs to lambda";
  EXPECT_EQ(read("")["region"], "eu-west-1");
}

/// The order is: AWS_ENDPOINT_URL, the profile's endpoint for S3, the profile's general endpoint.
TEST_F(roles, have_profiles_whose_endpoint_for_s3_precedes_the_general_one) {
  leat_test::write_file(folder_ / "config",
                        "[default]\nservices = mine\nendpoint_url = http://all\n"
                        "[services mine]\ns3 =\n  endpoint_url = http://objects:9\n");
  const auto origin = [] {
    std::error_code ec;
    const settings chosen{
        .login = credentials{.access_key = "k", .secret_key = "s", .session_token = {}}};
    return find_server("s3://bucket/key", chosen, ec).origin;
  };
  EXPECT_EQ(origin(), "http://objects:9");
  ::setenv("AWS_ENDPOINT_URL", "http://variable", 1);
  EXPECT_EQ(origin(), "http://variable");
  ::setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", 1);
  EXPECT_EQ(origin(), "https://bucket.s3.us-east-1.amazonaws.com");
}

/// The fixture of roles, which clears the environment.
using http_statuses = roles;

TEST_F(http_statuses, of_failed_requests_are_mapped_to_error_conditions) {
  const services service({});
  settings chosen;
  chosen.retries = 0;
  set_defaults(chosen);
  const std::map<int, std::errc> conditions{
      {400, std::errc::invalid_argument},
      {401, std::errc::permission_denied},
      {403, std::errc::permission_denied},
      {404, std::errc::no_such_file_or_directory},
      {405, std::errc::operation_not_supported},
      {408, std::errc::timed_out},
      {409, std::errc::resource_unavailable_try_again},
      {410, std::errc::no_such_file_or_directory},
      {413, std::errc::file_too_large},
      {418, std::errc::io_error},
      {429, std::errc::resource_unavailable_try_again},
      {500, std::errc::io_error},
      {501, std::errc::operation_not_supported},
      {504, std::errc::timed_out},
      {507, std::errc::no_space_on_device},
  };
  for (const auto& [status, condition] : conditions) {
    std::error_code ec;
    static_cast<void>(leat::open(service.address() + "/status/" + std::to_string(status), ec));
    EXPECT_EQ(ec, condition) << status << ": " << ec.message();
  }
}

}  // namespace
