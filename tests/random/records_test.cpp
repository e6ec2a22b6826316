// leat::records: files as arrays of records. routes_test.cpp has the routes of a batch, and
// batch_plan_test.cpp the plan.
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/record_model.hpp"
#include "support/sanitizer.hpp"
#include "support/sized_record.hpp"

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;
using leat::records_options;
using leat::route;

static_assert(std::ranges::input_range<records<leat::byte_range>>);
static_assert(std::input_iterator<records<int>::iterator>);
static_assert(std::is_same_v<decltype(std::declval<records<int>>()[0]), int>);
static_assert(
    std::is_same_v<decltype(std::declval<records<leat::big<int>>>()[0]), const leat::big<int>>);

// --- the interface -----------------------------------------------------------------------------

TEST(records, behave_like_an_array) {
  const temporary_folder folder;
  auto numbers = records<std::int32_t>::create(folder / "numbers");
  EXPECT_TRUE(numbers.empty());
  for (std::int32_t i = 0; i != 100; ++i) numbers.append(i * i);
  const std::array<std::int32_t, 3> more{-1, -2, -3};
  numbers.append(more);
  EXPECT_EQ(numbers.size(), 103U);
  EXPECT_EQ(numbers[9], 81);
  EXPECT_EQ(numbers.get(102), -3);
  numbers.set(9, 7);
  EXPECT_EQ(numbers[9], 7);
  numbers.resize(105);
  EXPECT_EQ(numbers[104], 0);
  numbers.close();
  EXPECT_FALSE(numbers.is_open());
  EXPECT_EQ(std::filesystem::file_size(folder / "numbers"), 105U * 4);

  const auto again = records<std::int32_t>::open(folder / "numbers");
  std::vector<std::int32_t> all;
  for (const std::int32_t one : again) all.push_back(one);
  ASSERT_EQ(all.size(), 105U);
  EXPECT_EQ(all[10], 100);
  EXPECT_EQ(all[102], -3);
}

TEST(records, are_iterated_in_the_order_of_the_file) {
  const temporary_folder folder;
  const record_model<bytes_of_size<12>> expected(5, 20, 50'000, 3);
  write_file(folder / "records", expected.content);
  const auto opened =
      records<bytes_of_size<12>>::open(folder / "records", mode::read, {.header = 5, .stride = 20});
  std::uint64_t position = 0;
  for (const auto& one : opened) ASSERT_EQ(one, expected.at(position++));
  EXPECT_EQ(position, 50'000U);
}

TEST(records, do_not_count_a_partial_record) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(4 * 5 + 3, 'x'));
  EXPECT_EQ(records<std::int32_t>::open(folder / "file").size(), 5U);
  EXPECT_EQ(records<std::int32_t>::open(folder / "file", mode::read, {.header = 20}).size(), 0U);
  EXPECT_EQ(records<std::int32_t>::open(folder / "file", mode::read, {.header = 100}).size(), 0U);
  // The last record needs no padding after it.
  EXPECT_EQ(records<std::int32_t>::open(folder / "file", mode::read, {.stride = 9}).size(), 3U);
}

TEST(records, accept_positions_of_any_type) {
  const temporary_folder folder;
  auto numbers = records<int>::create(folder / "numbers");
  for (int i = 0; i != 50; ++i) numbers.append(i);
  EXPECT_EQ(numbers.gather(std::vector<short>{3, 1}), (std::vector<int>{3, 1}));
  EXPECT_EQ(numbers.gather(std::list<unsigned char>{3, 1}), (std::vector<int>{3, 1}));
  EXPECT_EQ(numbers.gather(std::vector<std::int64_t>{3, 1}), (std::vector<int>{3, 1}));
  EXPECT_EQ(numbers.gather(std::array<std::uint32_t, 2>{3, 1}), (std::vector<int>{3, 1}));
  EXPECT_EQ(numbers.gather(std::views::iota(7, 9)), (std::vector<int>{7, 8}));
  EXPECT_EQ(numbers.gather(std::vector<int>{}), std::vector<int>{});
}

TEST(records, convert_byte_orders) {
  const temporary_folder folder;
  write_file(folder / "file", std::string_view("\x01\x02\x03\x04\0\0\0\x09", 8));
  auto opened = records<leat::big<std::uint32_t>>::open(folder / "file", mode::update);
  EXPECT_EQ(opened[0], 0x01020304U);
  opened.update(std::vector{1, 1}, [](auto& value) { value += 0x100; });
  std::vector<std::uint32_t> numbers(2);
  opened.gather(std::vector{1, 0}, std::span(numbers));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0x209, 0x01020304}));
  EXPECT_EQ(read_all(folder / "file").substr(4), std::string_view("\0\0\x02\x09", 4));
  EXPECT_EQ(records<leat::little<std::uint32_t>>::open(folder / "file")[0], 0x04030201U);
}

