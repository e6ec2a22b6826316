// The experiments of `leat bench`: each variant does its work, and the findings follow from the
// figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "measuring/experiment.hpp"
#include "measuring/runner.hpp"
#include "measuring/scratch_folder.hpp"
#include "measuring/statistics.hpp"
#include "reporting/chart.hpp"
#include "support/platform.hpp"
#include "system/platform.hpp"
#include "system/raw_file.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

experiment find(const std::string& name, size run_size = size::quick) {
  const auto all = experiments({run_size});
  return *std::ranges::find(all, name, &experiment::name);
}

/// Returns the experiments that run if no experiment is named.
std::vector<experiment> default_experiments() {
  auto all = experiments({});
  std::erase_if(all, [](const auto& one) { return one.name.starts_with("loops/"); });
  return all;
}

std::vector<std::string> texts(const std::vector<finding>& given) {
  std::vector<std::string> all;
  for (const auto& one : given) all.push_back(one.text);
  return all;
}

outcome measure_once(const experiment& tested) {
  const scratch_folder folder(fs::temp_directory_path());
  run_options options;
  options.rounds = 1;
  return run_experiment(tested, folder.path(), options);
}

TEST(experiments, are_listed_in_a_fixed_order) {
  std::vector<std::string> names;
  for (const auto& one : default_experiments()) names.push_back(one.name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"print", "small-writes", "memory", "random-read",
                                              "random-update", "read-buffer", "search", "lines",
                                              "durable-writes", "small-files", "iostreams"}));
  EXPECT_EQ(names.front(), "print");
  EXPECT_THAT(names.back(), ::testing::AnyOf("compressed", "iostreams"));
}

TEST(experiments, have_a_baseline_a_variant_of_leat_and_unique_variant_names) {
  for (const auto& tested : default_experiments()) {
    std::set<role> roles;
    std::set<std::string> names;
    for (const auto& one : tested.variants) {
      roles.insert(one.role);
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
    }
    EXPECT_TRUE(roles.contains(role::baseline)) << tested.name;
    EXPECT_TRUE(roles.contains(role::leat)) << tested.name;
    EXPECT_FALSE(tested.published.empty());
  }
}

/// Returns an outcome as if each variant had been measured in each setting in which the variant
/// runs.
outcome outcome_of_all_variants(const experiment& tested) {
  outcome result;
  result.factors = tested.factors;
  for (const auto& at : all_settings(tested.factors)) {
    for (const auto& one : tested.variants) {
      if (one.applies && !one.applies(at)) continue;
      result.measurements.push_back({one.name, one.role, at, {"", 1, 1, ""}, {1}, {1}});
    }
  }
  return result;
}

TEST(experiments, have_a_chart_a_headline_and_a_finding) {
  for (const auto& tested : default_experiments()) {
    const auto result = outcome_of_all_variants(tested);
    EXPECT_FALSE(tested.charts.empty()) << tested.name;
    for (const auto& one : tested.charts)
      EXPECT_TRUE(make_drawing(one, result)) << tested.name << one.title;
    ASSERT_TRUE(tested.headline) << tested.name;
    EXPECT_TRUE(result.median(tested.headline->ours, tested.headline->ours_at)) << tested.name;
    EXPECT_TRUE(result.median(tested.headline->theirs, tested.headline->theirs_at)) << tested.name;
    EXPECT_FALSE(tested.findings(result).empty()) << tested.name;
    EXPECT_FALSE(tested.cached.empty()) << tested.name;
    for (const auto& figures : tested.published_tables) {
      for (const auto& row : figures.rows) EXPECT_EQ(row.size(), figures.columns.size());
    }
  }
}

// Only some builds have loops.
TEST(experiments, of_loops_measure_leat_in_every_row) {
  for (const auto& tested : experiments({size::tiny})) {
    if (!tested.name.starts_with("loops/")) continue;
    const auto result = measure_once(tested);
    for (const auto& row : tested.factors.front().values) {
      const auto has_leat = [&](const auto& one) {
        return one.variant == "leat" && one.setting.has("loop", row.text);
      };
      EXPECT_TRUE(std::ranges::any_of(result.measurements, has_leat)) << tested.name << row.text;
    }
  }
}

