// Checksums of contents in the headers "x-amz-checksum-NAME" of stores, in base64. Used by
// object_writer.cpp, conditions.cpp and client_answers.cpp.
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

/// The content's CRC-32C in base64: the checksum that leat sends.
std::string checksum_of(std::string_view content);
/// The same text for a CRC-32C that is already computed.
std::string checksum_text(std::uint32_t crc32c);
/// For an object of parts: the checksum of the parts' checksums, '-', and the number of parts.
/// Empty if one of `checksums` is not a CRC-32C.
std::string checksum_of_parts(std::span<const std::string> checksums);

/// Returns true if the checksums of a response match `content`. Checksums of parts, and checksums
/// by unknown algorithms, are ignored.
bool checksums_match(const reply& response, std::string_view content);

}  // namespace remote
}  // namespace v0
}  // namespace leat
