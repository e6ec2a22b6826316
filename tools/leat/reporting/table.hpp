// Aligned tables for a terminal or a file. The reports make the tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The medium of the output.
struct page {
  int width = 80;
  bool colour = false;
};

enum class style { plain, heading, winner, faint };

/// Returns a text with a style. Without colour, the text stays unchanged.
std::string styled(std::string_view text, style applied, const page& page);

/// An aligned table. The first column is aligned left, the other columns right. The winner's row
/// starts with a star. If the page is wide enough, each row whose `bar_length` is not 0 ends with a
/// bar.
class table {
 public:
  struct column {
    std::string heading;
    // If the page is too narrow, the column with the highest priority is dropped first. 0: never.
    int drop_priority = 0;
  };
  struct row {
    std::vector<std::string> cells;  // one for each column
    bench::style style = bench::style::plain;
    double bar_length = 0;  // the bar's length, in the same unit for all rows; 0: no bar
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(row added) { rows_.push_back(std::move(added)); }
  std::string text(const page& page) const;
  const std::vector<column>& columns() const { return columns_; }
  const std::vector<row>& rows() const { return rows_; }

 private:
  std::vector<column> columns_;
  std::vector<row> rows_;
};

}  // namespace bench
