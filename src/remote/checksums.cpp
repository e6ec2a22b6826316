// Computes and compares checksums. object_writer.cpp and conditions.cpp send checksums;
// client_answers.cpp checks responses.
#include "remote/checksums.hpp"

#include <leat/detail/crc32c.hpp>

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "remote/signature.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// Returns the bytes of a number, most significant byte first.
template <class Number>
std::string big_endian(Number value) {
  std::string bytes;
  for (std::size_t i = sizeof value; i-- != 0;) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

/// A reflected CRC: the polynomial's lowest power is in the highest bit.
template <class Number, Number Polynomial>
Number crc(std::string_view bytes) noexcept {
  static constexpr auto table = [] {
    std::array<Number, 256> entries{};
    for (std::size_t b = 0; b != 256; ++b) {
      auto state = static_cast<Number>(b);
      for (int bit = 0; bit != 8; ++bit) state = state >> 1 ^ ((state & 1) != 0 ? Polynomial : 0);
      entries[b] = state;
    }
    return entries;
  }();
  Number state = ~Number{0};
  for (const char byte : bytes)
    state = state >> 8 ^ table[(state ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~state;
}

/// Value of the header "x-amz-checksum-NAME" for this content; empty if the name is unknown.
std::string checksum_by(std::string_view name, std::string_view content) {
  if (name == "crc32c") return checksum_of(content);
  if (name == "crc32") return base64(big_endian(crc<std::uint32_t, 0xedb88320U>(content)));
  if (name == "crc64nvme")
    return base64(big_endian(crc<std::uint64_t, 0x9a6c9329ac4bc9b5U>(content)));
  if (name == "sha256") return base64(sha256(content));
  if (name == "sha1") return base64(sha1(content));
  return {};
}

}  // namespace

std::string checksum_text(std::uint32_t crc32c) { return base64(big_endian(crc32c)); }

std::string checksum_of(std::string_view content) {
  return checksum_text(~detail::crc32c(~std::uint32_t{0}, content.data(), content.size()));
}

std::string checksum_of_parts(std::span<const std::string> checksums) {
  std::string bytes;
  for (const std::string& each : checksums) {
    std::array<unsigned char, 6> decoded{};
    if (each.size() != 8 ||
        ::EVP_DecodeBlock(decoded.data(), reinterpret_cast<const unsigned char*>(each.data()), 8) !=
            6)
      return {};
    bytes.append(reinterpret_cast<const char*>(decoded.data()), 4);
  }
  return checksum_of(bytes) + '-' + std::to_string(checksums.size());
}

bool checksums_match(const reply& response, std::string_view content) {
  return std::ranges::all_of(response.checksums, [&](const auto& reported) {
    if (reported.second.find('-') != std::string::npos) return true;  // a checksum of parts
    const std::string own = checksum_by(reported.first, content);
    return own.empty() || own == reported.second;
  });
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
