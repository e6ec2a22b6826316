// Every route of a batch of random accesses gives the results of a plain loop.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

struct variation {
  leat::route used_route;
  bool cold;
  unsigned threads;
};

std::string name_of(const testing::TestParamInfo<variation>& info) {
  constexpr std::array names{"automatic", "mapped", "merged", "single", "direct"};
  return std::string(names[static_cast<std::size_t>(info.param.used_route)]) +
         (info.param.cold ? "_cold" : "_warm") + "_" + std::to_string(info.param.threads);
}

class every_route : public testing::TestWithParam<variation> {
 protected:
  records_options options(std::uint64_t header = 0, std::size_t stride = 0) const {
    records_options chosen{.header = header, .stride = stride};
    chosen.access.route = GetParam().used_route;
    chosen.access.threads = GetParam().threads;
    return chosen;
  }
  void make_cold(const std::string& path) const {
    if (GetParam().cold) drop_from_cache(path);
  }

  /// Compares gather, update and scatter on a file of this shape with a plain loop.
  template <class T>
  void compare(std::uint64_t header, std::size_t stride, std::uint64_t count, std::size_t visits) {
    SCOPED_TRACE("header " + std::to_string(header) + ", stride " + std::to_string(stride) + ", " +
                 std::to_string(count) + " records of " + std::to_string(sizeof(T)) + ", " +
                 std::to_string(visits) + " visits");
    record_model<T> expected(header, stride, count, 1);
    const std::string path = folder_ / "records";
    write_file(path, expected.content);
    std::mt19937_64 random(2);
    std::vector<std::uint32_t> positions(visits);
    for (auto& one : positions) one = static_cast<std::uint32_t>(random() % count);
    if (visits > 2) {
      positions[1] = static_cast<std::uint32_t>(count - 1);
      positions[2] = 0;
    }

    make_cold(path);
    auto opened = records<T>::open(path, mode::update, options(header, stride));
    ASSERT_EQ(opened.size(), count);
    const auto found = opened.gather(positions);
    for (std::size_t i = 0; i != visits; ++i)
      ASSERT_EQ(bytes(found[i]), bytes(expected.at(positions[i]))) << i;

    make_cold(path);
    opened.update(positions, [](T& value, std::size_t occurrence) {
      auto* first = reinterpret_cast<unsigned char*>(&value);
      first[0] =
          static_cast<unsigned char>(std::size_t{3} * first[0] + occurrence);  // the order matters
    });
    for (std::size_t i = 0; i != visits; ++i) {
      T value = expected.at(positions[i]);
      auto* first = reinterpret_cast<unsigned char*>(&value);
      first[0] = static_cast<unsigned char>(std::size_t{3} * first[0] + i);
      expected.set(positions[i], value);
    }
    ASSERT_TRUE(read_all(path) == expected.content);

    make_cold(path);
    std::vector<T> values(visits);
    for (auto& one : values)
      for (auto& byte : leat::bytes_of(one)) byte = static_cast<std::byte>(random());
    opened.scatter(positions, std::span<const T>(values));
    if (GetParam().used_route == route::mapped && visits != 0) {
      EXPECT_EQ(opened.last_plan().taken, route::mapped) << opened.last_plan().why;
    }
    for (std::size_t i = 0; i != visits; ++i) expected.set(positions[i], values[i]);
    ASSERT_TRUE(read_all(path) == expected.content);
  }

  temporary_folder folder_;

 private:
  template <class T>
  static std::array<char, sizeof(T)> bytes(const T& value) {
    std::array<char, sizeof(T)> copy;
    std::memcpy(copy.data(), &value, sizeof(T));
    return copy;
  }
};

