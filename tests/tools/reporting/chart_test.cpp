// The content of the charts of `leat bench`: bars, boxes, curves, levels and captions.
#include "reporting/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class chart_test : public ::testing::Test {
 protected:
  chart_test() {
    result_.factors = {{"work", {{"a", {}}, {"b", {}}}, layout::table},
                       {"order", {{"sorted", {}}, {"", {}}}, layout::row},
                       {"buffer_size", {{}, bytes(8192), bytes(16384)}, layout::axis}};
  }

  measurement& add(const std::string& variant, role part, const std::string& work,
                   const value& buffer, double seconds) {
    auto& one = result_.measurements.emplace_back();
    one.variant = variant;
    one.role = part;
    one.setting.set("work", {work, {}});
    one.setting.set("order", {});
    one.setting.set("buffer_size", buffer);
    one.load = {"", 2'000'000, 1000, ""};
    one.wall = {seconds};
    return one;
  }

  outcome result_;
};

TEST_F(chart_test, has_the_best_bar_first_and_only_the_chosen_rows) {
  add("slow", role::peer, "a", {}, 0.004);
  add("fast", role::leat, "a", {}, 0.001);
  add("elsewhere", role::peer, "b", {}, 0.002);
  add("fast", role::leat, "a", bytes(8192), 0.002);  // on an axis
  const auto made = make_drawing({.title = "x", .where = {{"work", {"a", {}}}}}, result_);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->bars.size(), 2u);
  EXPECT_EQ(made->bars[0].name, "fast");
  EXPECT_DOUBLE_EQ(made->bars[0].value, 1);
  EXPECT_EQ(made->bars[1].name, "slow");
  EXPECT_EQ(caption(*made), "ms; less is better.");
}

TEST_F(chart_test, has_the_highest_speed_first) {
  add("slow", role::peer, "a", {}, 0.004);
  add("fast", role::leat, "a", {}, 0.001);
  const auto made = make_drawing({.title = "x", .quantity = quantity::speed}, result_);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->bars[0].name, "fast");
  EXPECT_DOUBLE_EQ(made->bars[0].value, 2000);
  EXPECT_EQ(caption(*made), "MB/s; more is better.");
}

TEST_F(chart_test, shows_times_per_operation_as_bars_and_single_operations_as_boxes) {
  add("single", role::peer, "a", {}, 0.002).per_operation = {1e-7, 2e-7, 3e-7, 9e-7,
                                                             1e-7, 2e-7, 4e-7, 5e-7};
  add("batch", role::leat, "a", {}, 0.001);
  const auto made = make_drawing({.title = "x", .quantity = quantity::per_operation}, result_);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->bars[0].name, "batch");
  EXPECT_DOUBLE_EQ(made->bars[0].value, 1000);
  EXPECT_FALSE(made->bars[0].per_operation);
  EXPECT_DOUBLE_EQ(made->bars[1].value, 2000);
  ASSERT_TRUE(made->bars[1].per_operation);
  EXPECT_DOUBLE_EQ(made->bars[1].per_operation->p75, 400);
  EXPECT_THAT(caption(*made), HasSubstr("a box holds the middle half"));
}

TEST_F(chart_test, shows_varied_settings_as_curves_and_fixed_settings_as_levels) {
  add("leat", role::leat, "a", {}, 0.003);
  add("leat", role::leat, "a", bytes(16384), 0.001);
  add("leat", role::leat, "a", bytes(8192), 0.002);
  add("fprintf", role::baseline, "a", {}, 0.040);
  const auto made =
      make_drawing({.title = "x", .axis = "buffer_size", .logarithmic = true}, result_);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->curves.size(), 2u);
  EXPECT_FALSE(made->curves[0].is_level);
  ASSERT_EQ(made->curves[0].points.size(), 2u);
  EXPECT_EQ(made->curves[0].points[0].x, 8192);
  EXPECT_DOUBLE_EQ(made->curves[0].points[0].y, 2);
  EXPECT_DOUBLE_EQ(made->curves[0].points[1].y, 1);
  EXPECT_TRUE(made->curves[1].is_level);
  EXPECT_EQ(made->curves[1].points.back().x, 16384);
  EXPECT_EQ(made->ticks.front().second, "8 KiB");
  EXPECT_EQ(caption(*made), "ms over the buffer size; less is better; logarithmic.");
}

TEST_F(chart_test, is_not_made_without_measurements) {
  EXPECT_FALSE(make_drawing({.title = "x"}, result_));
  EXPECT_FALSE(make_drawing({.title = "x", .axis = "buffer_size"}, result_));
  add("leat", role::leat, "a", {}, 0.003);
  EXPECT_FALSE(make_drawing({.title = "x", .where = {{"work", {"b", {}}}}}, result_));
  EXPECT_FALSE(
      make_drawing({.title = "x", .axis = "buffer_size"}, result_));  // no value on the axis
}

TEST_F(chart_test, has_only_the_included_rows_and_the_note) {
  add("leat", role::leat, "a", {}, 0.003);
  add("other", role::peer, "a", {}, 0.003);
  const auto made =
      make_drawing({.title = "x",
                    .includes = [](const measurement& one) { return one.variant == "leat"; },
                    .note = "So it is."},
                   result_);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->bars.size(), 1u);
  EXPECT_EQ(caption(*made), "ms; less is better. So it is.");
}

}  // namespace
}  // namespace bench
