// `leat tune`: finds the best options for a disk or an object store. main.cpp calls tune_command().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct tune_options {
  std::string dir = ".";  // or an address such as "s3://bucket/prefix"
  bench::size size = bench::size::quick;
  std::optional<leat::simulated_disk> disk;  // none: the real disk
  std::optional<int> rounds;
  std::string json, html;            // files, or empty
  std::vector<std::string> command;  // the command line, for the report
};

/// Returns the exit code: 0, or 130 after an interrupt. An interrupted run shows the answers so
/// far. Throws usage_error for wrong options, and other exceptions if a run fails.
int tune_command(const tune_options& options);

}  // namespace bench
