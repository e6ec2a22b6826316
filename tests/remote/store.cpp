// Starts the tests' store, or finds the one that LEAT_TEST_STORE names.
#include "remote/store.hpp"

#include <leat/file_stream.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "support/files.hpp"

namespace leat_test {

namespace {

/// How to reach the store. The environment is read before tests of roles change its variables.
struct store_access {
  static std::string variable(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : value;
  }

  std::string endpoint = variable("LEAT_TEST_STORE", "");
  std::string lacks = variable("LEAT_TEST_STORE_LACKS", "");
  bool is_external = !endpoint.empty();
  std::string region = is_external ? variable("AWS_REGION", "us-east-1") : "us-east-1";
  std::string access_key = is_external ? variable("AWS_ACCESS_KEY_ID", "") : "test";
  std::string secret_key = is_external ? variable("AWS_SECRET_ACCESS_KEY", "") : "test-secret";
};
const store_access chosen_store;

/// The port in "http://127.0.0.1:PORT".
std::uint16_t port_of(const std::string& endpoint) {
  constexpr std::string_view loopback = "http://127.0.0.1:";
  unsigned long port = 0;
  if (endpoint.starts_with(loopback)) port = std::stoul(endpoint.substr(loopback.size()));
  if (port == 0 || port > 65535)
    throw std::runtime_error("LEAT_TEST_STORE must be http://127.0.0.1:PORT");
  return static_cast<std::uint16_t>(port);
}

}  // namespace

bool store::is_available() {
  return chosen_store.is_external || std::filesystem::exists(LEAT_VERSITYGW);
}

bool store::is_external() { return chosen_store.is_external; }

store& store::shared() {
  // Children of tests exit, too. Only the process that started the store ends it.
  static const struct owner {
    store* shared_store = new store;
    pid_t process = ::getpid();
    ~owner() {
      if (process == ::getpid()) delete shared_store;
    }
  } owned;
  return *owned.shared_store;
}

store::store() {
  if (chosen_store.is_external)
    port_ = port_of(chosen_store.endpoint);
  else
    start_gateway();
}

void store::start_gateway() {
  std::filesystem::create_directory(folder_ / "bucket");
  gateway_ = std::make_unique<server_process>(
      [this](std::uint16_t port) {
        return std::vector<std::string>{LEAT_VERSITYGW,
                                        "--quiet",
                                        "--keep-alive",
                                        "--port",
                                        "127.0.0.1:" + std::to_string(port),
                                        "--region",
                                        chosen_store.region,
                                        "posix",
                                        folder_.path()};
      },
      folder_ / "log",
      server_process::variables{{"ROOT_ACCESS_KEY", chosen_store.access_key},
                                {"ROOT_SECRET_KEY", chosen_store.secret_key}});
  port_ = gateway_->port();
}

leat::remote::settings store::store_settings(std::uint16_t port) const {
  leat::remote::settings result;
  result.endpoint = "http://127.0.0.1:" + std::to_string(port);
  result.region = chosen_store.region;
  result.login = {.access_key = chosen_store.access_key,
                  .secret_key = chosen_store.secret_key,
                  .session_token = {}};
  return result;
}

bool store::supports_exclusive(std::size_t size) {
  const bool has_parts = size > (8 << 20);
  return chosen_store.lacks.empty() || (chosen_store.lacks == "exclusive_parts" && !has_parts);
}

void store::put(std::string_view key, std::string_view content) const {
  const std::string address = "s3://bucket/" + std::string(key);
  std::error_code ec;
  leat::file_writer out(leat::remote::open({.address = address, .use = leat::address_use::create},
                                           store_settings(), ec),
                        {}, address);
  ASSERT_FALSE(ec) << ec.message();
  out.write(content);
  out.close();
}

std::string store::get(std::string_view key) const {
  if (is_started_here()) return read_all(file(key));
  const std::string address = "s3://bucket/" + std::string(key);
  std::error_code ec;
  leat::file_reader in(leat::remote::open({.address = address}, store_settings(), ec), {}, address);
  EXPECT_FALSE(ec) << ec.message();
  return ec ? "" : in.read_all();
}

bool store::has(std::string_view key) const {
  if (is_started_here()) return std::filesystem::exists(file(key));
  std::error_code ec;
  const auto found =
      leat::remote::open({.address = "s3://bucket/" + std::string(key)}, store_settings(), ec);
  EXPECT_TRUE(!ec || ec == std::errc::no_such_file_or_directory) << ec.message();
  return !ec;
}

std::size_t store::open_uploads() const {
  if (!is_started_here()) return leat::remote::uploads("s3://bucket/", store_settings()).size();
  const std::string uploads = folder_ / "bucket/.sgwtmp/multipart";
  std::size_t count = 0;
  if (!std::filesystem::exists(uploads)) return 0;
  for (const auto& object : std::filesystem::directory_iterator(uploads))
    for ([[maybe_unused]] const auto& upload : std::filesystem::directory_iterator(object)) ++count;
  return count;
}

}  // namespace leat_test
