// The report as text: tables, verdicts, findings, notes and warnings.
#include "reporting/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reporting/text.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

measurement measured(const std::string& variant, role part, const std::string& workload,
                     const value& buffer, double seconds) {
  measurement one{variant, part, {}, {workload + " lines", 10'000'000, 1'000'000, ""}, {}, {}};
  one.setting.set("workload", {workload, {}});
  one.setting.set("buffer_size", buffer);
  one.wall = {seconds * 0.9, seconds, seconds * 1.1};
  one.cpu = one.wall;
  return one;
}

class report_test : public ::testing::Test {
 protected:
  report_test() {
    record_.experiment = "print";
    record_.title = "formatted output";
    record_.published = "fprintf 40.1 ms.";
    record_.dir = "/data";
    record_.volume.file_system = "xfs";
    record_.result.factors = {{"workload", {{"a", {}}, {"b", {}}}, layout::table},
                              {"buffer_size", {{}, bytes(8192), bytes(16384)}, layout::axis}};
    add("fprintf", role::baseline, "a", {}, 0.040);
    add("leat", role::leat, "a", {}, 0.0051);
    add("peer", role::peer, "a", {}, 0.020);
    add("write", role::floor, "a", {}, 0.002);
  }

  void add(const std::string& variant, role part, const std::string& workload, const value& buffer,
           double seconds) {
    record_.result.measurements.push_back(measured(variant, part, workload, buffer, seconds));
  }

  std::string text(int width = 80) { return record_text(record_, {width, false}); }

  /// The report of the record that record_of() makes of the outcome.
  std::string concluded() {
    experiment made;
    made.published = record_.published;
    made.findings = findings_;
    return record_text(record_of(made, record_.dir, record_.volume, record_.result), {80, false});
  }

  std::function<std::vector<finding>(const outcome&)> findings_;
  record record_;
};

TEST_F(report_test, names_the_folder_the_file_system_and_the_workload) {
  EXPECT_THAT(text(), HasSubstr("print: formatted output\nin '/data' (xfs), 3 repetitions\n"));
  EXPECT_THAT(text(), HasSubstr("\na lines\n"));
}

TEST_F(report_test, lists_the_fastest_first_with_speed_and_ratio_to_the_baseline) {
  const auto all = text();
  EXPECT_THAT(all, HasSubstr("wall ms"));
  EXPECT_LT(all.find("floor: write"), all.find("* leat"));
  EXPECT_LT(all.find("* leat"), all.find("  peer"));
  EXPECT_LT(all.find("  peer"), all.find("  fprintf  "));
  EXPECT_THAT(all, HasSubstr("1961"));  // MB/s
  EXPECT_THAT(all, HasSubstr("7.8×"));
}

TEST_F(report_test, does_not_name_the_lower_bound_as_the_fastest) {
  EXPECT_THAT(text(), HasSubstr("Fastest: leat, 7.8× fprintf."));
}

TEST_F(report_test, compares_with_the_best_of_several_baselines) {
  add("fprintf", role::baseline, "a", {}, 0.030);
  EXPECT_THAT(text(), HasSubstr("vs the best fprintf"));
  EXPECT_THAT(text(), HasSubstr("Fastest: leat, 5.9× the best fprintf."));
}

TEST_F(report_test, names_variants_as_fast_as_the_winner) {
  add("close", role::peer, "a", {}, 0.0052);
  EXPECT_THAT(text(), HasSubstr("Fastest: leat, 7.8× fprintf; within 3 % of it: close."));
}

TEST_F(report_test, has_the_time_per_operation_in_nanoseconds) {
  for (auto& one : record_.result.measurements) one.load.operation = "line";
  EXPECT_THAT(text(), HasSubstr("ns/line"));
  EXPECT_THAT(text(), HasSubstr("5.10"));
}

TEST_F(report_test, has_a_table_for_each_value_of_a_table_factor) {
  add("fprintf", role::baseline, "b", {}, 0.1);
  EXPECT_THAT(text(), HasSubstr("\nb lines\n"));
  EXPECT_THAT(text(), HasSubstr("Fastest: fprintf."));
}

TEST_F(report_test, has_a_separate_table_for_a_varied_setting) {
  add("leat", role::leat, "a", bytes(8192), 0.0060);
  add("leat", role::leat, "a", bytes(16384), 0.0050);
  add("peer", role::peer, "a", bytes(8192), 0.0190);
  const auto all = text();
  EXPECT_THAT(all, HasSubstr("buffer size, ms    leat    peer\n"));
  EXPECT_THAT(all, HasSubstr("its default        5.10    20.0\n"));
  EXPECT_THAT(all, HasSubstr("8 KiB              6.00  * 19.0\n"));
  EXPECT_THAT(all, HasSubstr("16 KiB           * 5.00       –\n"));
  record_.result.factors[1].values.push_back(bytes(1 << 20));
  EXPECT_THAT(text(), Not(HasSubstr("1 MiB")));  // no variant has this value
  EXPECT_THAT(all, HasSubstr("leat: best at 16 KiB; its default is within 2 % of that."));
  EXPECT_THAT(all, HasSubstr("peer: best at 8 KiB; its default is within 5 % of that."));
}

TEST_F(report_test, says_how_much_longer_a_bad_default_takes) {
  add("peer", role::peer, "a", bytes(8192), 0.0100);
  EXPECT_THAT(text(), HasSubstr("peer: best at 8 KiB; its default takes 100 % longer."));
}

TEST_F(report_test, has_a_column_of_bytes_read_if_a_variant_reports_them) {
  EXPECT_THAT(text(), Not(HasSubstr("read MB")));
  record_.result.measurements[1].bytes_read = 2'500'000;
  EXPECT_THAT(text(), HasSubstr("vs fprintf  read MB"));
  EXPECT_THAT(text(), HasSubstr("7.8×     2.50"));
}

