// What a disk answered: tables, sentences, options to paste, JSON.
#pragma once

#include <string>
#include <vector>

#include "../machine.hpp"
#include "../report.hpp"
#include "decision.hpp"
#include "questions.hpp"

namespace bench {

struct answer {
  std::string options, purpose;  // as in the question
  std::string name;
  std::string title;
  std::vector<candidate_times> tried;
  decision found;
};

/// From a run that was not interrupted.
answer answer_of(const question& asked, const outcome& given);

/// What was tried for one question, and what follows.
std::string answer_text(const answer& one, const page& on);

/// What to write in a program.
struct recommendation {
  std::string sentence;
  std::string code;  // empty: the defaults
  std::string open;  // about the questions that have no sure answer, if there are any
};

recommendation recommended(const std::vector<answer>& all);
std::string recommendation_text(const recommendation& one, const page& on);

struct tuning {
  session on;  // without records
  std::string dir;
  volume disk;
  std::vector<answer> answers;
  std::vector<std::string> notes;
};

/// What the JSON report holds; a higher number where a member is gone or means something else.
inline constexpr int tuning_schema = 1;

std::string json_report(const tuning& all);
std::string html_report(const tuning& all);

}  // namespace bench
