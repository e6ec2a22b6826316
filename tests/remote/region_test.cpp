// Buckets in other regions: the store names the region, and leat signs the request again.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <string>
#include <string_view>

#include "remote/scripted_server.hpp"
#include "remote/server.hpp"

namespace {

using leat_test::scripted_server;

/// Returns `response`, without the body if the request is a HEAD.
scripted_server::response without_body(const std::string& head,
                                       scripted_server::response response) {
  if (head.starts_with("HEAD ")) response.bytes.resize(response.bytes.find("\r\n\r\n") + 4);
  return response;
}

/// A store whose buckets are in "far-away-1". If a request is signed for another region, the store
/// answers with `refusal`.
scripted_server::script store_in_another_region(scripted_server::response refusal) {
  return [refusal = std::move(refusal)](const std::string& head) {
    if (head.find("/far-away-1/s3/aws4_request,") == head.npos) return without_body(head, refusal);
    const std::string headers = "ETag: \"e\"\r\n";
    if (head.starts_with("HEAD ")) return scripted_server::make_response("200 OK", "", headers);
    if (head.starts_with("GET "))
      return scripted_server::make_response("206 Partial Content", "text",
                                            headers + "Content-Range: bytes 0-3/4\r\n");
    return scripted_server::make_response("200 OK", "", headers);
  };
}

std::string error_body(std::string_view code, std::string_view more) {
  return "<Error><Code>" + std::string(code) + "</Code>" + std::string(more) + "</Error>";
}

TEST(regions, the_region_that_the_store_names_is_used_and_remembered) {
  const std::string header = "x-amz-bucket-region: far-away-1\r\n";
  const scripted_server::response refusals[] = {
      scripted_server::make_response("400 Bad Request", error_body("AuthorizationHeaderMalformed",
                                                                   "<Region>far-away-1</Region>")),
      scripted_server::make_response("301 Moved Permanently", error_body("PermanentRedirect", ""),
                                     header),
      scripted_server::make_response(
          "301 Moved Permanently",
          error_body("PermanentRedirect",
                     "<Endpoint>bucket.s3.far-away-1.amazonaws.com</Endpoint>")),
      scripted_server::make_response(
          "307 Temporary Redirect",
          error_body("TemporaryRedirect",
                     "<Endpoint>bucket.s3-far-away-1.amazonaws.com</Endpoint>"),
          "Location: http://127.0.0.1:1/bucket/key\r\n"),
      scripted_server::make_response("400 Bad Request", "", header),
  };
  for (const auto& refusal : refusals) {
    const scripted_server server(store_in_another_region(refusal));
    leat::remote::set_defaults(server.store_settings());
    EXPECT_EQ(leat::read_file("s3://bucket/key"), "text") << refusal.bytes;
    ASSERT_EQ(server.requests().size(), 2U) << refusal.bytes;
    EXPECT_NE(server.requests()[0].find("/near-1/s3/"), std::string::npos);
    EXPECT_EQ(leat::read_file("s3://bucket/other"), "text");
    EXPECT_EQ(server.requests().size(), 3U) << "the region is remembered";
    EXPECT_EQ(leat::read_file("s3://more/key"), "text");
    EXPECT_EQ(server.requests().size(), 5U) << "the region is remembered only for its bucket";
  }
}

/// A response to HEAD has no body that could name the region.
TEST(regions, the_region_is_taken_from_the_headers_of_a_response_to_head) {
  const scripted_server server(store_in_another_region(scripted_server::make_response(
      "400 Bad Request", error_body("?", ""), "x-amz-bucket-region: far-away-1\r\n")));
  auto settings = server.store_settings();
  settings.keeps_conditions = true;
  leat::remote::set_defaults(settings);
  std::error_code ec;
  static_cast<void>(leat::create("s3://bucket/key", {.exclusive = true}, ec));
  EXPECT_EQ(ec, std::errc::file_exists);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(regions, are_changed_at_most_once_for_a_request) {
  int n = 0;
  const scripted_server server([&](const std::string&) {
    const std::string region = "<Region>far-away-" + std::to_string(++n) + "</Region>";
    return scripted_server::make_response("400 Bad Request",
                                          error_body("AuthorizationHeaderMalformed", region));
  });
  leat::remote::set_defaults(server.store_settings());
  for (const std::size_t requests : {2U, 4U}) {
    std::error_code ec;
    static_cast<void>(leat::open("s3://bucket/key", ec));
    EXPECT_EQ(leat::remote::answer_of(ec).code, "AuthorizationHeaderMalformed");
    EXPECT_EQ(server.requests().size(), requests);
    EXPECT_NE(server.requests()[requests - 2].find("/near-1/s3/"), std::string::npos)
        << "a region that did not help is not remembered";
  }
}

/// An invalid name would become a part of the signature or of a host name. "near-1" is the region
/// that the request was signed for, so signing it again is useless.
TEST(regions, with_an_invalid_name_or_the_same_name_are_an_error) {
  for (const char* name : {"", "a/b", "evil.example/", "a b", "near-1"}) {
    const scripted_server server([&](const std::string&) {
      return scripted_server::make_response(
          "400 Bad Request",
          error_body("AuthorizationHeaderMalformed", "<Region>" + std::string(name) + "</Region>"));
    });
    leat::remote::set_defaults(server.store_settings());
    std::error_code ec;
    static_cast<void>(leat::open("s3://bucket/key", ec));
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_EQ(server.requests().size(), 1U) << name;
  }
}

TEST(regions, a_new_region_changes_the_host_only_at_amazon) {
  ::unsetenv("AWS_ENDPOINT_URL");
  ::unsetenv("AWS_ENDPOINT_URL_S3");
  leat::remote::settings settings;
  settings.region = "us-east-1";
  settings.login = {.access_key = "key", .secret_key = "secret", .session_token = {}};
  std::error_code ec;
  const auto moved = [&](const char* address, const char* region) {
    auto found = leat::remote::find_server(address, settings, ec);
    EXPECT_TRUE(leat::remote::move_to_region(found, region));
    EXPECT_EQ(found.region, region);
    return found.origin + " " + found.host + " " + found.path;
  };
  EXPECT_EQ(moved("s3://bucket/key", "eu-west-1"),
            "https://bucket.s3.eu-west-1.amazonaws.com bucket.s3.eu-west-1.amazonaws.com /key");
  EXPECT_EQ(moved("s3://a.bucket/key", "cn-north-1"),
            "https://s3.cn-north-1.amazonaws.com.cn s3.cn-north-1.amazonaws.com.cn /a.bucket/key");
  settings.endpoint = "https://s3.us-east-1.amazonaws.com";
  EXPECT_EQ(moved("s3://bucket/key", "eu-west-1"),
            "https://s3.eu-west-1.amazonaws.com s3.eu-west-1.amazonaws.com /bucket/key");
  for (const char* endpoint :
       {"http://s3.us-east-1.amazonaws.com", "https://s3.us-east-1.amazonaws.com.evil.example",
        "https://bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com"}) {
    settings.endpoint = endpoint;
    const std::string host = settings.endpoint.substr(settings.endpoint.find("//") + 2);
    EXPECT_EQ(moved("s3://bucket/key", "eu-west-1"),
              settings.endpoint + " " + host + " /bucket/key");
  }
  using leat::remote::region_in;
  EXPECT_EQ(region_in("bucket.s3.us-west-2.amazonaws.com"), "us-west-2");
  EXPECT_EQ(region_in("s3-eu-west-1.amazonaws.com"), "eu-west-1");
  EXPECT_EQ(region_in("s3.dualstack.eu-west-1.amazonaws.com"), "eu-west-1");
  EXPECT_EQ(region_in("bucket.s3.cn-north-1.amazonaws.com.cn"), "cn-north-1");
  for (const char* none : {"", "s3.amazonaws.com", "bucket.s3.amazonaws.com", "example.org",
                           "x.s3.us-east-1.vpce.amazonaws.com"})
    EXPECT_EQ(region_in(none), "") << none;
}

}  // namespace
