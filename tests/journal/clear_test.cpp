// journal::clear() removes all records. If the power is cut during the call, the journal is empty
// or begins with its synced records. If the power is cut after the call, no old record comes back.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "journal/journal_model.hpp"
#include "support/files.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using leat::durability;
using leat::journal;
using leat::journal_reader;

TEST(journal, accepts_records_after_clear) {
  const temporary_folder folder;
  for (const auto level : {durability::none, durability::process, durability::system}) {
    const std::string path = folder / std::to_string(static_cast<int>(level));
    auto out = journal::open(path, {.durability = level});
    const std::uint64_t empty = out.size();
    for (int round = 0; round != 4; ++round) {
      for (int i = 0; i != 3000 * round; ++i) out.append("old " + std::to_string(i));
      const std::uint64_t position = out.append("the last of the old ones");
      out.clear();
      EXPECT_EQ(out.size(), empty);
      std::error_code ec;
      EXPECT_EQ(out.read_at(position, ec), "");
      EXPECT_EQ(ec, leat::errc::no_such_record);
      {
        auto in = journal_reader::open(path, {.live = true});
        EXPECT_TRUE(remaining_records(in).empty());
        EXPECT_EQ(in.damage().bytes, 0u);
      }
      const std::uint64_t first = out.append("new");
      EXPECT_EQ(out.read_at(first), "new");
      out.append(std::string(100'000, 'n'));
      static_cast<void>(journal::open(path, ec));
      EXPECT_EQ(ec, std::errc::device_or_resource_busy) << "the journal is locked";
      auto in = journal_reader::open(path, {.live = true});
      if (level == durability::process) {
        EXPECT_EQ(remaining_records(in).size(), 2u);
      }
    }
    out.close();
    auto in = journal_reader::open(path);
    EXPECT_EQ(remaining_records(in).size(), 2u);
    EXPECT_EQ(in.damage().bytes, 0u);
    std::error_code ec;
    out.clear(ec);
    EXPECT_EQ(ec, leat::errc::closed);
  }
}

/// If the machine crashes after clear() has returned, no old record comes back.
TEST(journal, a_cleared_journal_survives_a_power_cut) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial != 200; ++trial) {
    leat::volatile_file disk;
    std::uint64_t cleared = 0;
    {
      journal out(disk.open());
      for (int i = 0; i != 40; ++i) out.append(std::string(random() % 3000, 'o'));
      if (trial % 2 == 0) out.sync();
      out.clear();
      cleared = out.size();
      for (int i = 0; i != 5; ++i) out.append(std::string(random() % 3000, 'n'));
      if (trial % 3 == 0) out.sync();
      disk.cut_power_at_random(random());
      std::error_code lost;
      out.close(lost);
    }
    journal after(disk.open());
    EXPECT_GE(after.size(), cleared);
    after.close();
    journal_reader in(disk.open());
    for (const auto& one : remaining_records(in))
      EXPECT_EQ(one.bytes.find_first_not_of('n'), one.bytes.npos) << "an old record is back";
  }
}

/// The first, second or third sync within clear() fails, and then the power is cut. The journal is
/// empty, or still begins with the synced record.
TEST(journal, a_power_cut_during_clear_leaves_the_synced_records_or_none) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial != 300; ++trial) {
    leat::volatile_file disk;
    {
      leat::fault_plan plan;
      journal out(std::make_unique<leat::failing_device>(disk.open(), plan));
      out.append("one");
      out.sync();
      out.append(std::string(random() % 5000, 'x'));
      plan.add(
          {.in = leat::device_operation::sync,
           .nth = plan.count(leat::device_operation::sync) + 1 + static_cast<unsigned>(trial % 3),
           .onwards = true,
           .ec = std::make_error_code(std::errc::io_error)});
      std::error_code ec;
      out.clear(ec);
      EXPECT_EQ(ec, std::errc::io_error);
      disk.cut_power_at_random(random());
    }
    const journal after(disk.open());
    journal_reader in(disk.open());
    const auto found = remaining_records(in);
    EXPECT_TRUE(found.empty() || found.front().bytes == "one") << found.front().bytes.size();
  }
}

TEST(journal, finds_new_records_after_clear_while_another_thread_flushes) {
  const temporary_folder folder;
  auto out = journal::open(folder / "j");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) out.flush();
  });
  const std::string large(20'000, 'x');
  for (int round = 0; round != rounds(500) && !HasFailure(); ++round) {
    for (int i = 0; i != 8; ++i) out.append(large);
    out.clear();
    for (int i = 0; i != 20; ++i) {
      const std::uint64_t position = out.append("new");
      std::error_code ec;
      EXPECT_EQ(out.read_at(position, ec), "new") << ec.message();
    }
  }
  stop = true;
  other.join();
}

}  // namespace
