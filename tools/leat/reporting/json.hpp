// JSON output by nlohmann's library, in the layout of leat's reports. The reports, and the small
// commands with --json, call these functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace bench {

using json = nlohmann::ordered_json;

/// Returns a JSON string literal with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// Returns a value as JSON text. Objects and arrays of the first two levels have one member per
/// line; deeper levels are on one line. Infinities and NaN become null.
std::string json_text(const json& value);

}  // namespace bench
