// The terminal: how wide it is, and a line on it that tells how far a run has got.
#pragma once

#include <string_view>

#include "runner.hpp"
#include "table.hpp"

namespace bench {

/// The page that standard output is: as wide as COLUMNS or the terminal says, 80 elsewhere; in
/// colour on a terminal unless NO_COLOR is set.
page standard_page();

/// Shows progress in one line of standard error if that is a terminal, and nothing otherwise.
class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  /// `count` may be which of how many it is, as in "2/8".
  void show(const progress& now, std::string_view count = {});
  void clear();

 private:
  bool is_on_;
  bool is_shown_ = false;
  double last_ = 0;
};

}  // namespace bench