TEST(experiments, print_writes_the_same_bytes_with_every_variant) {
  const auto result = measure_once(find("print", size::tiny));
  const std::pair<std::string, value> strings{"workload", {"string", {}}};
  for (const auto* workload : {"string", "ints", "csv"}) {
    for (const auto* variant : {
             "leat",
             "fprintf",
             "std::ofstream",
#if FMT_USE_FCNTL
             "{fmt} output_file",
#endif
         }) {
      EXPECT_TRUE(result.median(variant, {{"workload", {workload, {}}}})) << variant << workload;
    }
  }
  for (const auto& size : doubling(1 << 10, 1 << 20)) {
    EXPECT_TRUE(result.median("leat", {strings, {"buffer_size", size}}));
    EXPECT_TRUE(result.median("{fmt} compiled, own buffer", {strings, {"buffer_size", size}}));
#if FMT_USE_FCNTL
    EXPECT_TRUE(result.median("{fmt} output_file", {strings, {"buffer_size", size}}));
#endif
  }
  EXPECT_TRUE(result.median("leat", {{"target", {null_device, {}}}}));
  EXPECT_FALSE(result.median("std::ofstream", {{"target", {null_device, {}}}}));
  EXPECT_EQ(find("print").findings(result).size(), 2u);
}

TEST(experiments, small_writes_write_the_same_bytes_with_every_variant) {
  if (leat_test::under_wine()) GTEST_SKIP() << "Wine takes minutes for these millions of writes";
  const auto tested = find("small-writes", size::tiny);
  const auto result = measure_once(tested);
  EXPECT_EQ(result.measurements.size(), tested.variants.size());
  EXPECT_EQ(tested.findings(result).size(), 3u);
}

TEST(experiments, memory_holds_the_same_bytes_after_every_variant) {
  const auto tested = find("memory", size::tiny);
  const auto result = measure_once(tested);
  EXPECT_EQ(result.measurements.size(), tested.variants.size() + (on_windows ? 2 : 3));
  const auto found = tested.findings(result);
  ASSERT_EQ(found.size(), on_windows ? 1u : 4u);
  EXPECT_THAT(found.back().text,
              HasSubstr(on_windows ? "Windows has no fmemopen"
                                   : "10 are lost. Confirmed: leat's count is exact."));
}

constexpr auto single_reads = on_windows ? read_call : "pread";
constexpr auto single_updates = on_windows ? "ReadFile + WriteFile" : "pread + pwrite";

// The experiments check the bytes that were read, and the bytes that updates found and left.
TEST(experiments, random_access_reads_the_same_values_with_every_variant) {
  for (const auto& [name, combinations] :
       {std::pair{"random-read", 16u}, std::pair{"random-update", 12u}}) {
    const auto tested = find(name, size::tiny);
    const auto result = measure_once(tested);
    for (const auto& one : tested.variants) {
      if (one.name.starts_with("io_uring")) continue;  // not on all systems
      // On Windows, no file is reliably out of the cache.
      if (on_windows && (one.name.ends_with("direct") || one.name.ends_with("WILLNEED"))) continue;
      const auto rows = std::ranges::count(result.measurements, one.name, &measurement::variant);
      EXPECT_GT(rows, 0) << one.name;
      // If the file is in the page cache, stdio has a row for each combination of factors. If not,
      // stdio has rows only for the usual combination, in both orders.
      if (one.name == "stdio") {
        EXPECT_EQ(rows, combinations + 2 * (on_windows ? 1 : 2)) << name;
      }
    }
    for (const auto& one : result.measurements) {
      const bool single = one.variant == "stdio" || one.variant == "leat/stdio.h" ||
                          one.variant == single_reads || one.variant == single_updates ||
                          one.variant == "leat operator[]";
      ASSERT_EQ(one.per_operation.has_value(), single) << one.variant;
      if (!single) continue;
      EXPECT_GT(one.per_operation->min, 0);
      EXPECT_LE(one.per_operation->min, one.per_operation->median);
      EXPECT_LE(one.per_operation->median, one.per_operation->max);
    }
    const bool updates = tested.name == "random-update";
    const std::size_t grid_findings = updates ? 2 : 3, scene_findings = updates ? 6 : 4;
    EXPECT_EQ(tested.findings(result).size(),
              grid_findings + (on_windows ? 1 + scene_findings * 2 : scene_findings * 3))
        << name;
  }
}

