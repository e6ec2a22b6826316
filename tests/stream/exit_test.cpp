// exit() unwinds no stack: pending bytes of open streams are written, or reported as lost.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/fstream.hpp>
#include <leat/print.hpp>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

/// Runs `body` in a child. `body` must call exit(0) itself, with its streams open. Returns the
/// child's result.
template <class Body>
child_result run_until_exit(Body&& body) {
  return run_in_child([&] {
    body();
    std::_Exit(97);  // `body` has not called exit
  });
}

TEST(exit, writes_pending_bytes_of_open_streams) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    auto created = leat::create(folder / "created");
    created.println("{}", 1);
    auto lines = leat::append(folder / "lines", {.flush = leat::flush_when::line});
    lines.print("no {}", "end");
    auto updated = leat::update(folder / "updated", {.create = true});
    updated.println("{}", 2);
    auto timed = leat::create(folder / "timed", {.flush_interval = std::chrono::hours(1)});
    timed.println("{}", 3);
    auto below = leat::create(folder / "shared");
    leat::synchronized shared(below);
    shared.println("{}", 4);
    auto thread = leat::create(folder / "thread", {.background = true});
    for (int i = 0; i != 100'000; ++i) thread.println("line {}", i);
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  EXPECT_EQ(read_all(folder / "created"), "1\n");
  EXPECT_EQ(read_all(folder / "lines"), "no end");
  EXPECT_EQ(read_all(folder / "updated"), "2\n");
  EXPECT_EQ(read_all(folder / "timed"), "3\n");
  EXPECT_EQ(read_all(folder / "shared"), "4\n");
  const std::string all = read_all(folder / "thread");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 100'000);
  EXPECT_TRUE(all.ends_with("line 99999\n"));
}

void print_late(leat::writer& out) {
  static leat::writer* to;
  to = &out;
  std::atexit([] { to->print("late\n"); });
}

TEST(exit, writes_output_of_exit_functions) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    auto out = leat::create(folder / "file");
    print_late(out);
    out.print("early\n");
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "early\nlate\n");
}

TEST(exit, reports_unwritten_bytes_and_the_program_fails) {
  const auto child = run_until_exit([] {
    auto out = leat::create("/dev/full");
    out.print("lost");
    std::exit(0);
  });
  EXPECT_EQ(child.err,
            "leat: cannot write '/dev/full': No space left on device "
            "(at byte 0, 4 bytes not written)\n");
  EXPECT_EQ(child.code, EXIT_FAILURE);
}

#if defined(__GLIBC__)
TEST(exit, of_a_program_whose_static_stream_loses_bytes_fails) {
  const auto lose = [] {
    static auto out = leat::create("/dev/full");
    out.print("lost");
  };
  EXPECT_EQ(run_until_exit([&] {
              lose();
              std::exit(0);
            }).code,
            EXIT_FAILURE);
  EXPECT_EQ(run_until_exit([] {
              leat::create("/dev/full").print("lost");  // reported long before the exit
              std::exit(0);
            }).code,
            0);
}
#endif

