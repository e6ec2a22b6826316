// The answers of `leat tune`: tables, sentences, options to paste, JSON, a page. tune_command.cpp
// calls these functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporting/report.hpp"
#include "system/machine.hpp"
#include "tuning/decision.hpp"
#include "tuning/questions.hpp"

namespace bench {

struct answer {
  std::string options, purpose;  // as in the question
  std::string name;
  std::string title;
  std::vector<candidate_times> candidates;
  bench::decision decision;
};

/// Makes an answer from the outcome of a complete run.
answer answer_of(const question& asked, const outcome& result);

/// Returns a table of a question's candidates, and the decision.
std::string answer_text(const answer& given, const page& page);

/// The recommended options, as code for a program.
struct recommendation {
  std::string sentence;
  std::string code;       // empty: the defaults
  std::string undecided;  // about questions without a clear answer; empty if there are none
};

/// Combines the answers of all questions.
recommendation recommend(const std::vector<answer>& all);
std::string recommendation_text(const recommendation& given, const page& page);

/// Throughput of a store with a number of parallel requests.
struct store_step {
  std::size_t at_a_time = 0;
  double requests = 0;  // per second, of 4 KiB each
  double bytes = 0;     // per second, in ranges of 8 MiB
};

/// Measurements of a store, and the options that leat chooses by itself.
struct store_facts {
  double first_byte = 0;  // seconds
  std::vector<store_step> steps;
  std::string default_choice;  // sentences about the options that leat chooses
};

/// Returns the largest measured number of parallel requests that still raises the throughput of
/// small or large ranges by more than 10 %, compared with fewer requests. Returns 0 if nothing was
/// measured.
std::size_t enough_parallel_requests(const store_facts& facts);

/// Returns a table of the measurements, and the facts as sentences.
std::string facts_text(const store_facts& facts, const page& page);

struct tuning {
  bench::session session;  // without records
  std::string dir;
  volume disk;
  std::vector<answer> answers;
  std::vector<std::string> notes;
  std::optional<store_facts> store = std::nullopt;  // none: a disk
};

/// The version of the JSON report. Incremented when a member is removed or changes its meaning.
inline constexpr int tuning_schema = 1;

std::string json_report(const tuning& all);
std::string html_report(const tuning& all);

}  // namespace bench
