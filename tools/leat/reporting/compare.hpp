// Compares two reports: finds changes that are larger than the spread. bench_command.cpp calls
// these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporting/table.hpp"

namespace bench {

/// One measurement of a report.
struct report_row {
  std::string name;  // experiment, variant and setting: the key of the row
  double median = 0, q1 = 0, q3 = 0, min = 0, max = 0;  // seconds
  double repetitions = 0;
};

struct parsed_report {
  std::string machine;  // CPU, kernel, --size and --device; the comparison reports differences
  std::vector<report_row> rows;
  std::vector<std::string> warnings;  // about disturbances
};

/// Parses the output of `leat bench --json`. If the text is not a report or has another schema,
/// throws `failure` with the file's name.
parsed_report parse_report(std::string_view text, const std::string& path);

enum class change { none, faster, slower };

/// Returns whether the time of a row has changed. A change must exceed the spread: the
/// interquartile ranges do not overlap, and the medians differ by more than 3 %. With fewer than
/// five repetitions, the full ranges are compared instead.
change compare(const report_row& before, const report_row& now);

struct comparison {
  struct pair {
    report_row before, now;
    bench::change change = bench::change::none;
  };
  std::vector<pair> pairs;
  std::size_t only_before = 0, only_now = 0;
  bool same_machine = true;
  std::vector<std::string> warnings;

  std::size_t count(change wanted) const;
};

/// Compares the rows that both reports have, by the rows' names. If the reports have no measurement
/// in common, throws `failure`.
comparison compare(const parsed_report& before, const parsed_report& now);

/// Returns warnings, tables of slower and of faster rows, and counts.
std::string comparison_text(const comparison& comparison, const page& page);

}  // namespace bench
