// `leat bench --compare`: reports are read, and two reports are compared.
#include "reporting/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measuring/experiment.hpp"
#include "reporting/report.hpp"
#include "tools/failure_message.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

report_row row(const std::string& name, double median, double half_spread = 0.1,
               double repetitions = 9) {
  return {name,
          median,
          median - half_spread,
          median + half_spread,
          median - 2 * half_spread,
          median + 2 * half_spread,
          repetitions};
}

TEST(compare, reports_only_changes_larger_than_the_spread) {
  EXPECT_EQ(compare(row("a", 2), row("a", 1)), change::faster);
  EXPECT_EQ(compare(row("a", 1), row("a", 2)), change::slower);
  EXPECT_EQ(compare(row("a", 1), row("a", 1.15)), change::none);  // the middle halves overlap
  EXPECT_EQ(compare(row("a", 1.15), row("a", 1)), change::none);
}

TEST(compare, ignores_changes_that_are_too_small_to_matter) {
  EXPECT_EQ(compare(row("a", 1, 0.001), row("a", 1.02, 0.001)), change::none);
  EXPECT_EQ(compare(row("a", 1, 0.001), row("a", 1.05, 0.001)), change::slower);
}

TEST(compare, results_of_few_repetitions_differ_only_if_their_whole_ranges_do_not_overlap) {
  EXPECT_EQ(compare(row("a", 1), row("a", 1.3)), change::slower);
  EXPECT_EQ(compare(row("a", 1, 0.1, 3), row("a", 1.3)), change::none);
  EXPECT_EQ(compare(row("a", 1, 0.1, 3), row("a", 1.5)), change::slower);
}

TEST(compare, counts_variants_that_are_only_in_one_report) {
  const parsed_report before{"m", {row("a", 1), row("b", 1), row("c", 1)}, {"Loud."}};
  const parsed_report now{"m", {row("a", 2), row("b", 0.5), row("d", 1)}, {}};
  const auto made = compare(before, now);
  EXPECT_EQ(made.count(change::slower), 1u);
  EXPECT_EQ(made.count(change::faster), 1u);
  EXPECT_EQ(made.only_before, 1u);
  EXPECT_EQ(made.only_now, 1u);
  EXPECT_TRUE(made.same_machine);
  const auto text = comparison_text(made, {80, false});
  EXPECT_THAT(text, HasSubstr("slower  before ms  now ms  change  speed"));
  EXPECT_THAT(text, HasSubstr("+100 %  0.50×"));
  EXPECT_THAT(text, HasSubstr("-50 %   2.0×"));
  EXPECT_THAT(text, HasSubstr("1 faster, 1 slower, 0 the same within their spread.\n"));
  EXPECT_THAT(text, HasSubstr("Only before: 1; only now: 1.\n"));
  EXPECT_THAT(text, HasSubstr("Before: Loud.\n"));
  EXPECT_THAT(text, Not(HasSubstr("different machines")));
}

TEST(compare, warns_of_another_machine_and_refuses_reports_without_common_rows) {
  const parsed_report before{"m", {row("a", 1)}, {}};
  EXPECT_THAT(comparison_text(compare(before, {"n", {row("a", 1)}, {}}), {80, false}),
              HasSubstr("different machines"));
  EXPECT_THROW(compare(before, {"m", {row("b", 1)}, {}}), failure);
  EXPECT_THROW(compare(before, {"m", {}, {}}), failure);
}

session measured() {
  session all;
  all.size = "quick";
  all.machine.cpu = "a cpu";
  auto& record = all.records.emplace_back();
  record.experiment = "print";
  record.dir = "/data";
  auto& one = record.result.measurements.emplace_back();
  one.variant = "leat";
  one.setting.set("workload", {"string", {}});
  one.setting.set("buffer_size", bytes(8192));
  one.setting.set("window", {});
  one.load = {"", 10, 1, ""};
  one.wall = one.cpu = {1, 2, 3, 4, 5};
  return all;
}

TEST(reports, are_read_with_the_figures_that_were_written) {
  const auto read = parse_report(json_report(measured()), "r.json");
  ASSERT_EQ(read.rows.size(), 1u);
  const auto& row = read.rows[0];
  EXPECT_EQ(row.name, "print: leat, string, 8 KiB");
  EXPECT_EQ(row.median, 3);
  EXPECT_EQ(row.q1, 2);
  EXPECT_EQ(row.q3, 4);
  EXPECT_EQ(row.min, 1);
  EXPECT_EQ(row.max, 5);
  EXPECT_EQ(row.repetitions, 5);
  EXPECT_THAT(read.machine, HasSubstr("a cpu"));
}

std::string parse_failure(const std::string& text) {
  return failure_message([&] { parse_report(text, "r.json"); });
}

TEST(reports, of_several_folders_have_the_folder_in_the_names_of_rows) {
  auto all = measured();
  all.records.push_back(all.records[0]);
  all.records[1].dir = "/other";
  const auto read = parse_report(json_report(all), "r.json");
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.rows[0].name, "print: leat, string, 8 KiB in /data");
  EXPECT_EQ(read.rows[1].name, "print: leat, string, 8 KiB in /other");
}

TEST(reports, that_are_invalid_are_refused_by_name) {
  const auto good = json_report(measured());
  EXPECT_EQ(parse_failure(good), "");
  const auto not_a_report = HasSubstr("'r.json' is not a report of leat bench --json");
  EXPECT_THAT(parse_failure(""), not_a_report);
  EXPECT_THAT(parse_failure("[]"), not_a_report);
  EXPECT_THAT(parse_failure("{\"a\": 1}"), not_a_report);
  EXPECT_THAT(parse_failure(good.substr(0, good.size() / 2)), not_a_report);
  EXPECT_THAT(parse_failure(R"({"schema": 1, "session": 3, "rows": 4})"), not_a_report);
  EXPECT_THAT(parse_failure(R"({"schema": "x", "session": {}, "rows": []})"), not_a_report);
  EXPECT_THAT(parse_failure(R"({"schema": 1, "rows": [3], "session":
      {"cpu": "", "kernel": "", "size": "", "device": ""}})"),
              not_a_report);
}

TEST(reports, of_another_schema_are_refused) {
  EXPECT_EQ(parse_failure(R"({"schema": 9, "session": {}, "rows": []})"),
            "'r.json' has schema 9, and this leat reads 1: measure again");
  EXPECT_THAT(parse_failure(R"({"session": {}, "rows": []})"), HasSubstr("has schema 0"));
}

TEST(reports, may_have_numbers_that_fit_no_integer) {
  const auto with = [](std::string_view member, std::string_view value) {
    auto text = json_report(measured());
    const auto at = text.find(member) + member.size();
    return text.replace(at, text.find_first_of(",}", at) - at, value);
  };
  EXPECT_EQ(parse_failure(with("\"schema\": ", "1e300")),
            "'r.json' has schema 1e+300, and this leat reads 1: measure again");
  EXPECT_EQ(parse_report(with("\"repetitions\": ", "1e300"), "r.json").rows.at(0).repetitions,
            1e300);
  EXPECT_EQ(parse_report(with("\"buffer_size\": ", "-1e300"), "r.json").rows.at(0).name,
            "print: leat, string, -1e+300");
}

}  // namespace
}  // namespace bench
