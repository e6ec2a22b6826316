// The answers of `leat tune`, as text, JSON and HTML.
#include "tuning/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const page wide{.width = 200, .colour = false};

answer answer_with(std::vector<double> default_seconds, std::vector<double> other_seconds) {
  answer one{"leat::open_options",
             "for reading",
             "buffer",
             "read a file",
             {{"", std::move(default_seconds)}, {".buffer_size = 8192", std::move(other_seconds)}},
             {}};
  one.decision = decide(one.candidates);
  return one;
}

const answer better = answer_with({2, 2.2, 2}, {1, 1, 1});
const answer level = answer_with({1.02, 1.02, 1.02}, {1, 1, 1});
const answer noisy = answer_with({1, 3, 1}, {2, 1, 2});

TEST(answers, are_made_from_measured_times) {
  question asked{"leat::open_options", "for reading", {}};
  asked.experiment.name = "buffer";
  asked.experiment.title = "read a file";
  outcome given;
  for (const auto* code : {"", ".buffer_size = 8192"}) {
    measurement one;
    one.setting.set(tuned_factor, {code, {}});
    one.wall = {*code ? 1.0 : 2.0, 2, 2};
    given.measurements.push_back(one);
  }
  const auto made = answer_of(asked, given);
  ASSERT_EQ(made.candidates.size(), 2u);
  EXPECT_EQ(made.candidates[0].code, "");
  EXPECT_EQ(made.candidates[1].code, ".buffer_size = 8192");
  EXPECT_EQ(made.candidates[1].seconds, (std::vector<double>{1, 2, 2}));
}

TEST(answers, name_the_best_candidate_and_the_reason) {
  const auto text = answer_text(better, wide);
  EXPECT_THAT(text, HasSubstr("buffer: read a file"));
  EXPECT_THAT(text, HasSubstr("* .buffer_size = 8192"));
  EXPECT_THAT(text, HasSubstr("Take .buffer_size = 8192: the default takes 100 % longer (single"));
}

TEST(answers, keep_a_default_that_loses_little) {
  const auto text = answer_text(level, wide);
  EXPECT_THAT(text, HasSubstr("* default"));
  EXPECT_THAT(text,
              HasSubstr("Keep the default: it takes 2 % longer than .buffer_size = 8192 (single"));
}

TEST(answers, are_undecided_if_the_times_are_too_noisy) {
  const auto text = answer_text(noisy, wide);
  EXPECT_THAT(text, HasSubstr("* default"));
  EXPECT_THAT(text, HasSubstr("Not decided."));
}

TEST(answers, recommend_options_as_code) {
  const auto text = recommendation_text(recommend({better, level, noisy}), wide);
  EXPECT_THAT(
      text,
      HasSubstr(
          "// for reading\nleat::open_options{\n  .buffer_size = 8192,  // buffer: 100 %\n}\n"));
  EXPECT_THAT(text, HasSubstr("1 of 3 questions have no sure answer"));
}

TEST(answers, recommend_to_keep_the_defaults) {
  const auto text = recommendation_text(recommend({level}), wide);
  EXPECT_EQ(text, "Keep the defaults: none of them loses more than 2 %.\n");
  EXPECT_THAT(recommendation_text(recommend({noisy}), wide), Not(HasSubstr("Keep the defaults")));
}

TEST(answers, json_has_all_fields) {
  tuning all;
  all.dir = "/data";
  all.answers = {better};
  all.notes = {"a note"};
  const auto text = json_report(all);
  EXPECT_THAT(text, HasSubstr("\"dir\": \"/data\""));
  EXPECT_THAT(text, HasSubstr("\"decision\": \"change\""));
  EXPECT_THAT(text, HasSubstr("\"best\": \".buffer_size = 8192\""));
  EXPECT_THAT(text, HasSubstr("\"schema\": 1,"));
  EXPECT_THAT(text, HasSubstr("\"default_loses\": 1,"));
  EXPECT_THAT(text, HasSubstr("\"noise\": 0.025"));
  EXPECT_THAT(text, HasSubstr("[2, 2.2, 2]"));
  EXPECT_THAT(text, HasSubstr("\"a note\""));
}

TEST(answers, can_be_written_as_an_html_page) {
  tuning all;
  all.dir = "/data<1>";
  all.answers = {better, level};
  const auto text = html_report(all);
  EXPECT_THAT(text, HasSubstr("/data&lt;1&gt;"));
  EXPECT_THAT(text, HasSubstr("<code>// for reading\nleat::open_options{\n  .buffer_size = 8192,  "
                              "// buffer: 100 %\n}\n"));
  EXPECT_THAT(text, HasSubstr("<h2>buffer, for reading</h2>"));
  EXPECT_THAT(text, HasSubstr("Keep the default: it takes 2 % longer"));
  EXPECT_THAT(text, Not(HasSubstr("data<1>")));
}

}  // namespace
}  // namespace bench
