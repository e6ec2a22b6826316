// `leat tune` with object storage: measured facts about the store, and questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measuring/runner.hpp"
#include "measuring/scratch_objects.hpp"
#include "remote/store.hpp"
#include "tuning/answers.hpp"
#include "tuning/store/store_questions.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;

store_facts facts_with_steps(std::initializer_list<std::pair<double, double>> speeds) {
  store_facts made;
  std::size_t n = 1;
  for (const auto& [requests, bytes] : speeds) {
    made.steps.push_back({n, requests, bytes});
    n *= 2;
  }
  return made;
}

TEST(store_facts, say_how_many_concurrent_requests_are_enough) {
  EXPECT_EQ(enough_parallel_requests(facts_with_steps({{100, 1e8}, {200, 1e8}, {205, 1.05e8}})),
            2u);
  EXPECT_EQ(enough_parallel_requests(facts_with_steps({{100, 1e8}, {90, 2e8}, {90, 4e8}})), 4u);
  EXPECT_EQ(enough_parallel_requests(facts_with_steps({{100, 1e8}, {105, 1e8}})), 1u);
}

TEST(store_facts, are_shown_in_the_table_the_page_and_the_json) {
  tuning all;
  all.store = facts_with_steps({{100, 1e8}, {200, 2e8}});
  all.store->first_byte = 0.0125;
  all.store->default_choice = "By itself.";
  const auto text = facts_text(*all.store, {});
  EXPECT_THAT(text, HasSubstr("12.5 ms to the first byte. Beyond 2 at a time"));
  EXPECT_THAT(text, HasSubstr("By itself."));
  EXPECT_THAT(html_report(all), HasSubstr("12.5 ms to the first byte"));
  EXPECT_THAT(json_report(all), HasSubstr(R"("first_byte_seconds": 0.0125)"));
  EXPECT_THAT(json_report(all), HasSubstr(R"("bytes_per_second": 200000000)"));
  all.store.reset();
  EXPECT_THAT(json_report(all), HasSubstr(R"("store": null)"));
}

class store_questions : public leat_test::with_store {};

// The experiments check that each variant does its work.
TEST_F(store_questions, measure_every_candidate) {
  const scratch_objects scratch("s3://bucket/tests");
  const auto made = questions_of_store({.size = size::tiny, .store = scratch.address()});
  EXPECT_GT(made.facts.first_byte, 0);
  EXPECT_EQ(made.facts.steps.size(), 6u);
  EXPECT_THAT(made.facts.default_choice, HasSubstr("By itself leat gathers 50 positions"));
  std::vector<std::string> names;
  for (const auto& one : made.questionnaire.questions) {
    names.push_back(one.experiment.name);
    run_options options;
    options.rounds = 3;
    const auto given = run_experiment(one.experiment, {}, options);
    EXPECT_EQ(given.measurements.size(), one.experiment.factors.front().values.size());
    EXPECT_FALSE(answer_text(answer_of(one, given), {}).empty());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("buffer", "gap", "longest range", "queue depth"));
}

}  // namespace
}  // namespace bench
