// leat::file and leat::records: the limits of positions and files, and devices that behave
// unusually.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "random/routes.hpp"
#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/scripted_device.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#  include "support/refusals.hpp"
#endif

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;
using leat::records_options;
using leat::route;

// --- positions that no file has ----------------------------------------------------------------

TEST(file, refuses_writes_beyond_the_largest_file_size) {
  const temporary_folder folder;
  const std::string content = "0123456789";
  for (const auto open_mode : {mode::update, mode::copy}) {
    write_file(folder / "file", content);
    auto opened = leat::file::open(folder / "file", open_mode);
    std::error_code ec;
    for (const std::uint64_t at :
         {last_position, last_position - 2, std::uint64_t{1} << 63, last_position / 2 - 1}) {
      opened.write_at(at, "wrong", ec);
      EXPECT_TRUE(ec) << at;  // on Linux, EINVAL if the end wraps around
      // A batch shifts its keys to the left, which would lose the highest bits.
      const std::vector<leat::byte_range> ranges{{0, 1}, {at, 5}, {3, 1}, {5, 1}, {7, 1}};
      opened.write_ranges(ranges, "abcdefghi", ec);
      EXPECT_EQ(ec, std::errc::file_too_large) << at;
    }
    opened.resize(last_position, ec);
    EXPECT_EQ(ec, std::errc::file_too_large);
    EXPECT_EQ(opened.size(), content.size());
    std::string now(content.size(), ' ');
    opened.read_at(0, std::span<char>(now));
    EXPECT_EQ(now, content);
    EXPECT_EQ(read_all(folder / "file"), content);
  }
}

TEST(file, refuses_lengths_whose_sum_overflows) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  auto opened = leat::file::open(folder / "file", mode::update);
  // The sum of the sizes wraps around to 10.
  const std::vector<leat::byte_range> ranges{
      {0, last_position / 2}, {0, last_position / 2}, {0, 12}};
  std::string bytes(10, 'x');
  std::error_code ec;
  opened.write_ranges(ranges, bytes, ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  opened.read_ranges(ranges, std::span<char>(bytes), ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  EXPECT_EQ(read_all(folder / "file"), "0123456789");
}

TEST(records, with_huge_headers_or_strides_do_not_wrap_around) {
  const temporary_folder folder;
  const std::string content(40, 'x');
  write_file(folder / "file", content);
  for (const auto& options :
       {records_options{.header = last_position - 1}, records_options{.header = last_position - 4},
        records_options{.stride = last_position}, records_options{.stride = last_position - 3},
        records_options{.header = 8, .stride = last_position - 3},
        records_options{.header = 40, .stride = last_position / 2}}) {
    SCOPED_TRACE(std::to_string(options.header) + ", " + std::to_string(options.stride));
    auto opened = records<std::int32_t>::open(folder / "file", mode::update, options);
    EXPECT_EQ(opened.size(), options.header < 40 ? 1U : 0U);
    std::size_t count = 0;
    for ([[maybe_unused]] const auto one : opened) ++count;
    EXPECT_EQ(count, opened.size());
    std::error_code ec;
    opened.append(std::vector<std::int32_t>(opened.empty() ? 3 : 1), ec);
    EXPECT_EQ(ec, std::errc::file_too_large);
    if (options.header == 40) {
      std::filesystem::resize_file(folder / "file", 40);  // no change: 3 records were refused
    }
    EXPECT_EQ(opened.size(), options.header < 40 ? 1U : 0U);
    EXPECT_EQ(read_all(folder / "file"), content);
  }
  auto opened = records<std::int32_t>::open(folder / "file", mode::update);
  for (const std::uint64_t count :
       {(std::uint64_t{1} << 62) + 1, std::uint64_t{1} << 61, last_position}) {
    EXPECT_THROW(opened.resize(count), leat::io_error) << count;
    EXPECT_EQ(opened.size(), 10U);
    EXPECT_EQ(std::filesystem::file_size(folder / "file"), 40U);
  }
}

/// A device of any size. Each byte is the sum of the bytes of its position.
class endless_device final : public leat::device {
 public:
  explicit endless_device(std::uint64_t size) : size_(size) {}
  static char at(std::uint64_t position) noexcept {
    unsigned sum = 0;
    for (; position != 0; position >>= 8) sum += static_cast<unsigned>(position & 255);
    return static_cast<char>(sum);
  }
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    std::size_t n = 0;
    for (; n != into.size() && at + n < size_; ++n) into[n] = endless_device::at(at + n);
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::not_supported);
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return size_;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::uint64_t size_;
};

