// Median, spread, quantiles, and the distribution of the times of single operations.
#include "measuring/statistics.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(statistics, median_of_an_odd_count_is_the_middle_value) {
  EXPECT_EQ(summarize({5, 1, 3}).median, 3);
}

TEST(statistics, median_of_an_even_count_is_the_mean_of_the_middle_two) {
  EXPECT_EQ(summarize({4, 1, 3, 2}).median, 2.5);
}

TEST(statistics, of_one_value_have_this_median_and_no_spread) {
  const auto found = summarize({7});
  EXPECT_EQ(found.min, 7);
  EXPECT_EQ(found.median, 7);
  EXPECT_EQ(found.max, 7);
  EXPECT_EQ(found.spread, 0);
}

TEST(statistics, of_no_values_are_zeros) {
  EXPECT_EQ(summarize({}).median, 0);
  EXPECT_EQ(summarize({}).max, 0);
}

TEST(statistics, spread_is_the_interquartile_range_divided_by_the_median) {
  // Quartiles 2 and 4, median 3.
  EXPECT_DOUBLE_EQ(summarize({1, 2, 3, 4, 5}).spread, 2.0 / 3);
}

TEST(statistics, spread_ignores_one_outlier) {
  EXPECT_DOUBLE_EQ(summarize({1, 2, 3, 4, 500}).spread, 2.0 / 3);
  EXPECT_EQ(summarize({1, 2, 3, 4, 500}).max, 500);
}

TEST(statistics, quantiles_are_interpolated_between_neighbours) {
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0), 10);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.25), 12.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 1), 20);
}

TEST(statistics, mean_and_median_of_operations_exclude_5_percent_at_each_end) {
  std::vector<double> times;
  for (int i = 1; i <= 100; ++i) times.push_back(i == 100 ? 5000 : i);
  const auto found = distribution_of(times);
  EXPECT_EQ(found.min, 1);
  EXPECT_EQ(found.max, 5000);
  EXPECT_EQ(found.mean, 50.5);
  EXPECT_EQ(found.median, 50.5);
  EXPECT_EQ(distribution_of({3}).mean, 3);
}

}  // namespace
}  // namespace bench
