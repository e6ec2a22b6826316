// The state of a stream (<stdio_ext.h>), libc's FILE over a stream, standard streams, terminals.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/print.hpp>

#include "support/platform.hpp"
#if !defined(_WIN32)
#  include <fcntl.h>
#  include <termios.h>
#  include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

// --- what <stdio_ext.h> has ----------------------------------------------------------------------

TEST(state, sizes_of_buffers) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w+");
  EXPECT_GT(leat_fbufsize(f.get()), 1u);
  for (const std::size_t size : {1u, 7u, 100'000u}) {
    EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOFBF, size), 0);
    EXPECT_EQ(leat_fbufsize(f.get()), size);
    leat_fputs("text", f.get());
    EXPECT_EQ(leat_fbufsize(f.get()), size);
  }
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IONBF, 0), 0);
  EXPECT_EQ(leat_fbufsize(f.get()), 1u);
}

TEST(state, what_is_pending) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w+");
  EXPECT_EQ(leat_fpending(f.get()), 0u);
  leat_fputs("text", f.get());
  EXPECT_EQ(leat_fpending(f.get()), 4u);
  leat_fprintf(f.get(), "%d", 123);
  EXPECT_EQ(leat_fpending(f.get()), 7u);
  leat_fflush(f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u);
  leat_rewind(f.get());
  leat_fgetc(f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u) << "bytes that were read ahead do not count";
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  leat_fputs("more", f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u);
}

/// Returns "r" if the stream reads, "w" if the stream writes: by its last operation or, if only one
/// is possible, by its mode. Returns "" before the first operation of a stream for both.
std::string doing(leat_file* f) {
  std::string said;
  if (leat_freading(f) != 0) said += 'r';
  if (leat_fwriting(f) != 0) said += 'w';
  return said;
}

TEST(state, reading_or_writing) {
  const temporary_folder folder;
  std::vector<char> block(100'000);
  // With and without a buffer; fewer bytes than the buffer has, and more.
  for (const bool buffered : {true, false})
    for (const std::size_t size : {std::size_t{1}, block.size()}) {
      owned f = opened(folder / "file", "w+");
      if (!buffered) leat_setvbuf(f.get(), nullptr, _IONBF, 0);
      EXPECT_EQ(doing(f.get()), "");
      leat_fwrite(block.data(), 1, size, f.get());
      EXPECT_EQ(doing(f.get()), "w") << buffered << size;
      leat_rewind(f.get());
      EXPECT_EQ(leat_fread(block.data(), 1, size, f.get()), size);
      EXPECT_EQ(doing(f.get()), "r") << buffered << size;
      leat_fseek(f.get(), 0, SEEK_END);
      leat_fputc('x', f.get());
      EXPECT_EQ(doing(f.get()), "w") << buffered << size;
      // In modes "r" and "a" the mode decides, even before the first operation.
      f = opened(folder / "file", "r");
      EXPECT_EQ(doing(f.get()), "r");
      f = opened(folder / "file", "a");
      EXPECT_EQ(doing(f.get()), "w");
    }
}

TEST(state, reading_or_writing_memory) {
  char memory[10] = "text";
  const owned f(leat_fmemopen(memory, sizeof memory, "r+"));
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(doing(f.get()), "");
  leat_fgetc(f.get());
  EXPECT_EQ(doing(f.get()), "r");
  leat_fseek(f.get(), 0, SEEK_CUR);
  leat_fputc('x', f.get());
  EXPECT_EQ(doing(f.get()), "w");
}

TEST(state, may_be_read_and_written) {
  const temporary_folder folder;
  for (const std::string_view mode : {"w", "r", "a", "r+", "w+", "a+"}) {
    const owned f = opened(folder / "file", mode.data());
    EXPECT_EQ(leat_freadable(f.get()) != 0, mode[0] == 'r' || mode.size() == 2) << mode;
    EXPECT_EQ(leat_fwritable(f.get()) != 0, mode[0] != 'r' || mode.size() == 2) << mode;
  }
}

TEST(state, lines_are_flushed_together) {
  const temporary_folder folder;
  const owned lines = opened(folder / "lines", "w"), full = opened(folder / "full", "w");
  EXPECT_EQ(leat_flbf(lines.get()), 0);
  leat_setlinebuf(lines.get());
  EXPECT_NE(leat_flbf(lines.get()), 0);
  leat_fputs("part", lines.get());
  leat_fputs("part", full.get());
  leat_flushlbf();
  EXPECT_EQ(read_all(folder / "lines"), "part");
  EXPECT_EQ(read_all(folder / "full"), "");
  leat_setvbuf(lines.get(), nullptr, _IOFBF, 100);
  EXPECT_EQ(leat_flbf(lines.get()), 0);
}

TEST(state, purging_what_was_read) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const owned f = opened(folder / "file", "r+");
  leat_setvbuf(f.get(), nullptr, _IOFBF, 4);
  EXPECT_EQ(leat_fgetc(f.get()), '0');
  leat_fpurge(f.get());
  EXPECT_EQ(rest_of(f.get()), "456789");
  leat_fseek(f.get(), 0, SEEK_SET);
  leat_fputs("##", f.get());
  leat_fpurge(f.get());
  EXPECT_EQ(leat_ftell(f.get()), 0);
  EXPECT_EQ(rest_of(f.get()), "0123456789");
}