TEST(records, are_read_from_devices_of_the_largest_sizes) {
  for (const std::uint64_t size :
       {last_position, last_position / 2, (std::uint64_t{1} << 62) + 7, std::uint64_t{1} << 60}) {
    for (const std::size_t count : {5U, 700U}) {
      std::vector<std::uint64_t> positions;
      std::vector<leat::byte_range> ranges;
      for (std::uint64_t i = 0; i != count; ++i) {
        positions.push_back((i + 1) * 0x9E3779B97F4A7C15U % size);
        ranges.push_back({positions.back(), 1});
      }
      positions.push_back(size - 1);
      ranges.push_back({size - 1, 1});
      const records<char> opened(leat::file(std::make_unique<endless_device>(size), mode::read));
      ASSERT_EQ(opened.size(), size);
      const auto found = opened.gather(positions);
      std::vector<char> bytes(ranges.size());
      opened.underlying().read_ranges(ranges, std::span<char>(bytes));
      for (std::size_t i = 0; i != positions.size(); ++i) {
        ASSERT_EQ(found[i], endless_device::at(positions[i])) << size << ' ' << i;
        ASSERT_EQ(bytes[i], endless_device::at(positions[i])) << size << ' ' << i;
      }
    }
  }
}

// --- ranges of no bytes ------------------------------------------------------------------------

TEST(file, reads_and_writes_ranges_of_no_bytes) {
  const temporary_folder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{1} << 16}) {
    for (const auto tested_route : all_routes) {
      write_file(folder / "file", std::string(size, 'x'));
      auto opened = leat::file::open(folder / "file", mode::update, options_for(tested_route));
      // Empty ranges at the end, where a mapping has no byte.
      for (const std::size_t count : {std::size_t{1}, std::size_t{5000}}) {
        const std::vector<leat::byte_range> ranges(count, {size, 0});
        for (int round = 0; round != 3; ++round) {
          std::size_t times = 0;
          opened.read_ranges(ranges, [&](std::string_view bytes, std::size_t) {
            ++times;
            EXPECT_TRUE(bytes.empty());
          });
          EXPECT_EQ(times, count);
        }
        opened.write_ranges(ranges, "");
      }
      EXPECT_EQ(opened.size(), size);
      opened.write_ranges(std::vector<leat::byte_range>{{size, 1}, {size + 99, 0}}, "y");
      EXPECT_EQ(opened.size(), size + 1);
    }
  }
}

// --- files that other programs cut -------------------------------------------------------------

TEST(records, report_a_file_that_has_shrunk_before_the_first_batch) {
  const temporary_folder folder;
  for (const auto tested_route : all_routes) {
    write_file(folder / "file", std::string(8 << 20, 'x'));
    auto opened =
        records<int>::open(folder / "file", mode::update, {.access = options_for(tested_route)});
    for (const std::uintmax_t left :
         {std::uintmax_t{100'000}, std::uintmax_t{1}, std::uintmax_t{0}}) {
      std::filesystem::resize_file(folder / "file", left);
      std::vector<int> positions, into(3000);
      for (int i = 0; i != 3000; ++i) positions.push_back(i * 699);
      std::error_code ec;
      opened.gather(positions, std::span(into), ec);
      EXPECT_TRUE(ec == leat::errc::ended_early || ec == leat::errc::file_shrank) << ec.message();
      opened.update(positions, [](int& v) { ++v; }, ec);
      EXPECT_TRUE(ec == leat::errc::ended_early || ec == leat::errc::file_shrank) << ec.message();
    }
  }
}

#if defined(HAS_SHRINKING_FILES)
TEST(records, are_usable_again_when_a_file_has_regained_its_size) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const auto tested_route : all_routes) {
    write_file(path, std::string(1 << 20, 'x'));
    auto opened =
        records<unsigned char>::open(path, mode::update, {.access = options_for(tested_route)});
    std::vector<int> positions;
    for (int i = 0; i != 3000; ++i) positions.push_back(i * 349);
    static_cast<void>(opened.gather(positions));
    std::filesystem::resize_file(path, 4096);
    std::vector<unsigned char> into(positions.size());
    std::error_code ec;
    opened.gather(positions, std::span(into), ec);
    EXPECT_TRUE(ec);
    std::filesystem::resize_file(path, 1 << 20);
    for (int i = 4096; i < 1 << 20; i += 4096) opened.set(static_cast<std::uint64_t>(i), 'y');
    std::string expected = read_all(path);
    const auto found = opened.gather(positions);
    for (std::size_t i = 0; i != positions.size(); ++i)
      ASSERT_EQ(static_cast<char>(found[i]), expected[static_cast<std::size_t>(positions[i])]);
    opened.update(positions, [](unsigned char& v) { ++v; });
    for (const int one : positions) ++expected[static_cast<std::size_t>(one)];
    EXPECT_TRUE(read_all(path) == expected);
  }
}

