// C functions that take no stream, and use standard input, output or error. Also: leat's C stream
// and C++ stream (leat::out) together on standard output.
#include "support/process.hpp"

#if defined(HAS_FORK)

#  include <gtest/gtest.h>
#  include <leat/leat.h>
#  include <leat/print.hpp>

#  include <fcntl.h>
#  include <unistd.h>

#  include <cerrno>
#  include <clocale>
#  include <cstdio>
#  include <cstring>
#  include <cwchar>
#  include <string>
#  include <string_view>

#  include "support/files.hpp"

// <leat/stdio.h> declares gets only before C11 and C++14.
extern "C" char* leat_stdio_gets(char* to);

namespace {

using namespace leat_test;

/// Runs `body` in a child with `input` as its standard input. Expects that the child succeeds.
/// Returns the child's standard output.
template <class Body>
std::string output_of(std::string_view input, const Body& body) {
  const temporary_folder folder;
  write_file(folder / "in", input);
  const auto child = run_in_child([&] {
    require(::dup2(::open((folder / "in").c_str(), O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
    body();
    require(leat_fcloseall() == 0);
  });
  EXPECT_TRUE(succeeded(child));
  return child.out;
}

TEST(standard_functions, read_and_print_bytes_and_lines) {
  const std::string text = output_of("abc\nline\n\nend", [] {
    require(leat_getchar() == 'a' && leat_getchar_unlocked() == 'b');
    require(leat_putchar('x') == 'x' && leat_putchar_unlocked('y') == 'y');
    require(leat_puts("z") >= 0);
    require(leat_getchar() == 'c' && leat_getchar() == '\n');
    require(leat_printf("%d\n", 7) == 2);
  });
  EXPECT_EQ(text, "xyz\n7\n");
}

// The stream is first unbuffered, and then reopened for reading. In both states the stream has no
// room for output. If puts copied the newline nevertheless, the sanitizers would find the copy.
TEST(standard_functions, puts_prints_an_empty_line_without_a_buffer) {
  const std::string text = output_of("", [] {
    leat_setbuf(leat_stdout(), nullptr);
    require(leat_puts("") >= 0);
    const int out = ::dup(STDOUT_FILENO);
    require(leat_freopen("/dev/null", "r", leat_stdout()) == leat_stdout());
    require(leat_puts("") == EOF && errno == EBADF);
    require(::dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
  });
  EXPECT_EQ(text, "\n");
}

TEST(standard_functions, gets_reads_lines) {
  const std::string text = output_of("line\n\nend", [] {
    char line[10];
    require(leat_stdio_gets(line) == line && std::string_view(line) == "line");
    require(leat_stdio_gets(line) == line && std::string_view(line).empty());
    require(leat_stdio_gets(line) == line && std::string_view(line) == "end");
    require(leat_stdio_gets(line) == nullptr);
  });
  EXPECT_EQ(text, "");
}

TEST(standard_functions, read_and_print_wide_characters) {
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "no C.UTF-8";
  const std::string text = output_of("\u20acb", [] {
    require(leat_getwchar() == 0x20ac && leat_getwchar_unlocked() == L'b');
    require(leat_getwchar() == WEOF);
    require(leat_putwchar(0x20ac) == 0x20ac && leat_putwchar_unlocked(L'x') == L'x');
  });
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(text, "\u20acx");
}

TEST(standard_functions, perror_prints_the_error_to_standard_error) {
  const auto result = run_in_child([] {
    errno = ENOENT;
    leat_perror("name");
    errno = EACCES;
    leat_perror("");
    errno = EINVAL;
    leat_perror(nullptr);
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.err, "name: " + std::string(std::strerror(ENOENT)) + "\n" +
                            std::strerror(EACCES) + "\n" + std::strerror(EINVAL) + "\n");
}

void print_in_turns() {
  leat_fputs("1", leat_stdout());
  leat::out.print("2");
  leat_printf("%d", 3);
  leat::out.print("{}", 4);
  leat::out.print("5");
  leat_fputs("6\n", leat_stdout());
  leat_fputs("7", leat_stdout());
  leat::out.println("8");
  // More than a buffer holds.
  leat_fputs(std::string(100'000, 'a').c_str(), leat_stdout());
  leat::out.print("{}", std::string(200'000, 'b'));
  leat_fputs("c", leat_stdout());
}

std::string printed_in_turns() {
  std::string expected = "123456\n78\n";
  expected.append(100'000, 'a').append(200'000, 'b').append("c");
  return expected;
}

// Until the program uses leat_stdout(), calls of leat::out do not check for bytes of leat_stdout().
TEST(standard_output, keeps_the_order_if_c_begins_to_print_after_cpp) {
  const auto result = run_in_child(
      [] {
        for (int i = 0; i != 3; ++i) leat::println("{}", i);
        leat::out.put('a');
        leat_fputs("b", leat_stdout());
        leat::out.put('c');
        leat_fputs("d", leat_stdout());
        leat::out.write("e");
        leat_fputs("f", leat_stdout());
        leat::println("{} {} {}", 1, 2.5, "g");
        leat_fputs("h", leat_stdout());
        leat_fflush(leat_stdout());
        if (::fork() == 0) {
          leat::out.put('i');
          leat_fputs("j", leat_stdout());
          leat::out.put('k');
          return;
        }
        require(wait_for(-1) == 0);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "0\n1\n2\nabcdef1 2.5 g\nhijk");
}

TEST(standard_output, keeps_the_order_of_c_and_cpp) {
  const auto result = run_in_child(print_in_turns, ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(result.out == printed_in_turns()) << result.out.substr(0, 100);
}

TEST(standard_output, keeps_the_order_of_c_and_cpp_in_a_pipe) {
  pipe_pair pipe;
  const pid_t child = start_child(
      [&] {
        require(::dup2(pipe.writer(), 1) == 1);
        pipe.close_writer();
        print_in_turns();
      },
      ending::orderly);
  pipe.close_writer();
  const std::string got = read_rest(pipe.reader());
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(got == printed_in_turns()) << got.substr(0, 100);
}

}  // namespace

#endif
