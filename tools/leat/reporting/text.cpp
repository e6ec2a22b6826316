// Formats numbers, wraps sentences and quotes words of shells. The commands, the experiments and
// the reports call these functions.
#include "reporting/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

/// Returns a number with `count` significant digits and no exponent. All digits before the point
/// stay; at most six digits follow the point.
std::string significant(double number, int count) {
  const double size = std::abs(number);
  const double before = size > 0 ? std::floor(std::log10(size)) + 1 : 1;  // may be infinite
  return fmt::format("{:.{}f}", number, static_cast<int>(std::clamp(count - before, 0.0, 6.0)));
}

}  // namespace

int width_of(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string digits(double number) { return significant(number, 3); }

std::string times(double number) { return significant(number, number < 0.1 ? 1 : 2) + "×"; }

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto position = std::ssize(text) - 3; position > 0; position -= 3) {
    text.insert(static_cast<std::size_t>(position), 1, ',');
  }
  return text;
}

std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xC2 && first < 0xE0 ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (size < 3) return size;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

std::string shell_quoted(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) c == '\'' ? safe += "'\\''" : safe += c;
  return safe + '\'';
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string lines;
  int column = 0;
  bool is_first = true;  // the next word is the first word of a line
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const int needs = width_of(word);
    if (!is_first && column + 1 + needs > width) {
      lines += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += needs;
    is_first = false;
  }
  return lines + '\n';
}

}  // namespace bench
