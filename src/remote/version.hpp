// Which content an answer is of, so that several answers are pieces of the same one.
#pragma once

#include "remote/http.hpp"

#include <string>

namespace leat {
inline namespace v0 {
namespace remote {

/// What tells one content of an object from the next one.
struct version {
  std::string etag;
  /// Last-Modified, if each later content has another one. Empty beside a strong ETag.
  std::string modified;

  /// A weak one may stay when bytes change (RFC 9110, 8.8.1).
  bool has_strong_etag() const noexcept { return !etag.empty() && !etag.starts_with("W/"); }
  /// Whether two answers with this version have the same bytes.
  bool is_known() const noexcept { return has_strong_etag() || !modified.empty(); }
  bool operator==(const version&) const = default;
};

/// The version of an answer with content.
version version_of(const reply& said);

enum class match { yes, no, unknown };
/// Whether an answer is of a version. `unknown`: it lacks what the version is known by.
match compare(const version& wanted, const reply& said);

}  // namespace remote
}  // namespace v0
}  // namespace leat
