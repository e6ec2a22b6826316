#include "reporting/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reporting/text.hpp"

namespace bench {

namespace {

constexpr int depth_of_lines = 2;

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const char byte = text[0];
    const auto size = character_size(text);
    if (size == 0) {
      quoted += "\uFFFD";
    } else if (byte == '"' || byte == '\\') {
      quoted += {'\\', byte};
    } else if (size == 1 && static_cast<unsigned char>(byte) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      quoted += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return quoted + '"';
}

json& json::key(std::string_view name) {
  new_item();
  text_ += json_string(name) + ": ";
  has_key_ = true;
  return *this;
}

json& json::value(double number) {
  return std::isfinite(number) ? add(fmt::format("{}", number)) : null();
}

json& json::begin(char bracket) {
  add({&bracket, 1});
  ++depth_;
  first_ = true;
  return *this;
}

json& json::end(char bracket) {
  --depth_;
  if (!first_ && depth_ < depth_of_lines) new_line();
  text_ += bracket;
  first_ = false;
  if (depth_ == 0) text_ += '\n';
  return *this;
}

json& json::add(std::string_view token) {
  if (!has_key_) new_item();
  has_key_ = false;
  text_ += token;
  return *this;
}

void json::new_item() {
  if (depth_ == 0) return;
  if (!first_) text_ += depth_ <= depth_of_lines ? "," : ", ";
  if (depth_ <= depth_of_lines) new_line();
  first_ = false;
}

void json::new_line() { text_ += '\n' + std::string(static_cast<std::size_t>(depth_) * 2, ' '); }

}  // namespace bench
