// The questions of `leat tune` for a disk. tune_command.cpp calls questions(). Each question tries
// several values of an option.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct question {
  std::string options;  // the type with the option as a member, such as "leat::open_options"
  std::string purpose;  // what the options are for, such as "for reading objects"
  bench::experiment experiment;  // one variant; one factor, whose values are the candidates' code
};

/// The name of a question's factor.
inline constexpr auto tuned_factor = "options";

struct questionnaire {
  std::vector<question> questions;
  std::vector<std::string> notes;  // why some questions are omitted
};

/// Makes the shared files in `folder`. If space is short, makes smaller files. If a file cannot be
/// made, throws `failure`. Returns the questions that the disk allows. A simulated disk has only
/// the questions that depend on the disk.
questionnaire questions(const request& wanted, const std::filesystem::path& folder);

}  // namespace bench
