// What a disk answered: tables, sentences, options to paste, JSON.
#pragma once

#include <string>
#include <vector>

#include "../report.hpp"
#include "questions.hpp"
#include "verdict.hpp"

namespace bench {

struct answer {
  std::string options;  // the type that the code belongs to
  std::string name;
  std::string title;
  std::vector<candidate_times> tried;
  verdict found;
};

/// From a run that was not interrupted.
answer answer_of(const question& asked, const outcome& given);

/// What was tried for one question, and what follows.
std::string answer_text(const answer& one, const page& on);

/// What to write in a program, for all of them.
std::string advice(const std::vector<answer>& all, const page& on);

struct tuning {
  session on;  // without records
  std::string dir, file_system;
  std::vector<answer> answers;
  std::vector<std::string> notes;
};

std::string json_report(const tuning& all);

}  // namespace bench
