// leat::out and leat::err. Each test uses these streams in a process of its own.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "stream/redirect.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

off_t size_of(int descriptor) {
  struct stat status{};
  require(::fstat(descriptor, &status) == 0);
  return status.st_size;
}

TEST(standard_output, to_a_file_is_fully_buffered_and_flushed_at_exit) {
  const auto child = run_in_child(
      [] {
        for (int i = 0; i != 100; ++i) leat::out.println("line {}", i);
        require(size_of(1) == 0);
        leat::out.flush();
        require(size_of(1) == 790);
        leat::out.write("end\n");
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_TRUE(child.out.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(child.out.ends_with("line 99\nend\n"));
  EXPECT_EQ(child.err, "");
}

// While the process has one thread, and no C stream of leat uses standard output, leat::out writes
// directly into the buffer of its file_writer. With more threads, each call takes a lock. The
// switch loses no bytes.
TEST(standard_output, keeps_all_bytes_when_a_second_thread_prints) {
  constexpr int lines = 20'000;  // enough for several buffers
  const auto print = [](int thread) {
    leat::writer& w = leat::out;
    for (int i = 0; i != lines; ++i) {
      leat::println("{} {}", thread, i);
      leat::out.put('p');
      leat::out.write(std::string(static_cast<std::size_t>(i % 70), 'w'));
      w.println(" {} {} {}", i, thread, 1.5);
      leat::out.with([&](leat::writer& below) { below.print("{}", i), leat::out.put('\n'); });
    }
  };
  const auto child = run_in_child(
      [&] {
        print(0);
        std::thread(print, 1).join();
        print(2);
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  std::string expected;
  for (int thread = 0; thread != 3; ++thread)
    for (int i = 0; i != lines; ++i)
      expected += leat::format("{} {}\np{} {} {} 1.5\n{}\n", thread, i,
                               std::string(static_cast<std::size_t>(i % 70), 'w'), i, thread, i);
  EXPECT_TRUE(child.out == expected);
}

TEST(standard_output, to_a_pipe_is_fully_buffered) {
  pipe_pair pipe;
  const pid_t child = start_child(
      [&] {
        redirect(pipe.writer(), 1);
        leat::out.print("one\n");
        pollfd ready{pipe.reader(), POLLIN, 0};
        require(::poll(&ready, 1, 0) == 0);
        leat::out.print("two\n");
      },
      ending::orderly);
  pipe.close_writer();
  EXPECT_EQ(read_rest(pipe.reader()), "one\ntwo\n");
  EXPECT_EQ(wait_for(child), 0);
}

TEST(standard_output, to_a_terminal_is_line_buffered) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) GTEST_SKIP() << "there are no pseudo-terminals here";
  ASSERT_EQ(::grantpt(master), 0);
  ASSERT_EQ(::unlockpt(master), 0);
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  pipe_pair seen;
  const pid_t child = start_child(
      [&] {
        seen.close_writer();
        redirect(terminal, 1);
        leat::out.print("no newline yet");
        pollfd ready{master, POLLIN, 0};
        require(::poll(&ready, 1, 50) == 0);
        leat::out.print(" {}\nrest", 1);
        char wait;
        require(::read(seen.reader(), &wait, 1) == 0);  // waits until the parent has seen the line
        leat::out.print(" at exit\n");
      },
      ending::orderly);
  std::string got;
  while (!got.ends_with("rest")) {
    char block[100];
    const ssize_t n = ::read(master, block, sizeof block);
    ASSERT_GT(n, 0);
    got.append(block, static_cast<std::size_t>(n));
  }
  EXPECT_EQ(got, "no newline yet 1\r\nrest");
  seen.close_writer();
  EXPECT_EQ(wait_for(child), 0);
  ::close(terminal);
  EXPECT_EQ(read_rest(master), " at exit\r\n");
  ::close(master);
}

void print_in_earlier_handler() { leat::out.println("atexit, registered before"); }
void print_in_later_handler() { leat::out.println("atexit, registered after"); }
struct printer {
  const char* text;
  ~printer() { leat::out.println("{}", text); }
};

TEST(standard_output, can_be_used_by_destructors_and_exit_functions) {
  const auto child = run_in_child(
      [] {
        std::atexit(print_in_earlier_handler);
        static printer before{"static object, made before"};
        leat::out.println("main");
        std::atexit(print_in_later_handler);
        static printer after{"static object, made after"};
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out,
            "main\nstatic object, made after\natexit, registered after\n"
            "static object, made before\natexit, registered before\n");
}

TEST(standard_output, shares_the_descriptors_offset) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    const int file = ::open((folder / "file").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    redirect(file, 1);
    require(::write(1, "head\n", 5) == 5);
    const auto print = [] { leat::out.println("from leat"); };
    require(wait_for(start_child(print, ending::orderly)) == 0);
    require(wait_for(start_child(print, ending::orderly)) == 0);
    require(::write(1, "tail\n", 5) == 5);
  });
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "head\nfrom leat\nfrom leat\ntail\n");
}

TEST(standard_output, with_a_closed_descriptor_is_reported_at_exit) {
  const auto child = run_in_child(
      [] {
        ::close(1);
        leat::out.print("lost");
      },
      ending::orderly);
  EXPECT_EQ(child.err,
            "leat: cannot write '<standard output>': Bad file descriptor "
            "(at byte 0, 4 bytes not written)\n");
  EXPECT_EQ(child.code, EXIT_FAILURE);
}

TEST(standard_output, that_is_full_is_reported_at_exit_unless_reported_before) {
  const auto to_full = [](bool check) {
    return run_in_child(
        [check] {
          redirect(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
          leat::out.print("lost\n");
          if (!check) return;
          std::error_code ec;
          leat::out.flush(ec);
          require(ec == std::errc::no_space_on_device);
        },
        ending::orderly);
  };
  EXPECT_EQ(to_full(false).err,
            "leat: cannot write '<standard output>': No space left on device "
            "(at byte 0, 5 bytes not written)\n");
  const auto reported = to_full(true);
  EXPECT_EQ(reported.err, "") << "the failure has been reported";
  EXPECT_EQ(reported.code, 0) << "the program decides on its status";
}

/// Runs a child that loses output, prints to a C stream and calls exit(status). `loss_status` is
/// the argument of leat::set_loss_status.
child_result lose_and_exit(int status, int loss_status) {
  return run_in_child(
      [=] {
        redirect(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
        leat::set_loss_status(loss_status);
        leat::println("lost");
        setvbuf(stderr, nullptr, _IOFBF, BUFSIZ);
        std::fputs("C's buffers are written\n", stderr);
        std::exit(status);
      },
      ending::orderly);
}

TEST(standard_output, that_is_lost_replaces_exit_status_0_by_the_loss_status) {
  for (const auto& [status, loss_status, expected] :
       {std::array{0, EXIT_FAILURE, EXIT_FAILURE}, {0, 2, 2}, {0, 0, 0}, {3, 2, 3}}) {
    const auto child = lose_and_exit(status, loss_status);
#if !defined(__GLIBC__)
    if (status != 0) continue;  // without glibc, leat does not know the status
#endif
    EXPECT_EQ(child.code, expected) << status << ", " << loss_status;
    EXPECT_NE(child.err.find("leat: cannot write '<standard output>'"), child.err.npos);
    EXPECT_NE(child.err.find("C's buffers are written\n"), child.err.npos);
  }
}

TEST(standard_output, that_is_lost_in_a_parent_does_not_make_a_child_fail) {
  const auto child = run_in_child(
      [] {
        redirect(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
        leat::println("lost");
        require(wait_for(start_child([] {}, ending::orderly)) == 0);
        std::error_code ec;
        leat::out.flush(ec);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
}

TEST(standard_output, is_written_by_print_and_println) {
  const auto child = run_in_child(
      [] {
        leat::print("{} {:>4}", 1, "two");
        leat::println();
        leat::println("{}", 3.5);
        leat::print(leat::runtime("{} "), 4);
        leat::println(leat::runtime("{}"), "five");
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "1  two\n3.5\n4 five\n");
}

void report_on_both_streams(const leat::io_error& loss) noexcept {
  leat::err.println("reported: {}", loss.what());
  leat::out.println("reported as well");
}

TEST(standard_output, may_be_used_by_the_loss_handler) {
  const auto child = run_in_child(
      [] {
        redirect(::open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
        leat::set_loss_handler(report_on_both_streams);
        leat::out.print("lost");
      },
      ending::orderly);
  EXPECT_EQ(child.code, EXIT_FAILURE) << "losses in the handler must not change the status";
  EXPECT_TRUE(child.err.starts_with("reported: cannot write '<standard output>'")) << child.err;
}

TEST(standard_output, keeps_the_lines_of_threads_whole) {
  const auto child = run_in_child(
      [] {
        std::vector<std::thread> threads;
        for (int t = 0; t != 8; ++t)
          threads.emplace_back([t] {
            for (int i = 0; i != rounds(5000); ++i) leat::out.println("{} {} {}", t, i, "tail");
          });
        for (auto& thread : threads) thread.join();
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  std::vector<int> next(8, 0);
  std::string_view text = child.out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    ASSERT_NE(end, text.npos);
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ASSERT_FALSE(line.empty());
    const int t = line[0] - '0';
    ASSERT_TRUE(t >= 0 && t < 8) << line;
    ASSERT_EQ(line, leat::format("{} {} {}", t, next[static_cast<std::size_t>(t)]++, "tail"));
  }
  for (const int n : next) EXPECT_EQ(n, rounds(5000));
}

TEST(standard_output, leaves_its_descriptor_open_when_closed) {
  const auto child = run_in_child(
      [] {
        leat::out.print("written");
        leat::out.close();
        require(is_descriptor(1));
        leat::out.print("lost");
        require(leat::out.lost() == 4);
        std::error_code ec;
        leat::out.seek(0, ec);
        require(ec == std::errc::operation_not_supported);
      },
      ending::orderly);
  EXPECT_EQ(child.code, EXIT_FAILURE);
  EXPECT_EQ(child.out, "written");
  EXPECT_EQ(child.err,
            "leat: cannot write '<standard output>': The stream is closed "
            "(at byte 7, 4 bytes not written)\n");
}

TEST(standard_error, is_written_after_each_call) {
  const auto child = run_in_child([] {
    leat::err.print("{}-{}", 1, 2);
    require(size_of(2) == 3);
    leat::err.put('x');
    require(size_of(2) == 4);
    leat::err.print("{:{}}", "y", 3000);
    require(size_of(2) == 3004);
  });
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.err,
            "1-2x"
            "y" +
                std::string(2999, ' '));
}

TEST(standard_streams, are_written_in_the_order_of_their_flushes) {
  const auto child = run_in_child(
      [] {
        redirect(1, 2);
        leat::out.print("1 ");
        leat::out.flush();
        leat::err.print("2 ");
        leat::out.print("4");
        leat::err.print("3 ");
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "1 2 3 4");
}

TEST(standard_streams, of_c_and_cpp_are_written_in_the_order_of_the_calls) {
  const auto child = run_in_child(
      [] {
        redirect(1, 2);
        leat_fputs("1 ", leat_stdout());
        leat::out.write("2 ");
        leat_fputs("3 ", leat_stdout());
        leat::out.put('4');
        leat_fputs(" 5 ", leat_stdout());
        leat::out.write(std::string(100'000, 'x'));
        leat_fputs(" 6 ", leat_stdout());
        leat::out.with([](leat::writer& w) { w.put('7'); });
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_TRUE(child.out == "1 2 3 4 5 " + std::string(100'000, 'x') + " 6 7");
}

TEST(standard_output, is_written_inside_of_with) {
  const auto child = run_in_child(
      [] {
        leat::out.with([](leat::writer& w) {
          w.print("{}", 1);
          w.println(" {}", 2);
        });
      },
      ending::orderly);
  ASSERT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "1 2\n");
}

/// A thread inside of with() may also print directly, although calls take the lock as soon as the
/// program has several threads.
TEST(standard_output, direct_calls_inside_of_with_are_written) {
  const auto child = run_in_child(
      [] {
        std::atomic<bool> done = false;
        std::thread other([&] {
          while (!done) std::this_thread::yield();
        });
        leat::out.with([](leat::writer& w) {
          w.print("{}", 1);
          leat::out.print(" {}", 2);
          w.print(" {}\n", 3);
        });
        done = true;
        other.join();
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "1 2 3\n");
}

/// A program may call exit() inside of with(), for example after a usage error. Functions that run
/// later at exit may print, too.
TEST(standard_output, is_written_by_an_exit_inside_of_with) {
  const auto child = run_in_child(
      [] {
        std::atexit([] { leat::out.print("late\n"); });
        leat::out.with([](leat::writer& w) {
          w.print("{}\n", 1);
          std::exit(3);
        });
      },
      ending::orderly);
  EXPECT_EQ(child.code, 3);
  EXPECT_EQ(child.out, "1\nlate\n");
}

TEST(standard_output, is_unlocked_in_a_child_that_is_forked_inside_of_with) {
  const auto child = run_in_child(
      [] {
        leat::out.with([](leat::writer& w) {
          w.print("{}\n", 1);
          const auto inner = run_in_child([] { leat::out.print("child\n"); }, ending::orderly);
          require(succeeded(inner) && inner.out == "child\n");
        });
        leat::out.print("parent\n");
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(child.out, "1\nparent\n");
}

}  // namespace
