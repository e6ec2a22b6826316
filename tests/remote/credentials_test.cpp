// The credentials that leat and botocore find in each case of credential_cases.json.
#include "remote/credentials.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "remote/scoped_variable.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat::remote;

const std::string cases_path = std::string(LEAT_REMOTE_TESTS) + "/credential_cases.json";

/// The environment variables that credentials depend on.
constexpr const char* variables[] = {"HOME",
                                     "AWS_ACCESS_KEY_ID",
                                     "AWS_SECRET_ACCESS_KEY",
                                     "AWS_SESSION_TOKEN",
                                     "AWS_SECURITY_TOKEN",
                                     "AWS_CREDENTIAL_EXPIRATION",
                                     "AWS_PROFILE",
                                     "AWS_DEFAULT_PROFILE",
                                     "AWS_CONFIG_FILE",
                                     "AWS_SHARED_CREDENTIALS_FILE",
                                     "AWS_CREDENTIAL_FILE",
                                     "BOTO_CONFIG",
                                     "AWS_WEB_IDENTITY_TOKEN_FILE",
                                     "AWS_ROLE_ARN",
                                     "AWS_ROLE_SESSION_NAME",
                                     "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                     "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                     "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                                     "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                                     "AWS_EC2_METADATA_DISABLED",
                                     "WHOSE"};

std::string found_credentials(const settings& chosen, std::error_code& ec) {
  const profile used_profile = read_profile(chosen.profile, ec);
  if (ec) return "refused";
  const auto found = find_login(chosen, used_profile, "us-east-1", true, ec);
  if (!found) return ec ? "refused" : "nobody";
  const auto shown = [](const std::string& part) { return part.empty() ? "-" : part; };
  return shown(found->keys.access_key) + " " + shown(found->keys.secret_key) + " " +
         shown(found->keys.session_token);
}

TEST(credentials, are_found_as_each_case_of_the_table_says) {
  const auto cases = nlohmann::json::parse(leat_test::read_all(cases_path));
  ASSERT_GT(cases.size(), 100U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const leat_test::temporary_folder home;
    std::filesystem::create_directory(home / ".aws");
    auto files = one.value("files", std::map<std::string, std::string>());
    for (const char* const name : {"config", "credentials"})
      if (one.contains(name)) files[".aws/" + std::string(name)] = one[name].get<std::string>();
    for (const auto& [name, text] : files) leat_test::write_file(home / name, text);
    auto set = one.value("env", std::map<std::string, std::string>());
    set["HOME"] = home.path();
    set["AWS_EC2_METADATA_DISABLED"] = "true";
    std::vector<std::unique_ptr<leat_test::scoped_variable>> changed;
    for (const char* const name : variables) {
      const auto value = set.find(name);
      changed.push_back(std::make_unique<leat_test::scoped_variable>(
          name, value == set.end() ? std::nullopt : std::optional(value->second)));
    }
    settings chosen;
    chosen.profile = one.value("profile", "");
    std::error_code ec;
    EXPECT_EQ(found_credentials(chosen, ec), one["expect"].get<std::string>()) << ec.message();
    const std::string message = ec.message();
    // Most secrets in the table begin with "SECRET-". No message may contain a secret.
    EXPECT_EQ(message.find("SECRET-"), std::string::npos) << message;
  }
}

/// botocore gives what the table says: "botocore" if the case has this field, otherwise "expect".
TEST(credentials, in_the_table_are_the_same_as_botocore_finds) {
  if (!std::filesystem::exists(LEAT_BOTOCORE))
    GTEST_SKIP() << "botocore is missing: run scripts/setup test";
  const auto run = leat_test::run_in_child([] {
    const std::string script = std::string(LEAT_REMOTE_TESTS) + "/credentials_by_botocore.py";
    ::execl(LEAT_BOTOCORE, LEAT_BOTOCORE, script.c_str(), cases_path.c_str(), nullptr);
    ::_exit(127);
  });
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

}  // namespace
