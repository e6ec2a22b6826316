// In a forked child, the buffers for output are empty and the locks are free. Each byte is written
// once.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/process.hpp"

// The thread sanitizer needs these options, because these tests fork processes that have threads.
extern "C" const char* __tsan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_options() { return "die_after_fork=0:report_thread_leaks=0"; }

namespace {

using namespace leat_test;

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

const std::vector<std::string> expected_lines{"after the fork", "before the fork", "child"};

void fork_and_write(leat::writer& out) {
  out.println("{} the fork", "before");
  const pid_t child = start_child([&] {
    out.println("{}", "child");
    out.close();
  });
  out.println("{} the fork", "after");
  out.close();
  require(wait_for(child) == 0);
}

TEST(fork, of_a_file_writer_writes_each_line_once) {
  for (const auto flush :
       {leat::flush_when::full, leat::flush_when::line, leat::flush_when::call}) {
    for (const std::size_t size : {0u, 1u, 10u}) {
      const temporary_folder folder;
      const auto child = run_in_child([&] {
        auto out = leat::create(folder / "file", {.buffer_size = size, .flush = flush});
        fork_and_write(out);
      });
      EXPECT_TRUE(succeeded(child));
      EXPECT_EQ(sorted_lines(read_all(folder / "file")), expected_lines);
      EXPECT_EQ(child.err, "");
    }
  }
}

TEST(fork, of_a_moved_stream_writes_each_line_once) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto first = leat::create(folder / "file");
    first.println("{}", "written");
    first.flush();  // so that the buffer that moves is empty
    leat::file_writer second(std::move(first));
    fork_and_write(second);
  });
  EXPECT_TRUE(succeeded(child));
  auto expected = expected_lines;
  expected.push_back("written");
  EXPECT_EQ(sorted_lines(read_all(folder / "file")), expected);
}

TEST(fork, keeps_a_position_before_the_last_byte) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto out = leat::create(folder / "file");
    out.write("0123456789");
    out.seek(2);
    require(wait_for(start_child([] {})) == 0);
    require(out.tell() == 2);
    out.write("xx");
    out.close();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "01xx456789");
}

TEST(fork, of_an_appending_stream_writes_each_line_once) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto out = leat::append(folder / "file");
    fork_and_write(out);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(sorted_lines(read_all(folder / "file")), expected_lines);
}

TEST(fork, of_a_synchronized_stream_writes_each_line_once) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat::synchronized out(leat::create(folder / "file"));
    fork_and_write(out);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(sorted_lines(read_all(folder / "file")), expected_lines);
}

TEST(fork, of_a_stream_with_an_interval_writes_each_line_once) {
  if (emulated) GTEST_SKIP() << "qemu allows no new threads in such a child";
  const temporary_folder folder;
  for (const auto interval : {std::chrono::milliseconds(1), std::chrono::milliseconds(3'600'000)}) {
    const std::string path = folder / std::to_string(interval.count());
    const auto child = run_in_child([&] {
      auto out = leat::create(path, {.flush_interval = interval});
      if (sanitized) {  // in a child, the sanitizers' own threads and locks allow only a flush
        out.println("before the fork");
        const pid_t inner = start_child([&] { out.flush(); });
        require(wait_for(inner) == 0);
        out.print("child\nafter the fork\n");
        out.close();
      } else {
        fork_and_write(out);
      }
    });
    EXPECT_TRUE(succeeded(child));
    EXPECT_EQ(sorted_lines(read_all(path)), expected_lines);
  }
}

