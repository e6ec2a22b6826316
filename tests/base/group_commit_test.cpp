// Group commit: threads that wait for a sync at the same time share one sync. Also stop() and
// resume().
#include "base/group_commit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;

TEST(group_commit, calls_during_a_sync_share_the_next_sync) {
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
  EXPECT_LE(syncs, 4);  // 2 syncs if no thread was late
}

TEST(group_commit, each_call_waits_for_a_sync_that_began_after_the_call) {
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

TEST(group_commit, stop_waits_for_the_sync_and_makes_other_callers_fail) {
  leat::group_commit group;
  std::atomic<bool> started = false, done = false;
  std::thread leader([&] {
    EXPECT_TRUE(group.run([&](std::error_code& ec) {
      started = true;
      std::this_thread::sleep_for(30ms);
      done = true;
      ec = std::make_error_code(std::errc::io_error);
    }));
  });
  while (!started) std::this_thread::yield();
  std::thread waiter([&] {
    EXPECT_FALSE(
        group.run([](std::error_code&) { ADD_FAILURE() << "stop() must prevent this sync"; }));
  });
  std::this_thread::sleep_for(10ms);
  group.stop();
  EXPECT_TRUE(done);
  leader.join();
  waiter.join();
  EXPECT_EQ(group.error(), std::errc::io_error);
  group.resume();
  EXPECT_TRUE(group.run([](std::error_code&) {}));
}

}  // namespace
