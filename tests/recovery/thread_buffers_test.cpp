// Threads that share a stream: the bytes of each call go into per-thread buffers, without a lock.
// With durability::process, the per-thread buffers are in the sidecar.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "recovery/line_tail.hpp"
#include "recovery/thread_buffers.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/whole_lines.hpp"

#if defined(HAS_FORK)
#  include <sys/resource.h>
#  include <unistd.h>
#  include <csignal>
#endif

namespace {

using namespace leat_test;
using leat::durability;

constexpr leat::append_options sidecar_buffer_options{.durability = durability::process};
constexpr leat::append_options memory_buffer_options{};
constexpr leat::append_options background_buffer_options{.background = true};
constexpr leat::append_options all_buffer_options[] = {
    sidecar_buffer_options, memory_buffer_options, background_buffer_options};

/// Returns whether the sidecar has, or has had, per-thread buffers. Only a sidecar with per-thread
/// buffers is larger than 1 MB.
bool has_thread_buffers(const std::string& path) {
  std::error_code ec;
  const auto size = std::filesystem::file_size(path + ".leat", ec);
  return !ec && size > 1'000'000;
}

/// Prints numbered lines with several threads. After each line, the line's thread calls `between`.
template <class Between>
void print_lines(leat::writer& out, int threads, int lines, const Between& between) {
  std::vector<std::thread> all;
  for (int t = 0; t != threads; ++t) {
    all.emplace_back([&out, &between, t, lines] {
      for (int i = 0; i != lines; ++i) {
        out.println("{} {} {}", t, i, tail_of(t, i));
        between(t, i);
      }
    });
  }
  for (auto& thread : all) thread.join();
}

constexpr auto do_nothing = [](int, int) {};

/// Tests for per-thread buffers in memory, in the background, and in the sidecar.
class thread_buffers_of : public testing::TestWithParam<leat::append_options> {
 protected:
  temporary_folder folder;
};
INSTANTIATE_TEST_SUITE_P(all, thread_buffers_of, testing::ValuesIn(all_buffer_options),
                         [](const auto& instance) {
                           return instance.param.durability == durability::process ? "sidecar"
                                  : instance.param.background                      ? "background"
                                                                                   : "memory";
                         });

TEST(thread_buffers, keep_all_lines_of_all_threads_whole) {
  const temporary_folder folder;
  const int lines = rounds(20'000);
  for (const auto& options : all_buffer_options) {
    for (const int threads : {2, 5, 24}) {
      leat::synchronized out(leat::append(folder / "log", options));
      print_lines(out, threads, lines, do_nothing);
      if (options.durability == durability::process) {
        EXPECT_EQ(has_thread_buffers(folder / "log"), leat::thread_buffer_gate::is_possible());
      }
      out.close();
      expect_whole_lines(read_all(folder / "log"), threads, lines, tail_of);
      EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
      std::filesystem::remove(folder / "log");
    }
  }
}

/// A call's bytes come after the bytes of each call that had returned, on any thread, before
/// the call began.
TEST_P(thread_buffers_of, keep_the_order_of_calls_that_threads_can_observe) {
  const int lines = rounds(100'000);
  std::atomic<long> returned{0};
  {
    leat::synchronized out(leat::append(folder / "log", GetParam()));
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i != lines; ++i) {
          out.println("{}", returned.load());
          ++returned;
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  long number = 0;
  for (const auto line : leat::open(folder / "log").lines()) {
    ASSERT_LE(std::stol(std::string(line)), number);
    ++number;
  }
  EXPECT_EQ(number, 3L * lines);
}

TEST_P(thread_buffers_of, are_written_before_calls_that_need_all_bytes) {
  const int lines = rounds(5000);
  leat::synchronized out(leat::append(folder / "log", GetParam()));
  print_lines(out, 3, lines, [&](int t, int i) {
    if (i % 100 == t) out.flush();
    if (i % 331 == t) {
      out.with([&](leat::writer& alone) { EXPECT_LE(std::uint64_t(i), alone.tell()); });
    }
    if (i % 97 == t) {
      EXPECT_GE(out.tell(), std::uint64_t(i));
    }
  });
  out.flush();
  expect_whole_lines(read_all(folder / "log"), 3, lines, tail_of);
}

TEST_P(thread_buffers_of, keep_the_calls_inside_of_with_together) {
  const int lines = rounds(3000);
  {
    leat::synchronized out(leat::append(folder / "log", GetParam()));
    std::vector<std::thread> threads;
    for (int t = 0; t != 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i != lines; ++i) {
          out.println("one {}", t);
          if (i % 20 != 0) continue;
          out.with([&](leat::writer& alone) {
            alone.println("first {}", t);
            alone.println("second {}", t);
          });
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  std::string expected;
  int pairs = 0;
  for (const auto line : leat::open(folder / "log").lines()) {
    ASSERT_TRUE(expected.empty() || line == expected) << line;
    expected.clear();
    if (!line.starts_with("first")) continue;
    expected = "second" + std::string(line.substr(5));
    ++pairs;
  }
  EXPECT_EQ(pairs, 4 * ((lines + 19) / 20));
}

TEST_P(thread_buffers_of, keep_calls_of_any_length_whole) {
  const auto tail = [](int t, int i) {
    const std::size_t sizes[] = {0, 1, 7, 8, 9, 100, 1023, 1024, 16'000, 131'000, 131'072, 300'000};
    return std::string(sizes[static_cast<std::size_t>(i) % std::size(sizes)],
                       static_cast<char>('a' + t));
  };
  const int lines = rounds(120);
  leat::synchronized out(leat::append(folder / "log", GetParam()));
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i != lines; ++i) {
        out.write(leat::format("{} {} {}\n", t, i, tail(t, i)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  out.close();
  expect_whole_lines(read_all(folder / "log"), 3, lines, tail);
}

TEST_P(thread_buffers_of, leave_the_referenced_stream_usable_after_synchronized) {
  auto file = leat::append(folder / "log", GetParam());
  const int lines = rounds(2000);
  {
    leat::synchronized out(file);
    print_lines(out, 2, lines, do_nothing);
    file.println("2 0 {}", tail_of(2, 0));  // no thread uses `out` now
  }
  for (int i = 1; i != lines; ++i) file.println("2 {} {}", i, tail_of(2, i));
  file.close();
  expect_whole_lines(read_all(folder / "log"), 3, lines, tail_of);
}

TEST(thread_buffers, files_of_a_rotating_log_do_not_exceed_the_size_limit) {
  const temporary_folder folder;
  const int lines = rounds(20'000);
  constexpr std::uint64_t limit = 300'000;
  {
    leat::synchronized log(leat::rotating(
        folder / "log", {.size = limit, .keep = 1000, .durability = durability::process}));
    print_lines(log, 4, lines, do_nothing);
  }
  std::string all;
  for (int i = 1000; i >= 0; --i) {
    const std::string name = folder / (i == 0 ? "log" : "log." + std::to_string(i));
    if (!std::filesystem::exists(name)) continue;
    const std::string content = read_all(name);
    EXPECT_LE(content.size(), limit);
    all += content;
  }
  expect_whole_lines(all, 4, lines, tail_of);
  EXPECT_FALSE(std::filesystem::exists(folder / "log.leat"));
}

#if defined(HAS_POSIX_FILES)
TEST(thread_buffers, a_log_keeps_all_lines_while_its_file_is_moved) {
  for (const auto level : {durability::process, durability::none}) {
    const temporary_folder folder;
    const int lines = rounds(20'000);
    constexpr int moves = 5;
    int moved = 0;
    {
      leat::synchronized log(leat::append(folder / "log", {.durability = level, .reopen = true}));
      print_lines(log, 3, lines, [&](int t, int i) {
        if (t != 0 || i % (lines / moves) != lines / moves / 2) return;
        std::error_code ec;
        std::filesystem::rename(folder / "log", folder / ("old." + std::to_string(moved)), ec);
        if (!ec) ++moved;
      });
    }
    EXPECT_GE(moved, 1);
    // If the last lines were written to the last file that was moved, there is no new file.
    std::string all;
    for (int i = 0; i != moved; ++i) all += read_all(folder / ("old." + std::to_string(i)));
    if (std::filesystem::exists(folder / "log")) all += read_all(folder / "log");
    expect_whole_lines(all, 3, lines, tail_of);
    EXPECT_FALSE(std::filesystem::exists(folder / "log.leat"));
  }
}
#endif

TEST(thread_buffers, a_log_begins_a_new_file_each_period) {
  const temporary_folder folder;
  int lines = 0;
  {
    leat::synchronized log(leat::rotating(
        folder / "log",
        {.every = std::chrono::seconds(1), .keep = 100, .durability = durability::process}));
    std::atomic<bool> stop{false};
    std::thread other([&] {
      for (; !stop; ++lines) {
        log.println("1 {} {}", lines, tail_of(1, lines));
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2100);
    int own_lines = 0;
    for (; std::chrono::steady_clock::now() < end; ++own_lines) {
      log.println("0 {} {}", own_lines, tail_of(0, own_lines));
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    stop = true;
    other.join();
    for (; own_lines < lines; ++own_lines) log.println("0 {} {}", own_lines, tail_of(0, own_lines));
    for (; lines < own_lines; ++lines) log.println("1 {} {}", lines, tail_of(1, lines));
  }
  std::string all;
  int files = 0;
  for (int i = 100; i >= 0; --i) {
    const std::string name = folder / (i == 0 ? "log" : "log." + std::to_string(i));
    if (!std::filesystem::exists(name)) continue;
    all += read_all(name);
    ++files;
  }
  EXPECT_GE(files, 2);
  expect_whole_lines(all, 2, lines, tail_of);
}

#if defined(HAS_FORK)

TEST_P(thread_buffers_of, are_not_inherited_by_a_forked_child) {
  const int lines = rounds(3000);
  leat::synchronized out(leat::append(folder / "log", GetParam()));
  int forks = 0;
  print_lines(out, 3, lines, [&](int t, int i) {
    if (t != 0 || i % (lines / 10 + 1) != 0) return;
    const pid_t child = ::fork();
    if (child == 0) {
      out.println("{} 0 {}", 3 + forks, tail_of(3 + forks, 0));
      out.flush();
      ::_exit(0);
    }
    EXPECT_EQ(wait_for(child), 0);
    ++forks;
  });
  out.close();
  // Each child has printed one line.
  std::string text = read_all(folder / "log");
  std::string own;
  int children = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (std::stoi(line) < 3)
      own += line;
    else
      ++children;
    at = end;
  }
  EXPECT_EQ(children, forks);
  expect_whole_lines(own, 3, lines, tail_of);
}

TEST_P(thread_buffers_of, are_written_at_exit) {
  const auto result = run_in_child(
      [&] {
        static auto& out = *new leat::synchronized(leat::append(folder / "log", GetParam()));
        print_lines(out, 2, 500, do_nothing);
        std::exit(0);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  expect_whole_lines(read_all(folder / "log"), 2, 500, tail_of);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
}

TEST(thread_buffers, are_not_used_if_there_is_no_space_for_them) {
  const temporary_folder folder;
  const auto result = run_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    leat::synchronized out(leat::append(folder / "log", sidecar_buffer_options));
    out.println("2 0 {}", tail_of(2, 0));
    limit_resource(RLIMIT_FSIZE, 400'000);
    print_lines(out, 2, 1000, do_nothing);
    require(!has_thread_buffers(folder / "log"));
    out.close();
  });
  EXPECT_TRUE(succeeded(result));
  std::string text = read_all(folder / "log");
  EXPECT_TRUE(text.starts_with("2 0"));
  text.erase(0, text.find('\n') + 1);
  expect_whole_lines(text, 2, 1000, tail_of);
}

#endif

}  // namespace
