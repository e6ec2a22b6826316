// The experiments of `leat bench` on object storage: each variant does its work, and the findings
// follow from the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/store/objects.hpp"
#include "experiments/store/store_fixture.hpp"
#include "experiments/texts.hpp"
#include "measuring/experiment.hpp"
#include "measuring/runner.hpp"
#include "measuring/scratch_objects.hpp"
#include "remote/store.hpp"
#include "reporting/chart.hpp"

namespace bench {
namespace {

using ::testing::HasSubstr;

constexpr const char* store_experiment_names[] = {"random-read", "read-buffer", "search", "lines"};

experiment find(const std::string& name, const std::string& address) {
  const auto all = experiments({.size = size::tiny, .store = address});
  return *std::ranges::find(all, name, &experiment::name);
}

outcome measure_objects_once(const experiment& tested) {
  run_options options;
  options.rounds = 1;
  return run_experiment(tested, {}, options);
}

std::string all_text(const std::vector<finding>& findings) {
  std::string text;
  for (const auto& one : findings) text += one.text + '\n';
  return text;
}

class store_experiments : public leat_test::with_store {};

TEST_F(store_experiments, only_the_four_experiments_for_stores_use_a_store) {
  std::vector<std::string> names;
  for (const auto& one : experiments({.store = "s3://bucket/x/"}))
    if (one.medium == medium::store) names.push_back(one.name);
  EXPECT_THAT(names, ::testing::ElementsAreArray(store_experiment_names));
  for (const auto& one : experiments({})) EXPECT_NE(one.medium, medium::store) << one.name;
}

// The checks of the experiments compare the bytes that were read.
TEST_F(store_experiments, have_the_same_results_with_every_variant_and_count_the_traffic) {
  const scratch_objects scratch("s3://bucket/tests");
  for (const auto* name : store_experiment_names) {
    const auto tested = find(name, scratch.address());
    const auto result = measure_objects_once(tested);
    for (const auto& one : tested.variants)
      EXPECT_GT(std::ranges::count(result.measurements, one.name, &measurement::variant), 0)
          << name << one.name;
    for (const auto& one : result.measurements) {
      const bool real = one.role != role::model;
      ASSERT_EQ(one.bytes_read.has_value(), real) << name << one.variant;
      if (!real) continue;
      EXPECT_GT(one.requests.value_or(0), 0u) << name << one.variant;
      EXPECT_GT(one.dollars.value_or(0), 0) << name << one.variant;
    }
    const auto found = all_text(tested.findings(result));
    EXPECT_THAT(found, HasSubstr("this store: "));
    EXPECT_THAT(found, HasSubstr("predicted "));
    for (const auto& one : tested.charts)
      EXPECT_TRUE(make_drawing(one, result)) << name << one.title;
    ASSERT_TRUE(tested.headline);
    EXPECT_TRUE(result.median(tested.headline->ours, tested.headline->ours_at)) << name;
    EXPECT_TRUE(result.median(tested.headline->theirs, tested.headline->theirs_at)) << name;
  }
}

TEST_F(store_experiments, search_reads_more_bytes_and_takes_longer_if_the_occurrence_is_later) {
  const scratch_objects scratch("s3://bucket/tests");
  auto tested = find("search", scratch.address());
  std::erase_if(tested.variants, [](const auto& one) { return one.role == role::peer; });
  auto result = measure_objects_once(tested);
  const auto predicted = [&](const char* where) {
    return result.median("simulated", {{"keyword", {where, {}}}}).value_or(0);
  };
  // Other programs may make the store so slow to answer that the bytes no longer matter.
  for (int again = 0; again != 9 && predicted("absent") <= predicted("at 1 %"); ++again)
    result = measure_objects_once(tested);
  EXPECT_GT(predicted("absent"), predicted("at 1 %"));
  EXPECT_GE(predicted("absent"), predicted("at 50 %"));
  EXPECT_GE(predicted("at 50 %"), predicted("at 1 %"));
  EXPECT_GT(predicted("at 1 %"), 0);
  for (const auto& one : result.measurements) {
    if (one.variant != "leat") continue;
    if (one.setting.has("keyword", "absent")) {
      EXPECT_GE(one.bytes_read, english_block_size / 2);
    }
    if (one.setting.has("keyword", "at the start")) {
      EXPECT_LT(one.bytes_read, 300'000u);
    }
  }
}

TEST_F(store_experiments, count_the_requests_of_libcurl_and_the_bytes_with_headers) {
  const scratch_objects scratch("s3://bucket/tests");
  auto tested = find("random-read", scratch.address());
  std::erase_if(tested.variants, [](const auto& one) { return !one.name.starts_with("libcurl"); });
  for (const auto& one : measure_objects_once(tested).measurements) {
    const bool whole = one.variant == "libcurl, whole";
    const std::uint64_t requests = whole ? 1 : one.load.operations;
    const std::uint64_t bytes = whole ? 4 << 20 : one.load.bytes;
    EXPECT_EQ(one.requests, requests) << one.variant;
    EXPECT_GE(one.bytes_read, bytes) << one.variant;
    EXPECT_LE(one.bytes_read, bytes + 1000 * requests) << one.variant;  // response headers
  }
}

TEST_F(store_experiments, fail_if_a_variant_has_a_wrong_result) {
  const scratch_objects scratch("s3://bucket/tests");
  for (const auto* name : store_experiment_names) {
    auto tested = find(name, scratch.address());
    std::erase_if(tested.variants, [](const auto& one) { return one.role != role::leat; });
    tested.variants.resize(1);
    tested.variants[0].work = [work = tested.variants[0].work](run& this_run) {
      work(this_run);
      ++this_run.answer;
    };
    EXPECT_THROW(measure_objects_once(tested), failure) << name;
  }
}

// Each byte of an object is received once.
TEST_F(store_experiments, count_each_received_byte_and_the_requests) {
  const scratch_objects scratch("s3://bucket/tests");
  content object(block_of_lines, lines_block_size, 1);
  object.fill();
  upload(scratch.address() + "lines", object);
  const auto before = leat::remote::traffic();
  auto in = leat::open(scratch.address() + "lines");
  EXPECT_EQ(in.read_all().size(), lines_block_size);
  const auto now = leat::remote::traffic();
  EXPECT_EQ(now.received - before.received, lines_block_size);
  EXPECT_GT(now.requests, before.requests);
}

TEST(content, repeats_the_block_except_where_words_are_written_over_it) {
  content object([] { return std::string("abcd"); }, 4, 3);
  object.fill();
  object.put(3, "XY");
  std::vector<char> all(20, '.');
  ASSERT_EQ(object.read(0, all), 12u);
  EXPECT_EQ(std::string(all.data(), 12), "abcXYbcdabcd");
  ASSERT_EQ(object.read(4, std::span(all).first(3)), 3u);
  EXPECT_EQ(std::string(all.data(), 3), "Ybc");
  EXPECT_EQ(object.read(12, all), 0u);
}

TEST(store_model, speed_and_latency_determine_the_time_of_simulated_reads) {
  const auto object = std::make_shared<content>(english_block, english_block_size, 8);
  object->fill();
  const store_speed near{
      .first_byte = 0.01, .one_stream = 1e8, .all_streams = 4e8, .interval = 1e-4};
  const double bytes = 8.0 * english_block_size;
  // Eight concurrent ranges share the store's bandwidth.
  const double all = simulated_read_seconds(object, near, object->size());
  EXPECT_GE(all, bytes / 4e8);
  EXPECT_LE(all, bytes / 4e8 + 0.1);
  EXPECT_NEAR(simulated_read_seconds(object, near, 1000), 0.01, 0.001);
}

TEST(store_model, measured_times_confirm_the_model_only_within_a_factor_of_two) {
  EXPECT_EQ(compare_with_model("it", 1.0, 1.9).verdict, judgement::confirmed);
  EXPECT_EQ(compare_with_model("it", 1.0, 2.1).verdict, judgement::not_confirmed);
  EXPECT_EQ(compare_with_model("it", 1.0, 0.4).verdict, judgement::not_confirmed);
}

}  // namespace
}  // namespace bench
