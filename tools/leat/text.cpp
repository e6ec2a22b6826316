#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

/// `count` significant digits, without an exponent, and all digits before the point.
std::string significant(double number, int count) {
  const double size = std::abs(number);
  const int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  return fmt::format("{:.{}f}", number, std::clamp(count - before, 0, 6));
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
  for (auto place = std::ssize(text) - 3; place > 0; place -= 3) {
    text.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return text;
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string lines;
  int column = 0;
  bool is_first = true;  // of its line
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