TEST(exit, does_not_report_a_failure_that_a_call_has_reported) {
  const auto child = run_until_exit([] {
    auto out = leat::create("/dev/full");
    out.print("lost");
    std::error_code ec;
    out.flush(ec);
    require(ec == std::errc::no_space_on_device);
    auto script = new_script();
    script->room = 0;
    leat::file_stream update(device_of(script));
    update.write("lost");
    update.flush(ec);
    require(ec == std::errc::no_space_on_device);
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
}

TEST(exit, does_not_replace_a_file_whose_replacement_is_still_open) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  const auto child = run_until_exit([&] {
    auto out = leat::replace(folder / "file");
    out.print("new");
    std::exit(0);
  });
  EXPECT_EQ(child.err, "leat: cannot replace '" + (folder / "file") +
                           "': The stream was left without close() (3 bytes not written)\n");
  EXPECT_EQ(child.code, EXIT_FAILURE);
  EXPECT_EQ(read_all(folder / "file"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"}) << "a temporary file is left";
}

TEST(exit, of_a_child_does_not_write_streams_of_its_parent) {
  const temporary_folder folder;
  write_file(folder / "replaced", "old");
  const auto child = run_in_child([&] {
    auto out = leat::create(folder / "created");
    auto replaced = leat::replace(folder / "replaced");
    out.print("once\n");
    replaced.print("new");
    require(wait_for(start_child([] {}, ending::orderly)) == 0);
    replaced.close();
    out.close();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  EXPECT_EQ(read_all(folder / "created"), "once\n");
  EXPECT_EQ(read_all(folder / "replaced"), "new");
}

// The synchronized writer writes to the static target. exit() destroys the target, but not the
// writer, because the writer is on the stack.
TEST(exit, writes_all_bytes_if_a_static_target_is_destroyed_before_its_writer) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    static auto below = leat::create(folder / "file");
    leat::synchronized shared(below);
    shared.println("{}", 1);
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "1\n");
}

std::string message_of_other_thread(const std::string& path) {
  return "leat: cannot write '" + path + "': The program ended while a thread used the stream\n";
}

TEST(exit, does_not_touch_a_stream_of_another_thread_but_reports_it) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    std::atomic<bool> ready = false;
    std::thread other([&] {
      auto mine = leat::create(folder / "buffered");
      auto flushed = leat::create(folder / "flushed", {.flush = leat::flush_when::call});
      mine.print("a");
      flushed.print("b");
      ready = true;
      for (;;) mine.print("{}", 1);
    });
    while (!ready) std::this_thread::yield();
    std::exit(0);
  });
  EXPECT_EQ(child.err, message_of_other_thread(folder / "buffered"));
  EXPECT_EQ(child.code, EXIT_FAILURE);
  EXPECT_EQ(read_all(folder / "flushed"), "b");
}

TEST(exit, reports_another_threads_stream_that_may_hold_bytes) {
  const temporary_folder folder;
  const auto child_of = [&](auto open, const char* text) {
    return run_until_exit([&] {
      std::atomic<bool> ready = false;
      std::thread other([&] {
        auto out = open();
        out.print("{}", text);
        ready = true;
        for (;;) std::this_thread::yield();
      });
      while (!ready) std::this_thread::yield();
      std::exit(0);
    });
  };
  const auto child_with = [&](const leat::create_options& how, const char* text) {
    return child_of([&] { return leat::create(folder / "file", how); }, text);
  };
  const leat::create_options by_line{.flush = leat::flush_when::line};
  const leat::create_options dropping{.background = true, .when_full = leat::when_full::drop};
  EXPECT_EQ(child_with(by_line, "line\n").err, "");
  EXPECT_EQ(read_all(folder / "file"), "line\n");
  const std::string message = message_of_other_thread(folder / "file");
  EXPECT_EQ(child_with(by_line, "part of a line").err, message);
  EXPECT_EQ(child_with(dropping, "line\n").err, message);
  const auto update_child = [&](leat::flush_when flush, const char* text) {
    return child_of([&] { return leat::update(folder / "file", {.flush = flush}); }, text);
  };
  EXPECT_EQ(update_child(leat::flush_when::line, "line\n").err, "");
  EXPECT_EQ(update_child(leat::flush_when::call, "part of a line").err, "");
  EXPECT_EQ(update_child(leat::flush_when::line, "part of a line").err, message);
  EXPECT_EQ(update_child(leat::flush_when::line, "line\npart").err, "");
  EXPECT_EQ(update_child(leat::flush_when::full, "line\n").err, message);
  for (const auto flush : {leat::flush_when::line, leat::flush_when::call}) {
    const auto open_full = [&] { return leat::append("/dev/full", {.flush = flush}); };
    EXPECT_EQ(child_of(open_full, "line\n").err, message_of_other_thread("/dev/full"));
  }
}

TEST(exit, writes_a_shared_stream_that_another_thread_has_used_last) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    leat::synchronized shared(leat::create(folder / "file"));
    std::atomic<bool> ready = false;
    std::thread other([&] {
      shared.print("whole\n");
      ready = true;
      for (;;) std::this_thread::yield();
    });
    while (!ready) std::this_thread::yield();
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  EXPECT_EQ(read_all(folder / "file"), "whole\n");
}

