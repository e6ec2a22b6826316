// Processes that print with several threads, each with a per-thread buffer in the sidecar, are
// killed. Other processes write to the same file, or read it.
#include "support/process.hpp"

#if defined(HAS_FORK)

#  include <gtest/gtest.h>
#  include <unistd.h>
#  include <leat/file_stream.hpp>
#  include <leat/print.hpp>

#  include <algorithm>
#  include <array>
#  include <atomic>
#  include <chrono>
#  include <csignal>
#  include <cstdint>
#  include <cstdio>
#  include <string>
#  include <string_view>
#  include <thread>
#  include <vector>

#  include "recovery/line_tail.hpp"
#  include "support/files.hpp"
#  include "support/sanitizer.hpp"
#  include "support/shared_memory.hpp"

namespace {

using namespace leat_test;

constexpr leat::append_options durable_options{.durability = leat::durability::process};

constexpr int threads_per_process = 3;
using counters = std::array<std::atomic<int>, 2 * threads_per_process>;

/// Expects whole lines of each thread, at least as many as `promised` has for the thread.
void expect_promised(std::string_view text, const counters& promised, int writers) {
  std::vector<int> next(static_cast<std::size_t>(writers));
  while (!text.empty()) {
    const auto end = text.find('\n');
    ASSERT_NE(end, text.npos) << "a torn line";
    const std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    int writer = -1, number = -1, at = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%d %d %n", &writer, &number, &at), 2) << line;
    ASSERT_TRUE(writer >= 0 && writer < writers) << line;
    ASSERT_EQ(number, next[static_cast<std::size_t>(writer)]++) << line;
    ASSERT_EQ(line.substr(static_cast<std::size_t>(at)), tail_of(writer, number));
  }
  for (std::size_t i = 0; i != next.size(); ++i) EXPECT_GE(next[i], promised[i].load());
}

/// Prints with several threads until the process is killed. The number of lines is limited, because
/// the tests keep all lines in memory.
void print_until_killed(leat::writer& out, counters& promised, int first_thread) {
  std::vector<std::thread> threads;
  for (int t = first_thread; t != first_thread + threads_per_process; ++t) {
    threads.emplace_back([&out, &promised, t] {
      constexpr int max_lines = 300'000;
      for (int i = 0; i != max_lines; ++i) {
        out.println("{} {} {}", t, i, tail_of(t, i));
        promised[static_cast<std::size_t>(t)].store(i + 1);
      }
      for (;;) ::pause();
    });
  }
  for (auto& thread : threads) thread.join();
}

/// Starts a process that prints to a file with several threads, numbered from `first_thread` on.
/// Returns after the first of the threads has printed.
pid_t start_printing(const std::string& path, counters& promised, int first_thread = 0) {
  const pid_t child = start_child([&] {
    leat::synchronized out(leat::append(path, durable_options));
    print_until_killed(out, promised, first_thread);
  });
  while (promised[static_cast<std::size_t>(first_thread)].load() == 0) std::this_thread::yield();
  return child;
}

TEST(thread_buffers, a_kill_loses_no_completed_call) {
  auto& promised = shared_with_children<counters>();
  for (int round = 0; round != rounds(60); ++round) {
    const temporary_folder folder;
    for (auto& count : promised) count = 0;
    const pid_t child = start_printing(folder / "log", promised);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 997 % 15'000));
    ::kill(child, SIGKILL);
    wait_for(child);
    const std::string live = leat::open(folder / "log", {.live = true}).read_all();
    leat::recover(folder / "log");
    const std::string all = read_all(folder / "log");
    expect_promised(all, promised, threads_per_process);
    EXPECT_TRUE(all == live);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
    if (HasFailure()) break;
  }
}

TEST(thread_buffers, kills_of_two_processes_that_share_a_file_lose_no_completed_call) {
  auto& promised = shared_with_children<counters>();
  for (int round = 0; round != rounds(40); ++round) {
    const temporary_folder folder;
    for (auto& count : promised) count = 0;
    const pid_t process = start_printing(folder / "log", promised);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 397 % 5000));
    const pid_t other_process = start_printing(folder / "log", promised, threads_per_process);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 997 % 3000));
    ::kill(process, SIGKILL);
    ::kill(other_process, SIGKILL);
    wait_for(process);
    wait_for(other_process);
    leat::recover(folder / "log");
    expect_promised(read_all(folder / "log"), promised, 2 * threads_per_process);
    if (HasFailure()) break;
  }
}

TEST(thread_buffers, opening_a_file_recovers_all_completed_calls_of_a_killed_process) {
  auto& promised = shared_with_children<counters>();
  for (int round = 0; round != rounds(40); ++round) {
    const temporary_folder folder;
    for (auto& count : promised) count = 0;
    const pid_t child = start_printing(folder / "log", promised);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 797 % 9000));
    std::vector<int> before;
    for (const auto& count : promised) before.push_back(count);
    auto second = leat::append(folder / "log", durable_options);
    std::vector<int> found(threads_per_process);
    for (const auto line : leat::open(folder / "log").lines()) {
      int writer = -1;
      if (std::sscanf(std::string(line).c_str(), "%d", &writer) == 1 && writer >= 0 &&
          writer < threads_per_process)
        ++found[static_cast<std::size_t>(writer)];
    }
    ::kill(child, SIGKILL);
    wait_for(child);
    for (std::size_t i = 0; i != threads_per_process; ++i) EXPECT_GE(found[i], before[i]);
    second.close();
    leat::recover(folder / "log");
    expect_promised(read_all(folder / "log"), promised, threads_per_process);
    if (HasFailure()) break;
  }
}

TEST(thread_buffers, a_live_reader_sees_the_same_bytes_as_the_file_after_recovery) {
  auto& promised = shared_with_children<counters>();
  const temporary_folder folder;
  write_file(folder / "log", "");
  const pid_t child = start_printing(folder / "log", promised);
  std::string seen;
  std::vector<char> block(20'000);
  auto in = leat::open(folder / "log", {.live = true});
  for (int reading = 0; reading != rounds(100); ++reading) {
    // Reads near the writer's position, so that most reads meet the per-thread buffers.
    const std::uint64_t end = in.size();
    if (end > seen.size() + 10 * block.size()) {
      const std::uint64_t skipped = end - seen.size();
      seen.resize(end);
      in.seek(end - std::min<std::uint64_t>(skipped, block.size()));
    }
    const std::uint64_t at = in.tell();
    const std::size_t n = in.read(block);
    if (seen.size() < at + n) seen.resize(at + n);
    seen.replace(at, n, block.data(), n);
    std::this_thread::sleep_for(std::chrono::microseconds(reading * 331 % 500));
  }
  ::kill(child, SIGKILL);
  wait_for(child);
  leat::recover(folder / "log");
  const std::string all = read_all(folder / "log");
  expect_promised(all, promised, threads_per_process);
  // Skipped bytes are zeros in `seen`.
  std::size_t read = 0;
  for (std::size_t i = 0; i != seen.size(); ++i) {
    if (seen[i] == 0) continue;
    ++read;
    ASSERT_TRUE(i < all.size() && seen[i] == all[i]) << "at byte " << i;
  }
  EXPECT_NE(read, 0u);
}

}  // namespace

#endif
