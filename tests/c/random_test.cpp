// Random-access files of leat.h (leat_random_access_…): positions, records, ranges, a simulated
// disk, and invalid enumerators.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

extern "C" int accepted_invalid_enumerators(const char* path, int value);  // invalid_enumerators.c

namespace {

using namespace leat_test;

TEST(c_random, bytes_are_read_and_written_at_a_position) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  leat_random_access_file* const f = leat_random_access_create(path.c_str(), nullptr);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_random_access_write_at(f, 4, "data", 4), 0);
  EXPECT_EQ(leat_random_access_size(f), 8);
  char to[4];
  EXPECT_EQ(leat_random_access_read_at(f, 4, to, 4), 0);
  EXPECT_EQ(std::string(to, 4), "data");
  EXPECT_EQ(leat_random_access_read_at(f, 6, to, 4), -1);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_ENDED_EARLY);
  EXPECT_EQ(leat_last_error()->unread, 2u);
  EXPECT_EQ(leat_last_error()->path, path);
  EXPECT_EQ(leat_random_access_resize(f, 6), 0);
  EXPECT_EQ(leat_random_access_sync(f), 0);
  leat_random_access_advise(f, LEAT_PATTERN_RANDOM);
  leat_random_access_announce(f, {0, 4});
  EXPECT_EQ(leat_random_access_close(f), 0);
  EXPECT_EQ(read_all(path), std::string("\0\0\0\0da", 6));
  EXPECT_EQ(leat_random_access_close(nullptr), 0);
}

TEST(c_random, invalid_values_of_enumerations_are_refused_or_ignored) {
  const temporary_folder folder;
  for (const int value : {99, -1, INT_MAX, INT_MIN})
    EXPECT_EQ(accepted_invalid_enumerators((folder / "a").c_str(), value), 0) << value;
}

TEST(c_random, records_are_gathered_scattered_and_updated) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  std::vector<uint32_t> all(1000);
  for (uint32_t i = 0; i != 1000; ++i) all[i] = i;
  std::string content(8, 'h');
  content.append(reinterpret_cast<const char*>(all.data()), 4000);
  write_file(path, content);
  leat_access_options options{};
  options.route = LEAT_ROUTE_MERGED;
  leat_random_access_file* const f =
      leat_random_access_open(path.c_str(), LEAT_MODE_UPDATE, &options);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_random_access_last_plan(f).taken, LEAT_ROUTE_AUTOMATIC);
  const uint64_t positions[] = {999, 0, 500};
  uint32_t got[3];
  EXPECT_EQ(leat_random_access_gather(f, 8, 4, positions, 3, got), 0);
  EXPECT_EQ(got[0], 999u);
  EXPECT_EQ(got[1], 0u);
  EXPECT_EQ(got[2], 500u);
  EXPECT_EQ(leat_random_access_last_plan(f).taken, LEAT_ROUTE_MERGED);
  EXPECT_EQ(leat_random_access_last_plan(f).positions, 3u);
  const uint32_t values[] = {1, 2, 3};
  EXPECT_EQ(leat_random_access_scatter(f, 8, 4, positions, 3, values), 0);
  leat_change* const add = [](void* record, size_t index, void* context) {
    if (index == 2 && context != nullptr) return 5;
    return ++*static_cast<uint32_t*>(record), 0;
  };
  EXPECT_EQ(leat_random_access_update(f, 8, 4, positions, 3, add, nullptr), 0);
  EXPECT_EQ(leat_random_access_gather(f, 8, 4, positions, 3, got), 0);
  EXPECT_EQ(got[0] + 10 * got[1] + 100 * got[2], 432u);
  int context = 0;
  EXPECT_EQ(leat_random_access_update(f, 8, 4, positions, 3, add, &context), 5);
  const uint64_t outside = 1000;
  EXPECT_EQ(leat_random_access_gather(f, 8, 4, &outside, 1, got), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_NO_SUCH_RECORD);
  EXPECT_EQ(leat_random_access_gather(f, 8, 0, positions, 3, got), -1);
  EXPECT_EQ(leat_random_access_gather(f, 5000, 4, positions, 1, got), -1);
  EXPECT_EQ(leat_random_access_close(f), 0);
}

TEST(c_random, each_thread_of_an_update_has_its_own_copy_of_a_record) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  // The records are in several stripes. At any time, only one thread may change a stripe's records.
  constexpr std::size_t count = 400'000;
  std::vector<std::uint64_t> numbers(count);
  for (std::size_t i = 0; i != count; ++i) numbers[i] = i;
  write_file(path, std::string(reinterpret_cast<const char*>(numbers.data()), 8 * count));
  leat_access_options options{};
  options.route = LEAT_ROUTE_MERGED;
  options.threads = 4;
  leat_random_access_file* const f =
      leat_random_access_open(path.c_str(), LEAT_MODE_UPDATE, &options);
  ASSERT_NE(f, nullptr);
  leat_change* const add = [](void* record, size_t index, void*) {
    auto& number = *static_cast<std::uint64_t*>(record);
    if (number != index) return 1;
    if (index % 64 == 0) std::this_thread::yield();
    number += count;
    return 0;
  };
  EXPECT_EQ(leat_random_access_update(f, 0, 8, numbers.data(), count, add, nullptr), 0);
  EXPECT_EQ(leat_random_access_close(f), 0);
  const std::string after = read_all(path);
  for (auto& number : numbers) number += count;
  EXPECT_EQ(std::memcmp(after.data(), numbers.data(), 8 * count), 0);
}