TEST(exit, inside_of_with_writes_the_locked_stream) {
  const temporary_folder folder;
  const auto child = run_until_exit([&] {
    leat::synchronized shared(leat::create(folder / "file"));
    shared.with([](leat::writer& out) {
      out.print("whole\n");
      std::exit(0);
    });
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "whole\n");
}

// If a signal handler interrupts a call and calls exit(), leat does not wait for a lock that the
// interrupted thread holds.

extern "C" void exit_now(int) { std::exit(0); }

/// In a child, prints in the main thread and in `threads` other threads. A signal handler calls
/// exit() about 1000 + 37 * `moment` microseconds after all threads have begun to print. Returns
/// the child's result.
template <class Print>
child_result exit_by_signal(int moment, int threads, Print&& print) {
  return run_in_child([&] {
    ::alarm(sanitized ? 60 : 10);
    std::signal(SIGUSR1, exit_now);
    const pthread_t main = ::pthread_self();
    std::atomic<int> printing = 0;
    for (int t = 0; t != threads; ++t)
      std::thread([&, t] {
        for (int i = 0;; ++i) {
          print(t + 1, i);
          if (i == 10) ++printing;
        }
      }).detach();
    std::thread([&] {
      while (printing != threads + 1) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(1000 + 37 * moment));
      ::pthread_kill(main, SIGUSR1);
      for (;;) ::pause();
    }).detach();
    for (int i = 0;; ++i) {
      print(0, i);
      if (i == 10) ++printing;
    }
  });
}

/// Expects that the child has called exit(0), and that leat has reported nothing except a stream
/// whose call was interrupted. Such a report changes the exit code.
void expect_only_left_open(const child_result& child) {
  const std::string left_open = make_error_code(leat::errc::left_open).message() + "\n";
  EXPECT_EQ(child.code, child.err.empty() ? 0 : EXIT_FAILURE) << "signal " << child.signal;
  EXPECT_TRUE(child.err.empty() || child.err.ends_with(left_open)) << child.err;
}

/// Expects whole lines, with the lines of each thread in order. Only the last line may be cut.
void expect_lines_in_order(const std::string& text) {
  int next[4] = {};
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    int thread = -1, number = -1;
    ASSERT_EQ(std::sscanf(text.substr(at, end - at).c_str(), "%d line %d", &thread, &number), 2);
    ASSERT_TRUE(thread >= 0 && thread < 4);
    ASSERT_EQ(number, next[thread]++);
  }
}

const int moments = sanitized || emulated ? 3 : 12;

TEST(exit, in_a_signal_handler_keeps_lines_of_threads_on_standard_output) {
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = exit_by_signal(
        moment, 3, [](int thread, int i) { leat::out.println("{} line {}", thread, i); });
    expect_only_left_open(child);
    expect_lines_in_order(child.out);
  }
}

TEST(exit, in_a_signal_handler_keeps_lines_of_threads_in_a_shared_stream) {
  const temporary_folder folder;
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = exit_by_signal(moment, 3, [&](int thread, int i) {
      static auto& out =
          *new leat::synchronized(leat::create(folder / "file"));  // threads use the stream at exit
      out.println("{} line {}", thread, i);
      std::error_code closed_by_exit;
      if (i % 50 == 0) out.flush(closed_by_exit);
    });
    expect_only_left_open(child);
    expect_lines_in_order(read_all(folder / "file"));
  }
}

TEST(exit, in_a_signal_handler_keeps_lines_while_the_streams_own_thread_flushes) {
  const temporary_folder folder;
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = exit_by_signal(moment, 0, [&](int thread, int i) {
      static auto out = leat::create(
          folder / "file", {.buffer_size = 100, .flush_interval = std::chrono::milliseconds(1)});
      out.println("{} line {}", thread, i);
    });
    expect_only_left_open(child);
    expect_lines_in_order(read_all(folder / "file"));
  }
}

