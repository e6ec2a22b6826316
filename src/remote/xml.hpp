// Parser of the XML responses of stores. Every file that reads such a response calls parse_xml().
#pragma once

#include <functional>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace remote {

/// Calls `found` at the end of each element, with the element's path from the root ("Error/Code")
/// and the element's text. If the element has children, `found` gets only the text after the last
/// child. Returns false if the text is not XML, has a DOCTYPE or has 2 GiB or more. Even then,
/// `found` may have been called. Throws std::bad_alloc.
bool parse_xml(std::string_view text,
               const std::function<void(std::string_view path, std::string_view text)>& found);

}  // namespace remote
}  // namespace v0
}  // namespace leat
