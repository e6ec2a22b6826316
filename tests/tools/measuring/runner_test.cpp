// How the runner measures: rounds, order, repetitions, failures, stops.
#include "measuring/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace bench {
namespace {

using ::testing::HasSubstr;

/// Tests of an experiment whose clock only the variants and hooks advance.
class runner_test : public ::testing::Test {
 protected:
  runner_test() {
    experiment_.name = "test";
    experiment_.load = [](const setting&) { return load{"work", 1, 1, ""}; };
    options_.clocks = {[this] { return now_; }, [this] { return now_ / 2; }};
    options_.budget = 60;
  }

  /// Adds a variant that takes `seconds`.
  void add(const std::string& name, double seconds, role part = role::peer) {
    experiment_.variants.push_back({name, part, [=, this](run&) {
                                      ran_.push_back(name);
                                      now_ += seconds;
                                    }});
  }

  outcome measure() { return run_experiment(experiment_, ".", options_); }

  std::ptrdiff_t count(const std::string& name) const { return std::ranges::count(ran_, name); }

  experiment experiment_;
  run_options options_;
  double now_ = 100;
  std::vector<std::string> ran_;
};

TEST_F(runner_test, measures_wall_and_processor_time_without_the_warm_up) {
  add("a", 0.25);
  options_.rounds = 4;
  const auto result = measure();
  ASSERT_EQ(result.measurements.size(), 1u);
  EXPECT_EQ(result.measurements[0].wall, std::vector<double>(4, 0.25));
  EXPECT_EQ(result.measurements[0].cpu, std::vector<double>(4, 0.125));
  EXPECT_EQ(ran_.size(), 5u);
  EXPECT_TRUE(result.complete);
}

TEST_F(runner_test, runs_each_variant_once_in_a_round) {
  for (const auto* name : {"a", "b", "c", "d"}) add(name, 0.01);
  options_.rounds = 6;
  measure();
  ASSERT_EQ(ran_.size(), 7 * 4u);
  for (std::size_t round = 0; round < 7; ++round) {
    std::vector<std::string> order(ran_.begin() + static_cast<std::ptrdiff_t>(round) * 4,
                                   ran_.begin() + static_cast<std::ptrdiff_t>(round) * 4 + 4);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "d"})) << "round " << round;
  }
}

TEST_F(runner_test, only_the_seed_determines_the_order_of_variants_in_each_round) {
  for (const auto* name : {"a", "b", "c", "d"}) add(name, 0.01);
  options_.rounds = 6;
  measure();
  const auto first = std::exchange(ran_, {});
  bool differs = false;
  for (std::size_t i = 8; i < first.size(); ++i) differs = differs || first[i] != first[i - 4];
  EXPECT_TRUE(differs);

  measure();
  EXPECT_EQ(std::exchange(ran_, {}), first);
  options_.seed = 2;
  measure();
  EXPECT_NE(ran_, first);
}

TEST_F(runner_test, repeats_fast_variants_more_often_and_spreads_slow_variants_over_the_rounds) {
  add("fast", 0.001);
  add("slow", 4);
  measure();  // each variant has 30 s
  EXPECT_EQ(count("fast"), 31);
  EXPECT_EQ(count("slow"), 8);
  const auto first_third = std::ranges::count(ran_.begin() + 2, ran_.begin() + 14, "slow");
  EXPECT_GE(first_third, 2);
  EXPECT_LE(first_third, 3);
}

TEST(repetitions, are_between_3_and_30) {
  EXPECT_EQ(repetitions(0.001, 10), 30);
  EXPECT_EQ(repetitions(0, 10), 30);
  EXPECT_EQ(repetitions(0.5, 10), 20);
  EXPECT_EQ(repetitions(0.4, 1), 5);
  EXPECT_EQ(repetitions(20, 1), 3);
}

