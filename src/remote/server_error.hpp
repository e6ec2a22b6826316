// A server's own description of an error. Used by client_answers.cpp.
#pragma once

#include "remote/http.hpp"

#include <string>

namespace leat {
inline namespace v0 {
namespace remote {

/// A server's error: a store's XML, a JSON member, the text of a page, or the reason phrase.
struct server_error {
  std::string code, message, request_id;  ///< as received, not escaped
  std::string region, endpoint;           ///< to which a store redirects requests
  bool is_from_xml = false;               ///< from a store's XML
};
/// Returns the error that a response describes. Members that the response does not have are empty.
server_error server_error_of(const reply& response);

/// The message on one line: at most 500 bytes, control characters escaped.
std::string one_line_message(const server_error& error);

}  // namespace remote
}  // namespace v0
}  // namespace leat