TEST(records, report_a_file_that_shrinks_while_they_change) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, std::string(1 << 20, 'x'));
  auto opened = records<int>::open(path, mode::update, {.access = options_for(route::mapped)});
  std::vector<int> positions;
  for (int i = 0; i != 2000; ++i) positions.push_back(i * 131);
  std::error_code ec;
  opened.update(
      positions,
      [&](int& value, std::size_t occurrence) {
        if (occurrence == 0) std::filesystem::resize_file(path, 4096);
        ++value;
      },
      ec);
  EXPECT_EQ(ec, leat::errc::file_shrank);
}
#endif

TEST(records, added_by_resize_are_zeros_also_over_a_partial_record) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(4 * 5 + 3, 'x'));
  for (const auto open_mode : {mode::copy, mode::update}) {
    auto opened = records<std::uint32_t>::open(folder / "file", open_mode);
    opened.resize(7);
    EXPECT_EQ(opened[4], 0x78787878U);
    EXPECT_EQ(opened[5], 0U);
    EXPECT_EQ(opened[6], 0U);
  }
}

TEST(records, end_an_iteration_after_a_resize_below_the_iterator) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(1 << 20, 'x'));
  auto opened = records<char>::open(folder / "file", mode::update);
  std::size_t seen = 0;
  for ([[maybe_unused]] const char one : opened)
    if (++seen == 1000) opened.resize(10);
  EXPECT_LT(seen, std::size_t{1} << 20);
}

// --- devices -----------------------------------------------------------------------------------

TEST(file, refuses_devices_without_positions) {
  const pipe_pair pipe;
  EXPECT_THROW(static_cast<void>(leat::file(leat::borrow(pipe.reader()))), leat::io_error);
  // With O_APPEND a write ignores its position, so the bytes would go to the end.
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const auto appending = leat::append(folder / "file", {.readable = true});
  const handle end = appending.native_handle();
  EXPECT_THROW(static_cast<void>(leat::file(leat::borrow(end), mode::update)), leat::io_error);
  leat::file reads(leat::borrow(end), mode::read);
  leat::file copies(leat::borrow(end), mode::copy);
  copies.write_at(2, "xy");
  std::string bytes(10, ' ');
  copies.read_at(0, std::span<char>(bytes));
  EXPECT_EQ(bytes, "01xy456789");
  reads.read_at(0, std::span<char>(bytes));
  EXPECT_EQ(bytes, "0123456789");
}

