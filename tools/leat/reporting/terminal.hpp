// The terminal: its width, and a line with the progress of a run. bench_command.cpp and
// tune_command.cpp call these functions.
#pragma once

#include <string_view>

#include "measuring/runner.hpp"
#include "reporting/table.hpp"

namespace bench {

/// Returns the page of standard output. The page's width is COLUMNS, else the terminal's width,
/// else 80 columns; at least 40 columns. The page has colours on a terminal, unless NO_COLOR is set
/// and not empty.
page standard_page();

/// Shows progress on one line of standard error. If standard error is not a terminal, does nothing.
class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  /// `count` is the number of the experiment and the total, such as "2/8", or empty.
  void show(const progress& now, std::string_view count = {});
  void clear();

 private:
  bool is_terminal_;
  bool is_shown_ = false;
  double last_ = 0;
};

}  // namespace bench
