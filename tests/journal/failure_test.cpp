// A journal (write-ahead log) on disks that fail, lose power or are full: records that the journal
// has reported as flushed or synced survive, and errors are reported. Also: refused devices,
// threads that sync, and forks.
#include <gtest/gtest.h>
#include <leat/journal.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "journal/journal_model.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#if defined(HAS_FORK)
#  include "support/process.hpp"
#endif

namespace {

using namespace leat_test;
using leat::device_operation;
using leat::durability;
using leat::failing_device;
using leat::fault_plan;
using leat::journal;
using leat::journal_reader;

const auto no_space = std::make_error_code(std::errc::no_space_on_device);

bool is_prefix(const std::vector<stored_record>& found, const std::vector<stored_record>& all) {
  return found.size() <= all.size() && std::equal(found.begin(), found.end(), all.begin());
}

TEST(journal_failure, a_full_disk_is_reported_and_stays_reported) {
  const loss_recorder losses;
  leat::volatile_file disk;
  fault_plan faults({{.in = device_operation::write, .nth = 2, .onwards = true, .ec = no_space}});
  journal out(std::make_unique<failing_device>(disk.open(), faults), {.buffer_size = 4096}, "j");
  std::vector<stored_record> all;
  std::error_code ec;
  while (!ec && all.size() != 10000) {
    const std::string text = "a record " + std::to_string(all.size());
    const auto at = out.append(text, ec);
    if (!ec) all.push_back({at, text, 0});
  }
  EXPECT_EQ(ec, no_space);
  EXPECT_EQ(out.error(), no_space);
  try {
    out.append("more");
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), no_space);
    EXPECT_EQ(error.path(), "j");
    EXPECT_STREQ(error.operation(), "write");
    EXPECT_EQ(error.offset(), 4096u);
    EXPECT_GE(error.unwritten(), 4096u);
  }
  out.sync(ec);
  EXPECT_EQ(ec, no_space);
  out.close(ec);
  EXPECT_EQ(ec, no_space);
  // The written records are in the file. When the disk has space again, a journal that opens the
  // file continues after these records.
  journal again(disk.open());
  EXPECT_GT(again.cut(), 0u);
  again.append("room");
  again.close();
  journal_reader in(disk.open());
  auto found = remaining_records(in);
  ASSERT_GT(found.size(), 100u);
  EXPECT_EQ(found.back().bytes, "room");
  found.pop_back();
  EXPECT_TRUE(is_prefix(found, all));
}

/// In each round, another operation of the disk fails: only this operation, or with `onwards` also
/// all later operations. Checks that flushed records survive.
void fail_each_operation(bool onwards, durability level) {
  const loss_recorder losses;
  for (std::uint64_t n = 1;; ++n) {
    leat::volatile_file disk;
    fault_plan faults({{.nth = n, .onwards = onwards, .ec = no_space}});
    std::vector<stored_record> all;
    std::size_t promised = 0;
    std::error_code ec;
    try {
      for (int opened = 0; opened != 2; ++opened) {
        journal out(std::make_unique<failing_device>(disk.open(), faults),
                    {.durability = level, .buffer_size = 512});
        for (int i = 0; i != 60; ++i) {
          append(out, all, std::string(static_cast<std::size_t>(i), 'x'));
          if (i % 7 != 0) continue;
          if (i % 2 == 0)
            out.flush();
          else
            out.sync();
          promised = all.size();
        }
        out.close();
        promised = all.size();
      }
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), no_space);
    }
    journal_reader in(disk.open());
    const auto found = remaining_records(in);
    ASSERT_TRUE(is_prefix(found, all) || found.size() == all.size() + 1) << n;
    ASSERT_GE(found.size(), promised) << n;
    ASSERT_EQ(in.damage().ranges, 0u);
    if (faults.count() < n) break;
  }
}

TEST(journal_failure, flushed_records_survive_each_failed_operation_of_a_writer) {
  for (const bool onwards : {false, true}) {
    for (const auto level : {durability::none, durability::system})
      fail_each_operation(onwards, level);
  }
}

