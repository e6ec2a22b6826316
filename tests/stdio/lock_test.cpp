// The locks of streams: between threads, and across fork.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

TEST(file, a_thread_can_lock_a_file_more_than_once) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w");
  leat_flockfile(f.get());
  leat_flockfile(f.get());
  EXPECT_EQ(leat_ftrylockfile(f.get()), 0);
  EXPECT_EQ(leat_fputs("held", f.get()) < 0, false);
  leat_funlockfile(f.get());
  leat_funlockfile(f.get());
  int result_in_other_thread = 0;
  std::thread([&] { result_in_other_thread = leat_ftrylockfile(f.get()); }).join();
  EXPECT_NE(result_in_other_thread, 0) << "the first thread still holds the lock once";
  leat_funlockfile(f.get());
  std::thread([&] {
    result_in_other_thread = leat_ftrylockfile(f.get());
    if (result_in_other_thread == 0) leat_funlockfile(f.get());
  }).join();
  EXPECT_EQ(result_in_other_thread, 0);
}

TEST(file, other_threads_wait_for_the_lock_of_a_file) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w");
  leat_flockfile(f.get());
  std::atomic<bool> started{false};
  std::thread other([&] {
    started = true;
    leat_fputs("other\n", f.get());
  });
  while (!started) std::this_thread::yield();
  for (int i = 0; i != 1000; ++i) {
    leat_fputc_unlocked('m', f.get());
    std::this_thread::yield();
  }
  leat_funlockfile(f.get());
  other.join();
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), std::string(1000, 'm') + "other\n");
}

TEST(file, lines_of_threads_stay_whole) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w");
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      const std::string line = std::string(50, static_cast<char>('a' + t)) + '\n';
      for (int i = 0; i != 2000; ++i) leat_fputs(line.c_str(), f.get());
    });
  for (auto& thread : threads) thread.join();
  f.reset();
  const std::string text = read_all(folder / "file");
  ASSERT_EQ(text.size(), 4u * 2000 * 51);
  for (std::size_t i = 0; i != text.size(); i += 51)
    ASSERT_EQ(text.substr(i, 51), std::string(50, text[i]) + '\n') << i;
}

// Only a build with the thread sanitizer finds a race.
TEST(file, fflush_of_all_streams_has_no_race_with_threads_that_open_and_close) {
  const temporary_folder folder;
  std::atomic<bool> done{false};
  std::thread other([&] {
    const std::string path = folder / "other";
    for (int i = 0; i != 200; ++i) {
      leat_file* f = leat_fopen(path.c_str(), "w");
      EXPECT_GE(leat_fputs("text", f), 0);
      f = leat_freopen(path.c_str(), "r", f);
      EXPECT_EQ(leat_fgetc(f), 't');
      EXPECT_EQ(leat_fclose(f), 0);
    }
    done = true;
  });
  while (!done) EXPECT_EQ(leat_fflush(nullptr), 0);
  other.join();
}

TEST(file, calls_take_no_lock_if_fsetlocking_chooses_the_caller) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w");
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 2), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 2);
  // 2 (FSETLOCKING_BYCALLER): calls take no lock, so the other thread does not wait.
  leat_flockfile(f.get());
  std::thread([&] { leat_fputc('x', f.get()); }).join();
  leat_funlockfile(f.get());
}

#if defined(HAS_FORK)
TEST(file, a_forked_child_inherits_buffered_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* const f = leat_fopen(path.c_str(), "w");
  leat_fputs("twice\n", f);
  const pid_t child = start_child([&] {
    leat_fputs("child\n", f);
    require(leat_fclose(f) == 0);
  });
  EXPECT_EQ(wait_for(child), 0);
  leat_fputs("parent\n", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(path), "twice\nchild\ntwice\nparent\n");
}

TEST(file, a_child_can_use_streams_that_another_thread_had_locked) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w");
  std::atomic<int> state{0};
  std::thread other([&] {
    leat_flockfile(f.get());
    state = 1;
    while (state != 2) std::this_thread::yield();
    leat_funlockfile(f.get());
  });
  while (state != 1) std::this_thread::yield();
  const pid_t child = start_child([&] { require(leat_fputc('x', f.get()) == 'x'); });
  EXPECT_EQ(wait_for(child), 0);
  state = 2;
  other.join();
}
#endif

}  // namespace
