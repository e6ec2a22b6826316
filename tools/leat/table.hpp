// Aligned tables for a terminal or a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What the output goes to.
struct page {
  int width = 80;
  bool colour = false;
};

enum class style { plain, heading, winner, faint };

/// Puts a text into a style; on a page without colour it stays as it is.
std::string styled(std::string_view text, style how, const page& on);

/// The first column stands left, the others right. The winner's row has a star before it. Behind
/// the last column stands a bar where the page is wide enough.
class table {
 public:
  struct column {
    std::string heading;
    int spare = 0;  // above 0: may go if the page is narrow, the highest first
  };
  struct row {
    std::vector<std::string> cells;
    style how = style::plain;
    double bar = 0;  // its length, in whatever unit all rows share
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(row one) { rows_.push_back(std::move(one)); }
  std::string text(const page& on) const;
  const std::vector<column>& columns() const { return columns_; }
  const std::vector<row>& rows() const { return rows_; }

 private:
  std::vector<column> columns_;
  std::vector<row> rows_;
};

}  // namespace bench