TEST_F(runner_test, runs_a_variant_only_in_the_settings_in_which_it_applies) {
  experiment_.factors = {{"workload", {{"x", {}}, {"y", {}}}, layout::table},
                         {"buffer_size", {{}, bytes(8192), bytes(16384)}, layout::axis}};
  add("all", 1);
  add("own", 1);
  experiment_.variants[1].applies = [](const setting& at) {
    return at["buffer_size"].is_default();
  };
  options_.rounds = 1;
  const auto result = measure();
  EXPECT_EQ(result.measurements.size(), 6 + 2u);
  EXPECT_TRUE(result.median("all", {{"workload", {"y", {}}}, {"buffer_size", bytes(8192)}}));
  EXPECT_TRUE(result.median("own", {{"workload", {"y", {}}}}));
  EXPECT_FALSE(result.median("own", {{"buffer_size", bytes(8192)}}));
  EXPECT_FALSE(result.median("none"));
}

TEST_F(runner_test, does_not_measure_the_functions_before_and_after_a_repetition) {
  std::map<std::string, int> calls;
  const auto hook = [&](const char* name) {
    return [&, name](run&) {
      ++calls[name];
      now_ += 1000;
    };
  };
  add("a", 0.5);
  experiment_.prepare = [&](const std::filesystem::path&) { ++calls["prepare"]; };
  experiment_.before = hook("before");
  experiment_.after = hook("after");
  experiment_.check = hook("check");
  options_.rounds = 3;
  EXPECT_EQ(measure().measurements[0].wall, std::vector<double>(3, 0.5));
  EXPECT_EQ(calls, (std::map<std::string, int>{
                       {"prepare", 1}, {"before", 4}, {"after", 4}, {"check", 1}}));
}

TEST_F(runner_test, fails_before_any_round_if_a_result_is_wrong) {
  add("good", 1);
  add("bad", 1);
  experiment_.check = [&](run&) {
    if (ran_.back() == "bad") throw failure("wrote 9 bytes instead of 10");
  };
  try {
    measure();
    FAIL() << "measure() threw no failure";
  } catch (const failure& error) {
    EXPECT_STREQ(error.what(), "test: bad: wrote 9 bytes instead of 10");
  }
  EXPECT_EQ(ran_.size(), 2u);
}

TEST_F(runner_test, a_variant_that_throws_is_named) {
  add("a", 1);
  experiment_.variants[0].work = [](run&) { throw std::runtime_error("no luck"); };
  try {
    measure();
    FAIL() << "measure() threw no failure";
  } catch (const failure& error) {
    EXPECT_STREQ(error.what(), "test: a: no luck");
  }
}

TEST_F(runner_test, reports_too_little_space_before_anything_runs) {
  add("a", 1);
  experiment_.space = std::uint64_t{1} << 62;
  try {
    measure();
    FAIL() << "measure() threw no failure";
  } catch (const failure& error) {
    EXPECT_THAT(error.what(), HasSubstr("test needs"));
  }
  EXPECT_TRUE(ran_.empty());
}

TEST_F(runner_test, stops_after_the_repetition_and_keeps_the_results) {
  add("a", 1);
  add("b", 1);
  options_.rounds = 10;
  options_.is_stopped = [this] { return ran_.size() == 2 + 5; };
  const auto result = measure();
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(ran_.size(), 7u);
  std::size_t kept = 0;
  for (const auto& one : result.measurements) kept += one.wall.size();
  EXPECT_EQ(kept, 5u);
}

TEST_F(runner_test, measures_nothing_if_stopped_in_the_warm_up) {
  add("a", 1);
  add("b", 1);
  options_.is_stopped = [this] { return ran_.size() == 1; };
  const auto result = measure();
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(result.measurements.empty());
}

TEST_F(runner_test, progress_has_growing_rounds_and_less_time_left) {
  add("a", 2);
  options_.rounds = 3;
  std::vector<std::pair<int, double>> seen;
  options_.report = [&](const progress& now) { seen.emplace_back(now.round, now.seconds_left); };
  measure();
  ASSERT_GE(seen.size(), 4u);
  EXPECT_EQ(seen.front().first, 0);
  EXPECT_EQ(seen[seen.size() - 3], (std::pair{1, 6.0}));
  EXPECT_EQ(seen.back(), (std::pair{3, 2.0}));
}

}  // namespace
}  // namespace bench