/// Unsynced sectors reach the disk in any order, or not at all. Synced records survive, and no
/// false record is found.
TEST(journal_failure, synced_records_survive_power_cuts) {
  const loss_recorder losses;
  std::mt19937_64 random(9);
  std::size_t found_more = 0;
  for (std::uint64_t seed = 0; seed != 400; ++seed) {
    leat::volatile_file disk;
    std::vector<stored_record> all;
    std::size_t promised = 0;
    for (int opened = 0; opened != 3; ++opened) {
      {
        journal out(disk.open(), {.durability = durability::system, .buffer_size = 3000});
        for (std::size_t i = random() % 40; i != 0; --i) {
          append(out, all,
                 random_bytes(random, random() % 8 == 0 ? random() % 50000 : random() % 300),
                 static_cast<std::uint8_t>(random()));
          if (random() % 4 != 0) continue;
          out.sync();
          promised = all.size();
        }
        if (seed % 3 != 0) {
          out.close();
          promised = all.size();
        }
        disk.cut_power_at_random(seed);
      }
      journal_reader in(disk.open());
      const auto found = remaining_records(in);
      ASSERT_TRUE(is_prefix(found, all) || in.damage().ranges != 0) << seed;
      ASSERT_GE(found.size(), promised) << seed;
      for (std::size_t i = 0; i != found.size(); ++i) {
        if (i < promised)
          ASSERT_TRUE(found[i] == all[i]) << seed;
        else
          ASSERT_TRUE(std::find(all.begin(), all.end(), found[i]) != all.end()) << seed;
      }
      if (found.size() > promised) ++found_more;
      // Some records that a reader has seen may be unsynced. Opening to write cuts the tail and
      // then syncs. A record between damage and the tail becomes visible only by this cut.
      journal synced(disk.open(), {.durability = durability::system});
      synced.sync();
      journal_reader again(disk.open());
      const auto kept = remaining_records(again);
      ASSERT_GE(kept.size(), found.size());
      for (const auto& one : kept)
        ASSERT_TRUE(std::find(all.begin(), all.end(), one) != all.end()) << seed;
      all = kept;  // the next writer continues after these records
      promised = all.size();
    }
  }
  EXPECT_GT(found_more, 0u);
}

TEST(journal_failure, a_failed_sync_is_final) {
  const loss_recorder losses;
  leat::volatile_file disk;
  const auto io_failure = std::make_error_code(std::errc::io_error);
  fault_plan faults({{.in = device_operation::sync, .nth = 1, .ec = io_failure}});
  journal out(std::make_unique<failing_device>(disk.open(), faults));
  out.append("one");
  std::error_code ec;
  out.sync(ec);
  EXPECT_EQ(ec, io_failure);
  out.sync(ec);
  EXPECT_EQ(ec, io_failure);
  out.append("two", ec);
  EXPECT_EQ(ec, io_failure);
}

TEST(journal_failure, threads_that_sync_at_once_lose_no_record) {
  const temporary_folder folder;
  auto out = journal::open(folder / "j", {.durability = durability::system});
  std::vector<std::thread> threads;
  for (int t = 0; t != 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i != 20; ++i) {
        out.append(std::to_string(t));
        out.sync();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  auto in = journal_reader::open(folder / "j");
  EXPECT_EQ(remaining_records(in).size(), 160u);
}

TEST(journal_failure, devices_without_positions_are_refused) {
  class pipe final : public leat::device {
   public:
    leat::device_traits traits() const noexcept override { return {.positional = false}; }
    std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
      return 0;
    }
    std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                         std::error_code&) noexcept override {
      return 0;
    }
    void close(std::error_code& ec) noexcept override { ec.clear(); }
  };
  EXPECT_THROW(static_cast<void>(journal(std::make_unique<pipe>())), leat::io_error);
  EXPECT_THROW(static_cast<void>(journal_reader(std::make_unique<pipe>())), leat::io_error);
}

TEST(journal_failure, unreadable_bytes_are_an_error) {
  std::vector<stored_record> all;
  leat::volatile_file disk(journal_of({"one", "two"}, all));
  const auto io_failure = std::make_error_code(std::errc::io_error);
  // The reader tries a failed read once more, so two reads must fail.
  fault_plan faults({{.in = device_operation::read, .nth = 2, .ec = io_failure},
                     {.in = device_operation::read, .nth = 3, .ec = io_failure}});
  journal_reader in(std::make_unique<failing_device>(disk.open(), faults));
  leat::journal_record record;
  std::error_code ec;
  EXPECT_FALSE(in.next(record, ec));
  EXPECT_EQ(ec, io_failure);
  EXPECT_TRUE(in.next(record, ec));
  EXPECT_EQ(record.bytes, "one");
}

