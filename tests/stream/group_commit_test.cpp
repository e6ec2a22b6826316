#include "stream/group_commit.hpp"

#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;

TEST(group_commit, threads_that_come_during_a_sync_share_the_next) {
  leat::group_commit group;
  std::atomic<int> syncs = 0, inside = 0;
  std::atomic<bool> first_may_end = false;
  const auto sync = [&](std::error_code&) {
    EXPECT_EQ(inside.fetch_add(1), 0);
    if (syncs.fetch_add(1) == 0)
      while (!first_may_end) std::this_thread::sleep_for(1ms);
    inside.fetch_sub(1);
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { EXPECT_TRUE(group.run(sync)); });
  while (syncs == 0) std::this_thread::yield();
  for (int i = 0; i != 7; ++i) threads.emplace_back([&] { EXPECT_TRUE(group.run(sync)); });
  std::this_thread::sleep_for(50ms);
  first_may_end = true;
  for (auto& thread : threads) thread.join();
  EXPECT_GE(syncs, 2);
  EXPECT_LE(syncs, 4);  // 2, unless a thread came late
}

TEST(group_commit, each_caller_is_served_by_a_sync_that_began_after_it_came) {
  leat::group_commit group;
  std::atomic<std::uint64_t> written = 0, safe = 0;
  const auto sync = [&](std::error_code&) {
    const std::uint64_t seen = written.load();
    std::this_thread::sleep_for(50us);
    safe.store(seen);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 8; ++i)
    threads.emplace_back([&] {
      for (int n = rounds(300); n != 0; --n) {
        const std::uint64_t mine = written.fetch_add(1) + 1;
        EXPECT_TRUE(group.run(sync));
        EXPECT_GE(safe.load(), mine);
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(group_commit, end_waits_for_the_sync_and_sends_the_others_away) {
  leat::group_commit group;
  std::atomic<bool> begun = false, done = false;
  std::thread leader([&] {
    EXPECT_TRUE(group.run([&](std::error_code& ec) {
      begun = true;
      std::this_thread::sleep_for(30ms);
      done = true;
      ec = std::make_error_code(std::errc::io_error);
    }));
  });
  while (!begun) std::this_thread::yield();
  std::thread waiter(
      [&] { EXPECT_FALSE(group.run([](std::error_code&) { ADD_FAILURE() << "a second one"; })); });
  std::this_thread::sleep_for(10ms);
  group.end();
  EXPECT_TRUE(done);
  leader.join();
  waiter.join();
  EXPECT_EQ(group.error(), std::errc::io_error);
  group.go_on();
  EXPECT_TRUE(group.run([](std::error_code&) {}));
}

/// A device whose syncs take time. It knows how many bytes each has made safe.
struct slow_disk final : leat::device {
  leat::device_traits traits() const noexcept override {
    leat::device_traits mine;
    mine.syncs_beside = true;
    return mine;
  }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    std::uint64_t n = 0;
    for (const auto piece : pieces) n += piece.size();
    written.store(at + n);
    return static_cast<std::size_t>(n);
  }
  void sync(std::error_code& ec) noexcept override {
    ec.clear();
    const std::uint64_t seen = written.load();
    std::this_thread::sleep_for(2ms);
    ++syncs;
    if (syncs > fails_after)
      ec = std::make_error_code(std::errc::io_error);
    else
      safe.store(seen);
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

  static inline std::atomic<std::uint64_t> written, safe;
  static inline std::atomic<int> syncs, fails_after;
};

leat::synchronized shared_log(leat::durability what = leat::durability::none) {
  slow_disk::written = slow_disk::safe = 0;
  slow_disk::syncs = 0;
  slow_disk::fails_after = 1'000'000;
  leat::writer_options how;
  how.durability = what;
  return leat::synchronized(leat::file_writer(std::make_unique<slow_disk>(), how));
}

constexpr int thread_count = 8, records = 40;

TEST(group_commit, sync_and_flush_of_a_shared_stream_share_what_the_disk_does) {
  for (const bool system : {false, true}) {
    auto log = shared_log(system ? leat::durability::system : leat::durability::none);
    std::mutex order;
    std::uint64_t handed_over = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t != thread_count; ++t)
      threads.emplace_back([&] {
        const std::string record(99, 'r');
        for (int n = 0; n != records; ++n) {
          std::uint64_t end;
          {
            const std::lock_guard guard(order);
            log.println("{}", record);
            end = handed_over += 100;
          }
          if (system)
            log.flush();
          else
            log.sync();
          EXPECT_GE(slow_disk::safe.load(), end);
        }
      });
    for (auto& thread : threads) thread.join();
    // Each thread's records need syncs one after the other.
    EXPECT_GE(slow_disk::syncs, records);
    EXPECT_LT(slow_disk::syncs, thread_count * records / 2);
  }
}

/// Threads write records and sync them, until each of them is told of this error.
template <class Meanwhile>
void expect_all_are_told(leat::writer& log, std::error_code expected, Meanwhile&& meanwhile) {
  std::atomic<int> told = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != thread_count; ++t)
    threads.emplace_back([&] {
      std::error_code ec;
      while (!ec) {
        log.println("record");
        log.sync(ec);
      }
      EXPECT_EQ(ec, expected);
      ++told;
    });
  meanwhile();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(told, thread_count);
}

TEST(group_commit, all_threads_are_told_of_a_failed_sync) {
  auto log = shared_log();
  slow_disk::fails_after = 3;
  const auto failure = std::make_error_code(std::errc::io_error);
  expect_all_are_told(log, failure, [] {});
  EXPECT_EQ(slow_disk::syncs, 4);  // and none after the failure
  std::error_code ec;
  log.close(ec);
  EXPECT_EQ(ec, failure);
}

TEST(group_commit, a_stream_that_is_closed_meanwhile_says_so) {
  auto log = shared_log();
  const loss_recorder quiet;  // lines that come after the end
  expect_all_are_told(log, leat::errc::closed, [&] {
    std::this_thread::sleep_for(20ms);
    std::error_code ec;
    log.close(ec);
    EXPECT_FALSE(ec);
  });
}

#if !defined(_WIN32)

TEST(group_commit, a_forked_child_syncs_for_itself) {
  const temporary_folder folder;
  leat::synchronized log(leat::append(folder / "log"));
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        log.println("parent");
        log.sync();
      }
    });
  for (int i = 0; i != 20; ++i)
    EXPECT_EQ(wait_for(start_child([&] {
                log.println("child");
                log.sync();
              })),
              0);
  stop = true;
  for (auto& thread : threads) thread.join();
}

#endif

}  // namespace
