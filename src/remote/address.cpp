// The parser of addresses of objects and web pages. server.cpp, bucket.cpp and roles.cpp call the
// parser.
#include "remote/address.hpp"

#include <algorithm>

#include "remote/encoding.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

/// True if the text has no character that a bucket, or a host and port, cannot contain.
bool is_authority(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c != 0x7f &&
           std::string_view("@\\\"<>^`{|}?#%").find(c) == std::string_view::npos;
  });
}

/// Returns a scheme of this component in lower case, because the case of a scheme does not matter
/// (RFC 3986, 3.1). Other schemes stay unchanged.
std::string_view normalized_scheme(std::string_view text) noexcept {
  for (const std::string_view known : {"s3", "http", "https"})
    if (equal_ignoring_case(known, text)) return known;
  return text;
}

/// True if the text is allowed in the first line of a request.
bool is_request_target(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c <= ' ') || c == 0x7f; });
}

}  // namespace

address parse_address(std::string_view text, std::error_code& ec) noexcept {
  ec.clear();
  address parsed;
  const std::size_t colon = text.find("://");
  if (colon != std::string_view::npos) {
    parsed.scheme = normalized_scheme(text.substr(0, colon));
    text.remove_prefix(colon + 3);
    const std::size_t end =
        std::min(text.find_first_of(parsed.in_store() ? "/" : "/?#"), text.size());
    parsed.authority = text.substr(0, end);
    text.remove_prefix(end);
    if (parsed.in_store())
      text.remove_prefix(text.empty() ? 0 : 1);
    else
      text = text.substr(0, text.find('#'));  // the fragment is never sent
    parsed.path = text;
  }
  if (!is_authority(parsed.authority) || (!parsed.in_store() && !is_request_target(parsed.path)))
    ec = std::make_error_code(std::errc::invalid_argument);
  return parsed;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
