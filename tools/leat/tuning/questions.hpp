// What `leat tune` asks of a disk: ways to set an option, tried in place of one another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../bench.hpp"

namespace bench {

struct question {
  std::string options;  // the type that the answer is a member of, as programs write it
  experiment tries;     // one variant; the values of its one factor are the candidates' code
};

/// The factor of every question.
inline constexpr auto tuned_factor = "options";

struct questionnaire {
  std::vector<question> all;
  std::vector<std::string> notes;  // what could not be asked, and why
};

/// Makes the files that the questions share in `folder`, smaller ones where space is short, and
/// asks what the disk allows. A simulated disk is only asked what depends on the disk.
questionnaire questions(const request& wanted, const std::filesystem::path& folder);

}  // namespace bench
