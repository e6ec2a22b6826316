// The questions of `leat tune` for a store.
#pragma once

#include <string>

#include "tuning/answers.hpp"
#include "tuning/questions.hpp"

namespace bench {

/// Makes the shared objects; their addresses begin with wanted.store. After Ctrl-C the facts are
/// incomplete.
struct store_questionnaire {
  store_facts facts;
  questionnaire asked;
};
store_questionnaire questions_of_store(const request& wanted);

}  // namespace bench
