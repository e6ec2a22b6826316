// Batches of records, by the functions of leat.h.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

constexpr leat_options plain{};

std::vector<std::uint64_t> random_positions(std::mt19937& random, std::size_t records) {
  std::vector<std::uint64_t> positions(random() % 50);
  for (auto& at : positions) at = random() % records;
  return positions;
}

TEST(batches, gathering_as_from_an_array) {
  const temporary_folder folder;
  std::mt19937 random(3);
  for (int round = 0; round != 60; ++round) {
    const std::size_t size = 1 + random() % 20, records = 1 + random() % 500;
    const std::string text = numbered_text(size * records + random() % size);
    write_file(folder / "file", text);
    const owned f = opened(folder / "file", round % 2 == 0 ? "r" : "r+");
    if (round % 3 == 0) leat_setvbuf(f.get(), nullptr, _IOFBF, 1 + random() % 30);
    for (int again = 0; again != 3; ++again) {
      const auto positions = random_positions(random, records);
      std::string got(size * positions.size(), '#'), expected;
      for (const auto at : positions) expected += text.substr(at * size, size);
      ASSERT_EQ(leat_gather(f.get(), size, positions.data(), positions.size(), got.data()), 0);
      ASSERT_EQ(got, expected);
    }
  }
}

int call(void* record, std::size_t index, void* context) {
  return (*static_cast<std::function<int(char*, std::size_t)>*>(context))(
      static_cast<char*>(record), index);
}

int update(leat_file* f, std::size_t size, std::span<const std::uint64_t> positions,
           std::function<int(char*, std::size_t)> change) {
  return leat_update(f, size, positions.data(), positions.size(), call, &change);
}

TEST(batches, updating_as_in_an_array) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(4);
  for (int round = 0; round != 60; ++round) {
    const std::size_t size = 1 + random() % 20, records = 1 + random() % 100;
    std::string text = numbered_text(size * records + random() % size);
    write_file(path, text);
    const owned f = round % 4 == 3 ? opened(path, "r+", plain) : opened(path, "r+");
    if (round % 3 == 0) leat_setvbuf(f.get(), nullptr, _IOFBF, 1 + random() % 30);
    for (int again = 0; again != 3; ++again) {
      const auto positions = random_positions(random, records);
      std::vector<std::size_t> order(positions.size()), visited;
      for (std::size_t i = 0; i != order.size(); ++i) order[i] = i;
      std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(positions[i], i); });
      const std::size_t stop = random() % 4 == 0 && !order.empty() ? order[order.size() / 2] : 1000;
      // Depends on what was there, so that the order of occurrences shows.
      const auto change = [&](char* record, std::size_t index) {
        for (std::size_t i = 0; i != size; ++i)
          record[i] = static_cast<char>(3 * record[i] + static_cast<char>(index));
      };
      const int result = update(f.get(), size, positions, [&](char* record, std::size_t index) {
        visited.push_back(index);
        change(record, index);
        return index == stop ? 7 : 0;
      });
      ASSERT_EQ(result, stop == 1000 ? 0 : 7);
      if (stop != 1000) order.resize(order.size() / 2 + 1);
      ASSERT_EQ(visited, order);
      for (const auto index : order)
        if (index != stop) change(text.data() + positions[index] * size, index);
      if (result != 0) leat_fflush(f.get());
      ASSERT_EQ(read_all(path), text);
    }
  }
}

TEST(batches, records_that_are_not_there) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "aaabbbcc");  // the third record is not whole
  const owned f = opened(path, "r+");
  for (const std::uint64_t outside :
       {std::uint64_t{2}, std::uint64_t{3}, UINT64_MAX / 3, UINT64_MAX}) {
    const std::uint64_t positions[] = {0, 1, outside};
    char out[10] = "#########";
    errno = 0;
    EXPECT_EQ(leat_gather(f.get(), 3, positions, 3, out), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_STREQ(out, "#########");
    errno = 0;
    EXPECT_EQ(update(f.get(), 3, positions,
                     [](char*, std::size_t) -> int {
                       ADD_FAILURE();
                       return 0;
                     }),
              -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(leat_ferror(f.get()), 0);
  EXPECT_EQ(read_all(path), "aaabbbcc");
}

TEST(batches, records_of_strange_sizes) {
  const temporary_folder folder;
  write_file(folder / "file", "abc");
  const owned f = opened(folder / "file", "r+");
  const std::uint64_t first[] = {0};
  char out = '#';
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, SIZE_MAX}) {
    errno = 0;
    EXPECT_EQ(leat_gather(f.get(), size, first, 1, &out), -1);
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(update(f.get(), size, first, [](char*, std::size_t) { return 0; }), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(out, '#');
  EXPECT_EQ(leat_gather(f.get(), 1, nullptr, 0, nullptr), 0);
  EXPECT_EQ(update(f.get(), 1, {}, [](char*, std::size_t) { return 1; }), 0);
}

TEST(batches, records_of_what_has_none) {
  const temporary_folder folder;
  write_file(folder / "file", "abc");
  const std::uint64_t first[] = {0};
  char out = '#';
  const owned reading = opened(folder / "file", "r");
  errno = 0;
  EXPECT_EQ(update(reading.get(), 1, first, [](char*, std::size_t) { return 0; }), -1);
  EXPECT_EQ(errno, EBADF);
  const owned appending = opened(folder / "file", "a");
  errno = 0;
  EXPECT_EQ(leat_gather(appending.get(), 1, first, 1, &out), -1);
  EXPECT_EQ(errno, EBADF);
  int ends[2];
  make_pipe(ends);
  const owned piped(leat_fdopen(ends[0], "r")), other(leat_fdopen(ends[1], "w"));
  errno = 0;
  EXPECT_EQ(leat_gather(piped.get(), 1, first, 1, &out), -1);
  EXPECT_EQ(errno, ESPIPE);
  EXPECT_EQ(read_all(folder / "file"), "abc");
}

TEST(batches, what_was_written_can_be_gathered) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w+");
  leat_fputs("aabbcc", f.get());
  const std::uint64_t positions[] = {2, 0, 2};
  char out[7] = {};
  EXPECT_EQ(leat_gather(f.get(), 2, positions, 3, out), 0);
  EXPECT_STREQ(out, "ccaacc");
}

}  // namespace
