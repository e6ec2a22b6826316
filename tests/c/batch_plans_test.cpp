// Batches of leat.h: the route of a batch, and the number of syncs.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/records.hpp>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c/updates.hpp"
#include "support/c_files.hpp"
#include "support/c_options.hpp"
#include "support/files.hpp"
#include "support/sanitizer.hpp"

#if !defined(__APPLE__) && !defined(_WIN32)
#  include <sys/syscall.h>
#endif

#if !defined(__APPLE__) && !defined(_WIN32)
namespace {
int syncs = 0;
}  // namespace

/// Replaces libc's fdatasync, to count the calls.
extern "C" int fdatasync(int descriptor) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
#endif

namespace {

using namespace leat_test;

#if !defined(__APPLE__) && !defined(_WIN32)
TEST(batches, sync_if_the_stream_has_durability_system) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const std::uint64_t positions[] = {4, 2};
  for (const auto durability : {LEAT_DURABILITY_NONE, LEAT_DURABILITY_SYSTEM}) {
    const file_ptr f = open_file(folder / "file", "r+", leat_test::options_with(durability));
    syncs = 0;
    EXPECT_EQ(leat_scatter(f.get(), 1, positions, 2, "ab"), 0);
    EXPECT_EQ(syncs, durability == LEAT_DURABILITY_SYSTEM ? 1 : 0);
  }
}
#endif

/// A batch takes the same route as leat::records, with the same requests.
TEST(batches, choose_the_same_routes_as_records) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, std::string(4 << 20, 'x'));
  std::mt19937 random(7);
  for (const std::size_t count : {std::size_t{1}, std::size_t{200}, std::size_t{3000}}) {
    std::vector<std::uint64_t> positions(count);
    for (auto& at : positions) at = random() % (1 << 20);
    std::vector<std::int32_t> values(count);

    const file_ptr f = open_file(path, "r+");
    const leat_plan none = leat_last_plan(f.get());
    EXPECT_EQ(none.taken, LEAT_ROUTE_AUTOMATIC);
    EXPECT_STREQ(none.why, "");
    EXPECT_EQ(none.cached, -1);
    ASSERT_EQ(leat_scatter(f.get(), 4, positions.data(), count, values.data()), 0);
    const leat_plan plan = leat_last_plan(f.get());

    auto records = leat::records<std::int32_t>::open(path, leat::mode::update);
    records.scatter(positions, std::span<const std::int32_t>(values));
    const leat::batch_plan expected = records.last_plan();
    EXPECT_EQ(static_cast<int>(plan.taken), static_cast<int>(expected.taken));
    EXPECT_EQ(plan.why, expected.why);
    EXPECT_EQ(plan.positions, count);
    EXPECT_EQ(plan.requests, expected.requests);
    EXPECT_EQ(plan.bytes, expected.bytes);
    EXPECT_EQ(plan.gap, expected.gap);
    EXPECT_EQ(plan.cached, expected.cached);
    EXPECT_EQ(plan.dollars, 0);
    EXPECT_EQ(plan.total == 0, expected.total.count() == 0)
        << "leat must time both batches, or neither";
    EXPECT_TRUE(plan.total > 0 || count < 256);
    EXPECT_LE(plan.sorting, plan.total);
  }
}

/// On most machines a mapping is the cheapest route for this file.
TEST(batches, use_a_mapping_if_the_file_is_in_the_page_cache) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  // 64 MiB: in a file of this size, reading the positions in ranges takes longer than reading
  // through a mapping.
  std::string text;
  for (const std::string part = numbered_text(1 << 20); text.size() != 64 * part.size();)
    text += part;
  write_file(path, text);
  const file_ptr f = open_file(path, "r+");
  std::mt19937 random(8);
  std::vector<std::uint64_t> positions(50'000);
  for (auto& at : positions) at = random() % (text.size() / 4);
  std::string got(4 * positions.size(), '#'), expected;
  for (const auto at : positions) expected += text.substr(4 * at, 4);
  bool mapped = false;
  for (int round = 0; round != 20; ++round) {
    ASSERT_EQ(leat_gather(f.get(), 4, positions.data(), positions.size(), got.data()), 0);
    ASSERT_TRUE(got == expected);
    const leat_plan plan = leat_last_plan(f.get());
    mapped = mapped || plan.taken == LEAT_ROUTE_MAPPED ||
             plan.why == std::string_view("the mapping was slower than it should be");
  }
  // The route depends on measurements. With a sanitizer, another route may be cheaper.
  EXPECT_TRUE(mapped || leat_test::sanitized) << leat_last_plan(f.get()).why;
  // If the callback returns a value other than 0, the update ends, also through a mapping.
  std::size_t calls = 0;
  EXPECT_EQ(update(f.get(), 4, positions,
                   [&](char* record, std::size_t) {
                     record[0] = '#';
                     return ++calls == 1000 ? 5 : 0;
                   }),
            5);
  EXPECT_EQ(calls, 1000U);
  const std::string now = read_all(path);
  ASSERT_EQ(now.size(), text.size());
  std::size_t changed = 0;
  for (std::size_t at = 0; at != now.size(); at += 4) changed += now.data()[at] != text.data()[at];
  EXPECT_GT(changed, 900U);
  EXPECT_LT(changed, 1000U);
}

}  // namespace
