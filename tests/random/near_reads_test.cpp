// Single reads at near positions, which go through a mapping: the results are those of reads.
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "device/system.hpp"
#include "random/routes.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"

namespace {

using namespace leat_test;
using leat::mode;

/// More near reads than are needed until a file is mapped.
constexpr std::uint64_t many = 200;

#if defined(__linux__) || defined(HAS_SHRINKING_FILES)
/// Reads bytes at near positions.
void read_near(const leat::file& from, std::uint64_t count = many) {
  for (std::uint64_t i = 0; i != count; ++i) {
    char byte = 0;
    from.read_at(i, std::span(&byte, 1));
  }
}
#endif

#if defined(__linux__)
bool is_mapped(std::string_view path) {
  return leat::read_file("/proc/self/maps").find(path) != std::string::npos;
}

TEST(near_reads, map_the_file) {
  const temporary_folder folder;
  const std::string path = std::filesystem::canonical(folder.path()) / "file";
  write_file(path, std::string(100'000, 'x'));
  for (const auto open_mode : {mode::read, mode::update}) {
    auto opened = leat::file::open(path, open_mode);
    if (!leat::reads_as_mapped(opened.native_handle())) GTEST_SKIP() << "not on this file system";
    read_near(opened);
    EXPECT_TRUE(is_mapped(path));
    opened.close();
    EXPECT_FALSE(is_mapped(path));
  }
}

TEST(near_reads, map_no_file_if_they_are_few_or_far_or_the_mode_or_route_forbids_a_mapping) {
  const temporary_folder folder;
  const std::string path = std::filesystem::canonical(folder.path()) / "file";
  write_file(path, std::string(2'000'000, 'x'));
  const auto read_far = [](const leat::file& from) {
    for (std::uint64_t i = 0; i != many; ++i) {
      char byte = 0;
      from.read_at(i * 654'321 % 2'000'000, std::span(&byte, 1));
    }
  };
  for (std::uint64_t i = 0; i != many; ++i) {
    auto opened = leat::file::open(path);  // perhaps at the address of the file before it
    read_near(opened, 3);
    ASSERT_FALSE(is_mapped(path));
  }
  auto opened = leat::file::open(path);
  read_far(opened);
  EXPECT_FALSE(is_mapped(path));
  opened = leat::file::open(path, mode::copy);
  read_near(opened);
  EXPECT_FALSE(is_mapped(path));
  opened = leat::file::open(path, mode::read, options_for(leat::route::merged));
  read_near(opened);
  EXPECT_FALSE(is_mapped(path));
  const bool before = leat::guard_mappings(false);
  opened = leat::file::open(path);
  read_near(opened);
  EXPECT_FALSE(is_mapped(path));
  leat::guard_mappings(before);
}

TEST(near_reads, use_no_mapping_without_a_guard) {
  const temporary_folder folder;
  write_file(folder / "file", std::string(100'000, 'x'));
  auto opened = leat::file::open(folder / "file");
  read_near(opened);
  const bool before = leat::guard_mappings(false);
  std::filesystem::resize_file(folder / "file", 10);
  char byte = 0;
  std::error_code ec;
  opened.read_at(5000, std::span(&byte, 1), ec);  // would raise SIGBUS
  EXPECT_EQ(ec, leat::errc::ended_early);
  leat::guard_mappings(before);
}
#endif

#if defined(HAS_SHRINKING_FILES)
TEST(near_reads, report_that_the_file_has_become_shorter) {
  const temporary_folder folder;
  for (const std::uintmax_t size : {std::uintmax_t{50'000}, std::uintmax_t{49'152},
                                    std::uintmax_t{4098}, std::uintmax_t{1}, std::uintmax_t{0}}) {
    write_file(folder / "file", std::string(100'000, 'x'));
    auto opened = leat::file::open(folder / "file");
    read_near(opened);
    std::filesystem::resize_file(folder / "file", size);
    for (std::uint64_t at = size < 100 ? 0 : size - 100; at != size + 100; ++at) {
      char bytes[4] = {};
      std::error_code ec;
      opened.read_at(at, std::span(bytes), ec);
      ASSERT_EQ(ec == leat::errc::ended_early, at + 4 > size) << at << " of " << size;
      if (!ec) {
        ASSERT_EQ(std::string_view(bytes, 4), "xxxx");
      }
    }
  }
}
#endif

TEST(near_reads, show_each_change_of_the_file) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937_64 random(20261129);
  std::string model(60'000, '\0');
  for (std::size_t i = 0; i != 20'000; ++i) model[i] = static_cast<char>(random());
  write_file(path, model);  // then zeros
  auto opened = leat::file::open(path, mode::update);
  auto other = leat::file::open(path, mode::update);
  std::uint64_t at = 0;
  for (int round = 0; round != 40'000; ++round) {
    if (round % 3000 == 2999)
      at = random() % 70'000;
    else
      at = (at + 70'000 + random() % 200 - 80) % 70'000;
    std::string bytes(1 + random() % (round % 50 == 0 ? 9000 : 40), '?');
    switch (random() % 8) {
      case 0: {
        for (char& c : bytes) c = random() % 2 == 0 ? '\0' : static_cast<char>(random());
        auto& writer = random() % 2 == 0 ? opened : other;
        writer.write_at(at, bytes);
        if (model.size() < at + bytes.size()) model.resize(at + bytes.size());
        model.replace(at, bytes.size(), bytes);
        break;
      }
      case 1:
#if defined(HAS_SHRINKING_FILES)
        if (random() % 40 == 0) {
          model.resize(random() % 70'000);
          (random() % 2 == 0 ? opened : other).resize(model.size());
        }
        break;
#endif
      default: {
        std::error_code ec;
        opened.read_at(at, std::span(bytes), ec);
        ASSERT_EQ(ec == leat::errc::ended_early, at + bytes.size() > model.size()) << round;
        if (!ec) {
          ASSERT_EQ(bytes, model.substr(at, bytes.size())) << round;
        }
      }
    }
  }
}

TEST(near_reads, of_several_threads_and_files_return_the_records) {
  const temporary_folder folder;
  std::vector<leat::records<std::uint32_t>> all;
  for (std::uint32_t f = 0; f != 6; ++f) {
    std::vector<std::uint32_t> values(5000);
    for (std::uint32_t i = 0; i != 5000; ++i) values[i] = f * 10'000 + i;
    const std::string path = folder / ("file" + std::to_string(f));
    write_file(path, {reinterpret_cast<const char*>(values.data()), 20'000});
    all.push_back(leat::records<std::uint32_t>::open(path));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i != 5000; ++i)
        for (std::uint32_t f = 0; f != 6; ++f) ASSERT_EQ(all[f][i], f * 10'000 + i);
    });
  }
  for (auto& one : threads) one.join();
}

}  // namespace