TEST(fork, an_interval_flushes_in_the_child_too) {
  if (emulated) GTEST_SKIP() << "qemu allows no new threads in such a child";
  if (sanitized) GTEST_SKIP() << "the sanitizers allow no new threads in such a child";
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto out = leat::create(folder / "file", {.flush_interval = std::chrono::milliseconds(5)});
    out.write("parent\n");
    const pid_t inner = start_child([&] {
      out.write("child\n");
      while (read_all(folder / "file").find("child") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    require(wait_for(inner) == 0);
    out.close();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(sorted_lines(read_all(folder / "file")), (std::vector<std::string>{"child", "parent"}));
}

// Both processes end by exit(), which destroys static streams and flushes leat::out.
TEST(fork, exits_of_both_processes_write_each_line_once) {
  const temporary_folder folder;
  const auto child = run_in_child(
      [&] {
        static auto file = leat::create(folder / "file");
        file.println("before the fork");
        leat::out.println("before the fork");
        const pid_t inner = start_child(
            [] {
              file.println("child");
              leat::out.println("child");
            },
            ending::orderly);
        require(wait_for(inner) == 0);
        file.println("after the fork");
        leat::out.println("after the fork");
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(sorted_lines(read_all(folder / "file")), expected_lines);
  EXPECT_EQ(sorted_lines(child.out), expected_lines);
  EXPECT_EQ(child.err, "");
}

/// If the program has one thread, a fork writes all streams, even if a loss handler is set and
/// another thread has ended.
TEST(fork, writes_pending_bytes_if_a_handler_is_set_and_a_thread_has_ended) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat::set_loss_handler([](const leat::io_error&) noexcept {});
    std::thread([] {}).join();
    auto log = leat::append(folder / "log");
    log.println("starting");
    require(wait_for(start_child([&] {
              log.println("running");
              log.close();
            })) == 0);
    ::_exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "log"), "starting\nrunning\n");
}

TEST(fork, a_loss_is_reported_by_the_parent_alone) {
  const auto child = run_in_child(
      [] {
        static auto file = leat::create("/dev/full", {.buffer_size = 8});
        file.write("0123456789");
        file.write("more");
        require(wait_for(start_child([] {}, ending::orderly)) == 0);
      },
      ending::orderly);
#if defined(__GLIBC__)
  EXPECT_EQ(child.code, EXIT_FAILURE);
#endif
  EXPECT_EQ(child.err,
            "leat: cannot write '/dev/full': No space left on device "
            "(at byte 0, 14 bytes not written)\n");
}

TEST(fork, a_child_neither_commits_nor_removes_a_replacement_and_reports_no_loss) {
  const temporary_folder folder;
  write_file(folder / "target", "old");
  const auto child = run_in_child(
      [&] {
        static auto file = leat::replace(folder / "target");
        file.write("new");
        require(wait_for(start_child([] {}, ending::orderly)) == 0);
        require(read_all(folder / "target") == "old");
        require(folder.names().size() == 2);
        const pid_t closing = start_child([] {
          std::error_code ec;
          file.write("the child's");
          file.close(ec);
          require(ec == std::errc::operation_not_permitted);
        });
        require(wait_for(closing) == 0);
        require(wait_for(start_child([] { file.discard(); })) == 0);
        require(read_all(folder / "target") == "old");
        require(folder.names().size() == 2);
        file.close();
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  EXPECT_EQ(read_all(folder / "target"), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"target"});
}

TEST(fork, a_child_reports_the_loss_of_its_own_bytes) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto file = std::make_unique<leat::file_writer>(leat::replace(folder / "target"));
    file->write("parent");
    require(wait_for(start_child([&] {
              file->write("child");
              file.reset();
            })) == 0);
    file->discard();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_NE(child.err.find("5 bytes not written"), std::string::npos) << child.err;
}

/// Forks `forks` times while three threads print. Each child prints a line, too. On a busy machine
/// a fork takes long, so each thread prints a limited number of lines during one fork.
void fork_among_printing_threads(leat::writer& out, int forks) {
  constexpr int lines_of_fork = 4000;
  std::atomic<int> most = lines_of_fork;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop || i < 100; ++i) {
        out.println("thread {} line {}", t, i);
        while (i % 64 == 0 && i >= most && !stop) std::this_thread::yield();
        if (i % 64 == 0) std::this_thread::yield();
      }
    });
  for (int i = 0; i != forks; ++i) {
    const pid_t child = start_child([&] {
      out.println("child {}", i);
      out.flush();
    });
    require(wait_for(child) == 0);
    most += lines_of_fork;
  }
  stop = true;
  for (auto& thread : threads) thread.join();
}

void expect_whole_lines_once(const std::string& text, int forks) {
  int children = 0, next[3] = {};
  for (std::istringstream in(text); !in.eof();) {
    std::string who, word;
    int n = -1, i = -1;
    if (!(in >> who)) break;
    ASSERT_TRUE(in >> n);
    if (who == "child") {
      ++children;
      continue;
    }
    ASSERT_EQ(who, "thread");
    ASSERT_TRUE(in >> word >> i);
    ASSERT_EQ(word, "line");
    ASSERT_TRUE(n >= 0 && n < 3);
    ASSERT_EQ(i, next[n]++);
  }
  EXPECT_EQ(children, forks);
  for (const int n : next) EXPECT_GE(n, 100);
}

const int fork_count = sanitized || emulated ? 40 : 200;

TEST(fork, keeps_lines_while_threads_print_to_a_synchronized_stream) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    // If a stream appends, each buffer that it writes ends with a whole line. So the lines of a
    // child come between whole lines.
    leat::synchronized out(leat::append(folder / "file"));
    fork_among_printing_threads(out, fork_count);
    out.close();
  });
  EXPECT_TRUE(succeeded(child));
  expect_whole_lines_once(read_all(folder / "file"), fork_count);
}

TEST(fork, keeps_lines_while_threads_print_to_standard_output) {
  const auto child = run_in_child([] {
    fork_among_printing_threads(leat::out, fork_count);
    leat::out.flush();
  });
  EXPECT_TRUE(succeeded(child));
  expect_whole_lines_once(child.out, fork_count);
}

TEST(fork, keeps_lines_while_threads_print_through_two_synchronized_streams) {
  const auto child = run_in_child([] {
    leat::synchronized out(static_cast<leat::writer&>(leat::out));
    fork_among_printing_threads(out, fork_count / 4);
    out.flush();
  });
  EXPECT_TRUE(succeeded(child));
  expect_whole_lines_once(child.out, fork_count / 4);
}

