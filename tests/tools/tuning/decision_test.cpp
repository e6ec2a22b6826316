// decide() of `leat tune` keeps or changes a default, by the measured times.
#include "tuning/decision.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bench {
namespace {

decision decide_on(std::vector<std::vector<double>> seconds) {
  std::vector<candidate_times> tried;
  for (auto& one : seconds) tried.push_back({tried.empty() ? "" : "other", std::move(one)});
  return decide(tried);
}

TEST(decision, keeps_a_default_that_is_the_fastest) {
  const auto found = decide_on({{1, 1, 1}, {2, 2, 2}});
  EXPECT_EQ(found.verdict, decision::kind::keep);
  EXPECT_EQ(found.best, 0u);
  EXPECT_EQ(found.loss, 0);
}

TEST(decision, keeps_a_default_that_loses_little_and_says_how_much) {
  const auto found = decide_on({{1.04, 1.04, 1.04}, {1, 1, 1}});
  EXPECT_EQ(found.verdict, decision::kind::keep);
  EXPECT_EQ(found.best, 1u);
  EXPECT_NEAR(found.loss, 0.04, 1e-9);
}

TEST(decision, changes_a_default_that_loses_in_all_three_thirds_of_the_rounds) {
  const auto found = decide_on({{1.3, 1.2, 1.4}, {1, 1, 1}, {1.1, 1.1, 1.1}});
  EXPECT_EQ(found.verdict, decision::kind::change);
  EXPECT_EQ(found.best, 1u);
  EXPECT_NEAR(found.loss, 0.3, 1e-9);
  EXPECT_NEAR(found.noise, 0.1 / 1.3 / 2, 1e-9);
}

TEST(decision, chooses_the_first_of_almost_equal_candidates) {
  const auto found = decide_on({{2, 2, 2}, {1.5, 1.5, 1.5}, {1.02, 1.02, 1.02}, {1, 1, 1}});
  EXPECT_EQ(found.verdict, decision::kind::change);
  EXPECT_EQ(found.best, 2u);
}

TEST(decision, is_unclear_if_thirds_of_the_rounds_disagree) {
  // In the whole run the default loses 20 %, but the default wins in one third.
  const auto found = decide_on({{1.2, 1.2, 0.9}, {1, 1, 1}});
  EXPECT_EQ(found.verdict, decision::kind::unclear);
  EXPECT_EQ(found.best, 1u);
  // The fastest candidate differs between the thirds.
  EXPECT_EQ(decide_on({{2, 2, 2}, {1, 1.5, 1}, {1.5, 1, 1.5}}).verdict, decision::kind::unclear);
  // The default loses in one third only.
  EXPECT_EQ(decide_on({{1, 1, 1.5}, {1, 1, 1}}).verdict, decision::kind::unclear);
}

TEST(decision, is_unclear_if_the_loss_is_smaller_than_the_noise) {
  const std::vector<double> wide{1, 1.1, 1.2, 1.3, 1.4};  // the middle half: 1.1 to 1.3
  std::vector<double> slower, much_slower;
  for (const double one : wide) {
    slower.push_back(one * 1.15);
    much_slower.push_back(one * 1.3);
  }
  EXPECT_EQ(decide_on({slower, wide}).verdict, decision::kind::unclear);
  EXPECT_EQ(decide_on({much_slower, wide}).verdict, decision::kind::change);
}

TEST(decision, is_unclear_after_a_few_noisy_rounds) {
  std::vector<double> wild{1, 1.2, 1.4, 1, 1.3, 1.1};
  EXPECT_EQ(decide_on({wild, wild}).verdict, decision::kind::unclear);
  for (int doubled = 0; doubled != 3; ++doubled) wild.insert(wild.end(), wild.begin(), wild.end());
  EXPECT_EQ(decide_on({wild, wild}).verdict, decision::kind::keep);
}

TEST(decision, a_machine_that_becomes_slower_does_not_change_the_decision) {
  // The machine became slower during the run, for both candidates alike.
  const auto found = decide_on({{1.2, 1.2, 1.2, 1.3, 1.3, 1.3}, {1, 1, 1, 1.1, 1.1, 1.1}});
  EXPECT_EQ(found.verdict, decision::kind::change);
}

TEST(decision, throws_if_the_rounds_are_fewer_than_three_or_differ_in_number) {
  EXPECT_THROW(decide_on({{1, 1}, {1, 1}}), std::logic_error);
  EXPECT_THROW(decide_on({{1, 1, 1}, {1, 1, 1, 1}}), std::logic_error);
}

}  // namespace
}  // namespace bench
