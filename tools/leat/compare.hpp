// Two reports side by side: what got faster or slower beyond the spread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace bench {

/// What a report tells of one measurement.
struct report_row {
  std::string name;  // the experiment, the variant and its setting: the same in both reports
  double median = 0, q1 = 0, q3 = 0, min = 0, max = 0;  // seconds
  int repetitions = 0;
};

struct read_report {
  std::string machine;  // and what else must be the same for times to be comparable
  std::vector<report_row> rows;
  std::vector<std::string> warnings;  // of what disturbed it
};

/// Reads what `leat bench --json` has written. Throws `failure` that names the file where it is
/// something else, or of another schema.
read_report parse_report(std::string_view text, const std::string& path);

enum class change { none, faster, slower };

/// Beyond the spread: the middle halves of the repetitions do not meet, of few the whole of them,
/// and the medians are further apart than 3 %.
change compare(const report_row& before, const report_row& now);

struct comparison {
  struct pair {
    report_row before, now;
    change is = change::none;
  };
  std::vector<pair> both;
  std::size_t only_before = 0, only_now = 0;
  bool same_machine = true;
  std::vector<std::string> warnings;

  std::size_t count(change wanted) const;
};

/// Throws `failure` where the reports have nothing in common.
comparison compare(const read_report& before, const read_report& now);

std::string comparison_text(const comparison& of, const page& on);

}  // namespace bench