TEST(state, the_caller_locks) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 77), 1) << "77 is no type of locking";
  EXPECT_EQ(leat_fsetlocking(f.get(), 2), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 1), 2);
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
}

// --- libc's FILE ---------------------------------------------------------------------------------

#if defined(__GLIBC__)

FILE* view_of(leat_file* f) {
  auto* const view = static_cast<FILE*>(leat_libc_file(f));
  EXPECT_NE(view, nullptr);
  return view;
}

TEST(libc_file, writing_keeps_the_order) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w");
  FILE* const view = view_of(f.get());
  EXPECT_EQ(view_of(f.get()), view);
  leat_fputs("1 ", f.get());
  std::fputs("2 ", view);
  leat_fprintf(f.get(), "%d ", 3);
  std::fprintf(view, "%d ", 4);
  std::fputc('5', view);
  leat_fputs(" 6", f.get());
  EXPECT_EQ(read_all(folder / "file"), "") << "the only buffer is leat's";
  EXPECT_EQ(leat_fclose(f.release()), 0);
  EXPECT_EQ(read_all(folder / "file"), "1 2 3 4 5 6");
}

TEST(libc_file, reading_keeps_the_order) {
  const temporary_folder folder;
  write_file(folder / "file", "ab\ncd\nef 17 gh");
  const owned f = opened(folder / "file", "r");
  FILE* const view = view_of(f.get());
  char line[20];
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  EXPECT_EQ(std::fgetc(view), 'b');
  EXPECT_EQ(leat_fgetc(f.get()), '\n');
  EXPECT_STREQ(std::fgets(line, sizeof line, view), "cd\n");
  EXPECT_EQ(leat_ftell(f.get()), 6);
  EXPECT_EQ(std::ftell(view), 6);
  int number = 0;
  EXPECT_EQ(std::fscanf(view, "ef %d ", &number), 1);
  EXPECT_EQ(number, 17);
  EXPECT_EQ(std::fgetc(view), 'g');
  EXPECT_EQ(rest_of(f.get()), "h");
  EXPECT_EQ(std::fgetc(view), EOF);
  EXPECT_EQ(std::fseek(view, 3, SEEK_SET), 0);
  EXPECT_EQ(leat_fgetc(f.get()), 'c');
  EXPECT_EQ(leat_fseek(f.get(), 1, SEEK_SET), 0);
  EXPECT_EQ(std::fgetc(view), 'b');
}