TEST(c_random, ranges_are_read_written_and_visited) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  write_file(path, "0123456789");
  leat_random_access_file* f = leat_random_access_open(path.c_str(), LEAT_MODE_COPY, nullptr);
  ASSERT_NE(f, nullptr);
  const leat_range ranges[] = {{8, 2}, {0, 3}, {5, 0}};
  char out[5];
  EXPECT_EQ(leat_random_access_read_ranges(f, ranges, 3, out), 0);
  EXPECT_EQ(std::string(out, 5), "89012");
  EXPECT_EQ(leat_random_access_write_ranges(f, ranges, 2, "abcde"), 0);
  std::vector<std::string> seen(3);
  EXPECT_EQ(leat_random_access_visit_ranges(
                f, ranges, 3,
                [](leat_text bytes, size_t index, void* to) {
                  (*static_cast<std::vector<std::string>*>(to))[index] = string_of(bytes);
                },
                &seen),
            0);
  EXPECT_EQ(seen, (std::vector<std::string>{"ab", "cde", ""}));
  const leat_range wrong[] = {{9, 2}};
  EXPECT_EQ(leat_random_access_read_ranges(f, wrong, 1, out), -1);
  EXPECT_EQ(errno, EINVAL);
  const leat_range endless[] = {{0, UINT64_MAX}, {0, 2}};
  EXPECT_EQ(leat_random_access_read_ranges(f, endless, 2, out), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_random_access_write_ranges(f, endless, 2, out), -1);
  EXPECT_EQ(leat_random_access_close(f), 0);
  EXPECT_EQ(read_all(path), "0123456789");  // only the copy in memory has changed

  f = leat_random_access_open(path.c_str(), LEAT_MODE_READ, nullptr);
  EXPECT_EQ(leat_random_access_write_ranges(f, ranges, 2, "abcde"), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(leat_last_error()->reason, LEAT_REASON_READ_ONLY);
  EXPECT_EQ(leat_random_access_write_at(f, 0, "a", 1), -1);
  EXPECT_EQ(leat_random_access_resize(f, 0), -1);
  EXPECT_EQ(leat_random_access_close(f), 0);
  EXPECT_EQ(leat_random_access_open((folder / "b").c_str(), LEAT_MODE_UPDATE, nullptr), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(leat_random_access_open(nullptr, LEAT_MODE_UPDATE, nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
  f = leat_random_access_open((folder / "b").c_str(), LEAT_MODE_UPDATE_OR_CREATE, nullptr);
  EXPECT_EQ(leat_random_access_size(f), 0);
  EXPECT_EQ(leat_random_access_close(f), 0);
}

TEST(c_random, a_progress_callback_can_cancel_a_batch) {
  const temporary_folder folder;
  const std::string path = folder / "a";
  write_file(path, std::string(1 << 20, 'x'));
  leat_access_options options{};
  options.route = LEAT_ROUTE_SINGLE;
  options.progress = [](size_t, size_t, void*) { return 1; };
  leat_random_access_file* const f =
      leat_random_access_open(path.c_str(), LEAT_MODE_READ, &options);
  std::vector<uint64_t> positions(1 << 16);
  for (size_t i = 0; i != positions.size(); ++i) positions[i] = (i * 37) % (1 << 18);
  std::vector<uint32_t> out(positions.size());
  EXPECT_EQ(leat_random_access_gather(f, 0, 4, positions.data(), positions.size(), out.data()), -1);
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_EQ(leat_random_access_close(f), 0);
}

TEST(c_random, records_are_gathered_from_a_simulated_disk) {
  leat_volatile_file* const file =
      leat_volatile_file_new(std::string(1 << 20, 'v').data(), 1 << 20);
  leat_device* const bytes = leat_volatile_file_open(file);
  const leat_simulated_model hdd = leat_model_of(LEAT_DISK_HDD);
  leat_device* const disk = leat_device_simulate(bytes, &hdd);
  leat_access_options decodes{};
  decodes.compression = LEAT_COMPRESSION_ZSTD;
  EXPECT_EQ(leat_random_access_over(disk, LEAT_MODE_READ, &decodes, "hdd"), nullptr);
  EXPECT_EQ(errno, EINVAL);
  leat_random_access_file* const f = leat_random_access_over(disk, LEAT_MODE_READ, nullptr, "hdd");
  ASSERT_NE(f, nullptr);
  const uint64_t positions[] = {100000, 7, 50000};
  uint64_t out[3];
  EXPECT_EQ(leat_random_access_gather(f, 0, 8, positions, 3, out), 0);
  EXPECT_GT(leat_device_statistics(disk).reads, 0u);
  EXPECT_GT(leat_device_now(disk), 0u);
  EXPECT_EQ(leat_random_access_close(f), 0);
  leat_device_free(disk);
  leat_device_free(bytes);
  leat_volatile_file_free(file);
}

}  // namespace