TEST_P(every_route, has_the_same_results_as_a_plain_loop) {
  if (under_tsan && GetParam().threads == 1) GTEST_SKIP() << "one thread has no data races";
  compare<std::int32_t>(0, 0, 300'000, emulated || sanitized ? 5'000 : 20'000);
  compare<std::int32_t>(0, 0, 1'000, emulated || sanitized ? 5'000 : 20'000);
  compare<std::int32_t>(10, 0, emulated || sanitized ? 300'000 : 3'000'000, 3'000);
  compare<double>(8, 0, 50'000, 1'000);
  compare<bytes_of_size<12>>(3, 0, 40'000, 5'000);  // records across pages
  compare<bytes_of_size<5>>(1, 11, 30'000, 5'000);
  compare<bytes_of_size<5000>>(77, 0, 700, 900);  // longer than a page
  compare<bytes_of_size<4096>>(0, 0, 500, 700);
  compare<bytes_of_size<3>>(0, 10'000, 600, 500);  // far apart
  compare<unsigned char>(0, 0, 100'000, 10'000);
  compare<std::int64_t>(0, 0, 1, 1);
  compare<std::int64_t>(0, 0, 1, 100);
  compare<std::int32_t>(5, 0, 40'000, 0);
}

TEST_P(every_route, reads_and_writes_ranges_of_any_length) {
  const std::string path = folder_ / "ranges";
  std::string content = numbered_text(3'000'000);
  write_file(path, content);
  leat::access_options chosen;
  chosen.route = GetParam().used_route;
  chosen.threads = 1;  // the callback below is not thread-safe
  std::mt19937_64 random(3);
  std::vector<leat::byte_range> ranges;
  std::uint64_t total = 0;
  for (int i = 0; i != 800; ++i) {
    const std::uint64_t size = random() % (i % 50 == 0 ? 300'000 : 500);
    ranges.push_back({random() % (content.size() - size), size});
    total += size;
  }
  ranges.push_back({content.size(), 0});
  ranges.push_back({0, content.size()});
  total += content.size();

  make_cold(path);
  auto opened = leat::file::open(path, mode::update, chosen);
  std::vector<int> times(ranges.size());
  opened.read_ranges(ranges, [&](std::string_view bytes, std::size_t index) {
    ++times[index];
    EXPECT_TRUE(bytes == std::string_view(content).substr(ranges[index].at, ranges[index].size));
  });
  EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; }));
  std::string all(total, '\0');
  opened.read_ranges(ranges, std::span<char>(all));
  std::string expected;
  for (const auto& one : ranges) expected += content.substr(one.at, one.size);
  EXPECT_TRUE(all == expected);

  // Writes to other positions, overlapping or not, possibly beyond the end.
  for (const bool overlapping : {false, true}) {
    std::vector<leat::byte_range> targets;
    std::string bytes;
    std::uint64_t next = 5;
    for (int i = 0; i != 400; ++i) {
      const std::uint64_t size = random() % 3000;
      targets.push_back({overlapping ? random() % content.size() : next, size});
      next += size + random() % 10'000;
      bytes += std::string(size, static_cast<char>('A' + i % 26));
    }
    std::ranges::shuffle(targets, random);
    bytes.clear();
    for (std::size_t i = 0; i != targets.size(); ++i)
      bytes += std::string(targets[i].size, static_cast<char>('A' + i % 26));
    make_cold(path);
    opened.write_ranges(targets, bytes);
    std::size_t from = 0;
    for (const auto& one : targets) {
      if (one.at + one.size > content.size()) content.resize(one.at + one.size);
      content.replace(one.at, one.size, bytes, from, one.size);
      from += one.size;
    }
    ASSERT_TRUE(read_all(path) == content) << overlapping;
  }
}

#if !defined(_WIN32)  // on Windows a mapped file keeps its size
TEST(mapped_route, writes_all_values_if_the_file_was_truncated) {
  const temporary_folder folder;
  const std::string path = folder / "shorter";
  constexpr std::size_t size = 102'400;
  for (const std::uint64_t rest : {size - 300, std::size_t{40'000}, std::size_t{0}}) {
    write_file(path, std::string(size, 'o'));
    records_options chosen;
    chosen.access.route = route::mapped;
    bool cut = false;
    chosen.access.progress = [&](std::size_t, std::size_t) {
      if (!std::exchange(cut, true)) std::filesystem::resize_file(path, rest);
    };
    auto opened = records<char>::open(path, mode::update, chosen);
    std::vector<std::uint32_t> positions(size);
    std::iota(positions.begin(), positions.end(), 0U);
    const std::vector<char> values(size, 'n');
    opened.scatter(positions, std::span<const char>(values));
    opened.close();
    ASSERT_TRUE(cut);
    EXPECT_TRUE(read_all(path) == std::string(size, 'n')) << rest;

    // An update fails, because it is unknown which values its function has already changed.
    write_file(path, std::string(size, 'o'));
    cut = false;
    opened = records<char>::open(path, mode::update, chosen);
    std::error_code ec;
    opened.update(positions, [](char& one) { ++one; }, ec);
    EXPECT_EQ(ec, leat::errc::file_shrank) << rest;
    EXPECT_EQ(leat::last_error().path(), path);
  }
}

/// The system reports no fault within the file's last page.
TEST(mapped_route, reports_a_file_that_becomes_shorter_within_its_last_page) {
  const temporary_folder folder;
  const std::string path = folder / "shorter";
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i != 50'000; ++i) positions.push_back(i * 7 % 1000);
  for (const auto tested_route : {route::automatic, route::mapped}) {
    write_file(path, std::string(4000, 'x'));
    records_options chosen;
    chosen.access.route = tested_route;
    chosen.access.progress = [&](std::size_t, std::size_t) {
      std::filesystem::resize_file(path, 100);
    };
    const auto opened = records<int>::open(path, mode::read, chosen);
    std::vector<int> values(positions.size());
    std::error_code ec;
    opened.gather(positions, std::span(values), ec);
    // A batch of ranges may have read all bytes before.
    EXPECT_TRUE(ec == leat::errc::ended_early || ec == leat::errc::file_shrank ||
                values == std::vector<int>(positions.size(), 0x78787878))
        << ec.message();
  }
}

/// The file is truncated and written again during the batch.
TEST(mapped_route, passes_each_range_once_while_the_file_is_rewritten) {
  const temporary_folder folder;
  const std::string path = folder / "rewritten", content(64 << 10, 'x');
  write_file(path, content);
  std::vector<leat::byte_range> ranges;
  for (std::uint64_t i = 0; i != 200'000; ++i)
    ranges.push_back({i * 4099 % content.size() / 8 * 8, 8});
  const auto opened = leat::file::open(path);
  for (int i = 0; i != 3; ++i) opened.read_ranges(ranges, [](std::string_view, std::size_t) {});
  std::vector<int> calls(ranges.size());
  int count = 0, wrong = 0;
  opened.read_ranges(ranges, [&](std::string_view bytes, std::size_t index) {
    ++calls[index];
    wrong += bytes != "xxxxxxxx";
    ++count;
    if (count == 100) std::filesystem::resize_file(path, 0);
    if (count == 101) leat::write_file(path, content);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(calls, std::vector<int>(ranges.size(), 1));
}
#endif

TEST_P(every_route, reads_holes_of_sparse_files_as_zeros) {
  const std::string path = folder_ / "sparse";
  write_file(path, "");
  std::filesystem::resize_file(path, 400'000'000);
  auto opened = records<std::uint32_t>::open(path, mode::update, options());
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 2000; ++i) positions.push_back(i * 49'999 % opened.size());
  EXPECT_EQ(opened.gather(positions), std::vector<std::uint32_t>(2000, 0));
  opened.update(positions, [](std::uint32_t& value) { ++value; });
  EXPECT_EQ(opened.gather(positions), std::vector<std::uint32_t>(2000, 1));
  EXPECT_EQ(opened[1], 0U);
}

TEST_P(every_route, leaves_a_record_unchanged_if_its_function_throws) {
  const std::string path = folder_ / "thrown";
  record_model<std::int32_t> before(0, 4, 100'000, 5);
  write_file(path, before.content);
  auto opened = records<std::int32_t>::open(path, mode::update, options());
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 9'000; ++i) positions.push_back(i * 7919 % 100'000);
  std::mutex lock;
  std::map<std::size_t, bool> called;
  const auto change = [&](std::int32_t& value, std::size_t occurrence) {
    value += 1;
    const std::lock_guard guard(lock);
    if (called.size() == 6'000) throw std::runtime_error("enough");
    called[occurrence] = true;
  };
  EXPECT_THROW(opened.update(positions, change), std::runtime_error);
  EXPECT_GE(called.size(), 6'000U);
  for (std::size_t i = 0; i != positions.size(); ++i)
    ASSERT_EQ(opened[positions[i]], before.at(positions[i]) + (called.contains(i) ? 1 : 0)) << i;
}

INSTANTIATE_TEST_SUITE_P(
    routes, every_route,
    testing::Values(variation{route::automatic, false, 1}, variation{route::automatic, true, 1},
                    variation{route::mapped, false, 1}, variation{route::mapped, true, 2},
                    variation{route::merged, false, 1}, variation{route::merged, true, 3},
                    variation{route::single, false, 2}, variation{route::single, true, 1},
                    variation{route::direct, true, 1}, variation{route::direct, false, 2}),
    name_of);

}  // namespace