TEST(fork, keeps_lines_while_a_thread_first_uses_standard_output) {
  if (under_asan) GTEST_SKIP() << "the sanitizer's allocator stays locked in children";
  for (int i = 0; i != (sanitized || emulated ? 20 : 100); ++i) {
    const auto child = run_in_child([&] {
      std::atomic<bool> start = false;
      std::thread printer([&] {
        while (!start) {
        }
        leat::out.print("thread\n");
      });
      start = true;
      const auto soon = std::chrono::steady_clock::now() + std::chrono::nanoseconds(i * 300);
      while (std::chrono::steady_clock::now() < soon) {
      }
      const pid_t inner = start_child([] {
        leat::out.print("child\n");
        leat::out.flush();
      });
      printer.join();
      leat::out.flush();
      require(wait_for(inner) == 0);
    });
    ASSERT_TRUE(succeeded(child)) << i;
    EXPECT_EQ(sorted_lines(child.out), (std::vector<std::string>{"child", "thread"}));
  }
}

TEST(fork, does_not_deadlock_while_streams_open_and_close) {
  const auto child = run_in_child([] {
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t)
      threads.emplace_back([&] {
        while (!stop) {
          leat::string_writer text;
          leat::synchronized shared(static_cast<leat::writer&>(text));
          auto file = leat::create("/dev/null");
          shared.print("{}", 1);
          file.print("{}", 2);
        }
      });
    for (int i = 0; i != fork_count; ++i) {
      const pid_t inner = start_child([] {
        if (under_asan) return;  // the address sanitizer's allocator stays locked in children
        auto file = leat::create("/dev/null");
        file.print("{}", 3);
        file.close();
      });
      require(wait_for(inner) == 0);
    }
    stop = true;
    for (auto& thread : threads) thread.join();
  });
  EXPECT_TRUE(succeeded(child));
}

// A thread prints to its own stream while another thread forks. The fork must not touch the
// stream's buffer in the parent.
TEST(fork, keeps_lines_while_a_thread_prints_to_its_own_stream) {
  if (under_tsan) GTEST_SKIP() << "tsan believes that the child has the parent's threads";
  const temporary_folder folder;
  constexpr int lines = 300'000;
  const auto result = run_in_child([&] {
    auto own = leat::create(folder / "own");
    own.println("0");  // the forking thread has used the stream last
    std::atomic<bool> done = false;
    std::thread printer([&] {
      for (int i = 1; i != lines; ++i) own.println("{}", i);
      done = true;
    });
    while (!done) require(wait_for(start_child([] {})) == 0);
    printer.join();
    own.close();
  });
  EXPECT_TRUE(succeeded(result));
  std::istringstream in(read_all(folder / "own"));
  for (int i = 0, n = -1; i != lines; ++i) {
    ASSERT_TRUE(in >> n);
    ASSERT_EQ(n, i);
  }
}

// The child may be the reader of the pipe, so the fork must not wait until the pipe has room. Bytes
// that the pipe does not take stay with the parent.
TEST(fork, waits_only_briefly_for_a_full_pipe) {
  const auto result = run_in_child([] {
    int ends[2];
    require(::pipe(ends) == 0);
    leat::file_writer out(leat::adopt(ends[1]), {.buffer_size = 1 << 20});
    const std::string line = std::string(99, 'x') + "\n";
    for (int i = 0; i != 5000; ++i) out.write(line);
    const pid_t reader = start_child([&] {
      out.discard();
      std::string all;
      char block[4096];
      for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;)
        all.append(block, static_cast<std::size_t>(n));
      require(all.size() == 500'000);
      for (std::size_t i = 0; i != all.size(); i += 100) require(all.compare(i, 100, line) == 0);
    });
    out.close();
    require(wait_for(reader) == 0);
  });
  EXPECT_TRUE(succeeded(result));
}

TEST(fork, is_not_blocked_by_a_thread_that_waits_in_a_shared_stream) {
  const auto result = run_in_child([] {
    int ends[2];
    require(::pipe(ends) == 0);
    leat::synchronized out(
        leat::file_writer(leat::adopt(ends[1]), {.flush = leat::flush_when::call}));
    std::thread([&] { out.write(std::string(1 << 20, 'x')); }).detach();
    char byte;
    require(::read(ends[0], &byte, 1) == 1);  // the thread is in its write
    require(wait_for(start_child([] {})) == 0);
  });
  EXPECT_TRUE(succeeded(result));
}

TEST(fork, keeps_errno) {
  const auto result = run_in_child([] {
    auto full = leat::create("/dev/full");
    full.println("lost");
    errno = 77;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(errno == 77 ? 0 : 1);
    require(errno == 77);
    require(wait_for(child) == 0);
  });
  EXPECT_TRUE(succeeded(result));
}

}  // namespace