TEST_F(report_test, has_a_column_of_bytes_written_if_a_variant_reports_them) {
  EXPECT_THAT(text(), Not(HasSubstr("to disk")));
  record_.result.measurements[1].bytes_written = 2'500'000;
  EXPECT_THAT(text(), HasSubstr("MB to disk"));
  EXPECT_THAT(text(), HasSubstr("2.50"));
}

TEST_F(report_test, has_columns_of_requests_and_price_if_a_variant_reports_them) {
  EXPECT_THAT(text(), Not(HasSubstr("requests")));
  record_.result.measurements[1].requests = 12'345;
  record_.result.measurements[1].dollars = 0.0125;
  EXPECT_THAT(text(), HasSubstr("requests  cents"));
  EXPECT_THAT(text(), HasSubstr("12,345   1.25"));
}

TEST_F(report_test, does_not_name_a_model_as_the_fastest) {
  add("leat", role::model, "a", {}, 0.001);
  EXPECT_THAT(text(), HasSubstr("model: leat"));
  EXPECT_THAT(text(), HasSubstr("Fastest: leat, 7.8× fprintf."));
}

TEST_F(report_test, shows_no_spread_of_a_single_repetition) {
  EXPECT_THAT(text(), HasSubstr("10 %"));
  for (auto& one : record_.result.measurements) one.wall.resize(1);
  EXPECT_THAT(text(), Not(HasSubstr("%")));
}

TEST_F(report_test, has_no_verdict_after_too_few_repetitions) {
  findings_ = [](const outcome&) { return std::vector<finding>{{"one."}, {"two."}}; };
  EXPECT_THAT(concluded(), HasSubstr("Here: one.\nHere: two.\n"));
  const auto no_verdict =
      HasSubstr("Published: fprintf 40.1 ms.\nHere: too few repetitions to conclude.\n");
  record_.result.complete = false;
  EXPECT_THAT(concluded(), no_verdict);
  EXPECT_THAT(concluded(), Not(HasSubstr("one.")));
  record_.result.complete = true;
  record_.result.measurements[1].wall.resize(2);
  EXPECT_THAT(concluded(), no_verdict);
}

TEST_F(report_test, has_the_published_figures_before_the_findings) {
  findings_ = [](const outcome& result) {
    return std::vector<finding>{{"saw " + std::to_string(result.measurements.size()) + "."}};
  };
  EXPECT_THAT(concluded(), HasSubstr("Published: fprintf 40.1 ms.\nHere: saw 4.\n"));
}

TEST(findings, say_whether_the_claim_is_confirmed) {
  EXPECT_EQ(check_claim("1 and 2", "1 < 2", true).text, "1 and 2. Confirmed: 1 < 2.");
  EXPECT_EQ(check_claim("1 and 2", "1 < 2", true).verdict, judgement::confirmed);
  EXPECT_EQ(check_claim("1 and 2", "2 < 1", false).text, "1 and 2. Not confirmed here: 2 < 1.");
  EXPECT_EQ(check_claim("1 and 2", "2 < 1", false).verdict, judgement::not_confirmed);
}

TEST(warnings, name_disturbances_and_are_empty_on_a_quiet_machine) {
  session all;
  all.machine.optimized = true;
  all.machine.cores = 2;
  all.machine.load = 0.2;
  all.machine.governor = "performance";
  all.machine.turbo = false;
  all.records.resize(2);
  all.records[0].experiment = "print";
  all.records[1].experiment = "memory";
  EXPECT_THAT(warnings(all), ::testing::IsEmpty());
  all.machine.load = 1.5;
  all.machine.governor = "powersave";
  all.machine.turbo = true;
  all.records[1].busy_cores = 0.8;
  EXPECT_THAT(warnings(all),
              ::testing::ElementsAre(HasSubstr("Other programs kept 1.5 of 2 cores busy before"),
                                     HasSubstr("'powersave'"), HasSubstr("Turbo is on"),
                                     HasSubstr("were measured: memory (0.8).")));
  all.machine.optimized = false;
  EXPECT_THAT(warnings(all).front(), HasSubstr("not optimised"));
  EXPECT_THAT(heading(all, {80, false}), HasSubstr("Turbo is on"));
}

TEST_F(report_test, marks_an_interrupted_run_as_partial) {
  EXPECT_THAT(text(), Not(HasSubstr("PARTIAL")));
  record_.result.complete = false;
  EXPECT_THAT(text(), HasSubstr("PARTIAL"));
  record_.result.measurements.erase(record_.result.measurements.begin());  // the baseline
  EXPECT_THAT(text(), HasSubstr("Fastest: leat."));
  record_.result.measurements.clear();
  EXPECT_THAT(text(), HasSubstr("nothing measured; PARTIAL"));
}

TEST_F(report_test, has_no_line_wider_than_the_page) {
  record_.published =
      std::string(30, 'x') + ' ' + std::string(30, 'y') + ' ' + std::string(30, 'z');
  add("leat", role::leat, "a", bytes(8192), 0.0060);
  for (const int width : {60, 80, 160}) {
    std::istringstream lines(text(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
  }
}

TEST(volume, is_described_by_file_system_block_size_and_disk) {
  EXPECT_EQ(volume_text({"ext4", 4096, "sda, Disk 5"}), "ext4, blocks of 4 KiB, on sda, Disk 5");
  EXPECT_EQ(volume_text({"unknown", 0, ""}), "unknown");
}

}  // namespace
}  // namespace bench