/// A reader reports each failed operation, and then continues. The reader tries a failed read once
/// more, so two reads must fail.
TEST(journal_failure, each_failed_operation_of_a_reader_is_reported) {
  std::vector<stored_record> all;
  const std::string bytes = journal_of({"one", std::string(block, 'x'), "three"}, all) + "torn";
  const auto io_failure = std::make_error_code(std::errc::io_error);
  for (const auto& [content, operation] : {std::pair(bytes, device_operation::size),
                                           {bytes, device_operation::read},
                                           {bytes.substr(0, 5), device_operation::size},
                                           {bytes.substr(0, 30), device_operation::size}}) {
    const std::uint64_t failures = operation == device_operation::read ? 2 : 1;
    for (std::uint64_t n = 1;; ++n) {
      leat::volatile_file disk(content);
      fault_plan faults({{.in = operation, .nth = n, .ec = io_failure},
                         {.in = operation, .nth = n + failures - 1, .ec = io_failure}});
      std::vector<stored_record> found;
      int reported = 0;
      std::uint64_t torn = 0;
      try {
        journal_reader in(std::make_unique<failing_device>(disk.open(), faults));
        for (std::error_code ec;;) {
          leat::journal_record record;
          if (in.next(record, ec))
            found.push_back({record.position, std::string(record.bytes), record.kind});
          else if (!ec)
            break;
          if (!ec) continue;
          EXPECT_EQ(ec, io_failure);
          ++reported;
        }
        torn = in.torn();
      } catch (const leat::io_error& error) {
        EXPECT_EQ(error.code(), io_failure) << n;
        continue;
      }
      if (faults.count(operation) < n + failures - 1) break;
      ASSERT_EQ(reported, 1) << n;
      ASSERT_TRUE(found == (content == bytes ? all : std::vector<stored_record>())) << n;
      ASSERT_EQ(torn, content == bytes ? 4 : content.size()) << n;
    }
  }
}

#if defined(HAS_FORK)
TEST(journal_failure, the_lock_ends_with_its_process_even_if_a_child_process_lives_on) {
  const temporary_folder folder;
  for (const auto level : {durability::none, durability::process, durability::system}) {
    const std::string path = folder / std::to_string(static_cast<int>(level));
    for (int round = 0; round != 2; ++round) {  // with a new file, then with an existing one
      int ends[2], started[2];
      ASSERT_EQ(::pipe(ends), 0);
      ASSERT_EQ(::pipe(started), 0);
      const pid_t owner = start_child([&] {
        auto out = journal::open(path, {.durability = level});
        out.append("parent");
        start_child([&] {
          ::close(ends[1]);
          char one = 0;
          require(::write(started[1], &one, 1) == 1);
          require(::read(ends[0], &one, 1) == 0);  // until the test closes the pipe
        });
        char one;
        require(::read(started[0], &one, 1) == 1);
        std::error_code ec;
        require(!journal::open(path, ec).is_open());
        ::_exit(0);
      });
      ASSERT_EQ(wait_for(owner), 0);
      auto next = journal::open(path);
      next.append("next");
      next.close();
      for (const int end : {ends[0], ends[1], started[0], started[1]}) ::close(end);
    }
    auto in = journal_reader::open(path);
    EXPECT_EQ(remaining_records(in).size(), 4u);
  }
}

TEST(journal_failure, a_forked_child_leaves_the_journal_to_its_parent) {
  const temporary_folder folder;
  for (const auto level : {durability::none, durability::process}) {
    const std::string path = folder / std::to_string(static_cast<int>(level));
    auto out = journal::open(path, {.durability = level});
    out.append("parent");
    const auto ended = run_in_child([&] {
      std::error_code ec;
      out.append("child", ec);
      require(ec == std::errc::operation_not_supported);
      out.close(ec);
    });
    EXPECT_TRUE(succeeded(ended)) << ended.err;
    out.append("parent again");
    // The parent still holds the lock.
    std::error_code ec;
    EXPECT_FALSE(journal::open(path, ec).is_open());
    out.close();
    auto in = journal_reader::open(path);
    const auto found = remaining_records(in);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1].bytes, "parent again");
  }
}
#endif

}  // namespace
