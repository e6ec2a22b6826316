// `leat bench`: runs experiments and reports.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench.hpp"

namespace bench {

struct bench_options {
  std::vector<std::string> experiments;  // none: all
  std::vector<std::string> dirs{"."};
  size how_much = size::quick;
  std::optional<leat::simulated_disk> disk;  // none: the real one
  std::optional<int> rounds;
  std::string json;                  // a file, or empty
  std::string html;                  // likewise
  std::string png;                   // a folder, or empty
  std::vector<std::string> compare;  // no run: two reports
  bool list = false;
  bool profile = false;
  std::string only;  // a variant that is to be run and not measured, for the profile
  std::vector<std::string> command;  // as it was typed, for the report
};

/// The command was asked for something that does not exist.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the exit code: 0; 130 after an interrupt; or 3 where a comparison finds something
/// slower. Throws usage_error, and other exceptions for a failed run.
int bench_command(const bench_options& options);

}  // namespace bench
