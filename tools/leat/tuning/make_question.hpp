// Makes the questions of `leat tune`. questions.cpp and store_questions.cpp call make_question(). A
// question tries several values of an option.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tuning/questions.hpp"

namespace bench {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;

/// A candidate: the code for a program, and the options themselves.
template <class Options>
struct candidate {
  std::string code;
  Options options;
};

template <class Options>
using candidates = std::vector<candidate<Options>>;

/// Returns one candidate for each value of the option `name`, which is `member`.
template <class Options>
candidates<Options> size_candidates(const char* name, std::size_t Options::* member,
                                    std::initializer_list<std::size_t> values) {
  candidates<Options> all;
  for (const std::size_t value : values) {
    Options options;
    options.*member = value;
    all.push_back({fmt::format(".{} = {}", name, value), options});
  }
  return all;
}

/// Makes a question whose candidates differ in `Options`. The default is added as the first
/// candidate. Each repetition calls work(run, options).
template <class Options, class Work>
question make_question(const char* options, const char* purpose, std::string name,
                       std::string title, candidates<Options> tried, Work work) {
  tried.insert(tried.begin(), candidate<Options>{});
  question made;
  made.options = options;
  made.purpose = purpose;
  auto& experiment = made.experiment;
  experiment.name = std::move(name);
  experiment.title = std::move(title);
  experiment.equal_rounds = true;
  experiment.factors.push_back({tuned_factor, {}});
  for (const auto& one : tried) experiment.factors.front().values.push_back({one.code, {}});
  experiment.variants.push_back(
      {"leat", role::leat, [tried = std::move(tried), work = std::move(work)](run& this_run) {
         const auto code = this_run.setting[tuned_factor].text;
         work(this_run, std::ranges::find(tried, code, &candidate<Options>::code)->options);
       }});
  experiment.load = [title = experiment.title](const setting&) { return load{title, 0, 1, ""}; };
  return made;
}

}  // namespace bench
