// Converts the text of a number to scientific notation, so that tests can compare texts.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>

namespace leat::test {

/// "-120" becomes "-1.2e+02", the notation of std::to_chars. The number must be finite.
inline std::string in_scientific_notation(std::string_view text) {
  std::string result;
  if (text.starts_with('-')) {
    result = "-";
    text.remove_prefix(1);
  }
  int exponent = 0;
  if (const auto e = text.find('e'); e != text.npos) {
    const std::string_view power = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
    std::from_chars(power.data(), power.data() + power.size(), exponent);
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  if (point != text.size()) digits.append(text.substr(point + 1));
  const std::size_t first = digits.find_first_not_of('0');
  if (first == digits.npos) return result + "0e+00";
  exponent += static_cast<int>(point) - 1 - static_cast<int>(first);
  digits = digits.substr(first, digits.find_last_not_of('0') + 1 - first);
  result += digits[0];
  if (digits.size() > 1) result.append(".").append(digits, 1);
  return result + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

}  // namespace leat::test