TEST(experiments, random_access_fails_if_an_update_is_lost) {
  auto tested = find("random-update", size::tiny);
  std::erase_if(tested.variants, [](const auto& one) { return one.name != single_updates; });
  EXPECT_EQ(measure_once(tested).measurements.size(), on_windows ? 3u : 5u);
  tested.variants[0].work = [work = tested.variants[0].work](run& this_run) {
    work(this_run);
    raw_file file(this_run.folder / "small", access::update);
    for (int i = 0; i != 65536; ++i) file.write(std::string_view("\1\0\0\0", 4));
  };
  EXPECT_THROW(measure_once(tested), failure);
}

TEST(experiments, random_access_takes_the_same_time_on_a_simulated_disk_every_time) {
  for (const auto disk : {leat::simulated_disk::hdd, leat::simulated_disk::s3}) {
    for (const auto* name : {"random-read", "random-update"}) {
      const auto all = experiments({size::tiny, disk});
      const auto tested = *std::ranges::find(all, name, &experiment::name);
      ASSERT_EQ(tested.medium, medium::simulated);
      const auto once = measure_once(tested), again = measure_once(tested);
      const bool updates = tested.name == "random-update";
      const std::size_t leat_rows = updates ? 7 : 6, stdio_rows = updates ? 12 + 2 : 16;
      ASSERT_EQ(once.measurements.size(), leat_rows + (on_windows ? 0 : stdio_rows));
      for (std::size_t i = 0; i != once.measurements.size(); ++i) {
        EXPECT_GT(once.measurements[i].wall[0], 0);
        EXPECT_EQ(once.measurements[i].wall, again.measurements[i].wall)
            << once.measurements[i].variant;
      }
      EXPECT_EQ(tested.findings(once).size(), on_windows ? 2u : 7u);
      // Each operation is timed by the simulated disk's clock. The sum is about the time of the
      // whole pass.
      const auto single = std::ranges::find_if(once.measurements, [](const auto& one) {
        return one.variant.starts_with("leat operator");
      });
      ASSERT_NE(single, once.measurements.end());
      ASSERT_TRUE(single->per_operation);
      EXPECT_GT(single->per_operation->min, 0);
      EXPECT_LE(single->per_operation->max, single->wall[0]);
      EXPECT_NEAR(single->per_operation->mean * static_cast<double>(single->load.operations),
                  single->wall[0], single->wall[0] / 2);
    }
  }
}

TEST(experiments, random_access_uses_smaller_files_if_little_space_is_free) {
  const auto all = experiments({size::quick, std::nullopt, 100'000'000});
  const auto tested = *std::ranges::find(all, "random-read", &experiment::name);
  EXPECT_LT(tested.space, 100'000'000u);
  EXPECT_THAT(texts(tested.findings({})), ElementsAre(HasSubstr("only 0.1 GB are free")));
}

TEST(experiments, read_buffer_reads_the_same_bytes_with_every_variant) {
  const auto tested = find("read-buffer", size::tiny);
  const auto result = measure_once(tested);
  const std::pair<std::string, value> once{"passes", {"1 times", 1}};
  for (const auto* variant : {"leat", "window", "fread", read_call, "ifstream", map_call}) {
    for (const auto size : {16, 2 << 10, 1 << 20}) {
      EXPECT_TRUE(result.median(variant, {once, {"read_size", bytes(size)}})) << variant << size;
    }
  }
  EXPECT_EQ(tested.findings(result).size(), 5u);
}

