// Addresses of objects: which are accepted, and which URL each becomes.
#include "remote/address.hpp"

#include <gtest/gtest.h>

#include "remote/server.hpp"

namespace {

using namespace leat::remote;

address parsed(std::string_view text) {
  std::error_code ec;
  const address result = parse_address(text, ec);
  EXPECT_FALSE(ec) << text;
  return result;
}

TEST(address, of_an_object_has_a_bucket_and_a_key) {
  const address one = parsed("s3://bucket/a folder/what? a#key=1%20");
  EXPECT_TRUE(one.in_store());
  EXPECT_EQ(one.authority, "bucket");
  EXPECT_EQ(one.path, "a folder/what? a#key=1%20");
  EXPECT_EQ(parsed("s3://bucket").path, "");
}

TEST(address, of_a_page_has_a_host_and_a_path) {
  const address one = parsed("https://host:8443/a/b?c=d#part");
  EXPECT_FALSE(one.in_store());
  EXPECT_EQ(one.authority, "host:8443");
  EXPECT_EQ(one.path, "/a/b?c=d");
  EXPECT_EQ(parsed("http://host?q").path, "?q");
}

TEST(address, may_have_a_scheme_in_capital_letters) {
  for (const char* const text : {"S3://Bucket/Key", "s3://Bucket/Key"}) {
    EXPECT_TRUE(parsed(text).in_store());
    EXPECT_EQ(parsed(text).authority, "Bucket");
    EXPECT_EQ(parsed(text).path, "Key");
  }
  EXPECT_EQ(parsed("HTTPS://Host/").scheme, "https");
  EXPECT_EQ(parsed("Http://host/").scheme, "http");
}

TEST(address, is_refused_if_incomplete_or_with_a_password_or_a_forbidden_character) {
  for (const std::string_view text :
       {"s3:///key", "s3://", "https://", "https://me:secret@host/", "s3://key:secret@bucket/",
        "https://ho st/", "https://host/a b", "https://host/a\r\nX-Header: b", "s3://buck\net/key",
        "bucket/key"}) {
    std::error_code ec;
    parse_address(text, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument) << text;
  }
}

server found_server(std::string_view text, settings chosen) {
  chosen.login = {.access_key = "a", .secret_key = "b", .session_token = {}};
  std::error_code ec;
  server result = find_server(text, chosen, ec);
  EXPECT_FALSE(ec) << ec.message();
  return result;
}

TEST(server, of_an_endpoint_gets_the_bucket_in_the_path) {
  const server found = found_server("s3://bucket/k =", {.endpoint = "http://127.0.0.1:9000/"});
  EXPECT_EQ(found.origin, "http://127.0.0.1:9000");
  EXPECT_EQ(found.host, "127.0.0.1:9000");
  EXPECT_EQ(found.path, "/bucket/k%20%3D");
}

TEST(server, without_an_endpoint_has_the_bucket_in_the_host_name) {
  const server found =
      found_server("s3://bucket/k", {.endpoint = "http://store:1", .style = bucket_style::host});
  EXPECT_EQ(found.origin, "http://bucket.store:1");
  EXPECT_EQ(found.path, "/k");
}

TEST(server, refuses_an_invalid_endpoint) {
  for (const char* text :
       {"host:9000", "ftp://host", "http://host/path?query", "s3://bucket", "http://"}) {
    settings chosen;
    chosen.endpoint = text;
    std::error_code ec;
    find_server("s3://bucket/key", chosen, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument) << text;
  }
}

}  // namespace
