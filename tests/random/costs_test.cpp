// Which route follows from what was measured.
#include "random/costs.hpp"

#include <gtest/gtest.h>

namespace {

using leat::access_costs;
using leat::access_options;
using leat::batch_situation;
using leat::route;

constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;

batch_situation places_in(std::size_t count, std::uint64_t extent, double cached) {
  batch_situation at;
  at.count = count;
  at.extent = extent;
  at.cached = cached;
  at.can_map = true;
  return at;
}

access_costs faults_of(double ns, double huge) {
  access_costs costs;
  costs.fault = ns;
  costs.huge = huge;
  return costs;
}

TEST(costs, map_what_is_in_the_cache_in_huge_pages) {
  const auto at = places_in(100'000, 4 * gigabyte, 1);
  EXPECT_EQ(choose_route(at, faults_of(1000, 1), {}).taken, route::mapped);
  EXPECT_EQ(choose_route(at, faults_of(1000, 0), {}).taken, route::merged);
}

TEST(costs, map_small_files_that_are_visited_densely) {
  const auto at = places_in(1'000'000, 64 << 20, 1);
  EXPECT_EQ(choose_route(at, faults_of(1000, 0), {}).taken, route::mapped);
}

TEST(costs, map_nothing_that_is_on_the_disk) {
  EXPECT_EQ(choose_route(places_in(100'000, 4 * gigabyte, 0), {}, {}).taken, route::merged);
  EXPECT_EQ(choose_route(places_in(100'000, 4 * gigabyte, 0.7), {}, {}).taken, route::merged);
}

TEST(costs, use_a_mapping_that_is_there) {
  auto at = places_in(100'000, 4 * gigabyte, 1);
  at.mapped = 1;
  EXPECT_EQ(choose_route(at, faults_of(1000, 0), {}).taken, route::mapped);
}

TEST(costs, write_through_mappings_of_small_files_only) {
  auto small = places_in(1'000'000, 64 << 20, 1);
  small.writes = true;
  EXPECT_EQ(choose_route(small, faults_of(500, 0), {}).taken, route::mapped);
  auto large = places_in(10'000'000, 4 * gigabyte, 1);
  large.writes = true;
  EXPECT_EQ(choose_route(large, faults_of(500, 1), {}).taken, route::merged);
}

TEST(costs, have_the_hole_follow_the_latency) {
  access_costs disk;
  disk.disk_read = {8e6, 7};  // a hard disk
  EXPECT_NEAR(static_cast<double>(choose_route(places_in(10'000, 4 * gigabyte, 0), disk, {}).hole),
              8e6 / 7, 1);
  disk.disk_read = {6000, 0.2};  // many requests at a time
  EXPECT_EQ(choose_route(places_in(10'000, 4 * gigabyte, 0), disk, {}).hole, 30000U);
  EXPECT_EQ(choose_route(places_in(10'000, 4 * gigabyte, 1), disk, {}).hole, 4096U);
}

TEST(costs, have_devices_without_a_cache_take_many_requests_at_a_time) {
  auto at = places_in(100'000, 4 * gigabyte, 0);
  at.uncached = true;
  const auto choice = choose_route(at, {}, {});
  EXPECT_EQ(choice.taken, route::direct);
  EXPECT_EQ(choice.hole, 30'000U);
  at.cached = 1;
  EXPECT_NE(choose_route(at, {}, {}).taken, route::direct);
}

TEST(costs, do_as_asked) {
  auto at = places_in(100'000, 4 * gigabyte, 0);
  access_options asked;
  for (const auto one : {route::mapped, route::merged, route::single, route::direct}) {
    asked.route = one;
    EXPECT_EQ(choose_route(at, {}, asked).taken, one);
    EXPECT_STREQ(choose_route(at, {}, asked).why, "as asked");
  }
  at.can_map = false;
  asked.route = route::mapped;
  EXPECT_EQ(choose_route(at, {}, asked).taken, route::merged);
  asked.hole = 12345;
  EXPECT_EQ(choose_route(at, {}, asked).hole, 12345U);
}

}  // namespace
