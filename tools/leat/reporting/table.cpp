// The layout of aligned tables. The reports make the tables.
#include "reporting/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reporting/text.hpp"

namespace bench {

namespace {

constexpr int gap = 2;
constexpr int shortest_bar = 8;
constexpr int longest_bar = 32;
constexpr int shortest_name = 12;

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

/// Returns the text. Cuts a text that takes more than `width` columns, and adds "…" to the cut
/// text.
std::string truncated(const std::string& text, int width) {
  if (width_of(text) <= width) return text;
  std::string cut;
  for (const char byte : text) {
    const bool starts_character = (byte & 0xC0) != 0x80;
    if (starts_character && width_of(cut) == width - 1) break;
    cut += byte;
  }
  return cut + "…";
}

/// A bar in eighths of a column.
std::string bar(double share, int width) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = std::max(1, static_cast<int>(std::lround(share * width * 8)));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + parts[eighths % 8];
}

}  // namespace

std::string styled(std::string_view text, style applied, const page& page) {
  if (!page.colour || applied == style::plain) return std::string(text);
  const auto code = applied == style::heading ? "1" : applied == style::winner ? "32" : "2";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string table::text(const page& page) const {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width_of(columns_[i].heading));
    for (const auto& one : rows_) widths[i] = std::max(widths[i], width_of(one.cells[i]));
  }

  std::vector<std::size_t> shown_columns(columns_.size());
  std::iota(shown_columns.begin(), shown_columns.end(), std::size_t{0});
  const auto shown_width = [&] {
    int sum = 0;  // each column follows a gap; the first gap holds the star
    for (const auto i : shown_columns) sum += gap + widths[i];
    return sum;
  };
  while (shown_width() > page.width) {
    const auto next = std::ranges::max_element(
        shown_columns, {}, [&](std::size_t i) { return columns_[i].drop_priority; });
    if (columns_[*next].drop_priority == 0) break;
    shown_columns.erase(next);
  }
  const int excess = std::max(0, shown_width() - page.width);
  widths[0] = std::max(std::min(widths[0], shortest_name), widths[0] - excess);

  double longest = 0;
  for (const auto& one : rows_) longest = std::max(longest, one.bar_length);
  const int bar_width = std::min(page.width - shown_width() - gap, longest_bar);

  const auto line = [&](const std::vector<std::string>& cells, style row_style, double length) {
    std::string row_text = row_style == style::winner ? "* " : "  ";
    for (const auto i : shown_columns) {
      const auto cell = i == 0 ? truncated(cells[i], widths[i]) : cells[i];
      const auto padding = spaces(widths[i] - width_of(cell));
      if (i > 0) row_text += spaces(gap) + padding;
      row_text += cell;
      if (i == 0) row_text += padding;
    }
    if (length > 0 && bar_width >= shortest_bar) {
      row_text += spaces(gap) + bar(length / longest, bar_width);
    }
    return styled(row_text, row_style, page) + '\n';
  };

  std::vector<std::string> headings;
  headings.reserve(columns_.size());
  for (const auto& one : columns_) headings.push_back(one.heading);
  std::string all = line(headings, style::heading, 0);
  for (const auto& one : rows_) all += line(one.cells, one.style, one.bar_length);
  return all;
}

}  // namespace bench
