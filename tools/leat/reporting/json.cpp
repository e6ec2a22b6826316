// JSON output in the layout of leat's reports. The reports, and the small commands with --json,
// call these functions.
#include "reporting/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

constexpr int depth_of_lines = 2;

void put(std::string& to, const json& node, int depth) {
  if (node.is_string()) {
    to += json_string(node.get_ref<const std::string&>());
  } else if (node.is_number_float() && std::isfinite(node.get<double>())) {
    to += fmt::format("{}", node.get<double>());  // 2, not 2.0
  } else if (!node.is_structured() || node.empty()) {
    to += node.dump();
  } else {
    const bool lines = depth < depth_of_lines;
    const char *comma = "", *const ends = node.is_object() ? "{}" : "[]";
    to += ends[0];
    for (const auto& [key, value] : node.items()) {
      to += comma;
      if (lines) to += fmt::format("\n{:{}}", "", 2 * (depth + 1));
      if (node.is_object()) to += json_string(key) + ": ";
      put(to, value, depth + 1);
      comma = lines ? "," : ", ";
    }
    if (lines) to += fmt::format("\n{:{}}", "", 2 * depth);
    to += ends[1];
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_text(const json& value) {
  std::string text;
  put(text, value, 0);
  return text + '\n';
}

}  // namespace bench
