// What `leat tune` asks of a store.
#pragma once

#include <string>

#include "tuning/answers.hpp"
#include "tuning/questions.hpp"

namespace bench {

/// Makes the objects that the questions share; their addresses begin with wanted.store. The facts
/// are not complete after Ctrl-C.
struct store_questionnaire {
  store_facts facts;
  questionnaire asked;
};
store_questionnaire questions_of_store(const request& wanted);

}  // namespace bench
