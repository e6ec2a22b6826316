// Threads that sync one stream share the syncs.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"
#include "support/slow_disk.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;

leat::synchronized shared_log(leat::durability durability = leat::durability::none) {
  slow_disk::reset();
  leat::writer_options options;
  options.durability = durability;
  return leat::synchronized(leat::file_writer(std::make_unique<slow_disk>(), options));
}

constexpr int thread_count = 8, records = 40;

TEST(group_commit, threads_of_a_shared_stream_share_disk_syncs) {
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
          EXPECT_GE(slow_disk::durable.load(), end);
        }
      });
    for (auto& thread : threads) thread.join();
    // A thread writes a record after the sync of its previous record. So there are at least
    // `records` syncs.
    EXPECT_GE(slow_disk::syncs, records);
    EXPECT_LT(slow_disk::syncs, thread_count * records / 2);
  }
}

/// Threads write and sync records until each thread gets an error, which must be `expected`. Calls
/// `meanwhile` after the threads have started.
template <class Meanwhile>
void expect_error_in_each_thread(leat::writer& log, std::error_code expected,
                                 Meanwhile&& meanwhile) {
  std::atomic<int> reported = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != thread_count; ++t)
    threads.emplace_back([&] {
      std::error_code ec;
      while (!ec) {
        log.println("record");
        log.sync(ec);
      }
      EXPECT_EQ(ec, expected);
      ++reported;
    });
  meanwhile();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(reported, thread_count);
}

TEST(group_commit, all_threads_get_the_error_of_a_failed_sync) {
  auto log = shared_log();
  slow_disk::fails_after = 3;
  const auto failure = std::make_error_code(std::errc::io_error);
  expect_error_in_each_thread(log, failure, [] {});
  EXPECT_EQ(slow_disk::syncs, 4);  // three succeed, one fails, no sync follows
  std::error_code ec;
  log.close(ec);
  EXPECT_EQ(ec, failure);
}

/// A device that calls `meanwhile` in each sync. Each sync fails.
class sync_failing_device final : public leat::device {
 public:
  explicit sync_failing_device(std::function<void()> meanwhile)
      : meanwhile_(std::move(meanwhile)) {}
  leat::device_traits traits() const noexcept override { return {.syncs_concurrently = true}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    return pieces[0].size();
  }
  void sync(std::error_code& ec) noexcept override {
    meanwhile_();
    ec = std::make_error_code(std::errc::io_error);
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::function<void()> meanwhile_;
};

TEST(group_commit, bytes_in_the_buffer_during_a_failed_sync_are_lost) {
  leat::writer* log = nullptr;
  leat::synchronized shared(leat::file_writer(std::make_unique<sync_failing_device>(
      [&] { std::thread([&] { log->write("meanwhile"); }).join(); })));
  log = &shared;
  shared.write("before");
  try {
    shared.sync();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), std::errc::io_error);
    EXPECT_EQ(error.unwritten(), 9u);
  }
  shared.write("later");
  EXPECT_EQ(shared.lost(), 14u);
  std::error_code ec;
  shared.close(ec);
  EXPECT_EQ(shared.lost(), 14u);
}

TEST(group_commit, all_threads_get_an_error_after_a_close) {
  auto log = shared_log();
  const loss_recorder quiet;  // takes the report of records that are written after the close
  expect_error_in_each_thread(log, leat::errc::closed, [&] {
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