TEST(libc_file, of_each_mode) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  owned f = opened(folder / "file", "a");
  EXPECT_GE(std::fputs("+a", view_of(f.get())), 0);
  f = opened(folder / "file", "r+");
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'o');
  EXPECT_EQ(std::fseek(view_of(f.get()), 0, SEEK_END), 0);
  EXPECT_GE(std::fputs("+u", view_of(f.get())), 0);
  f = opened(folder / "file", "r");
  EXPECT_EQ(rest_of(f.get()), "old+a+u");
  EXPECT_LT(std::fputs("x", view_of(f.get())), 0);
}

TEST(libc_file, failures_are_seen) {
  const owned f = opened("/dev/full", "w");
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  FILE* const view = view_of(f.get());
  errno = 0;
  EXPECT_LT(std::fputs("text", view), 0);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_NE(std::ferror(view), 0);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

TEST(libc_file, a_rewind_ends_its_flags) {
  const temporary_folder folder;
  write_file(folder / "file", "ab");
  owned f = opened(folder / "file", "r");
  while (std::fgetc(view_of(f.get())) != EOF) {
  }
  EXPECT_NE(std::feof(view_of(f.get())), 0);
  leat_rewind(f.get());
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'a');
  EXPECT_LT(std::fputs("x", view_of(f.get())), 0);
  EXPECT_NE(std::ferror(view_of(f.get())), 0);
  leat_clearerr(f.get());
  EXPECT_EQ(std::ferror(view_of(f.get())), 0);
}

TEST(libc_file, flags_change_under_the_lock_of_libc) {
  const temporary_folder folder;
  write_file(folder / "file", "");
  const owned f = opened(folder / "file", "r");
  FILE* const view = view_of(f.get());
  EXPECT_EQ(std::fgetc(view), EOF);
  leat_rewind(f.get());
  ::flockfile(view);  // as a function of libc does
  std::atomic<bool> begun = false;
  std::thread other([&] {
    begun = true;
    view_of(f.get());
  });
  while (!begun) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(::feof_unlocked(view), 0);
  ::funlockfile(view);
  other.join();
  EXPECT_EQ(std::feof(view), 0);
}

TEST(libc_file, reopened_in_another_mode) {
  const temporary_folder folder;
  write_file(folder / "file", "ab");
  const owned f = opened(folder / "file", "r");
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'a');
  ASSERT_NE(leat_freopen((folder / "file").c_str(), "w", f.get()), nullptr);
  EXPECT_GE(std::fputs("new", view_of(f.get())), 0);
  EXPECT_EQ(std::fgetc(view_of(f.get())), EOF);
  ASSERT_NE(leat_freopen((folder / "file").c_str(), "r", f.get()), nullptr);
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'n');
}

