// Writes JSON. Objects and arrays of the first two levels have a line for each member; what lies
// deeper stands on one line.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace bench {

/// A string literal of JSON, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

class json {
 public:
  json& begin_object() { return begin('{'); }
  json& end_object() { return end('}'); }
  json& begin_array() { return begin('['); }
  json& end_array() { return end(']'); }

  /// The name of the next value of an object.
  json& key(std::string_view name);

  json& value(std::string_view text) { return add(json_string(text)); }
  json& value(const char* text) { return value(std::string_view(text)); }
  json& value(double number);
  json& value(bool truth) { return add(truth ? "true" : "false"); }
  json& value(std::integral auto number) { return add(std::to_string(number)); }
  json& null() { return add("null"); }

  template <class T>
  json& member(std::string_view name, const T& of) {
    return key(name).value(of);
  }

  /// The text. Every object and array must have been ended.
  const std::string& text() const { return text_; }

 private:
  json& begin(char bracket);
  json& end(char bracket);
  json& add(std::string_view token);
  void new_item();
  void new_line();

  std::string text_;
  int depth_ = 0;
  bool first_ = true;  // of the innermost object or array
  bool has_key_ = false;
};

}  // namespace bench
