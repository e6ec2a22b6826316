// Streams of a terminal: lines are shown at once, and a prompt before the program reads the answer.
#include "support/process.hpp"

#if defined(HAS_FORK)

#  include <gtest/gtest.h>
#  include <leat/leat.h>

#  include <fcntl.h>
#  include <termios.h>
#  include <unistd.h>

#  include <cstdlib>
#  include <string>
#  include <string_view>

#  include "support/c_files.hpp"

namespace {

using namespace leat_test;

/// A pseudo-terminal, which passes on written bytes unchanged.
class terminal {
 public:
  terminal() : screen_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    const char* name = nullptr;
    if (screen_ < 0 || ::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0 ||
        (name = ::ptsname(screen_)) == nullptr)
      return;
    program_end_ = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios mode{};
    if (program_end_ < 0 || ::tcgetattr(program_end_, &mode) != 0) return;
    mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    mode.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_usable_ = ::tcsetattr(program_end_, TCSANOW, &mode) == 0;
  }
  ~terminal() {
    if (screen_ >= 0) ::close(screen_);
    if (program_end_ >= 0) ::close(program_end_);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  bool is_usable() const { return is_usable_; }
  int program_end() const { return program_end_; }

  /// Returns the text that was written since the last call. The child must have stopped writing. A
  /// terminal may deliver late, so read_screen() writes a mark, and reads all bytes before the
  /// mark.
  std::string read_screen() const {
    if (::write(program_end_, "\x01", 1) != 1) return "no mark";
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
  int program_end_ = -1;
  bool is_usable_ = false;
};

/// A child whose standard output is a terminal. If `reads_terminal` is true, the child's standard
/// input is the terminal, too. `body` gets a function that stops the child until the test calls
/// resume().
class stepping_child {
 public:
  template <class Body>
  stepping_child(const terminal& tty, bool reads_terminal, Body body)
      : process_(start_child(
            [&] {
              require(::dup2(tty.program_end(), 1) == 1);
              if (reads_terminal) require(::dup2(tty.program_end(), 0) == 0);
              body([this] {
                char c = 0;
                require(::write(stopped_.writer(), "x", 1) == 1);
                require(::read(resume_.reader(), &c, 1) == 1);
              });
            },
            ending::orderly)) {
    stopped_.close_writer();
    resume_.close_reader();
  }
  /// Waits until the child has stopped. Returns false if the child has ended.
  bool wait_until_stopped() {
    char c;
    return ::read(stopped_.reader(), &c, 1) == 1;
  }
  void resume() { EXPECT_EQ(::write(resume_.writer(), "x", 1), 1); }
  int wait_for_end() { return wait_for(process_); }

 private:
  pipe_pair stopped_, resume_;
  pid_t process_;
};

TEST(terminal, lines_are_shown_when_they_end) {
  const terminal tty;
  if (!tty.is_usable()) GTEST_SKIP() << "no pseudo-terminals";
  stepping_child child(tty, false, [](auto stop) {
    leat_fputs("part", leat_stdout());
    stop();
    leat_fputs(" of a line\nand", leat_stdout());
    stop();
    leat_printf(" %s\n%d", "more", 17);
    require(leat_flbf(leat_stdout()) != 0);
    stop();
  });
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "");
  child.resume();
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "part of a line\n");
  child.resume();
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "and more\n");
  child.resume();
  EXPECT_EQ(child.wait_for_end(), 0);
  EXPECT_EQ(tty.read_screen(), "17") << "the end of the process shows the rest";
}

TEST(terminal, streams_of_its_descriptor_are_line_buffered) {
  const terminal tty;
  if (!tty.is_usable()) GTEST_SKIP() << "no pseudo-terminals";
  const file_ptr f(leat_fdopen(::dup(tty.program_end()), "w"));
  ASSERT_NE(f, nullptr);
  EXPECT_NE(leat_flbf(f.get()), 0);
  leat_fputs("line\npart", f.get());
  EXPECT_EQ(tty.read_screen(), "line\n");
}

TEST(terminal, reading_flushes_pending_output) {
  const terminal tty;
  if (!tty.is_usable()) GTEST_SKIP() << "no pseudo-terminals";
  stepping_child child(tty, true, [](auto stop) {
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
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "") << "the prompt is still in the buffer";
  tty.type("leat\n");
  child.resume();
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "name? ");
  tty.type("7\n");
  child.resume();
  ASSERT_TRUE(child.wait_until_stopped());
  EXPECT_EQ(tty.read_screen(), "age? ");
  child.resume();
  EXPECT_EQ(child.wait_for_end(), 0);
}

}  // namespace

#endif