TEST(libc_file, of_standard_output) {
  const auto result = run_in_child(
      [] {
        leat_fputs("1", leat_stdout());
        std::fputs("2", view_of(leat_stdout()));
        leat_fputs("3", leat_stdout());
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "123");
}

#endif

// --- standard streams ----------------------------------------------------------------------------

#if defined(HAS_FORK)
TEST(standard, perror) {
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
#endif

#if defined(HAS_FORK)
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

// Before C's stream is used, the C++ stream uses its buffer without a check.
TEST(standard, c_joins_later) {
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

TEST(standard, both_libraries_print_in_turns) {
  const auto result = run_in_child(print_in_turns, ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(result.out == printed_in_turns()) << result.out.substr(0, 100);
}

TEST(standard, both_libraries_print_in_turns_to_a_pipe) {
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
#endif

// --- terminals -----------------------------------------------------------------------------------

#if defined(HAS_FORK)
/// A pseudo-terminal, which passes on written bytes unchanged.
class terminal {
 public:
  terminal() : screen_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    const char* name = nullptr;
    if (screen_ < 0 || ::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0 ||
        (name = ::ptsname(screen_)) == nullptr)
      return;
    line_ = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios mode{};
    if (line_ < 0 || ::tcgetattr(line_, &mode) != 0) return;
    mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    mode.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    works_ = ::tcsetattr(line_, TCSANOW, &mode) == 0;
  }
  ~terminal() {
    if (screen_ >= 0) ::close(screen_);
    if (line_ >= 0) ::close(line_);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  bool works() const { return works_; }
  int line() const { return line_; }

  /// Returns the text that was written since the last call. The child has stopped writing, but a
  /// terminal may deliver late. So shown() writes a mark, and reads all bytes before the mark.
  std::string shown() const {
    if (::write(line_, "\x01", 1) != 1) return "no mark";
    std::string text;
    char c;
    while (::read(screen_, &c, 1) == 1 && c != '\x01') text += c;
    return text;
  }
  void type(std::string_view text) const {
    ASSERT_EQ(::write(screen_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  int screen_;
  int line_ = -1;
  bool works_ = false;
};

/// A child whose standard output is a terminal, and also its standard input if `types` is true.
/// `body` gets a function that stops the child until the test calls go_on().
class stepping_child {
 public:
  template <class Body>
  stepping_child(const terminal& on, bool types, Body body)
      : process_(start_child(
            [&] {
              require(::dup2(on.line(), 1) == 1);
              if (types) require(::dup2(on.line(), 0) == 0);
              body([this] {
                char c = 0;
                require(::write(reported_.writer(), "x", 1) == 1);
                require(::read(go_.reader(), &c, 1) == 1);
              });
            },
            ending::orderly)) {
    reported_.close_writer();
    go_.close_reader();
  }
  /// Waits until the child has stopped. Returns false if it has ended.
  bool stopped() {
    char c;
    return ::read(reported_.reader(), &c, 1) == 1;
  }
  void go_on() { EXPECT_EQ(::write(go_.writer(), "x", 1), 1); }
  int end() { return wait_for(process_); }

 private:
  pipe_pair reported_, go_;
  pid_t process_;
};

TEST(terminal, lines_are_shown_at_once) {
  const terminal on;
  if (!on.works()) GTEST_SKIP() << "no pseudo-terminals";
  stepping_child child(on, false, [](auto stop) {
    leat_fputs("part", leat_stdout());
    stop();
    leat_fputs(" of a line\nand", leat_stdout());
    stop();
    leat_printf(" %s\n%d", "more", 17);
    require(leat_flbf(leat_stdout()) != 0);
    stop();
  });
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "");
  child.go_on();
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "part of a line\n");
  child.go_on();
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "and more\n");
  child.go_on();
  EXPECT_EQ(child.end(), 0);
  EXPECT_EQ(on.shown(), "17") << "the end of the process shows the rest";
}

TEST(terminal, an_opened_one_is_line_buffered) {
  const terminal on;
  if (!on.works()) GTEST_SKIP() << "no pseudo-terminals";
  const owned f(leat_fdopen(::dup(on.line()), "w"));
  ASSERT_NE(f, nullptr);
  EXPECT_NE(leat_flbf(f.get()), 0);
  leat_fputs("line\npart", f.get());
  EXPECT_EQ(on.shown(), "line\n");
}

TEST(terminal, reading_shows_what_waits) {
  const terminal on;
  if (!on.works()) GTEST_SKIP() << "no pseudo-terminals";
  stepping_child child(on, true, [](auto stop) {
    char name[20];
    leat_fputs("name? ", leat_stdout());
    stop();
    require(leat_fgets(name, sizeof name, leat_stdin()) != nullptr);
    require(std::string_view(name) == "leat\n");
    stop();
    leat_fputs("age? ", leat_stdout());
    int age = 0;
    require(leat_scanf("%d", &age) == 1 && age == 7);
    stop();
  });
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "") << "the prompt is still in the buffer";
  on.type("leat\n");
  child.go_on();
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "name? ");
  on.type("7\n");
  child.go_on();
  ASSERT_TRUE(child.stopped());
  EXPECT_EQ(on.shown(), "age? ");
  child.go_on();
  EXPECT_EQ(child.end(), 0);
}
#endif

}  // namespace
