// Signatures of requests to stores: AWS Signature Version 4. client.cpp signs with these functions.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
#pragma once

#include <leat/remote.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// The signed parts of a request.
struct signed_request {
  std::string_view method;
  std::string_view path;   ///< encoded
  std::string_view query;  ///< encoded, sorted, each name with a '='; or empty
  header_list headers;     ///< names in lower case
};

/// SHA-256 of an empty body, in hexadecimal digits.
inline constexpr std::string_view empty_hash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string sha256(std::string_view bytes);  ///< 32 bytes
std::string sha1(std::string_view bytes);    ///< 20 bytes
std::string md5(std::string_view bytes);     ///< 16 bytes; stores use MD5 for ETags

/// Signs requests to one region with one set of credentials.
class signer {
 public:
  signer(credentials keys, std::string region)
      : credentials_(std::move(keys)), region_(std::move(region)) {}

  /// Signs later requests for another region.
  void move_to(std::string region) {
    region_ = std::move(region);
    day_.clear();
  }
  /// Adds x-amz-date, x-amz-content-sha256 and x-amz-security-token (if the credentials have a
  /// token), sorts the headers, and adds authorization. The headers must already contain `host`.
  /// `payload` is the SHA-256 of the body in hexadecimal digits, or "UNSIGNED-PAYLOAD".
  void sign(signed_request& request, std::string_view payload,
            std::chrono::system_clock::time_point now);

 private:
  credentials credentials_;
  std::string region_;
  std::string day_, key_;  // key_ is for this day and region_
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
