// Checksums of contents, as stores tell and check them: base64 in headers "x-amz-checksum-NAME".
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
#pragma once

#include "remote/http.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace remote {

/// CRC-32C, which leat sends.
std::string checksum_of(std::string_view content);
std::string checksum_text(std::uint32_t crc32c);
/// Of an object of parts: the checksum of their checksums, and their number.
std::string checksum_of_parts(std::span<const std::string> checksums);

/// Whether the checksums that an answer tells are those of a content. Those of parts, and those
/// that leat does not know, tell nothing.
bool agrees(const reply& said, std::string_view content);

}  // namespace remote
}  // namespace v0
}  // namespace leat
