// volatile_file: what survives a simulated power cut.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/records.hpp>
#include <leat/testing.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "device/memory.hpp"

namespace {

using leat::volatile_file;

TEST(volatile_file, keeps_only_synced_bytes_at_a_power_cut) {
  volatile_file disk;
  leat::file_writer journal(disk.open());
  journal.write("one\n");
  journal.sync();
  EXPECT_EQ(disk.unsynced(), 0u);
  journal.write("two\n");
  journal.flush();
  EXPECT_EQ(disk.content(), "one\ntwo\n");
  EXPECT_EQ(disk.unsynced(), 1u);
  disk.cut_power();
  EXPECT_EQ(disk.content(), "one\n");
  EXPECT_EQ(disk.unsynced(), 0u);
  journal.write("three\n");
  std::error_code ec;
  journal.close(ec);
  EXPECT_EQ(ec, std::errc::io_error) << "the file was open when the power failed";
  EXPECT_EQ(leat::file_reader(disk.open()).read_all(), "one\n");
}

TEST(volatile_file, tears_writes_at_sectors_and_reorders_them) {
  const std::string old(1024, '-');
  const auto write = [](volatile_file& disk) {
    leat::file out(disk.open());
    out.write_at(500, "aaaaaaaaaaaaaaaaaaaaaaaa");  // 12 bytes on each side of offset 512
    out.write_at(506, "bb");
    out.resize(2000);
    out.close();
  };
  volatile_file disk(old);
  write(disk);
  ASSERT_EQ(disk.unsynced(), 4u);
  disk.cut_power(std::vector<std::size_t>{1});
  EXPECT_EQ(disk.content(), std::string(512, '-') + std::string(12, 'a') + std::string(500, '-'));

  volatile_file other(old);
  write(other);
  other.cut_power(std::vector<std::size_t>{3, 2, 0});
  EXPECT_EQ(other.content(), std::string(500, '-') + std::string(12, 'a') + std::string(512, '-') +
                                 std::string(976, '\0'));

  volatile_file third(old);
  write(third);
  EXPECT_THROW(third.cut_power(std::vector<std::size_t>{4}), std::out_of_range);
  EXPECT_EQ(third.unsynced(), 4u);
}

TEST(volatile_file, keeps_bytes_unsynced_if_the_device_below_fails_to_sync) {
  leat::fault_plan faults(
      {{.in = leat::device_operation::sync, .ec = std::make_error_code(std::errc::io_error)}});
  volatile_file disk(std::make_unique<leat::failing_device>(
      std::make_unique<leat::memory_device>("content"), faults));
  EXPECT_EQ(disk.content(), "content");
  leat::file out(disk.open());
  out.write_at(0, "C");
  std::error_code ec;
  out.sync(ec);
  EXPECT_EQ(ec, std::errc::io_error);
  EXPECT_EQ(disk.unsynced(), 1u);
  out.sync();
  EXPECT_EQ(disk.unsynced(), 0u);
}

TEST(volatile_file, a_seed_determines_the_lost_bytes) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed != 64; ++seed) {
    std::string first;
    for (int again = 0; again != 2; ++again) {
      volatile_file disk("....");
      leat::file out(disk.open());
      out.write_at(0, "ab");
      out.write_at(1, "cd");
      disk.cut_power_at_random(seed);
      if (again == 0) first = disk.content();
      EXPECT_EQ(disk.content(), first);
    }
    outcomes.insert(first);
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"....", "ab..", ".cd.", "acd.", "abd."}));
}

/// As in the example of docs/testing.md, a log keeps all bytes that sync() acknowledged, whatever
/// survives of the rest.
TEST(volatile_file, a_writer_keeps_all_synced_lines_at_random_power_cuts) {
  for (std::uint64_t seed = 0; seed != 500; ++seed) {
    volatile_file disk;
    std::string acknowledged;
    {
      leat::file_writer journal(disk.open());
      for (int i = 0; i != 100 + static_cast<int>(seed); ++i) {
        journal.write("a line\n");
        if (i % 40 != 39) continue;
        journal.sync();
        acknowledged.assign(static_cast<std::size_t>(journal.tell()), ' ');
      }
      journal.flush();
      disk.cut_power_at_random(seed);
      journal.discard();
    }
    ASSERT_GE(disk.content().size(), acknowledged.size());
    for (std::size_t i = 0; i != acknowledged.size(); ++i)
      ASSERT_EQ(disk.content()[i], "a line\n"[i % 7]);
  }
}

}  // namespace
