// The questions of `leat tune`, each with its candidates.
#include "tuning/questions.hpp"

#include <gtest/gtest.h>

#include <set>

#include "measuring/runner.hpp"
#include "support/files.hpp"

namespace bench {
namespace {

class questions_test : public ::testing::Test {
 protected:
  questionnaire ask(std::optional<leat::simulated_disk> disk = {}) {
    return questions({size::tiny, disk}, folder_.path());
  }

  outcome run(const question& asked) {
    run_options options;
    options.rounds = 3;
    return run_experiment(asked.experiment, folder_.path(), options);
  }

  leat_test::temporary_folder folder_;
};

// The experiments check that each variant does its work.
TEST_F(questions_test, measure_every_candidate) {
  const auto asked = ask();
  EXPECT_GE(asked.questions.size() + asked.notes.size(), 5u);
  for (const auto& one : asked.questions) {
    const auto given = run(one);
    const auto& tried = one.experiment.factors.front().values;
    ASSERT_EQ(given.measurements.size(), tried.size()) << one.experiment.name;
    EXPECT_TRUE(given.measurements.front().setting[tuned_factor].is_default());
    for (const auto& measured : given.measurements) EXPECT_EQ(measured.wall.size(), 3u);
  }
}

TEST_F(questions_test, have_candidates_with_different_options) {
  for (const auto& one : ask().questions) {
    std::set<std::string> codes;
    for (const auto& value : one.experiment.factors.front().values) codes.insert(value.text);
    EXPECT_EQ(codes.size(), one.experiment.factors.front().values.size()) << one.experiment.name;
  }
}

TEST_F(questions_test, of_a_simulated_disk_take_the_same_time_in_each_round) {
  const auto asked = ask(leat::simulated_disk::s3);
  EXPECT_TRUE(asked.notes.empty());
  for (const auto& one : asked.questions) {
    const auto given = run(one);
    for (const auto& measured : given.measurements) {
      EXPECT_GT(measured.wall[0], 0) << one.experiment.name;
      EXPECT_EQ(measured.wall[0], measured.wall[1]) << one.experiment.name;
      EXPECT_EQ(measured.wall[0], measured.wall[2]) << one.experiment.name;
    }
  }
}

TEST_F(questions_test, use_smaller_files_if_little_space_is_free) {
  const auto asked = questions({size::quick, {}, std::uint64_t{40} << 20}, folder_.path());
  std::uintmax_t used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    used += entry.file_size();
  EXPECT_LE(used, std::uintmax_t{20} << 20);
  EXPECT_FALSE(asked.questions.empty());
}

}  // namespace
}  // namespace bench
