// `leat bench`: runs experiments and reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct bench_options {
  std::vector<std::string> experiments;  // none: all
  std::vector<std::string> dirs{"."};
  size how_much = size::quick;
  std::optional<leat::simulated_disk> disk;  // none: the real one
  std::string store;                         // an address, as "s3://bucket/prefix"; empty: files
  std::optional<int> rounds;
  std::string json;                  // a file, or empty
  std::string html;                  // a file, or empty
  std::string png;                   // a folder, or empty
  std::string svg;                   // a folder, or empty
  std::vector<std::string> compare;  // two reports; then nothing is run
  bool list = false;
  bool profile = false;
  std::string only;  // a variant to run without measuring it: --profile runs leat so
  std::vector<std::string> command;  // as it was typed, for the report
};

/// Returns the exit code: 0; 130 after an interrupt; 3 where a comparison finds something slower.
/// Throws usage_error for wrong options, and other exceptions for a run that failed.
int bench_command(const bench_options& options);

}  // namespace bench