TEST(experiments, search_finds_the_same_occurrences_with_every_variant) {
  const auto tested = find("search", size::tiny);
  const auto result = measure_once(tested);
  const auto all = std::uint64_t{8} << 20;
  for (const auto& one : result.measurements) {
    if (one.variant == "leat" && one.setting.has("keyword", "at the start")) {
      EXPECT_LT(one.bytes_read, 64u << 10);
    }
    if (one.role != role::leat && one.setting.has("keyword", "absent") && one.bytes_read) {
      EXPECT_GE(one.bytes_read, all) << one.variant;
    }
  }
  EXPECT_THAT(tested.findings(result).at(1).text, HasSubstr("reading the whole file first"));
}

TEST(experiments, lines_reads_the_same_lines_with_every_variant) {
  const auto tested = find("lines", size::tiny);
  const auto result = measure_once(tested);
  EXPECT_GE(result.measurements.size(), tested.variants.size());
  EXPECT_GE(tested.findings(result).size(), 3u);
}

TEST(experiments, iostreams_give_the_same_text_and_values_with_std_and_leat) {
  const auto tested = find("iostreams", size::tiny);
  const auto result = measure_once(tested);
  EXPECT_EQ(result.measurements.size(), 2 * tested.factors[0].values.size());
  EXPECT_EQ(tested.findings(result).size(), tested.factors[0].values.size());
}

TEST(experiments, small_files_have_the_same_content_with_every_variant) {
  const auto tested = find("small-files", size::tiny);
  const auto result = measure_once(tested);
  EXPECT_EQ(result.measurements.size(), tested.variants.size() * tested.factors[0].values.size());
  EXPECT_EQ(tested.findings(result).size(), tested.factors[0].values.size());
}

TEST(experiments, fail_if_a_variant_has_a_wrong_result) {
  for (const auto* name : {"read-buffer", "search", "lines", "small-files", "iostreams"}) {
    auto tested = find(name, size::tiny);
    tested.variants.resize(1);
    tested.variants[0].work = [work = tested.variants[0].work](run& this_run) {
      work(this_run);
      ++this_run.answer;
    };
    EXPECT_THROW(measure_once(tested), failure) << name;
  }
}

TEST(experiments, small_files_fails_if_a_file_is_not_replaced) {
  auto tested = find("small-files", size::tiny);
  std::erase_if(tested.factors[0].values, [](const value& one) { return one.text != "replace"; });
  tested.variants.resize(1);
  tested.variants[0].work = [](run&) {};
  EXPECT_THROW(measure_once(tested), failure);
}

outcome outcome_with(const std::vector<std::pair<std::string, double>>& seconds) {
  outcome result;
  for (const auto& [name, time] : seconds) {
    result.measurements.push_back({name, role::peer, {}, {"", 1, 1, ""}, {time}, {time}});
  }
  return result;
}

TEST(experiments, small_writes_confirms_a_claim_only_if_the_figures_show_it) {
  const auto finding_texts = [](const outcome& figures) {
    return texts(find("small-writes").findings(figures));
  };
  const auto each = std::string(write_call) + " each";
  EXPECT_THAT(finding_texts(outcome_with({{each, 0.5}, {"fprintf", 0.005}})),
              ElementsAre("fprintf is 100× as fast as a write for each byte. Confirmed: buffering "
                          "makes the difference."));
  EXPECT_THAT(finding_texts(outcome_with({{each, 0.5}, {"fprintf", 0.3}})),
              ElementsAre(HasSubstr("Not confirmed here")));
  EXPECT_THAT(
      finding_texts(outcome_with({{each, 0.5}, {"fprintf + fflush each", 1.5}})),
      ElementsAre(HasSubstr("takes 3.0× the time of write. Not confirmed here: the two take "
                            "the same time.")));
  EXPECT_THAT(finding_texts(outcome_with({{each, 0.5}, {"fprintf + fflush each", 0.65}})),
              ElementsAre(HasSubstr("Not confirmed here")));
  EXPECT_THAT(finding_texts(outcome_with({{each, 0.5}, {"fprintf + fflush each", 0.6}})),
              ElementsAre(HasSubstr(". Confirmed: the two")));
  EXPECT_TRUE(finding_texts(outcome_with({})).empty());
}

