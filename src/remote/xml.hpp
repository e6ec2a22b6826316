// What stores answer in XML.
#pragma once

#include <functional>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace remote {

/// Calls `found` at the end of each element, with its path from the root ("Error/Code") and its
/// text. False if the text is no XML; then some elements may have been found before.
bool parse_xml(std::string_view text,
               const std::function<void(std::string_view path, std::string_view text)>& found);

}  // namespace remote
}  // namespace v0
}  // namespace leat
