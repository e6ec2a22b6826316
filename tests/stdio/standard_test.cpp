// The functions that take no stream, and use standard input or output.
#include "support/process.hpp"

#if defined(HAS_FORK)

#  include <gtest/gtest.h>
#  include <leat/leat.h>

#  include <fcntl.h>
#  include <unistd.h>

#  include <cerrno>
#  include <clocale>
#  include <cstdio>
#  include <cwchar>
#  include <string>
#  include <string_view>

#  include "support/files.hpp"

extern "C" char* leat_stdio_gets(char* to);  // <leat/stdio.h> declares it for C before C11

namespace {

using namespace leat_test;

/// Runs `body` in a child with `input` as its standard input. Returns its standard output.
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

TEST(standard, bytes_and_lines) {
  const std::string text = output_of("abc\nline\n\nend", [] {
    require(leat_getchar() == 'a' && leat_getchar_unlocked() == 'b');
    require(leat_putchar('x') == 'x' && leat_putchar_unlocked('y') == 'y');
    require(leat_puts("z") >= 0);
    require(leat_getchar() == 'c' && leat_getchar() == '\n');
    require(leat_printf("%d\n", 7) == 2);
  });
  EXPECT_EQ(text, "xyz\n7\n");
}

// Unbuffered and reopened streams have no buffer. Sanitizers would find a copy into one.
TEST(standard, empty_lines_without_a_window) {
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

TEST(standard, gets) {
  const std::string text = output_of("line\n\nend", [] {
    char line[10];
    require(leat_stdio_gets(line) == line && std::string_view(line) == "line");
    require(leat_stdio_gets(line) == line && std::string_view(line).empty());
    require(leat_stdio_gets(line) == line && std::string_view(line) == "end");
    require(leat_stdio_gets(line) == nullptr);
  });
  EXPECT_EQ(text, "");
}

TEST(standard, wide_characters) {
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "no C.UTF-8";
  const std::string text = output_of("\u20acb", [] {
    require(leat_getwchar() == 0x20ac && leat_getwchar_unlocked() == L'b');
    require(leat_getwchar() == WEOF);
    require(leat_putwchar(0x20ac) == 0x20ac && leat_putwchar_unlocked(L'x') == L'x');
  });
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(text, "\u20acx");
}

}  // namespace

#endif
