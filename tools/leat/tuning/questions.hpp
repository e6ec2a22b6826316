// What `leat tune` asks of a disk: for each question some ways to set an option.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

struct question {
  std::string options;  // the type that the answer is a member of, as "leat::open_options"
  std::string purpose;  // of these options, as "for reading"
  experiment tries;     // has one variant; its one factor has the code of the candidates as values
};

/// The name of the factor.
inline constexpr auto tuned_factor = "options";

struct questionnaire {
  std::vector<question> all;
  std::vector<std::string> notes;  // why some questions are not asked
};

/// Makes the files that the questions share in `folder`; they are smaller where space is short.
/// Returns the questions that the disk allows. A simulated disk has only those that depend on the
/// disk.
questionnaire questions(const request& wanted, const std::filesystem::path& folder);

}  // namespace bench