TEST(exit, in_a_signal_handler_keeps_lines_of_the_interrupted_stream) {
  const temporary_folder folder;
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = exit_by_signal(moment, 0, [&](int thread, int i) {
      static auto created = leat::create(folder / "created", {.buffer_size = 64});
      static auto updated = leat::update(folder / "updated", {.buffer_size = 64, .create = true});
      static leat::ofstream std_like(folder / "ofstream");
      created.println("{} line {}", thread, i);
      updated.println("{} line {}", thread, i);
      std_like << thread << " line " << i << std::endl;
    });
    expect_only_left_open(child);
    for (const char* name : {"created", "updated", "ofstream"}) {
      expect_lines_in_order(read_all(folder / name));
      std::remove((folder / name).c_str());
    }
  }
}

TEST(exit, in_a_signal_handler_reports_the_stream_of_a_call_that_does_not_end) {
  const auto child = run_in_child([] {
    ::alarm(sanitized ? 60 : 10);
    int ends[2];
    require(::pipe(ends) == 0);
    std::signal(SIGUSR1, exit_now);
    static leat::file_writer out(leat::adopt(ends[1]), {}, "pipe");
    const pthread_t main = ::pthread_self();
    std::thread([&] {
      char byte;
      require(::read(ends[0], &byte, 1) == 1);  // the main thread is in its write
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ::pthread_kill(main, SIGUSR1);
      for (;;) ::pause();
    }).detach();
    out.write(std::string(1 << 20, 'x'));
  });
  EXPECT_EQ(child.signal, 0);
  EXPECT_EQ(child.err,
            "leat: cannot write 'pipe': The program ended while a thread used the stream\n");
}

TEST(exit, does_not_wait_for_a_thread_that_waits_in_a_shared_stream) {
  const auto child = run_in_child(
      [] {
        ::alarm(sanitized ? 60 : 10);
        int ends[2];
        require(::pipe(ends) == 0 && ::dup2(ends[1], 1) == 1);
        std::thread([] { leat::out.write(std::string(1 << 20, 'x')); }).detach();
        char byte;
        require(::read(ends[0], &byte, 1) == 1);  // the thread is in its write
      },
      ending::orderly);
  EXPECT_EQ(child.signal, 0);
  EXPECT_NE(child.err.find("The program ended while a thread used the stream"), std::string::npos);
  EXPECT_EQ(child.code, EXIT_FAILURE);
}

/// If not null: the function that runs after leat has flushed the open streams at exit.
void (*after_exit)() = nullptr;
[[gnu::destructor(200)]] void run_after_exit() {
  if (after_exit != nullptr) after_exit();
}

// Threads that alternate get per-thread buffers. After the flush at exit, nothing would flush these
// buffers.
TEST(exit, writes_each_call_of_threads_even_after_the_flush_at_exit) {
  constexpr int calls = 500;
  const temporary_folder folder;
  const auto child = run_in_child(
      [&] {
        static std::atomic<int> phase = 0, done = 0;
        static auto& out = *new leat::synchronized(leat::append(folder / "file"));
        for (int t = 0; t != 2; ++t)
          std::thread([] {
            for (int p = 1; p != 3; ++p) {
              while (phase < p) std::this_thread::yield();
              for (int i = 0; i != calls; ++i) {
                out.write("line\n");
                if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
              }
              ++done;
            }
          }).detach();
        phase = 1;
        while (done != 2) std::this_thread::yield();
        after_exit = [] {
          phase = 2;
          while (done != 4) std::this_thread::yield();
        };
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file").size(), std::size_t{4} * calls * 5);
}

TEST(exit, shows_no_password_of_a_stream_that_was_left_open) {
  const auto child = run_in_child(
      [] {
        ::alarm(sanitized ? 60 : 10);
        static std::atomic<bool> written = false;
        std::thread([] {
          int ends[2];
          require(::pipe(ends) == 0);
          static auto& out =
              *new leat::file_writer(leat::adopt(ends[1]), {}, "https://joe:secret@host/key\n");
          out.write("x");
          written = true;
          for (;;) ::pause();
        }).detach();
        while (!written) std::this_thread::yield();
      },
      ending::orderly);
  EXPECT_EQ(child.err,
            "leat: cannot write 'https://...@host/key\\n': The program ended while a thread used "
            "the stream\n");
}

}  // namespace
