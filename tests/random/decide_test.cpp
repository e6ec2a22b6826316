// decide(): which plan (route, gap, next step) follows from the known facts of a batch of random
// accesses.
#include "random/decide.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "random/costs.hpp"

namespace {

using leat::access_options;
using leat::batch_facts;
using leat::decide;
using leat::route;
using leat::step;
using mapping_state = batch_facts::mapping_state;
using direct_state = batch_facts::direct_state;

constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;

batch_facts make_facts(std::size_t count, std::uint64_t extent, double cached) {
  batch_facts facts;
  facts.count = count;
  facts.sorted_at_once = std::numeric_limits<std::size_t>::max();
  facts.extent = extent;
  facts.cached = cached;
  facts.mapping = mapping_state::available;
  return facts;
}

batch_facts with_fault_cost(batch_facts facts, double ns, double huge) {
  facts.costs.fault = ns;
  facts.costs.spans.share = {1 - huge, 0, 0, 0, 0, huge};
  return facts;
}

access_options by_route(route requested_route) {
  access_options requested;
  requested.route = requested_route;
  return requested;
}

// --- routes --------------------------------------------------------------------------------------

TEST(decide, maps_files_that_are_cached_in_huge_pages) {
  const auto facts = make_facts(100'000, 4 * gigabyte, 1);
  EXPECT_EQ(decide(with_fault_cost(facts, 1000, 1), {}).chosen_route, route::mapped);
  EXPECT_EQ(decide(with_fault_cost(facts, 1000, 0), {}).chosen_route, route::merged);
}

TEST(decide, maps_small_files_that_are_visited_densely) {
  const auto facts = make_facts(1'000'000, 64 << 20, 1);
  EXPECT_EQ(decide(with_fault_cost(facts, 1000, 0), {}).chosen_route, route::mapped);
}

/// Measured on an EPYC processor with folios of 1 MiB in a file of 256 MiB: 3,000 positions took
/// 690 ns each by the mapping (removing the mapping took 200 of these), and 460 ns by ranges.
TEST(decide, does_not_map_for_a_small_batch_if_the_mapping_looks_only_a_little_cheaper) {
  const auto mapped = [](std::size_t count, double fault, bool is_read_measured) {
    auto facts = make_facts(count, gigabyte / 4, 1);
    facts.costs.fault = fault;
    facts.costs.spans.share = {0, 0, 0, 0, 1, 0};
    facts.costs.cached_read = {600, 0.07, is_read_measured};
    return decide(facts, {}).chosen_route == route::mapped;
  };
  EXPECT_FALSE(mapped(3000, 5600, false));
  EXPECT_TRUE(mapped(3000, 5600, true));
  EXPECT_TRUE(mapped(3000, 560, false));
  EXPECT_TRUE(mapped(leat::fewest_for_cached_speed, 5600, false));
}

TEST(decide, does_not_try_the_mapping_for_a_batch_that_ends_sooner_than_the_trial) {
  const auto next = [](std::size_t count) {
    auto facts = make_facts(count, gigabyte / 4, 1);
    facts.costs.cached_read.request = 450;
    return decide(facts, {}).next;
  };
  EXPECT_EQ(next(500), step::visit);
  EXPECT_EQ(next(3000), step::try_mapping);
}

TEST(decide, does_not_map_files_that_are_not_cached) {
  EXPECT_EQ(decide(make_facts(100'000, 4 * gigabyte, 0), {}).chosen_route, route::merged);
  EXPECT_EQ(decide(make_facts(100'000, 4 * gigabyte, 0.7), {}).chosen_route, route::merged);
}

/// Measured batches: their facts and the fastest route. The names have the measured nanoseconds per
/// position, first by the mapping, then by ranges.
TEST(decide, chooses_the_best_route_of_measured_workloads) {
  struct {
    const char* name;
    std::size_t count;
    std::uint64_t extent;
    double fault;
    std::size_t span;  // a fault maps `small_span << span` bytes
    double touch, request, byte, mapped;
    route best;
  } const table[] = {
      // Two cores of a Xeon, in a virtual machine; ext4, Linux 6.18.
      {"folios of 1 MiB: 167, 476", 32'768, gigabyte, 5700, 4, 40, 620, 0.13, 0, route::mapped},
      {"the same, again: 27, 476", 32'768, gigabyte, 5700, 4, 40, 620, 0.13, 1, route::mapped},
      {"4 KiB folios: 1,380, 755", 32'768, gigabyte, 4200, 0, 40, 720, 0.13, 0, route::merged},
      {"the same, mapped: 207, 755", 32'768, gigabyte, 4200, 0, 40, 720, 0.13, 1, route::mapped},
      {"folios of 1 MiB, dense: 26, 104", 2'097'152, gigabyte, 5700, 4, 20, 620, 0.13, 0,
       route::mapped},
      {"4 KiB folios, dense: 49, 117", 2'097'152, gigabyte, 4200, 0, 20, 720, 0.13, 0,
       route::mapped},
      // Two cores of an EPYC, in a virtual machine: docs/random-access.md.
      {"folios of 2 MiB: 76, 539", 100'000, 4 * gigabyte, 2500, 5, 20, 600, 0.05, 0, route::mapped},
      {"4 KiB folios: 2,293, 660", 100'000, 4 * gigabyte, 4000, 0, 20, 600, 0.05, 0, route::merged},
      {"4 KiB folios, dense: 40, 78", 10'000'000, 4 * gigabyte, 3000, 0, 12, 600, 0.13, 0,
       route::mapped},
  };
  for (const auto& row : table) {
    auto facts = make_facts(row.count, row.extent, 1);
    facts.costs.fault = row.fault;
    facts.costs.spans.share = {};
    facts.costs.spans.share.at(row.span) = 1;
    facts.costs.touch = row.touch;
    facts.costs.cached_read = {row.request, row.byte, true};
    facts.mapped = row.mapped;
    EXPECT_EQ(decide(facts, {}).chosen_route, row.best) << row.name;
  }
}

TEST(decide, uses_an_existing_mapping) {
  auto facts = with_fault_cost(make_facts(100'000, 4 * gigabyte, 1), 1000, 0);
  facts.mapped = 1;
  EXPECT_EQ(decide(facts, {}).chosen_route, route::mapped);
  EXPECT_STREQ(decide(facts, {}).why, "the file is mapped already");
}

/// Measured updates: their facts and the best route. The names have the measured values, first by
/// the mapping, then by ranges: nanoseconds per position and MB written to the disk. The names with
/// fdatasync have only nanoseconds.
TEST(decide, chooses_the_best_route_of_measured_updates) {
  struct {
    const char* name;
    std::size_t count;
    std::uint64_t extent;
    std::size_t span;
    double fault, of_folio, touch, request, byte;
    route best;
  } const table[] = {
      // Two cores of a Xeon, in a virtual machine; ext4, Linux 6.18.
      {"large folios: 1,240 and 226, 3,680 and 69; with fdatasync 9,620, 9,860", 10'000,
       gigabyte / 4, 4, 280, 5000, 10, 5500, 0.13, route::merged},
      {"the same, near: 142 and 266, 519 and 266; with fdatasync 1,060, 1,470", 100'000,
       gigabyte / 4, 4, 280, 5000, 10, 5500, 0.13, route::mapped},
      {"the same, dense: 32 and 268, 73 and 268", 1'000'000, gigabyte / 4, 4, 280, 5000, 10, 5500,
       0.13, route::mapped},
      {"4 KiB folios: 1,700 and 38, 1,330 and 39", 10'000, gigabyte / 4, 0, 1770, 0, 10, 1250, 0.13,
       route::merged},
      {"the same, near: 930 and 214, 650 and 212", 100'000, gigabyte / 4, 0, 1770, 0, 10, 1250,
       0.13, route::merged},
      {"large folios, far: 3,680 and 4,334, 4,780 and 752; with fdatasync 15,600, 10,400", 100'000,
       4 * gigabyte, 5, 280, 5000, 10, 6000, 0.13, route::merged},
      {"large folios, dense: 1,213 and 7,714, 119 and 4,295", 10'000'000, 4 * gigabyte, 5, 280,
       5000, 10, 6000, 0.13, route::merged},
      {"64 MiB, large folios: 15 and 67, 58 and 67", 1'000'000, gigabyte / 16, 4, 280, 5000, 10,
       5500, 0.13, route::mapped},
  };
  for (const auto& row : table) {
    auto facts = make_facts(row.count, row.extent, 1);
    facts.writes = true;
    facts.costs.fault = 1000;
    facts.costs.write_fault = row.fault;
    facts.costs.folio_write = row.of_folio;
    facts.costs.spans.share = {};
    facts.costs.spans.share.at(row.span) = 1;
    facts.costs.touch = row.touch;
    facts.costs.cached_change = {row.request, row.byte, true};
    EXPECT_EQ(decide(facts, {}).chosen_route, row.best) << row.name;
  }
}

/// A mapping makes the kernel write whole folios. If positions are far apart, the kernel would
/// write too many bytes, even if the mapping is fast.
TEST(decide, does_not_map_if_a_mapping_would_write_far_more_bytes) {
  for (const bool far : {true, false}) {
    auto facts = with_fault_cost(make_facts(far ? 1'000 : 1'000'000, gigabyte / 4, 1), 1, 1);
    facts.writes = true;
    facts.costs.write_fault = 1;
    EXPECT_EQ(decide(facts, {}).chosen_route, far ? route::merged : route::mapped);
    const auto gap = static_cast<double>(decide(facts, {}).gap);
    EXPECT_EQ(leat::written_by_mapping(facts) > 2 * leat::written_by_ranges(facts, gap), far);
  }
}

TEST(decide, widens_the_gap_with_the_latency) {
  auto disk = make_facts(10'000, 4 * gigabyte, 0);
  disk.costs.disk_read = {8e6, 7};  // a hard disk
  EXPECT_NEAR(static_cast<double>(decide(disk, {}).gap), 8e6 / 7, 1);
  disk.costs.disk_read = {6000, 0.2};  // many requests at a time
  EXPECT_EQ(decide(disk, {}).gap, 30000U);
  disk.cached = 1;
  EXPECT_EQ(decide(disk, {}).gap, 4096U);
}

TEST(decide, chooses_direct_io_if_the_device_and_the_batch_are_not_cached) {
  auto facts = make_facts(100'000, 4 * gigabyte, 0);
  facts.is_device_uncached = true;
  EXPECT_EQ(decide(facts, {}).chosen_route, route::direct);
  EXPECT_EQ(decide(facts, {}).gap, 6'000U);
  facts.cached = 1;
  EXPECT_NE(decide(facts, {}).chosen_route, route::direct);
}

TEST(decide, chooses_the_requested_route) {
  auto facts = make_facts(100'000, 4 * gigabyte, 0);
  for (const auto one : {route::mapped, route::merged, route::single, route::direct}) {
    EXPECT_EQ(decide(facts, by_route(one)).chosen_route, one);
    EXPECT_STREQ(decide(facts, by_route(one)).why, "as asked");
  }
  facts.mapping = mapping_state::unavailable;
  EXPECT_EQ(decide(facts, by_route(route::mapped)).chosen_route, route::merged);
  access_options requested = by_route(route::mapped);
  requested.gap = 12345;
  EXPECT_EQ(decide(facts, requested).gap, 12345U);
}

TEST(decide, allows_ranges_of_at_least_64_kib) {
  for (const double cached : {0.0, 1.0})
    EXPECT_GE(decide(make_facts(100'000, 64 << 20, cached), by_route(route::merged)).longest,
              64U << 10);
}

/// The route changes if a batch finds that its route is impossible, or slower than expected.
TEST(decide, chooses_another_route_if_a_route_is_impossible_or_slow) {
  struct {
    mapping_state mapping;
    direct_state direct_io;
    route requested, taken;
    const char* why;
  } const table[] = {
      {mapping_state::unreadable, direct_state::unknown, route::automatic, route::merged,
       "the mapping could not be read"},
      {mapping_state::slow, direct_state::unknown, route::automatic, route::merged,
       "the mapping was slower than it should be"},
      {mapping_state::unreadable, direct_state::unknown, route::mapped, route::merged,
       "the mapping could not be read"},
      {mapping_state::unavailable, direct_state::unknown, route::mapped, route::merged,
       "the file can't be mapped"},
      {mapping_state::available, direct_state::unavailable, route::direct, route::single,
       "direct I/O is not possible"},
      {mapping_state::available, direct_state::available, route::direct, route::direct, "as asked"},
  };
  for (const auto& row : table) {
    auto facts = make_facts(1'000'000, 64 << 20, 1);
    facts.mapping = row.mapping;
    facts.direct_io = row.direct_io;
    EXPECT_EQ(decide(facts, by_route(row.requested)).chosen_route, row.taken) << row.why;
    EXPECT_STREQ(decide(facts, by_route(row.requested)).why, row.why);
  }
}

TEST(decide, uses_direct_io_if_the_file_was_opened_for_it) {
  auto facts = make_facts(100'000, 4 * gigabyte, 1);
  facts.wants_direct = true;
  EXPECT_EQ(decide(facts, {}).chosen_route, route::direct);
  EXPECT_EQ(decide(facts, {}).gap, 4096U);
  EXPECT_EQ(decide(facts, by_route(route::merged)).chosen_route, route::merged);
}

// --- steps ---------------------------------------------------------------------------------------

struct step_row {
  const char* name;
  batch_facts facts;
  access_options requested;
  step next;
};

batch_facts with_change(batch_facts facts, void (*change)(batch_facts&)) {
  change(facts);
  return facts;
}

std::vector<step_row> step_rows() {
  const auto warm = make_facts(100'000, 4 * gigabyte, 1);      // 43 KB from position to position
  const auto dense = make_facts(10'000'000, 4 * gigabyte, 1);  // 430 bytes
  const auto cold = make_facts(100'000, 4 * gigabyte, 0);
  const auto few = make_facts(100, gigabyte, -1);
  access_options gaps;
  gaps.gap = 8192;
  return {
      {"too few for a sample", few, {}, step::visit},
      {"warm, no mapping yet",
       with_change(warm, [](auto& k) { k.mapping = mapping_state::unknown; }),
       {},
       step::find_mapping},
      {"cold, no mapping yet",
       with_change(cold, [](auto& k) { k.mapping = mapping_state::unknown; }), gaps, step::visit},
      {"cold, a mapping is asked for",
       with_change(cold, [](auto& k) { k.mapping = mapping_state::unknown; }),
       by_route(route::mapped), step::find_mapping},
      {"a mapping that has not been tried", warm, {}, step::try_mapping},
      {"the same, asked for", warm, by_route(route::mapped), step::visit},
      {"the same, to be changed",
       with_change(make_facts(1'000'000, 64 << 20, 1), [](auto& k) { k.writes = true; }),
       {},
       step::try_mapping},
      {"the same, tried before",
       with_change(make_facts(1'000'000, 64 << 20, 1),
                   [](auto& k) {
                     k.writes = true;
                     k.costs.write_fault = 300;
                   }),
       {},
       step::visit},
      {"a mapping that is not much cheaper than reads far apart",
       with_change(with_fault_cost(warm, 1000, 0),
                   [](auto& k) { k.costs.cached_read.request = 2000; }),
       {},
       step::sample_speed},
      {"huge pages", with_fault_cost(warm, 1000, 1), {}, step::visit},
      {"slow faults, too far apart for gaps", with_fault_cost(warm, 1e6, 0), {}, step::visit},
      {"slow faults, dense", with_fault_cost(dense, 1e9, 0), {}, step::sample_speed},
      {"the same with a gap", with_fault_cost(dense, 1e9, 0), gaps, step::visit},
      {"the same once sampled",
       with_change(with_fault_cost(dense, 1e9, 0), [](auto& k) { k.speed_is_sampled = true; }),
       {},
       step::visit},
      {"the same, measured by an earlier batch",
       with_change(with_fault_cost(dense, 1e9, 0),
                   [](auto& k) { k.costs.cached_read.is_measured = true; }),
       {},
       step::visit},
      {"a mapping that has not been tried, but reads are sampled",
       with_change(warm, [](auto& k) { k.speed_is_sampled = true; }),
       {},
       step::visit},
      {"cold", cold, {}, step::sample_speed},
      {"cold, sampled",
       with_change(cold, [](auto& k) { k.speed_is_sampled = true; }),
       {},
       step::try_ranges},
      {"cold, sampled, gaps that may be worth reading",
       with_change(cold,
                   [](auto& k) {
                     k.speed_is_sampled = true;
                     k.costs.disk_read = {8000, 8000.0 * 7 / static_cast<double>(k.gap()), true};
                   }),
       {},
       step::try_ranges},
      {"cold, sampled, gaps far wider than is worth reading",
       with_change(cold,
                   [](auto& k) {
                     k.speed_is_sampled = true;
                     k.costs.disk_read = {8000, 8000.0 * 9 / static_cast<double>(k.gap()), true};
                   }),
       {},
       step::visit},
      {"cold, sorted in small parts",
       with_change(cold,
                   [](auto& k) {
                     k.speed_is_sampled = true;
                     k.sorted_at_once = 4096;
                   }),
       {},
       step::visit},
      {"cold, far apart",
       with_change(cold,
                   [](auto& k) {
                     k.speed_is_sampled = true;
                     k.extent = 100 * gigabyte;
                   }),
       {},
       step::visit},
      {"a slow disk",
       with_change(cold,
                   [](auto& k) {
                     k.speed_is_sampled = true;
                     k.costs.disk_read.request = 1e7;
                   }),
       {},
       step::visit},
      {"cold, page by page", cold, by_route(route::single), step::visit},
      {"tried, or left by the mapping",
       with_change(cold, [](auto& k) { k.is_partly_visited = true; }),
       {},
       step::visit},
      {"to be changed in the cache",
       with_change(dense,
                   [](auto& k) {
                     k.writes = true;
                     k.mapping = mapping_state::unavailable;
                   }),
       {},
       step::try_ranges},
      {"direct I/O", cold, by_route(route::direct), step::find_direct},
      {"direct I/O, open",
       with_change(cold, [](auto& k) { k.direct_io = direct_state::available; }),
       by_route(route::direct), step::visit},
      {"no direct I/O", with_change(cold, [](auto& k) { k.direct_io = direct_state::unavailable; }),
       by_route(route::direct), step::visit},
  };
}

TEST(decide, chooses_the_next_measurement_by_the_facts_that_are_known) {
  for (const auto& row : step_rows())
    EXPECT_EQ(decide(row.facts, row.requested).next, row.next) << row.name;
}

/// A batch that has begun with ranges continues with ranges, even if a mapping would be faster.
TEST(decide, continues_with_ranges_if_the_batch_has_begun_with_ranges) {
  auto facts = with_fault_cost(make_facts(1'000'000, 64 << 20, 1), 500, 0);
  facts.writes = true;
  ASSERT_EQ(decide(facts, {}).chosen_route, route::mapped);
  facts.is_partly_visited = true;
  EXPECT_EQ(decide(facts, {}).chosen_route, route::merged);
}

/// Each step changes at least one fact, so the steps end.
TEST(decide, reaches_the_final_plan_in_at_most_four_steps) {
  for (unsigned bits = 0; bits != 1U << 6; ++bits) {
    auto facts = make_facts(100'000, 4 * gigabyte, (bits & 1) != 0 ? 1 : 0);
    facts.mapping = mapping_state::unknown;
    facts.writes = (bits & 2) != 0;
    facts.is_device_uncached = (bits & 4) != 0;
    int steps = 0;
    for (; steps != 10; ++steps) {
      const auto plan = decide(facts, {});
      if (plan.next == step::visit) break;
      if (plan.next == step::find_mapping)
        facts.mapping = (bits & 8) != 0 ? mapping_state::available : mapping_state::unavailable;
      if (plan.next == step::try_mapping)
        facts.costs.fault = facts.costs.write_fault = (bits & 16) != 0 ? 1 : 1e9;
      if (plan.next == step::sample_speed) facts.speed_is_sampled = true;
      if (plan.next == step::find_direct)
        facts.direct_io = (bits & 32) != 0 ? direct_state::available : direct_state::unavailable;
      if (plan.next == step::try_ranges) facts.is_partly_visited = true;
    }
    EXPECT_LT(steps, 5) << bits;
  }
}

TEST(decide, maps_a_file_in_advance_if_the_batch_will_map_it_anyway) {
  const auto dense = with_fault_cost(make_facts(1'000'000, 64 << 20, 1), 1000, 0);
  EXPECT_EQ(decide(dense, {}).map_first, leat::small_span);
  EXPECT_EQ(decide(with_fault_cost(dense, 1000, 1), {}).map_first, leat::large_span);
  auto between = with_fault_cost(dense, 1000, 0);
  between.costs.spans.share = {0.2, 0, 0.7, 0.1, 0, 0};
  EXPECT_EQ(decide(between, {}).map_first, leat::small_span << 2);
  EXPECT_EQ(between.costs.spans.step_to_map_all(), leat::small_span);
  EXPECT_DOUBLE_EQ(between.costs.spans.mapped_by(leat::small_span << 2), 0.8);
  EXPECT_TRUE(decide(dense, {}).prefetches);
  auto mapped = dense;
  mapped.mapped = 1;
  EXPECT_EQ(decide(mapped, {}).map_first, 0U);
  EXPECT_TRUE(decide(mapped, {}).prefetches);
  auto written = dense;
  written.writes = true;
  EXPECT_EQ(decide(written, {}).map_first, 0U);
  EXPECT_FALSE(decide(written, {}).prefetches);
  const auto sparse = with_fault_cost(make_facts(1'000, 4 * gigabyte, 1), 1, 1);
  ASSERT_EQ(decide(sparse, {}).chosen_route, route::mapped);
  EXPECT_EQ(decide(sparse, {}).map_first, 0U);
}

}  // namespace
