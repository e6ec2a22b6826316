// JSON by nlohmann's library, in the form of leat's reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace bench {

using json = nlohmann::ordered_json;

/// A string literal of JSON, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// Objects and arrays of the first two levels have a line for each member; what lies deeper stands
/// on one line. Numbers that are not finite become null.
std::string json_text(const json& of);

}  // namespace bench
