// Proxies, which libcurl takes from http_proxy and other variables of the environment.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "remote/certificate.hpp"
#include "remote/faulty_proxy.hpp"
#include "remote/forward_proxy.hpp"
#include "remote/nginx.hpp"
#include "remote/roles.hpp"
#include "remote/scoped_variable.hpp"
#include "remote/scripted_server.hpp"
#include "remote/store.hpp"
#include "support/files.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::forward_proxy;
using leat_test::scoped_variable;

/// Each test has its own address of the store (a port of a faulty_proxy): leat keeps
/// connections to an address, and could use one that another test made.
class objects_through_proxies : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    for (const char* const name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                   "ALL_PROXY", "no_proxy", "NO_PROXY"})
      set(name, std::nullopt);
    store_proxy_ = std::make_unique<leat_test::faulty_proxy>(test_store().port());
    settings_ = test_store().store_settings(store_proxy_->port());
    settings_.retries = 2;
    settings_.first_pause = 1ms;
    leat::remote::set_defaults(settings_);
  }
  void TearDown() override { variables_.clear(); }

  void set(const char* name, const std::optional<std::string>& value) {
    variables_.erase(name);
    variables_.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                       std::forward_as_tuple(name, value));
  }

  std::error_code error_of_opening() const {
    std::error_code ec;
    const auto begin = std::chrono::steady_clock::now();
    const auto in = leat::open("s3://bucket/by-proxy", ec);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    EXPECT_TRUE(ec);
    EXPECT_EQ(ec.message().find("secret"), std::string::npos) << ec.message();
    return ec;
  }

  /// Writes, reads, lists and removes an object. An object of more than 8 MiB is sent in parts.
  static void expect_all_to_succeed(std::size_t size = 300'000) {
    const std::string text = leat_test::numbered_text(size);
    leat::write_file("s3://bucket/by-proxy", text);
    EXPECT_TRUE(leat::read_file("s3://bucket/by-proxy") == text);
    EXPECT_EQ(leat::remote::list("s3://bucket/by-proxy").size(), 1U);
    leat::remote::remove("s3://bucket/by-proxy");
  }

  std::unique_ptr<leat_test::faulty_proxy> store_proxy_;
  leat::remote::settings settings_;
  std::map<std::string, scoped_variable> variables_;
};

TEST_F(objects_through_proxies, are_written_and_read) {
  const forward_proxy proxy;
  set("http_proxy", proxy.address());
  expect_all_to_succeed(9 << 20);
  EXPECT_GT(proxy.requests(), 0);
}

TEST_F(objects_through_proxies, do_not_use_proxies_for_hosts_in_no_proxy) {
  const forward_proxy proxy;
  set("http_proxy", proxy.address());
  set("no_proxy", "example.org,127.0.0.1");
  expect_all_to_succeed();
  EXPECT_EQ(proxy.requests(), 0);
}

TEST_F(objects_through_proxies, do_not_use_proxies_of_other_schemes) {
  const forward_proxy proxy;
  set("https_proxy", proxy.address());
  expect_all_to_succeed();
  EXPECT_EQ(proxy.requests(), 0);
}

TEST_F(objects_through_proxies, are_tunnelled_with_tls) {
  if (!leat_test::nginx::is_installed()) GTEST_SKIP() << "nginx is missing: run scripts/setup test";
  const leat_test::temporary_folder folder;
  leat_test::write_certificate(folder / "it", {});
  const leat_test::nginx front("server { listen ADDRESS ssl; ssl_certificate " +
                                   (folder / "it.pem") + "; ssl_certificate_key " +
                                   (folder / "it.key") + "; location / {" +
                                   leat_test::nginx::proxy_to_store + "} }\n",
                               test_store().port());
  settings_.endpoint = "https://" + front.address();
  settings_.ca_file = folder / "it.pem";
  leat::remote::set_defaults(settings_);
  const forward_proxy proxy;
  set("https_proxy", proxy.address());
  expect_all_to_succeed(9 << 20);
  EXPECT_GT(proxy.tunnels(), 0);
  EXPECT_EQ(proxy.requests(), proxy.tunnels()) << "a request did not use a tunnel";
}

TEST_F(objects_through_proxies, are_written_and_read_with_the_password_of_the_proxy) {
  const forward_proxy proxy("Basic bWU6c2VjcmV0");  // me:secret
  const std::string authority = "@127.0.0.1:" + std::to_string(proxy.port());
  set("http_proxy", "http://me:secret" + authority);
  expect_all_to_succeed();
  EXPECT_GT(proxy.requests(), 0);
  EXPECT_EQ(proxy.refused(), 0);
}

TEST_F(objects_through_proxies, are_an_error_with_a_wrong_password) {
  const forward_proxy proxy("Basic bWU6c2VjcmV0");
  set("http_proxy", "http://me:secret2@127.0.0.1:" + std::to_string(proxy.port()));
  const auto ec = error_of_opening();
  EXPECT_NE(ec.message().find("407"), std::string::npos) << ec.message();
  EXPECT_EQ(store_proxy_->requests(), 0);
}

TEST_F(objects_through_proxies, are_an_error_if_the_proxy_does_not_run) {
  set("http_proxy", "http://me:secret@127.0.0.1:" + std::to_string(leat_test::free_port()));
  EXPECT_EQ(error_of_opening(), std::errc::connection_refused);
  EXPECT_EQ(store_proxy_->requests(), 0);
}

/// The service for credentials is on the machine's own network. The service's response must not
/// leave this network.
TEST_F(objects_through_proxies, never_request_credentials_of_an_instance_through_a_proxy) {
  const forward_proxy proxy;
  set("http_proxy", proxy.address());
  const leat_test::scripted_server service([](const std::string&) {
    return leat_test::scripted_server::response{
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"};
  });
  set("AWS_EC2_METADATA_SERVICE_ENDPOINT", service.address());
  for (const char* const name :
       {"AWS_EC2_METADATA_DISABLED", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"})
    set(name, std::nullopt);
  std::error_code ec;
  EXPECT_FALSE(leat::remote::find_role_login("us-east-1", true, ec));
  EXPECT_FALSE(service.requests().empty());
  EXPECT_EQ(proxy.requests(), 0);
}

}  // namespace
