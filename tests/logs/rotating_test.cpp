// Logs that begin a new file when the current one is full, old or moved.
#include <gtest/gtest.h>
#include <leat/folder.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if defined(HAS_FORK)
#  include <sys/mman.h>
#  include <sys/stat.h>

#  include <csignal>
#  include <cstdio>
#endif

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using leat::durability;
using leat::flush_when;
using names = std::vector<std::string>;

class rotating : public testing::Test {
 protected:
  temporary_folder folder;
  const std::string path = folder / "app.log";

  /// The files of the log, the oldest first: the numbered archives, then the current file.
  std::vector<std::string> files() const {
    std::vector<std::pair<int, std::string>> old;  // a kill may leave a gap
    for (const auto& name : folder.names())
      if (const int number = std::atoi(name.substr(std::min<std::size_t>(name.size(), 8)).c_str());
          name.starts_with("app.log.") && number != 0)
        old.emplace_back(-number, folder / name);
    std::sort(old.begin(), old.end());
    std::vector<std::string> found;
    for (auto& [number, file] : old) found.push_back(std::move(file));
    if (std::filesystem::exists(path)) found.push_back(path);
    return found;
  }
  std::string content() const {
    std::string all;
    for (const auto& file : files()) all += read_all(file);
    return all;
  }
  /// Makes the last write time of the current file earlier by `by`.
  void make_older(std::chrono::seconds by) const {
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - by);
  }
};

TEST_F(rotating, continues_an_existing_file) {
  write_file(path, "before\n");
  auto log = leat::rotating(path, {.size = 16});
  log.println("later");
  log.flush();
  EXPECT_EQ(read_all(path), "before\nlater\n");
  log.println("and later");
  log.close();
  EXPECT_EQ(read_all(path + ".1"), "before\nlater\n");
  EXPECT_EQ(read_all(path), "and later\n");
}

TEST_F(rotating, a_line_that_is_flushed_in_parts_stays_whole) {
  for (const auto level : {durability::none, durability::process}) {
    auto log = leat::rotating(path, {.size = 10, .durability = level});
    log.print("0123456");
    log.flush();
    log.print("789abcdef");
    log.flush();
    log.println("gh");
    log.println("next");
    log.close();
    EXPECT_EQ(read_all(path + ".1"), "0123456789abcdefgh\n");
    EXPECT_EQ(read_all(path), "next\n");
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, begins_a_new_file_if_the_last_write_was_in_an_earlier_period) {
  auto log = leat::rotating(path, {.every = 24h, .flush = flush_when::line});
  log.println("yesterday");
  make_older(24h);
  log.println("today");
  log.println("still today");
  EXPECT_EQ(read_all(path + ".1"), "yesterday\n");
  EXPECT_EQ(read_all(path), "today\nstill today\n");
  log.close();
  // Opening finds a file of another day. An empty file does not become an archive.
  make_older(24h);
  auto next = leat::rotating(path, {.every = 24h, .local_time = true});
  next.println("later");
  next.close();
  EXPECT_EQ(content(), "yesterday\ntoday\nstill today\nlater\n");
  EXPECT_EQ(files().size(), 3U);
  write_file(path, "");
  make_older(24h);
  leat::rotating(path, {.every = 24h}).println("first");
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(rotating, begins_a_new_file_when_a_period_ends_between_lines) {
  for (const auto level : {durability::none, durability::process}) {
    auto log = leat::rotating(path, {.every = 1s, .durability = level, .flush = flush_when::line});
    const auto end = std::chrono::steady_clock::now() + 2200ms;
    std::string all;
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      log.println("line {}", i);
      all += "line " + std::to_string(i) + '\n';
      std::this_thread::sleep_for(10ms);
    }
    log.close();
    EXPECT_GE(files().size(), 3U);
    EXPECT_LE(files().size(), 4U);
    EXPECT_EQ(content(), all);
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, keeps_all_files_if_a_number_is_missing) {
  write_file(path, "four\n");
  write_file(path + ".1", "three\n");
  write_file(path + ".2", "two\n");
  write_file(path + ".4", "one\n");
  auto log = leat::rotating(path, {.size = 5});
  log.println("five");
  log.println("six");
  log.close();
  EXPECT_EQ(content(), "one\ntwo\nthree\nfour\nfive\nsix\n");
  EXPECT_EQ(files().size(), 6U);
}

#if defined(HAS_MODE_BITS)
TEST_F(rotating, writes_to_the_old_file_if_no_new_file_can_be_created) {
  loss_recorder losses;
  auto log = leat::rotating(path, {.size = 8, .keep = 1, .flush = flush_when::line});
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0500));
  const bool can_write = ::access(folder.path().c_str(), W_OK) == 0;
  for (int i = 0; i != 5; ++i) log.println("line {}", i);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
  log.close();
  if (can_write) GTEST_SKIP() << "root may write to every folder";
  EXPECT_EQ(read_all(path), "line 0\nline 1\nline 2\nline 3\nline 4\n");
  EXPECT_EQ(losses.take().size(), 1U);
}
#endif