TEST(experiments, print_confirms_the_published_claim_by_the_published_variant) {
  const auto finding_texts = [](const outcome& figures) {
    return texts(find("print").findings(figures));
  };
  const std::pair<std::string, double> base{"fprintf", 0.042}, leat{"leat", 0.0042};
  EXPECT_THAT(
      finding_texts(outcome_with({base, leat, {"{fmt} compiled, own buffer", 0.01}})),
      ElementsAre("leat writes these lines 10× as fast as fprintf, and {fmt} compiled into its "
                  "own buffer 4.2×. Not confirmed here: {fmt} is 5 to 9 times as fast as "
                  "fprintf, as published.",
                  _));
  EXPECT_THAT(finding_texts(outcome_with({base, leat, {"{fmt} compiled, own buffer", 0.007}})),
              ElementsAre(HasSubstr(". Confirmed: {fmt} is"), _));
}

#if !defined(_WIN32)
outcome measured_at(const std::string& factor,
                    const std::vector<std::tuple<std::string, value, double>>& all) {
  outcome result;
  result.factors = {{factor, {}, layout::table}};
  for (const auto& [name, chosen, time] : all) {
    auto& one = result.measurements.emplace_back();
    one.variant = name;
    one.setting.set(factor, chosen);
    one.wall = {time};
  }
  return result;
}

TEST(experiments, memory_confirms_a_claim_only_if_the_figures_show_it) {
  const auto verdicts = [](double unbuffered, double ours) {
    const value rewind{"rewind", {}};
    const auto found =
        find("memory").findings(measured_at("work", {{"fmemopen", rewind, 1.0},
                                                     {"fmemopen, unbuffered", rewind, unbuffered},
                                                     {"leat memory_writer", rewind, ours}}));
    return std::pair(found.at(0).verdict, found.at(1).verdict);
  };
  EXPECT_EQ(verdicts(1.8, 0.1), std::pair(judgement::confirmed, judgement::confirmed));
  EXPECT_EQ(verdicts(1.0, 0.9), std::pair(judgement::not_confirmed, judgement::not_confirmed));
}
#endif

TEST(experiments, read_buffer_confirms_a_claim_only_if_the_figures_show_it) {
  const auto verdicts = [](double tiny, double good, double best) {
    outcome result;
    result.factors = {{"passes", {}, layout::table}, {"read_size", {}, layout::axis}};
    for (const auto& [size, time] :
         {std::pair{16, tiny}, {2 << 10, 1.0}, {32 << 10, good}, {1 << 20, best}}) {
      auto& one = result.measurements.emplace_back();
      one.variant = on_windows ? "ReadFile, SEQUENTIAL_SCAN" : read_call;
      one.setting.set("passes", {"10 times", 10});
      one.setting.set("read_size", bytes(size));
      one.wall = {time};
    }
    const auto found = find("read-buffer").findings(result);
    return std::pair(found.at(0).verdict, found.at(1).verdict);
  };
  EXPECT_EQ(verdicts(100, 0.3, 0.29), std::pair(judgement::confirmed, judgement::confirmed));
  EXPECT_EQ(verdicts(20, 0.3, 0.1), std::pair(judgement::not_confirmed, judgement::not_confirmed));
}

#if defined(HAS_SYSTEM_FILES)
TEST(experiments, report_a_full_disk_with_every_variant) {
  for (const auto* name : {"print", "small-writes"}) {
    const auto tested = find(name, size::tiny);
    for (const auto& variant : tested.variants) {
      auto alone = tested;
      alone.variants = {variant};
      for (auto& factor : alone.factors) factor.values.resize(1);
      alone.before = [](run& this_run) { fs::create_symlink("/dev/full", this_run.file); };
      // Each variant runs in a child process. The child ends without exit handlers, because the
      // variant of {fmt} leaves its failed stream open.
      EXPECT_EXIT(
          {
            try {
              measure_once(alone);
            } catch (const failure& error) {
              std::fputs(error.what(), stderr);
            }
            _exit(0);
          },
          ::testing::ExitedWithCode(0), "No space left on device")
          << name << ": " << variant.name;
    }
  }
}

#endif

}  // namespace
}  // namespace bench