TEST(records, are_read_and_written_whole_if_the_device_makes_short_transfers) {
  for (const auto open_mode : {mode::update, mode::copy}) {
    auto script = new_script();
    script->random_sizes = true;
    script->interrupt_every = 7;
    script->content = numbered_text(60'000);
    std::string expected = script->content;
    records<char> opened(leat::file(device_of(script), open_mode, {.threads = 3}));
    std::vector<int> positions;
    for (int i = 0; i != 5000; ++i) positions.push_back(i * 7919 % 60'000);
    for (int round = 0; round != 3; ++round) {
      opened.update(positions, [](char& one) { ++one; });
      for (const int one : positions) ++expected[static_cast<std::size_t>(one)];
      const auto found = opened.gather(positions);
      for (std::size_t i = 0; i != positions.size(); ++i)
        ASSERT_EQ(found[i], expected[static_cast<std::size_t>(positions[i])]);
    }
  }
}

// An append is complete or has no effect, so that a retry duplicates nothing.
TEST(records, are_appended_all_or_not_at_all) {
  for (const std::size_t stride : {0U, 6U}) {
    auto script = new_script();
    script->room = 10'001;
    records<int> opened(leat::file(device_of(script), mode::update), {.stride = stride});
    const std::vector<int> values(5'000, 1);
    std::uint64_t unwritten = 0, at = 1;
    try {
      opened.append(values);
      ADD_FAILURE();
    } catch (const leat::io_error& error) {
      unwritten = error.unwritten();
      at = error.offset();
    }
    EXPECT_EQ(unwritten, 20'000U);
    EXPECT_EQ(at, 0U);
    EXPECT_EQ(opened.size(), 0U);
    EXPECT_EQ(script->content.size(), 0U);
    script->room = 1'000'000;
    opened.append(values);
    EXPECT_EQ(opened.gather(std::vector{0, 4'999}), (std::vector{1, 1}));
    EXPECT_EQ(opened.size(), 5'000U);
  }
}

/// If only the sync of a change fails, size() still agrees with the file: an append is undone, a
/// resize remains.
TEST(records, have_the_same_size_as_the_file_after_a_failed_sync) {
  leat::volatile_file disk;
  leat::fault_plan faults;
  auto opened = records<int>(leat::file(std::make_unique<leat::failing_device>(disk.open(), faults),
                                        mode::update, {.durability = leat::durability::system}));
  opened.append(std::vector<int>(10, 1));
  faults.add({.in = leat::device_operation::sync,
              .onwards = true,
              .ec = std::make_error_code(std::errc::io_error)});
  std::error_code ec;
  opened.append(std::vector<int>(5, 2), ec);
  EXPECT_EQ(ec, std::errc::io_error);
  EXPECT_EQ(opened.size(), 10U);
  EXPECT_EQ(disk.content().size(), 40U);
  for (const std::size_t count : {3U, 7U}) {
    opened.resize(count, ec);
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_EQ(opened.size(), count);
    EXPECT_EQ(disk.content().size(), count * sizeof(int));
  }
}

TEST(records, a_failed_append_does_not_make_the_file_longer) {
  for (const std::string& content : {std::string(), std::string("head"), std::string(20, 'x')}) {
    leat::volatile_file disk(content);
    leat::fault_plan faults({{.in = leat::device_operation::write,
                              .onwards = true,
                              .ec = std::make_error_code(std::errc::io_error)}});
    records<int> opened(
        leat::file(std::make_unique<leat::failing_device>(disk.open(), faults), mode::update),
        {.header = 16, .stride = 8});
    const std::size_t count = opened.size();
    std::error_code ec;
    opened.append(7, ec);
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_EQ(opened.size(), count);
    EXPECT_EQ(disk.content(), content);
  }
}

TEST(records, accept_options_of_extreme_sizes) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(400'000, 'x'));
  for (const std::size_t size : {std::size_t{1}, ~std::size_t{0}}) {
    records_options options;
    options.access.gap = options.access.depth = options.access.memory = options.access.longest =
        size;
    options.access.threads = size == 1 ? 1 : ~0U;
    options.access.route = route::merged;
    auto opened = records<int>::open(folder / "file", mode::update, options);
    std::vector<int> positions;
    for (int i = 0; i != 9'000; ++i) positions.push_back(i * 11);
    opened.update(positions, [](int& value) { ++value; });
    EXPECT_EQ(opened.gather(positions), std::vector<int>(9'000, 0x78787879 + (size == 1 ? 0 : 1)));
  }
}

TEST(records, are_read_from_an_uncached_device_with_any_depth) {
  for (const std::size_t depth : {std::size_t{1}, ~std::size_t{0}}) {
    auto log = std::make_shared<request_log>();
    log->cached = false;
    log->content.assign(4'000'000, 'x');
    leat::access_options options = options_for(route::single);
    options.depth = depth;
    const records<int> opened(
        leat::file(std::make_unique<counted_device>(log), mode::read, options));
    std::vector<int> positions;
    for (int i = 0; i != 300; ++i) positions.push_back(i * 3'000);
    EXPECT_EQ(opened.gather(positions), std::vector<int>(300, 0x78787878));
  }
}

#if defined(__linux__)
TEST(records, are_visited_by_one_thread_if_no_other_can_be_started) {
  constexpr int no_filters = 7;
  const temporary_folder folder;
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto child = run_in_child([&] {
    auto opened =
        records<int>::create(folder / "file", {.access = {.route = route::merged, .threads = 4}});
    opened.append(numbers);
    constexpr long calls[] = {SYS_clone, SYS_clone3};
    if (!refuse_calls(calls, EAGAIN)) ::_exit(no_filters);
    std::vector<int> positions = numbers;
    std::shuffle(positions.begin(), positions.end(), std::minstd_rand(1));
    require(opened.gather(positions) == positions);
    opened.update(positions, [](int& value) { value = -value; });
    const auto changed = opened.gather(numbers);
    for (const int number : numbers) require(changed[static_cast<std::size_t>(number)] == -number);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child)) << child.err;
}
#endif

TEST(records, that_cannot_be_read_report_how_much_is_missing) {
  auto script = new_script();
  script->content = std::string(100'000, 'x');
  script->read_limit = 50'000;
  const records<char> opened(leat::file(device_of(script)));
  const std::vector<int> positions{49'990, 49'999, 50'005};
  try {
    static_cast<void>(opened.gather(positions));
    FAIL() << "gather() did not throw";
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.offset(), 50'000U);
    EXPECT_EQ(error.unread(), 6U);
    EXPECT_EQ(error.code(), script->read_failure);
  }
}

TEST(records, can_be_moved_and_used_again) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(40, 'x'));
  auto one = records<int>::open(folder / "file", mode::update);
  auto other = std::move(one);
  std::error_code ec;
  one.set(1, 1, ec);  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_EQ(ec, leat::errc::closed);

  one = std::move(other);
  auto& same = one;
  one = std::move(same);
  EXPECT_TRUE(one.is_open());
  EXPECT_EQ(one[1], 0x78787878);
}

}  // namespace
