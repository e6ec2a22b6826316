#include "tuning/verdict.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bench {
namespace {

verdict decide_on(std::vector<std::vector<double>> seconds) {
  std::vector<candidate_times> tried;
  for (auto& one : seconds) tried.push_back({tried.empty() ? "" : "other", std::move(one)});
  return decide(tried);
}

TEST(verdict, keeps_a_default_that_is_the_fastest) {
  const auto found = decide_on({{1, 1, 1}, {2, 2, 2}});
  EXPECT_EQ(found.what, verdict::kind::keep);
  EXPECT_EQ(found.best, 0u);
  EXPECT_EQ(found.loss, 0);
}

TEST(verdict, keeps_a_default_that_loses_little_and_says_how_much) {
  const auto found = decide_on({{1.04, 1.04, 1.04}, {1, 1, 1}});
  EXPECT_EQ(found.what, verdict::kind::keep);
  EXPECT_EQ(found.best, 1u);
  EXPECT_NEAR(found.loss, 0.04, 1e-9);
}

TEST(verdict, changes_what_loses_in_every_third_of_the_run) {
  const auto found = decide_on({{1.3, 1.2, 1.4}, {1, 1, 1}, {1.1, 1.1, 1.1}});
  EXPECT_EQ(found.what, verdict::kind::change);
  EXPECT_EQ(found.best, 1u);
  EXPECT_NEAR(found.loss, 0.3, 1e-9);
  EXPECT_NEAR(found.least, 0.2, 1e-9);
  EXPECT_NEAR(found.most, 0.4, 1e-9);
}

TEST(verdict, takes_the_first_of_those_that_are_as_good) {
  const auto found = decide_on({{2, 2, 2}, {1.5, 1.5, 1.5}, {1.02, 1.02, 1.02}, {1, 1, 1}});
  EXPECT_EQ(found.what, verdict::kind::change);
  EXPECT_EQ(found.best, 2u);
}

TEST(verdict, cannot_say_where_the_thirds_disagree) {
  // In the whole run the default loses 20 %, but in one third it wins.
  const auto found = decide_on({{1.2, 1.2, 0.9}, {1, 1, 1}});
  EXPECT_EQ(found.what, verdict::kind::unclear);
  EXPECT_EQ(found.best, 1u);
  EXPECT_LT(found.least, 0);
  // Or the fastest is another one each time.
  EXPECT_EQ(decide_on({{2, 2, 2}, {1, 1.5, 1}, {1.5, 1, 1.5}}).what, verdict::kind::unclear);
  // Or one third sees a loss that the others don't.
  EXPECT_EQ(decide_on({{1, 1, 1.5}, {1, 1, 1}}).what, verdict::kind::unclear);
}

TEST(verdict, takes_each_third_from_all_of_the_run) {
  // What grew slower in the course of the run did so for both.
  const auto found = decide_on({{1.2, 1.2, 1.2, 2.4, 2.4, 2.4}, {1, 1, 1, 2, 2, 2}});
  EXPECT_EQ(found.what, verdict::kind::change);
  EXPECT_NEAR(found.least, found.most, 1e-9);
}

TEST(verdict, needs_the_same_rounds_of_all) {
  EXPECT_THROW(decide_on({{1, 1}, {1, 1}}), std::logic_error);
  EXPECT_THROW(decide_on({{1, 1, 1}, {1, 1, 1, 1}}), std::logic_error);
}

}  // namespace
}  // namespace bench
