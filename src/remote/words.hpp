// A server's own description of an error.
#pragma once

#include "remote/http.hpp"

#include <string>

namespace leat {
inline namespace v0 {
namespace remote {

/// A server's error: a store's XML, a JSON member, the text of a page, or the reason phrase.
struct words {
  std::string code, message, request_id;  ///< as received, not escaped
  std::string region, endpoint;           ///< to which a store redirects requests
  bool by_xml = false;                    ///< from a store's XML
};
words words_of(const reply& said);

/// The message on one line: at most 500 bytes, control characters escaped.
std::string described(const words& by);

}  // namespace remote
}  // namespace v0
}  // namespace leat
