// What a server says about an error in its own words.
#pragma once

#include "remote/http.hpp"

#include <string>

namespace leat {
inline namespace v0 {
namespace remote {

/// An error as a server tells it: as a store by XML, as a page, or in the line of the status.
struct words {
  std::string code, message, request_id;  ///< as they came
  std::string region, endpoint;           ///< where a store wants to be asked
  bool by_xml = false;                    ///< as stores tell it
};
words words_of(const reply& said);

/// One line for a message: at most 500 bytes, control characters escaped.
std::string told(const words& by);

}  // namespace remote
}  // namespace v0
}  // namespace leat
