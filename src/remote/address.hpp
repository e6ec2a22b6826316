// The parser of addresses: "s3://bucket/key" and "https://host/path". Called by server.cpp,
// bucket.cpp and roles.cpp.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// The parts of an address, as views of its text. A known scheme is a view of a constant.
struct address {
  std::string_view scheme;     ///< "s3", "http", "https" in lower case; other schemes unchanged
  std::string_view authority;  ///< the bucket, or host and port
  /// Of an object: the key unchanged, without the '/' before the key. Of a page: path and query
  /// unchanged, with the '/' at the beginning, if any, and without the fragment.
  std::string_view path;

  bool in_store() const noexcept { return scheme == "s3"; }
};

/// Returns the parts of an address. If the address has no bucket or host, or a user name or a
/// password ("https://me:secret@host/"), or a character that is not allowed, sets invalid_argument.
address parse_address(std::string_view text, std::error_code& ec) noexcept;

}  // namespace remote
}  // namespace v0
}  // namespace leat
