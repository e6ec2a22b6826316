// Stores and pages over TLS: which certificates are trusted, and the errors for other certificates.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "remote/certificate.hpp"
#include "remote/nginx.hpp"
#include "remote/scoped_variable.hpp"
#include "remote/store.hpp"
#include "remote/toxiproxy.hpp"
#include "support/files.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::nginx;

class objects_over_tls : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    if (!nginx::is_installed()) GTEST_SKIP() << "nginx is missing: run scripts/setup test";
  }

  /// Serves the store and pages over TLS.
  void serve(const leat_test::certificate& description = {}) {
    leat_test::write_certificate(folder_ / "it", description);
    front_ = std::make_unique<nginx>("server { listen ADDRESS ssl; ssl_certificate " +
                                         certificate_path() + "; ssl_certificate_key " +
                                         (folder_ / "it.key") + "; root PAGES; location /bucket {" +
                                         nginx::proxy_to_store + "} }\n",
                                     test_store().port());
    settings_ = test_store().store_settings();
    settings_.endpoint = "https://" + front_->address();
    settings_.ca_file = certificate_path();
    leat::remote::set_defaults(settings_);
  }
  std::string certificate_path() const { return folder_ / "it.pem"; }

  /// Expects that opening fails at once, with `words` in the message.
  void expect_refusal(const std::string& words) const {
    for (const std::string& address :
         {std::string("s3://bucket/text"), "https://" + front_->address() + "/page"}) {
      std::error_code ec;
      const auto begin = std::chrono::steady_clock::now();
      const auto in = leat::open(address, ec);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
      EXPECT_EQ(ec, std::errc::permission_denied);
      EXPECT_NE(ec.message().find(words), std::string::npos) << ec.message();
    }
    EXPECT_EQ(front_->responses(), 0U)
        << "a server without a trusted certificate received a request";
  }

  leat_test::temporary_folder folder_;
  std::unique_ptr<nginx> front_;
  leat::remote::settings settings_;
};

TEST_F(objects_over_tls, are_written_read_and_listed) {
  serve();
  const std::string text = leat_test::numbered_text(20 << 20);
  leat::write_file("s3://bucket/by-tls", text);
  EXPECT_TRUE(test_store().get("by-tls") == text);
  EXPECT_TRUE(leat::read_file("s3://bucket/by-tls") == text);
  auto in = leat::open("s3://bucket/by-tls");
  in.seek(text.size() - 5);
  EXPECT_EQ(in.read_all(), text.substr(text.size() - 5));
  EXPECT_EQ(leat::remote::list("s3://bucket/by-tls").size(), 1U);
  EXPECT_GT(front_->responses(), 3U);
}

TEST_F(objects_over_tls, pages_are_read) {
  serve();
  const std::string text = leat_test::numbered_text(1 << 20);
  leat_test::write_file(front_->page_path("page"), text);
  EXPECT_TRUE(leat::read_file("https://" + front_->address() + "/page") == text);
}

TEST_F(objects_over_tls, are_read_after_connections_are_cut) {
  if (!leat_test::toxiproxy::is_installed())
    GTEST_SKIP() << "toxiproxy is missing: run scripts/setup test";
  serve();
  const std::string text = leat_test::numbered_text(1 << 20);
  test_store().put("cut", text);
  leat_test::toxiproxy proxy(front_->port());
  proxy.add("limit_data", R"({"bytes": 150000})");
  settings_.endpoint = "https://127.0.0.1:" + std::to_string(proxy.port());
  settings_.first_pause = 1ms;
  leat::remote::set_defaults(settings_);
  EXPECT_TRUE(leat::read_file("s3://bucket/cut") == text);
}

TEST_F(objects_over_tls, trust_the_file_that_the_environment_names) {
  serve();
  test_store().put("text", "text");
  settings_.ca_file.clear();
  leat::remote::set_defaults(settings_);
  const leat_test::scoped_variable file("AWS_CA_BUNDLE", certificate_path());
  EXPECT_EQ(leat::read_file("s3://bucket/text"), "text");
}

TEST_F(objects_over_tls, need_a_certificate_that_is_trusted) {
  serve();
  leat_test::write_certificate(folder_ / "other", {});
  settings_.ca_file = folder_ / "other.pem";
  leat::remote::set_defaults(settings_);
  expect_refusal("certificate");
}

TEST_F(objects_over_tls, need_a_certificate_for_the_address_of_their_server) {
  serve({.names = "IP:127.0.0.2,DNS:elsewhere"});
  expect_refusal("127.0.0.1");
}

TEST_F(objects_over_tls, need_a_certificate_that_has_not_expired) {
  serve({.valid_seconds = -3600});
  expect_refusal("expired");
}

TEST_F(objects_over_tls, need_a_valid_file_of_certificates) {
  serve();
  for (const char* const name : {"none.pem", "empty.pem"}) {
    leat_test::write_file(folder_ / "empty.pem", "");
    settings_.ca_file = folder_ / name;
    leat::remote::set_defaults(settings_);
    std::error_code ec;
    const auto begin = std::chrono::steady_clock::now();
    const auto in = leat::open("s3://bucket/text", ec);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    EXPECT_TRUE(ec);
    EXPECT_NE(ec.message().find(name), std::string::npos) << ec.message();
  }
  EXPECT_EQ(front_->responses(), 0U);
}

TEST_F(objects_over_tls, are_not_requested_from_a_server_without_tls) {
  settings_ = test_store().store_settings();
  settings_.endpoint = "https://127.0.0.1:" + std::to_string(test_store().port());
  settings_.retries = 1;
  leat::remote::set_defaults(settings_);
  std::error_code ec;
  const auto in = leat::open("s3://bucket/text", ec);
  EXPECT_TRUE(ec);
  EXPECT_FALSE(ec.message().empty());
}

}  // namespace
