// The terminal: its width, and a line that shows the progress of a run.
#pragma once

#include <string_view>

#include "measuring/runner.hpp"
#include "reporting/table.hpp"

namespace bench {

/// The page of standard output. Its width is COLUMNS, or that of the terminal, or 80. It has
/// colours on a terminal, unless NO_COLOR is set.
page standard_page();

/// Shows progress in one line of standard error. Shows nothing if that is not a terminal.
class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  /// `count` tells which experiment of how many runs, as "2/8"; or it is empty.
  void show(const progress& now, std::string_view count = {});
  void clear();

 private:
  bool is_on_;
  bool is_shown_ = false;
  double last_ = 0;
};

}  // namespace bench
