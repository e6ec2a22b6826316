// leat_sync, and leat_fflush on streams with LEAT_DURABILITY_SYSTEM; in most tests, several threads
// call these functions.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "stdio/device_stream.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/slow_disk.hpp"

namespace {

using namespace leat_test;

/// Returns a stream on a slow_disk without bytes. If `system` is true, the stream has
/// LEAT_DURABILITY_SYSTEM: a flush also syncs.
file_ptr file_on_slow_disk(bool system) {
  slow_disk::reset();
  return file_ptr(leat::stdio::make_file(
      std::make_unique<leat::stdio::device_stream>(std::make_unique<slow_disk>(), system), false,
      true));
}

constexpr int thread_count = 8, records = 40;

TEST(sync, threads_share_disk_syncs) {
  for (const bool system : {false, true}) {
    const file_ptr f = file_on_slow_disk(system);
    std::mutex order;
    std::uint64_t handed_over = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t != thread_count; ++t)
      threads.emplace_back([&] {
        const std::string record(100, 'r');
        for (int n = 0; n != records; ++n) {
          std::uint64_t end;
          {
            const std::lock_guard guard(order);
            EXPECT_EQ(leat_fwrite(record.data(), 1, 100, f.get()), 100u);
            end = handed_over += 100;
          }
          EXPECT_EQ(system ? leat_fflush(f.get()) : leat_sync(f.get()), 0);
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

TEST(sync, a_failed_sync_is_final_for_all_threads) {
  const file_ptr f = file_on_slow_disk(false);
  slow_disk::fails_after = 3;
  std::vector<std::thread> threads;
  for (int t = 0; t != thread_count; ++t)
    threads.emplace_back([&] {
      do leat_fputs("record", f.get());
      while (leat_sync(f.get()) == 0);
      EXPECT_EQ(errno, EIO);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(slow_disk::syncs, 4);  // three succeed, one fails, no sync follows
  EXPECT_NE(leat_ferror(f.get()), 0);
  leat_clearerr(f.get());
  leat_fputs("record", f.get());
  EXPECT_EQ(leat_sync(f.get()), EOF);
  EXPECT_EQ(errno, EIO);
}

TEST(sync, does_nothing_without_new_bytes) {
  const file_ptr f = file_on_slow_disk(false);
  EXPECT_EQ(leat_sync(f.get()), 0);
  EXPECT_EQ(slow_disk::syncs, 0);
  leat_fputs("record", f.get());
  EXPECT_EQ(leat_sync(f.get()), 0);
  EXPECT_EQ(leat_sync(f.get()), 0);
  EXPECT_EQ(slow_disk::syncs, 1);
}

TEST(sync, fflush_of_all_streams_syncs_bytes_that_are_already_written) {
  const file_ptr f = file_on_slow_disk(true);
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  leat_fputs("text", f.get());
  EXPECT_EQ(slow_disk::durable.load(), 0U);
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(slow_disk::durable.load(), 4U);
}

TEST(sync, keeps_the_lock_of_flockfile) {
  const file_ptr f = file_on_slow_disk(false);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
      leat_fputs("other", f.get());
      EXPECT_EQ(leat_sync(f.get()), 0);
    }
  });
  for (int i = 0; i != 20; ++i) {
    leat_flockfile(f.get());
    EXPECT_EQ(leat_fflush(f.get()), 0);
    leat_fputs("mine", f.get());
    const std::uint64_t before = slow_disk::written;
    EXPECT_EQ(leat_sync(f.get()), 0);
    EXPECT_EQ(slow_disk::written, before + 4)
        << "the other thread must not write while this thread holds the lock";
    leat_funlockfile(f.get());
  }
  stop = true;
  other.join();
}

TEST(sync, of_a_stream_that_another_thread_reopens_writes_whole_lines) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const file_ptr f(leat_fopen(path.c_str(), "a"));
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        leat_fputs("line\n", f.get());
        if (leat_sync(f.get()) != 0) {
          EXPECT_EQ(errno, EBADF);
        }
      }
    });
  for (int i = 0; i != rounds(100); ++i)
    ASSERT_EQ(leat_freopen(path.c_str(), "a", f.get()), f.get());
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(read_all(path).size() % 5, 0u);
}

#if defined(HAS_FORK)
TEST(sync, succeeds_in_a_forked_child) {
  const temporary_folder folder;
  const file_ptr f(leat_fopen((folder / "file").c_str(), "a"));
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        leat_fputs("parent\n", f.get());
        EXPECT_EQ(leat_sync(f.get()), 0);
      }
    });
  for (int i = 0; i != rounds(100); ++i)
    EXPECT_EQ(wait_for(start_child([&] {
                leat_fputs("child\n", f.get());
                require(leat_sync(f.get()) == 0);
              })),
              0);
  stop = true;
  for (auto& thread : threads) thread.join();
}
#endif

}  // namespace