TEST(records, do_not_change_the_file_in_copy_mode) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  record_model<std::int32_t> expected(0, 4, 30'000, 9);
  const std::string before = expected.content;
  write_file(path, before);
  auto copy = records<std::int32_t>::open(path, mode::copy);
  std::vector<int> positions;
  for (int i = 0; i != 3000; ++i) positions.push_back(i * 31 % 30'000);
  copy.update(positions, [](std::int32_t& value) { value = ~value; });
  for (const int one : positions)
    expected.set(static_cast<std::uint64_t>(one), ~expected.at(static_cast<std::uint64_t>(one)));
  copy.set(29'999, 5);
  expected.set(29'999, 5);
  copy.append(17);
  EXPECT_EQ(copy.size(), 30'001U);
  EXPECT_EQ(copy[30'000], 17);
  std::uint64_t position = 0;
  for (const std::int32_t one : copy) {
    if (position != 30'000) {
      ASSERT_EQ(one, expected.at(position)) << position;
    }
    ++position;
  }
  EXPECT_EQ(position, 30'001U);
  copy.resize(10);
  copy.resize(30'000);
  EXPECT_EQ(copy[9], expected.at(9));
  EXPECT_EQ(copy[10], 0);
  EXPECT_EQ(copy[29'999], 0);
  EXPECT_TRUE(read_all(path) == before);
}

// --- errors ------------------------------------------------------------------------------------

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const leat::io_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(records, report_a_position_beyond_the_end_and_change_nothing) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const record_model<std::int32_t> expected(0, 4, 5, 1);
  write_file(path, expected.content);
  auto opened = records<std::int32_t>::open(path, mode::update);
  const std::string start =
      "cannot find a record in '" + path + "': There is no such record or range (position ";
  const std::vector<int> wrong{1, 2, 5};
  const std::vector<int> negative{1, -1};
  std::vector<int> into(3);
  EXPECT_EQ(message_of([&] { opened.gather(wrong, std::span(into)); }), start + "5 of 5)");
  EXPECT_EQ(message_of([&] { opened.update(negative, [](int& v) { ++v; }); }), start + "-1 of 5)");
  EXPECT_EQ(message_of([&] { opened.scatter(wrong, std::span<const int>(into)); }),
            start + "5 of 5)");
  EXPECT_EQ(message_of([&] { static_cast<void>(opened[7]); }), start + "7 of 5)");
  EXPECT_EQ(message_of([&] { opened.set(7, 1); }), start + "7 of 5)");
  EXPECT_EQ(message_of([&] { opened.gather(std::vector{1}, std::span(into)); }),
            "cannot visit '" + path + "': Invalid argument (1 positions, 3 values)");
  std::error_code ec;
  opened.update(negative, [](int& v) { ++v; }, ec);
  EXPECT_EQ(ec, leat::errc::no_such_record);
  static_cast<void>(opened.get(9, ec));
  EXPECT_EQ(std::string(leat::last_error().what()), leat::message(ec, "find a record in", path));
  EXPECT_TRUE(read_all(path) == expected.content);
  const std::vector<leat::byte_range> outside{{.at = 30, .size = 1}};
  EXPECT_EQ(message_of([&] { opened.underlying().read_ranges(outside, [](auto&&...) {}); }),
            "cannot find a range in '" + path +
                "': There is no such record or range (range 0: 1 bytes at 30, the file has " +
                std::to_string(expected.content.size()) + ")");
}

TEST(records, cannot_be_changed_in_read_mode) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(40, 'x'));
  auto opened = records<std::int32_t>::open(folder / "file");
  std::error_code ec;
  opened.set(1, 1, ec);
  EXPECT_EQ(ec, leat::errc::read_only);
  opened.update(std::vector{1}, [](int& v) { ++v; }, ec);
  EXPECT_EQ(ec, leat::errc::read_only);
  opened.append(std::vector{1}, ec);
  EXPECT_EQ(ec, leat::errc::read_only);
  EXPECT_TRUE(read_all(folder / "file") == std::string(40, 'x'));
}

TEST(records, with_a_stride_below_their_size_are_refused) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(40, 'x'));
  EXPECT_EQ(message_of([&] {
              static_cast<void>(records<int>::open(folder / "file", mode::read, {.stride = 3}));
            }),
            "cannot open '" + (folder / "file") +
                "': Invalid argument (a stride of 3 bytes, records of 4)");
  std::error_code ec;
  EXPECT_FALSE(records<int>::open(folder / "file", mode::read, {.stride = 3}, ec).is_open());
  EXPECT_EQ(ec, std::errc::invalid_argument);
}

TEST(records, report_that_they_are_closed) {
  records<int> none;
  std::error_code ec;
  static_cast<void>(leat::file().size(ec));
  EXPECT_EQ(ec, leat::errc::closed);
  std::vector<int> into;
  none.gather(std::vector<int>{}, std::span(into), ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(none.size(), 0U);
  none.sync(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  const auto missing = records<int>::open("/nonexistent/file", mode::read, {}, ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(missing.is_open());
}

#if defined(HAS_SHRINKING_FILES)
TEST(records, report_a_file_that_has_shrunk) {
  for (const auto tested_route : {route::automatic, route::mapped, route::merged, route::single}) {
    const temporary_folder folder;
    write_file(folder / "file", std::string(1 << 20, 'x'));
    records_options options;
    options.access.route = tested_route;
    auto opened = records<int>::open(folder / "file", mode::update, options);
    std::vector<int> positions;
    for (int i = 0; i != 2000; ++i) positions.push_back(i * 131);
    static_cast<void>(opened.gather(positions));
    std::filesystem::resize_file(folder / "file", 4096);
    std::error_code ec;
    std::vector<int> into(positions.size());
    opened.gather(positions, std::span(into), ec);
    EXPECT_TRUE(ec == leat::errc::ended_early || ec == leat::errc::file_shrank) << ec.message();
    opened.update(positions, [](int& v) { ++v; }, ec);
    EXPECT_TRUE(ec == leat::errc::ended_early || ec == leat::errc::file_shrank) << ec.message();
  }
}
#endif

/// In each run, another request fails. The records change only as documented.
class failing_requests : public testing::TestWithParam<bool> {};

TEST_P(failing_requests, change_only_records_for_which_the_function_was_called) {
  constexpr std::uint32_t record_count = 400;
  const records_options shape{.stride = 10'000};
  const record_model<std::int32_t> before(0, shape.stride, record_count, 4);
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i != 300; ++i) positions.push_back(i * 101 % record_count);
  positions.push_back(positions[0]);
  const auto disk = [&](const std::shared_ptr<request_log>& log, leat::fault_plan& faults) {
    log->content = before.content;
    log->cached = GetParam();
    return std::make_unique<leat::failing_device>(std::make_unique<counted_device>(log), faults);
  };
  // Request 1 is size(), made by the constructor of records.
  for (std::uint64_t n = 2;; n += emulated || sanitized ? 7 : 1) {
    auto log = std::make_shared<request_log>();
    leat::fault_plan faults({{.nth = n, .ec = std::make_error_code(std::errc::io_error)}});
    records<std::int32_t> opened(leat::file(disk(log, faults), mode::update, {}, "disk"), shape);
    std::map<std::uint32_t, int> called;
    std::error_code ec;
    opened.update(
        positions,
        [&](std::int32_t& value, std::size_t occurrence) {
          ++value;
          ++called[positions[occurrence]];
        },
        ec);
    record_model<std::int32_t> after = before;
    after.content = log->content;
    int unchanged = 0;  // records that are unchanged although the function was called for them
    for (std::uint32_t position = 0; position != record_count; ++position) {
      const bool was_called = called.contains(position);
      if (after.at(position) == before.at(position)) {
        unchanged += was_called;
      } else {
        ASSERT_TRUE(was_called) << position;
        ASSERT_EQ(after.at(position), before.at(position) + called[position]);
      }
    }
    if (faults.count() < n) break;  // this run had no failure
    if (ec) {
      EXPECT_EQ(ec, std::errc::io_error);
    } else {  // the failed read was only a sample
      EXPECT_EQ(unchanged, 0);
      EXPECT_EQ(called.size(), 300U);
    }

    leat::fault_plan faults_of_reading(
        {{.nth = n, .ec = std::make_error_code(std::errc::io_error)}});
    const records<std::int32_t> reading(
        leat::file(disk(std::make_shared<request_log>(), faults_of_reading), mode::read, {},
                   "disk"),
        shape);
    std::vector<std::int32_t> into(positions.size());
    reading.gather(positions, std::span(into), ec);
    for (std::size_t i = 0; !ec && i != into.size(); ++i) {
      ASSERT_EQ(into[i], before.at(positions[i]));
    }
    ASSERT_LT(n, 10'000U);
  }
}

INSTANTIATE_TEST_SUITE_P(disks, failing_requests, testing::Bool(),
                         [](const auto& one) { return one.param ? "cached" : "cold"; });

// --- several threads ---------------------------------------------------------------------------

TEST(records, keep_all_changes_of_several_threads) {
  const temporary_folder folder;
  const record_model<std::int32_t> expected(0, 4, 100'000, 8);
  write_file(folder / "file", expected.content);
  auto opened = records<std::int32_t>::open(folder / "file", mode::update);
  // Each thread changes its own records, between the records of the other threads.
  std::vector<std::thread> threads;
  for (std::uint32_t thread_index = 0; thread_index != 4; ++thread_index) {
    threads.emplace_back([&opened, &expected, thread_index] {
      std::vector<std::uint32_t> own_positions;
      for (std::uint32_t i = thread_index; i < 100'000; i += 4) own_positions.push_back(i);
      for (int round = 0; round != (emulated ? 3 : 5); ++round) {
        opened.update(own_positions, [](std::int32_t& value) { value ^= 0x5555; });
        const auto now = opened.gather(own_positions);
        for (std::size_t i = 0; i != own_positions.size(); ++i)
          ASSERT_EQ(now[i], expected.at(own_positions[i]) ^ (round % 2 == 0 ? 0x5555 : 0));
        for (std::size_t i = 0; i < own_positions.size(); i += 100)
          opened.set(own_positions[i], now[i]);
      }
    });
  }
  for (auto& one : threads) one.join();
  for (std::uint32_t i = 0; i != 100'000; ++i) ASSERT_EQ(opened[i], expected.at(i) ^ 0x5555);
}

TEST(records, report_progress_and_stop_when_the_callback_throws) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(8 << 20, 'x'));
  std::size_t last = 0;
  records_options options;
  options.access.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_GE(done, last);
    EXPECT_EQ(all, 100'000U);
    last = done;
  };
  std::vector<int> positions;
  for (int i = 0; i != 100'000; ++i) positions.push_back(i * 20);
  for (const auto tested_route : {route::mapped, route::merged}) {
    options.access.route = tested_route;
    last = 0;
    static_cast<void>(records<int>::open(folder / "file", mode::read, options).gather(positions));
    EXPECT_EQ(last, 100'000U);
    auto stopping = options;
    stopping.access.progress = [](std::size_t, std::size_t) { throw std::runtime_error("stop"); };
    const auto opened = records<int>::open(folder / "file", mode::read, stopping);
    EXPECT_THROW(static_cast<void>(opened.gather(positions)), std::runtime_error);
  }
}

/// A large batch that writes compares narrow ranges with wide ranges.
TEST(records, are_changed_once_while_narrow_and_wide_ranges_are_compared) {
  const temporary_folder folder;
  write_file(folder / "file", "");
  std::filesystem::resize_file(folder / "file", 400'000'000);
  auto opened = records<std::uint32_t>::open(folder / "file", mode::update,
                                             {.access = {.route = route::merged}});
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 6'000; ++i) positions.push_back(i * 49'999 % opened.size());
  opened.update(positions, [](std::uint32_t& value) { ++value; });
  EXPECT_EQ(opened.gather(positions), std::vector<std::uint32_t>(6'000, 1));
}

TEST(records, are_changed_once_in_a_large_batch_by_merged_ranges) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  constexpr std::size_t count = 4'000'000, visits = sanitized || emulated ? 50'000 : 500'000;
  std::vector<std::uint32_t> expected(count), positions(visits);
  std::mt19937 random(1);
  for (auto& one : expected) one = static_cast<std::uint32_t>(random());
  for (auto& one : positions) one = static_cast<std::uint32_t>(random() % count);
  leat::write_file(path, {reinterpret_cast<const char*>(expected.data()), 4 * count});
  for (const bool cold : {false, true}) {
    if (cold) drop_from_cache(path);
    auto opened =
        records<std::uint32_t>::open(path, mode::update, {.access = {.route = route::merged}});
    opened.update(positions, [](std::uint32_t& value, std::size_t i) {
      value = 3 * value + static_cast<std::uint32_t>(i);
    });
    for (std::size_t i = 0; i != visits; ++i)
      expected[positions[i]] = 3 * expected[positions[i]] + static_cast<std::uint32_t>(i);
    if (cold) drop_from_cache(path);
    const auto found = opened.gather(positions);
    for (std::size_t i = 0; i != visits; ++i) ASSERT_EQ(found[i], expected[positions[i]]);
  }
}

TEST(file, reading_at_a_position_that_no_file_can_have_reports_the_end) {
  const temporary_folder folder;
  write_file(folder / "file", "bytes");
  const auto opened = leat::file::open(folder / "file");
  std::error_code ec;
  char byte = 0;
  for (const std::uint64_t at :
       {std::uint64_t{1} << 62, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    opened.read_at(at, {&byte, 1}, ec);
    EXPECT_EQ(ec, leat::errc::ended_early) << at;
  }
}

}  // namespace
