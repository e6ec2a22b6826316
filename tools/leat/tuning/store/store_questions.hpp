// The questions of `leat tune` for a store. tune_command.cpp calls questions_of_store().
#pragma once

#include <string>

#include "tuning/answers.hpp"
#include "tuning/questions.hpp"

namespace bench {

struct store_questionnaire {
  store_facts facts;
  bench::questionnaire questionnaire;
};

/// Uploads the objects that the questions read, under addresses that begin with wanted.store.
/// The caller removes the objects. Measures the facts. After Ctrl-C, facts and questions may be
/// missing. Throws leat::io_error if an upload fails, and `failure` if a measurement fails.
store_questionnaire questions_of_store(const request& wanted);

}  // namespace bench