TEST_F(rotating, keeps_all_lines_of_threads_that_share_a_log) {
  constexpr int lines = 3000;
  auto shared = leat::synchronized(leat::rotating(path, {.size = 10'000}));
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t)
    threads.emplace_back([&shared, t] {
      for (int i = 0; i != lines; ++i) shared.println("{} {}", t, i);
    });
  for (auto& thread : threads) thread.join();
  shared.close();
  std::vector<int> next(3);
  for (const auto& file : files()) {
    EXPECT_LE(std::filesystem::file_size(file), 10'000U);
    for (const auto line : leat::open(file).lines()) {
      const int t = line[0] - '0';
      EXPECT_EQ(line.substr(2), std::to_string(next[static_cast<std::size_t>(t)]++));
    }
  }
  EXPECT_EQ(next, std::vector<int>(3, lines));
}

TEST_F(rotating, keeps_all_lines_of_a_background_stream) {
  std::string all;
  auto log = leat::rotating(path, {.size = 300'000, .background = true});
  for (int i = 0; i != 200'000; ++i) {
    log.println("line {}", i);
    all += "line " + std::to_string(i) + '\n';
  }
  log.close();
  EXPECT_EQ(content(), all);
  for (const auto& file : files()) EXPECT_LE(std::filesystem::file_size(file), 300'000U);
}

TEST_F(rotating, syncs_the_log_and_its_archives_without_an_error) {
  auto log = leat::rotating(path, {.size = 8});
  for (int i = 0; i != 30; ++i) {
    log.println("line {}", i);
    if (i % 7 == 0) log.sync();
  }
  log.sync();
  log.close();
  auto durable = leat::rotating(path, {.size = 8, .durability = durability::system});
  durable.println("line {}", 30);
  durable.println("line {}", 31);
  durable.close();
  EXPECT_EQ(files().size(), 32U);
}

TEST_F(rotating, refuses_invalid_options) {
  std::error_code ec;
  EXPECT_FALSE(leat::rotating(path, {.compression = leat::compression::automatic}, ec).is_open());
  EXPECT_EQ(ec, std::errc::invalid_argument);
  EXPECT_FALSE(leat::rotating(path, {.every = -1s}, ec).is_open());
  EXPECT_EQ(ec, std::errc::invalid_argument);
  EXPECT_FALSE(leat::rotating(path, {.compression = leat::compression::gzip}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::no_codecs);
  EXPECT_FALSE(leat::rotating(folder / "none" + "/app.log", {}, ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_THROW(static_cast<void>(leat::rotating(folder / "none" + "/app.log", {})), leat::io_error);
  EXPECT_EQ(folder.names(), names{});
}

// Reopening

TEST_F(rotating, a_reopening_stream_writes_to_a_new_file_after_a_rename) {
  for (const auto level : {durability::none, durability::process}) {
    auto log = leat::append(path, {.durability = level, .reopen = true});
    log.println("one");
    log.flush();
    std::filesystem::rename(path, path + ".1");
    log.println("two");
    log.flush();
    log.println("three");
    log.flush();
#if defined(__linux__)
    const bool checks_immediately = level == durability::none;
#else
    const bool checks_immediately = true;  // without sidecars, nothing is pending
#endif
    EXPECT_EQ(read_all(path + ".1"), checks_immediately ? "one\n" : "one\ntwo\n");
    EXPECT_EQ(read_all(path), checks_immediately ? "two\nthree\n" : "three\n");
#if !defined(_WIN32)  // on Windows a removed file may keep its name until its handles are closed
    std::filesystem::remove(path);
    log.reopen();
    log.println("four");
    log.close();
    EXPECT_EQ(read_all(path), "four\n");
#else
    log.close();
#endif
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, reopen_switches_to_the_new_file_immediately) {
  auto log = leat::synchronized(leat::append(path, {.reopen = true}));
  log.println("one");
  log.reopen();
  EXPECT_EQ(read_all(path), "one\n");
  std::filesystem::rename(path, path + ".1");
  log.reopen();
  EXPECT_EQ(read_all(path), "");
  log.println("two");
  log.close();
  EXPECT_EQ(content(), "one\ntwo\n");
  std::error_code ec;
  log.reopen(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  auto plain = leat::append(path);
  plain.reopen(ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(plain.error(), std::error_code());
  leat::string_writer text;  // not leat::out, which only child processes of tests use
  EXPECT_THROW(text.reopen(), leat::io_error);
}

TEST_F(rotating, writes_at_the_start_of_the_file_after_copytruncate) {
  for (const auto level : {durability::none, durability::process}) {
    auto log = leat::append(path, {.durability = level, .reopen = true});
    log.println("one");
    log.flush();
    std::filesystem::copy_file(path, path + ".1");
    std::filesystem::resize_file(path, 0);
    log.println("two");
    log.close();
    EXPECT_EQ(read_all(path), "two\n");
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, continues_in_a_new_file_after_a_rename_by_another_program) {
  auto log = leat::rotating(path, {.size = 1000, .flush = flush_when::line});
  log.println("one");
  std::filesystem::rename(path, path + ".1");
  log.println("two");
  log.close();
  EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(rotating, a_removed_folder_is_a_failure) {
  std::filesystem::create_directory(folder / "sub");
  auto log = leat::append(folder / "sub" + "/app.log", {.reopen = true});
  log.println("one");
  log.flush();
#if defined(HAS_MODE_BITS)
  std::filesystem::remove_all(folder / "sub");
  log.println("two");
  std::error_code ec;
  log.flush(ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(log.lost(), 4U);
#endif
}

TEST_F(rotating, refuses_to_reopen_compressed_streams) {
  std::error_code ec;
  EXPECT_FALSE(
      leat::append(path, {.compression = leat::compression::gzip, .reopen = true}, ec).is_open());
  EXPECT_EQ(ec, std::errc::operation_not_supported);
}

#if defined(HAS_FORK)

TEST_F(rotating, keeps_all_lines_of_processes_that_share_a_log) {
  constexpr int lines = 2000;
  for (const auto level : {durability::none, durability::process}) {
    std::vector<pid_t> children;
    for (int c = 0; c != 3; ++c)
      children.push_back(start_child([&] {
        auto log = leat::rotating(path, {.size = 4000, .buffer_size = 1000, .durability = level});
        for (int i = 0; i != lines; ++i) log.println("{} {}", c, i);
        log.close();
      }));
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    std::vector<int> next(3);
    for (const auto& file : files()) {
      EXPECT_LE(std::filesystem::file_size(file), 4000U);
      for (const auto line : leat::open(file).lines()) {
        const auto c = static_cast<std::size_t>(line[0] - '0');
        ASSERT_EQ(line.substr(2), std::to_string(next[c]++));
      }
    }
    EXPECT_EQ(next, std::vector<int>(3, lines));
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, a_kill_at_any_moment_loses_no_completed_call) {
  // Each process has a number, and counts its completed lines in shared memory.
  constexpr int kills = 40;
  void* const memory = ::mmap(nullptr, sizeof(std::atomic<int>) * (kills + 3),
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const done = static_cast<std::atomic<int>*>(memory);
  std::vector<pid_t> living;
  int started = 0;
  const auto start = [&] {
    living.push_back(start_child([&] {
      auto log = leat::rotating(path, {.size = 3000, .durability = durability::process});
      for (int i = 0;; ++i) {
        log.println("{} {}", started, i);
        if (log.error()) ::dprintf(2, "%s\n", log.error().message().c_str());
        require(!log.error());
        done[started].store(i + 1);
      }
    }));
    ++started;
  };
  for (int i = 0; i != 3; ++i) start();
  for (int i = 0; i != kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(i * 331 % 5000));
    const auto victim = living.begin() + i % 3;
    ::kill(*victim, SIGKILL);
    EXPECT_EQ(wait_for(*victim), 1000 + SIGKILL);
    living.erase(victim);
    start();
  }
  for (const pid_t process : living) {
    ::kill(process, SIGKILL);
    wait_for(process);
  }
  leat::rotating(path, {.size = 3000, .durability = durability::process}).close();
  std::vector<int> next(static_cast<std::size_t>(started));
  for (const auto& file : files()) {
    for (const auto line : leat::open(file).lines()) {
      const std::string text(line);
      int process = 0, number = 0;
      ASSERT_EQ(std::sscanf(text.c_str(), "%d %d", &process, &number), 2) << file << ": " << text;
      ASSERT_EQ(number, next[static_cast<std::size_t>(process)]++) << file << ": " << text;
    }
  }
  for (int i = 0; i != started; ++i) {
    EXPECT_GE(next[static_cast<std::size_t>(i)], done[i].load());
    EXPECT_LE(next[static_cast<std::size_t>(i)], done[i].load() + 1);
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".leat"));
  ::munmap(memory, sizeof(std::atomic<int>) * (kills + 3));
}

TEST_F(rotating, keeps_all_lines_of_a_forked_child_and_its_parent) {
  for (const auto level : {durability::none, durability::process}) {
    auto log = leat::rotating(path, {.size = 100, .durability = level, .flush = flush_when::line});
    log.println("before");
    const pid_t child = start_child([&] {
      for (int i = 0; i != 200; ++i) log.println("c {}", i);
      log.close();
    });
    for (int i = 0; i != 200; ++i) log.println("p {}", i);
    EXPECT_EQ(wait_for(child), 0);
    log.close();
    int child_lines = 0, parent_lines = 0, earlier_lines = 0;
    for (const auto& file : files()) {
      EXPECT_LE(std::filesystem::file_size(file), 100U);
      for (const auto line : leat::open(file).lines()) {
        if (line == "before")
          ++earlier_lines;
        else
          EXPECT_EQ(line.substr(2),
                    std::to_string(line[0] == 'c' ? child_lines++ : parent_lines++));
      }
    }
    EXPECT_EQ(earlier_lines, 1);
    EXPECT_EQ(child_lines, 200);
    EXPECT_EQ(parent_lines, 200);
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(rotating, keeps_its_path_after_chdir) {
  const auto result = run_in_child([&] {
    std::filesystem::current_path(folder.path());
    auto log = leat::rotating("app.log", {.size = 8, .flush = flush_when::line});
    log.println("line 0");
    std::filesystem::current_path("/");
    log.println("line 1");
    log.close();
  });
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(content(), "line 0\nline 1\n");
}

TEST_F(rotating, rotates_the_target_of_a_symlink) {
  std::filesystem::create_directory(folder / "data");
  write_file(folder / "data" + "/real.log", "");
  std::filesystem::create_symlink("data/real.log", path);
  auto log = leat::rotating(path, {.size = 8, .flush = flush_when::line});
  log.println("line 0");
  log.println("line 1");
  log.close();
  EXPECT_EQ(read_all(folder / "data" + "/real.log.1"), "line 0\n");
  EXPECT_EQ(read_all(path), "line 1\n");
}

TEST_F(rotating, refuses_a_pipe_without_waiting) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::error_code ec;
  EXPECT_FALSE(leat::rotating(path, {.size = 100}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::not_a_file);
}

TEST_F(rotating, accepts_a_path_in_an_open_folder) {
  const leat::folder inside(folder.path());
  auto log = leat::rotating(inside.at("app.log"), {.size = 8, .flush = flush_when::line});
  for (int i = 0; i != 3; ++i) log.println("line {}", i);
  log.close();
  EXPECT_EQ(content(), "line 0\nline 1\nline 2\n");
  EXPECT_EQ(files().size(), 3U);
}

#endif

}  // namespace
