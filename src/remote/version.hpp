// The version of an object's content, so that all ranges are read from the same content.
// object_reader.cpp and exchange.cpp find and compare versions; a call keeps its version.
#pragma once

#include "remote/http.hpp"

#include <string>

namespace leat {
inline namespace v0 {
namespace remote {

/// Identifies one content of an object.
struct version {
  std::string etag;
  /// Last-Modified, if each later content must have a later time. Empty if the ETag is strong.
  std::string modified;

  /// A weak ETag may stay the same when bytes change (RFC 9110, 8.8.1).
  bool has_strong_etag() const noexcept { return !etag.empty() && !etag.starts_with("W/"); }
  /// True if two responses with this version have the same bytes.
  bool is_known() const noexcept { return has_strong_etag() || !modified.empty(); }
  bool operator==(const version&) const = default;
};

/// The version of the content of a response.
version version_of(const reply& response);

enum class match { yes, no, unknown };
/// Compares the version of a response with `wanted`. If both have ETags and the ETags differ,
/// returns `no`. Otherwise, if `wanted` is not known, returns `yes`. Otherwise compares the header
/// that identifies `wanted`: the strong ETag or Last-Modified. `unknown`: the response lacks this
/// header.
match compare(const version& wanted, const reply& response);

}  // namespace remote
}  // namespace v0
}  // namespace leat
