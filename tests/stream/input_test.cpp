// leat::in. Each test uses leat::in in a process of its own.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <csignal>
#include <cstdlib>
#include <string>

#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

void set_standard_input(int descriptor) { require(::dup2(descriptor, 0) == 0); }

/// Runs `program` with `text` as standard input, from offset `start` on. Expects that the child
/// succeeds and prints no error. Returns the rest of the input, which a later `cat` would read.
std::string rest_after(const std::string& text, void (*program)(), off_t start = 0) {
  const temporary_folder folder;
  write_file(folder / "input", text);
  const int file = ::open((folder / "input").c_str(), O_RDONLY | O_CLOEXEC);
  ::lseek(file, start, SEEK_SET);
  const auto child = run_in_child(
      [&] {
        set_standard_input(file);
        program();
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  std::string rest = read_rest(file);
  ::close(file);
  return rest;
}

TEST(standard_input, leaves_unread_bytes_to_the_next_program) {
  const std::string text = "one\ntwo\nthree\n";
  EXPECT_EQ(rest_after(text, [] {}), text);
  EXPECT_EQ(rest_after(text, [] { require(leat::in.tell() == 0); }), text);
  EXPECT_EQ(rest_after(text, [] { require(leat::in.peek(100).size() == 14); }), text);
  EXPECT_EQ(rest_after(text,
                       [] {
                         std::string line;
                         require(leat::in.read_line(line));
                         require(line == "one");
                       }),
            "two\nthree\n");
  EXPECT_EQ(rest_after(text,
                       [] {
                         for (std::string_view line : leat::in.lines())
                           if (line == "two") break;
                       }),
            "three\n");
  EXPECT_EQ(rest_after(text, [] { require(leat::in.find("hre") == 9); }), "hree\n");
  EXPECT_EQ(rest_after(text, [] { leat::in.skip(~std::uint64_t{0}); }), "");
  EXPECT_EQ(rest_after(text, [] { leat::in.seek(8); }), "three\n");
  EXPECT_EQ(rest_after(text,
                       [] {
                         leat::in.get();
                         leat::in.seek(0);
                       }),
            text);
}

TEST(standard_input, starts_where_the_previous_program_stopped) {
  EXPECT_EQ(rest_after(
                "one\ntwo\nthree\n",
                [] {
                  require(leat::in.tell() == 4);
                  require(leat::in.size() == 14);
                  require(leat::in.get() == 't');
                  leat::in.seek_by(-3);
                  require(leat::in.get() == 'e');
                  std::error_code ec;
                  leat::in.seek_by(-100, ec);
                  require(ec == std::errc::invalid_argument);
                },
                4),
            "\ntwo\nthree\n");
}

TEST(standard_input, leaves_unread_bytes_to_the_next_program_after_close) {
  EXPECT_EQ(rest_after("one\ntwo\n",
                       [] {
                         std::string line;
                         require(leat::in.read_line(line));
                         leat::in.close();
                         std::error_code ec;
                         require(leat::in.get(ec) == leat::reader::end_of_file);
                         require(ec == leat::errc::closed);
                         require(is_descriptor(0));
                       }),
            "two\n");
}

void read_at_exit() {
  std::string line;
  require(leat::in.read_line(line));
  require(line == "two");
}

TEST(standard_input, can_be_used_by_exit_functions) {
  EXPECT_EQ(rest_after("one\ntwo\nthree\n",
                       [] {
                         std::atexit(read_at_exit);
                         require(leat::in.get() == 'o');
                         leat::in.skip(3);
                       }),
            "three\n");
}

TEST(standard_input, reads_a_pipe) {
  pipe_pair pipe;
  ASSERT_EQ(::write(pipe.writer(), "3 4 5\nrest", 10), 10);
  pipe.close_writer();
  const auto child = run_in_child([&] {
    set_standard_input(pipe.reader());
    int sum = 0;
    for (int i = 0; i != 3; ++i) sum += leat::in.parse<int>().value();
    require(sum == 12);
    std::error_code ec;
    static_cast<void>(leat::in.size(ec));
    require(ec == std::errc::operation_not_supported);
    require(leat::copy(leat::in, leat::out) == 5);
    leat::out.flush();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.out, "\nrest");
}

TEST(standard_input, fails_with_broken_pipe_if_the_output_has_no_reader) {
  pipe_pair output;
  output.close_reader();
  const auto child = run_in_child(
      [&] {
        std::signal(SIGPIPE, SIG_IGN);  // some parents start programs with SIGPIPE ignored
        set_standard_input(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
        require(::dup2(output.writer(), 1) == 1);
        try {
          for (std::string_view line : leat::in.lines({.delimiter = '\0'}))
            leat::println("{}", line);
          require(false);
        } catch (const leat::io_error& error) {
          require(error.code() == std::errc::broken_pipe);
          require(error.path() == "<standard output>");
          require(error.operation() == std::string_view("write"));
        }
        std::error_code ec;
        leat::copy(leat::in, leat::out, ec);
        require(ec == std::errc::broken_pipe);
        char area[100000];
        require(leat::in.read(std::span(area), ec) == 0);
        require(ec == std::errc::broken_pipe);

        leat::out.clear_error();  // the program goes on without its output
        require(leat::in.read(std::span(area)) == sizeof area);
        leat::in.close();
        require(leat::in.get(ec) == leat::reader::end_of_file);
        require(ec == leat::errc::closed);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
}

TEST(standard_input, without_a_descriptor_is_an_error) {
  const auto child = run_in_child(
      [] {
        ::close(0);
        try {
          leat::in.get();
          require(false);
        } catch (const leat::io_error& error) {
          require(error.what() == std::string("cannot read '<standard input>': "
                                              "Bad file descriptor (at byte 0)"));
        }
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
}

TEST(standard_input, reports_at_exit_a_failure_that_was_not_reported) {
  pipe_pair pipe;
  const auto child = run_in_child(
      [&] {
        set_standard_input(pipe.reader());
        require(::write(pipe.writer(), "abc", 3) == 3);
        require(leat::in.peek(3) == "abc");
        // The descriptor can't be read any more.
        require(::dup2(pipe.writer(), 0) == 0);
        char area[10];
        require(leat::in.read(std::span(area)) == 3);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "leat: cannot read '<standard input>': Bad file descriptor (at byte 3)\n");
}

TEST(standard_input, answers_queries_before_its_first_read) {
  const auto child = run_in_child([] {
    set_standard_input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    require(!leat::in.error());
    require(leat::in.buffered().empty());
    require(leat::in.peek(0).empty());
    require(leat::in.lines().begin() == std::default_sentinel);
    require(leat::in.get() == leat::reader::end_of_file);
    leat::in.close();
    leat::in.close();
  });
  EXPECT_TRUE(succeeded(child));
}

/// A pseudo-terminal. `user` is the side of the keyboard and the screen, without an echo.
struct terminal_pair {
  int user = -1, program = -1;
  terminal_pair() {
    user = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (user < 0 || ::grantpt(user) != 0 || ::unlockpt(user) != 0) return;
    program = ::open(::ptsname(user), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    ::tcgetattr(program, &settings);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(program, TCSANOW, &settings);
  }
  ~terminal_pair() {
    ::close(user);
    ::close(program);
  }
  terminal_pair(const terminal_pair&) = delete;
  terminal_pair& operator=(const terminal_pair&) = delete;
  explicit operator bool() const { return program >= 0; }

  void type(std::string_view text) const {
    ASSERT_EQ(::write(user, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string read_screen(std::size_t size) const {
    std::string text(size, ' ');
    std::size_t done = 0;
    while (done != size) {
      pollfd ready{user, POLLIN, 0};
      if (::poll(&ready, 1, 20000) != 1) break;
      const ssize_t n = ::read(user, text.data() + done, size - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    text.resize(done);
    return text;
  }
};

/// Reads a line, and forks a child that reads another line. Returns the offset of standard input
/// after the child has ended.
off_t offset_after_child(leat::reader& in) {
  std::string line;
  require(in.read_line(line));
  const pid_t child = start_child([&] { require(in.read_line(line)); }, ending::orderly);
  require(wait_for(child) == 0);
  return ::lseek(0, 0, SEEK_CUR);
}

TEST(standard_input, has_the_offset_at_which_a_forked_child_stopped_reading) {
  rest_after("one\ntwo\nthree\n", [] { require(offset_after_child(leat::in) == 8); });
  rest_after("one\ntwo\nthree\n", [] {
    static leat::file_reader input = leat::open_or_stdin("-");
    require(offset_after_child(input) == 8);
  });
}

TEST(standard_input, keeps_its_offset_if_a_forked_child_has_not_read) {
  rest_after("one\ntwo\nthree\n", [] {
    static leat::file_reader input = leat::open_or_stdin("-");
    std::string line;
    require(input.read_line(line));
    const off_t before = ::lseek(0, 0, SEEK_CUR);
    require(wait_for(start_child([] {}, ending::orderly)) == 0);
    require(::lseek(0, 0, SEEK_CUR) == before);
  });
}

TEST(standard_input, of_a_terminal_ends_once_for_each_typed_end_of_file) {
  const terminal_pair terminal;
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  terminal.type("one\n2 \x04\x04left");  // the first \x04 sends "2 ", the second ends the input
  const pid_t child = start_child([&] {
    set_standard_input(terminal.program);
    std::string line;
    require(leat::in.read_line(line));
    require(line == "one");
    require(leat::in.parse<int>() == 2);
    char area[10];
    require(leat::in.read(std::span(area)) == 1);
    require(leat::in.read(std::span(area)) == 0);  // does not wait for a second end
    require(leat::in.get() == leat::reader::end_of_file);
    leat::string_writer to;
    require(leat::copy(leat::in, to) == 0);
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST(standard_input, of_a_terminal_is_copied_up_to_the_first_end_of_file) {
  const terminal_pair terminal;
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  pipe_pair pipe;
  terminal.type("one\n");
  const pid_t child = start_child([&] {
    set_standard_input(terminal.program);
    require(::dup2(pipe.writer(), 1) == 1);
    require(leat::copy(leat::in, leat::out) == 8);
    leat::out.flush();
  });
  pipe.close_writer();
  terminal.type("two\n\x04");
  EXPECT_EQ(read_rest(pipe.reader()), "one\ntwo\n");
  EXPECT_EQ(wait_for(child), 0);
}

TEST(standard_input, flushes_the_prompt_before_it_waits) {
  const terminal_pair terminal;
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  const pid_t child = start_child([&] {
    set_standard_input(terminal.program);
    require(::dup2(terminal.program, 1) == 1);
    leat::out.print("name? ");
    std::string line;
    require(leat::in.read_line(line));
    leat::out.print("{}, age? ", line);
    const auto age = leat::in.parse<int>();
    leat::out.print("{}, more? ", age.value());
    for (std::string_view rest : leat::in.lines()) {
      if (rest == "no") break;
      leat::out.print("more? ");
    }
    char area[3];
    leat::out.print("raw? ");
    require(leat::in.read(std::span(area)) == 3);
  });
  EXPECT_EQ(terminal.read_screen(6), "name? ");
  terminal.type("leat\n");
  EXPECT_EQ(terminal.read_screen(11), "leat, age? ");
  terminal.type("3\n");
  EXPECT_EQ(terminal.read_screen(9), "3, more? ");
  EXPECT_EQ(terminal.read_screen(6), "more? ")
      << "the rest of the line after the number is a line, too";
  terminal.type("no\n");
  EXPECT_EQ(terminal.read_screen(5), "raw? ");
  terminal.type("abc\n");
  EXPECT_EQ(wait_for(child), 0);
}

}  // namespace
