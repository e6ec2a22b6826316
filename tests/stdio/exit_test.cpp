// Streams when the process ends: which buffered bytes are written, which losses are reported, and
// which input is left to the next process.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/error.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <pthread.h>
#  include <sys/socket.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

#if defined(HAS_FORK)
TEST(file, exit_writes_buffered_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = run_in_child(
      [&] {
        leat_fputs("to stdout", leat_stdout());
        leat_file* const f = leat_fopen(path.c_str(), "w");
        require(f != nullptr);
        leat_fputs("to a file", f);
        require(read_all(path).empty());
        std::atexit([] { leat_fputs(", late", leat_stdout()); });
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "to stdout, late");
  EXPECT_EQ(read_all(path), "to a file");
}

TEST(file, immediate_exit_writes_nothing) {
  const auto result = run_in_child([] { leat_fputs("to stdout", leat_stdout()); });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "");
}

TEST(file, standard_error_is_not_buffered) {
  const auto result = run_in_child([] { leat_fputs("to stderr", leat_stderr()); });
  EXPECT_EQ(result.err, "to stderr");
}
#endif

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
extern "C" void exit_at_once(int) { std::exit(0); }

// If a signal handler interrupts a call and calls exit(), exit() does not wait for a lock that the
// interrupted thread holds.
TEST(file, exit_in_a_signal_handler_keeps_the_lines_of_each_thread_in_order) {
  const int moments = sanitized || emulated ? 3 : 12;
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = run_in_child([&] {
      ::alarm(sanitized ? 60 : 10);
      std::signal(SIGUSR1, exit_at_once);
      const pthread_t main = ::pthread_self();
      static std::atomic<int> printing;
      for (int t = 0; t != 2; ++t)
        std::thread([t] {
          for (int i = 0;; ++i) {
            leat_fprintf(leat_stdout(), "%d line %d\n", t + 1, i);
            if (i == 10) ++printing;
          }
        }).detach();
      std::thread([&] {
        while (printing != 2) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(1000 + 37 * moment));
        ::pthread_kill(main, SIGUSR1);
        for (;;) ::pause();
      }).detach();
      for (int i = 0;; ++i) leat_fprintf(leat_stdout(), "%d line %d\n", 0, i);
    });
    ASSERT_EQ(child.signal, 0) << child.err;
    ASSERT_EQ(child.code, 0) << child.err;
    int next[3] = {};
    std::size_t at = 0;
    for (std::size_t end; (end = child.out.find('\n', at)) != std::string::npos; at = end + 1) {
      int thread = -1, number = -1;
      ASSERT_EQ(std::sscanf(child.out.substr(at, end - at).c_str(), "%d line %d", &thread, &number),
                2);
      ASSERT_TRUE(thread >= 0 && thread < 3) << thread;
      ASSERT_EQ(number, next[thread]++);
    }
  }
}

leat_file* update_stream = nullptr;
std::atomic<bool> is_locked;

/// Runs a child that exits while one of its threads has locked an update stream. The stream has one
/// pending byte. The thread keeps the lock for `milliseconds`. The child prints the reason of a
/// loss to standard error.
child_result exit_with_a_locked_stream(const std::string& path, int milliseconds) {
  return run_in_child(
      [&] {
        leat::set_loss_handler([](const leat::io_error& loss) noexcept {
          ::dprintf(2, "%s", loss.code().message().c_str());
        });
        update_stream = leat_fopen(path.c_str(), "w+");
        require(leat_fputc('x', update_stream) == 'x');
        std::thread([=] {
          leat_flockfile(update_stream);
          is_locked = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
          leat_funlockfile(update_stream);
        }).detach();
        while (!is_locked) std::this_thread::yield();
      },
      ending::orderly);
}

TEST(file, exit_waits_for_a_thread_that_has_locked_an_update_stream) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = exit_with_a_locked_stream(path, 100);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(read_all(path), "x");
}

TEST(file, exit_reports_the_loss_if_an_update_stream_stays_locked) {
  const temporary_folder folder;
  const auto result = exit_with_a_locked_stream(folder / "file", 60'000);
  EXPECT_EQ(result.err, make_error_code(leat::errc::left_open).message());
}

TEST(file, exit_does_not_wait_for_input_of_update_streams) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto result = run_in_child(
      [&] {
        leat::set_loss_handler([](const leat::io_error&) noexcept { ::dprintf(2, "loss"); });
        update_stream = leat_fdopen(ends[0], "r+");
        std::thread([] { leat_fgetc(update_stream); }).detach();
        while (leat_ftrylockfile(update_stream) == 0) {
          leat_funlockfile(update_stream);
          std::this_thread::yield();
        }
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.err, "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(file, exit_leaves_unread_input_to_the_next_process) {
  const temporary_folder folder;
  write_file(folder / "in", "first\nsecond\n");
  const int in = ::open((folder / "in").c_str(), O_RDONLY);
  const auto result = run_in_child(
      [&] {
        require(::dup2(in, 0) == 0);
        char line[20];
        require(leat_fgets(line, sizeof line, leat_stdin()) != nullptr);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_rest(in), "second\n");
  ::close(in);
}
#endif

}  // namespace
