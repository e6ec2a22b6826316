// AWS Signature Version 4, by OpenSSL. client.cpp signs with these functions; the checksums and
// ETags use the digests.
#include "remote/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <new>

#include "remote/encoding.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> result{};
  unsigned size = 0;
  if (::EVP_Digest(bytes.data(), bytes.size(), result.data(), &size, algorithm, nullptr) != 1)
    throw std::bad_alloc();
  return {reinterpret_cast<const char*>(result.data()), size};
}

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> result{};
  unsigned size = 0;
  if (::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
             result.data(), &size) == nullptr)
    throw std::bad_alloc();
  return {reinterpret_cast<const char*>(result.data()), size};
}

}  // namespace

std::string sha256(std::string_view bytes) { return digest(::EVP_sha256(), bytes); }
std::string sha1(std::string_view bytes) { return digest(::EVP_sha1(), bytes); }
std::string md5(std::string_view bytes) { return digest(::EVP_md5(), bytes); }

void signer::sign(signed_request& request, std::string_view payload,
                  std::chrono::system_clock::time_point now) {
  const std::string time = iso_basic_time(now);
  auto& headers = request.headers;
  headers.emplace_back("x-amz-date", time);
  headers.emplace_back("x-amz-content-sha256", payload);
  if (!credentials_.session_token.empty())
    headers.emplace_back("x-amz-security-token", credentials_.session_token);
  std::ranges::sort(headers);

  std::string names, canonical;
  canonical.append(request.method).append("\n").append(request.path).append("\n");
  canonical.append(request.query).append("\n");
  for (const auto& [name, value] : headers) {
    canonical.append(name).append(":").append(value).append("\n");
    if (!names.empty()) names += ';';
    names += name;
  }
  canonical.append("\n").append(names).append("\n").append(payload);

  const std::string day = time.substr(0, 8);
  if (day != day_) {
    key_ = hmac(hmac(hmac(hmac("AWS4" + credentials_.secret_key, day), region_), "s3"),
                "aws4_request");
    day_ = day;
  }
  const std::string scope = day + "/" + region_ + "/s3/aws4_request";
  const std::string text =
      "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + hexadecimal(sha256(canonical));
  headers.emplace_back("authorization", "AWS4-HMAC-SHA256 Credential=" + credentials_.access_key +
                                            "/" + scope + ",SignedHeaders=" + names +
                                            ",Signature=" + hexadecimal(hmac(key_, text)));
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
