// Signatures of requests (AWS Signature Version 4), percent-encoding, hashes, and HTTP dates.
#include "remote/signature.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "remote/encoding.hpp"

namespace {

using namespace leat::remote;

// The credentials, the day and the results are from Amazon's documentation:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const credentials documented{.access_key = "AKIAIOSFODNN7EXAMPLE",
                             .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                             .session_token = {}};
const auto documented_time = std::chrono::system_clock::from_time_t(1369353600);  // 2013-05-24

std::string signature_of(signed_request request, std::string_view payload) {
  request.headers.emplace_back("host", "examplebucket.s3.amazonaws.com");
  signer(documented, "us-east-1").sign(request, payload, documented_time);
  const std::string& last = request.headers.back().second;
  return last.substr(last.find("Signature=") + 10);
}

TEST(signature, of_a_get_is_the_same_as_in_the_documentation) {
  EXPECT_EQ(
      signature_of(
          {.method = "GET", .path = "/test.txt", .query = "", .headers = {{"range", "bytes=0-9"}}},
          empty_hash),
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(signature, of_a_put_is_the_same_as_in_the_documentation) {
  const std::string path = percent_encoded("/test$file.text", true);
  EXPECT_EQ(signature_of({.method = "PUT",
                          .path = path,
                          .query = "",
                          .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                      {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}},
                         hexadecimal(sha256("Welcome to Amazon S3."))),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(signature, of_a_list_is_the_same_as_in_the_documentation) {
  EXPECT_EQ(
      signature_of({.method = "GET", .path = "/", .query = "max-keys=2&prefix=J", .headers = {}},
                   empty_hash),
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  EXPECT_EQ(signature_of({.method = "GET", .path = "/", .query = "lifecycle=", .headers = {}},
                         empty_hash),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(signature, signs_the_token_of_temporary_credentials) {
  credentials temporary = documented;
  temporary.session_token = "token";
  signed_request request{.method = "GET", .path = "/", .query = "", .headers = {{"host", "h"}}};
  signer(temporary, "us-east-1").sign(request, empty_hash, documented_time);
  EXPECT_NE(request.headers.back().second.find("x-amz-security-token"), std::string::npos);
}

TEST(encoding, known_values_have_the_known_encodings_and_hashes) {
  EXPECT_EQ(percent_encoded("a/b c+d=é~", true), "a/b%20c%2Bd%3D%C3%A9~");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(sha256("").size(), 32U);
  EXPECT_EQ(hexadecimal(sha256("")), empty_hash);
  EXPECT_EQ(hexadecimal(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(encoding, http_dates_are_parsed) {
  EXPECT_EQ(iso_basic_time(parse_http_time("Fri, 24 May 2013 00:00:00 GMT")), "20130524T000000Z");
  EXPECT_EQ(iso_basic_time(parse_http_time("yesterday")), "19700101T000000Z");
}

}  // namespace
