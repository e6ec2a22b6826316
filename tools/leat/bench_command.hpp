// `leat bench`: runs experiments and writes reports. main.cpp calls this command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct bench_options {
  std::vector<std::string> experiments;  // empty: all
  std::vector<std::string> dirs{"."};
  bench::size size = bench::size::quick;
  std::optional<leat::simulated_disk> disk;  // unset: the real disk
  std::string store;  // an address such as "s3://bucket/prefix"; empty: files
  std::optional<int> rounds;
  std::string json;                  // a file, or empty
  std::string submit;                // a file, or empty
  std::string html;                  // a file, or empty
  std::string png;                   // a folder, or empty
  std::string svg;                   // a folder, or empty
  std::vector<std::string> compare;  // two reports to compare; then no experiment runs
  bool list = false;
  bool profile = false;
  std::string only;                  // a variant to run without measuring it, for --profile
  std::vector<std::string> command;  // the command line, for the report
};

/// Returns the exit code: 0; 130 after an interrupt; 3 if a comparison finds a slow-down. Throws
/// usage_error for wrong options, and other exceptions if a run fails.
int bench_command(const bench_options& options);

}  // namespace bench
