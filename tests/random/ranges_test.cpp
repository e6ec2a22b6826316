// The ranges of a batch cover each position, and are in order, disjoint and bounded.
#include "random/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace {

using leat::batch_positions;
using leat::merged_range;
using leat::merged_ranges;
using leat::sorted_entries;
using leat::detail::position_list;
using leat::detail::record_layout;

position_list list_of(const std::vector<std::uint64_t>& positions) {
  return {positions.data(), positions.size(), position_list::unsigned_64};
}

std::vector<std::uint64_t> random_positions(std::size_t count, std::uint64_t limit, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> positions(count);
  for (auto& one : positions) one = random() % limit;
  return positions;
}

std::vector<merged_range> ranges_of(const batch_positions& batch, const sorted_entries& entries,
                                    merged_ranges::limits limits) {
  merged_ranges all(batch, entries, 0, entries.size(), limits);
  std::vector<merged_range> ranges;
  for (merged_range next; all.next(next);) ranges.push_back(next);
  return ranges;
}

struct shape {
  std::uint64_t header, stride;
  std::size_t size;
  std::uint64_t records;
  std::size_t count;
};

class batch_ranges : public testing::TestWithParam<shape> {};

TEST_P(batch_ranges, cover_every_position_in_order_without_overlaps) {
  const auto [header, stride, size, records, count] = GetParam();
  const record_layout layout{header, stride, size, records};
  for (unsigned seed = 0; seed != 5; ++seed) {
    const auto positions = random_positions(count, records, seed);
    const batch_positions batch(layout, list_of(positions));
    sorted_entries entries;
    ASSERT_TRUE(entries.sort(batch, 0, count));
    for (const std::uint64_t gap : {0ULL, 4096ULL, 16384ULL, 1ULL << 20}) {
      for (const std::uint64_t longest : {4096ULL, 65536ULL, 1ULL << 40}) {
        const auto ranges = ranges_of(batch, entries, {gap, longest});
        std::vector<int> seen(count);
        std::uint64_t end = 0;
        std::size_t next = 0;
        for (const auto& range : ranges) {
          EXPECT_GE(range.at, end);
          EXPECT_EQ(range.first, next);
          EXPECT_LT(range.first, range.last);
          for (std::size_t i = range.first; i != range.last; ++i) {
            const std::uint64_t at = header + entries.position(i) * stride;
            EXPECT_GE(at, range.at);
            EXPECT_LE(at + size, range.end());
            EXPECT_EQ(entries.position(i), positions[entries.index(i)]);
            ++seen[entries.index(i)];
          }
          // At most `longest` bytes, and the rest of the last group (the positions of one page).
          EXPECT_LE(range.size - std::min(range.size, longest), leat::batch_page + size);
          end = range.end();
          next = range.last;
        }
        EXPECT_EQ(next, count);
        EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, batch_ranges,
                         testing::Values(shape{0, 4, 4, 1 << 20, 5000},
                                         shape{0, 4, 4, 1 << 30, 700},
                                         shape{16, 12, 12, 100000, 3000},
                                         shape{3, 4100, 4099, 2000, 1500}, shape{7, 100, 1, 1, 10},
                                         shape{0, 4, 4, 50, 2000}, shape{0, 8, 8, 1ULL << 50, 3000},
                                         shape{1, 24, 17, 5000, 1}, shape{0, 4, 4, 1 << 20, 600}));

TEST(batch_order, keeps_the_callers_order_of_equal_positions) {
  const record_layout layout{0, 4, 4, 1000};
  for (const std::size_t count : {5U, 400U, 20000U}) {
    const auto positions = random_positions(count, 20, 7);
    sorted_entries entries;
    ASSERT_TRUE(entries.sort(batch_positions(layout, list_of(positions)), 0, count));
    std::vector<std::size_t> last(20);
    for (std::size_t i = 0; i != count; ++i) {
      EXPECT_LE(last[entries.position(i)], entries.index(i));
      last[entries.position(i)] = entries.index(i);
    }
  }
}

TEST(batch_order, can_sort_a_part_of_a_batch) {
  const record_layout layout{0, 4, 4, 1 << 24};
  const auto positions = random_positions(10000, 1 << 24, 3);
  sorted_entries entries;
  ASSERT_TRUE(entries.sort(batch_positions(layout, list_of(positions)), 4000, 2000));
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i != 2000; ++i) {
    EXPECT_EQ(entries.position(i), positions[entries.index(i)]);
    if (i != 0) {
      EXPECT_LE(entries.group(i - 1), entries.group(i));
    }
    numbers.push_back(entries.index(i));
  }
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i != 2000; ++i) EXPECT_EQ(numbers[i], 4000 + i);
}

TEST(batch_order, has_no_more_entries_than_the_memory_and_the_bits_of_a_key_allow) {
  const std::vector<std::uint64_t> none;
  const auto most = [&](std::uint64_t records, std::size_t memory) {
    return sorted_entries::most_at_once(batch_positions({0, 1, 1, records}, list_of(none)), memory);
  };
  EXPECT_EQ(most(1 << 20, 1 << 20), (1U << 20) / 16);
  EXPECT_EQ(most(1ULL << 50, ~std::size_t{0}), std::size_t{1} << 14);
  // The largest numbers with the largest positions: no bit is cut off.
  const auto positions = std::vector<std::uint64_t>(1 << 14, (1ULL << 50) - 1);
  sorted_entries entries;
  ASSERT_TRUE(entries.sort(batch_positions({0, 1, 1, 1ULL << 50}, list_of(positions)), 0,
                           positions.size()));
  EXPECT_EQ(entries.position((1 << 14) - 1), (1ULL << 50) - 1);
  EXPECT_EQ(entries.index((1 << 14) - 1), (1U << 14) - 1);
}

TEST(batch_order, merges_ranges_over_gaps_up_to_the_limit) {
  const std::vector<std::uint64_t> positions{0, 5000, 15000};
  const batch_positions batch(record_layout{0, 1, 1, 20000}, list_of(positions));
  sorted_entries entries;
  ASSERT_TRUE(entries.sort(batch, 0, positions.size()));
  EXPECT_EQ(ranges_of(batch, entries, {4096, 1 << 20}).size(), 3U);
  EXPECT_EQ(ranges_of(batch, entries, {4999, 1 << 20}).size(), 2U);
  EXPECT_EQ(ranges_of(batch, entries, {9999, 1 << 20}).size(), 1U);
  EXPECT_EQ(ranges_of(batch, entries, {9999, 5001}).size(), 2U);
}

TEST(positions, the_first_position_outside_of_the_file_is_reported) {
  const std::vector<std::int32_t> some{0, 4, -3, 9};
  const batch_positions batch({0, 4, 4, 5}, {some.data(), some.size(), position_list::signed_32});
  EXPECT_EQ(batch.first_outside(), 2U);
  EXPECT_EQ(batch.describe(2), "position -3 of 5");
  EXPECT_EQ(batch.describe(3), "position 9 of 5");
  std::vector<std::uint64_t> many(3000, 4);
  EXPECT_EQ(batch_positions({0, 4, 4, 5}, list_of(many)).first_outside(), 3000U);
  many[2999] = ~std::uint64_t{0};
  const batch_positions wide({0, 4, 4, 5}, list_of(many));
  EXPECT_EQ(wide.first_outside(), 2999U);
  EXPECT_EQ(wide.describe(2999), "position 18446744073709551615 of 5");
}

}  // namespace
