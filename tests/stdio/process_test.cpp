// leat_popen and leat_pclose.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

#if defined(HAS_SHELL)
TEST(file, a_stream_reads_the_output_of_a_command) {
  leat_file* const f = leat_popen("echo out; exit 3", "r");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(rest_of(f), "out\n");
  const int status = leat_pclose(f);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(file, a_stream_writes_the_input_of_a_command) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* const first = leat_popen(("cat > '" + path + "'").c_str(), "w");
  ASSERT_NE(first, nullptr);
  // The second process does not inherit the first pipe's writing end. If the second process
  // inherited this end, the first process would never see the end of its input.
  leat_file* const second = leat_popen("cat", "we");
  ASSERT_NE(second, nullptr);
  leat_fputs("to a process", first);
  EXPECT_EQ(leat_pclose(first), 0);
  EXPECT_EQ(leat_pclose(second), 0);
  EXPECT_EQ(read_all(path), "to a process");
}
#endif

#if defined(HAS_SHELL) && defined(HAS_FORK)
TEST(file, pclose_fails_if_the_system_has_reaped_the_command) {
  const auto child = run_in_child([] {
    ::signal(SIGCHLD, SIG_IGN);
    leat_file* const f = leat_popen("exit 3", "r");
    require(f != nullptr);
    errno = 0;
    require(leat_pclose(f) == -1);
    require(errno == ECHILD);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(file, closing_discarding_and_reopening_wait_for_the_command) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    const auto no_child_is_left = [] { return ::waitpid(-1, nullptr, 0) == -1 && errno == ECHILD; };
    leat_file* f = leat_popen("cat >/dev/null", "w");
    require(f != nullptr && leat_fputs("dropped", f) >= 0);
    leat_discard(f);
    require(no_child_is_left());
    f = leat_popen("cat >/dev/null", "w");
    require(leat_freopen((folder / "file").c_str(), "w", f) == f);
    require(no_child_is_left());
    require(leat_fclose(f) == 0);
    f = leat_popen("cat >/dev/null", "w");
    require(leat_freopen((folder / "no/file").c_str(), "w", f) == nullptr);
    require(no_child_is_left());
    require(leat_fclose(f) == -1);
    f = leat_popen("cat >/dev/null", "w");
    require(leat_fclose(f) == 0);
    require(no_child_is_left());
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}
#endif

#if defined(HAS_SHELL) && defined(HAS_SYSTEM_FILES)
TEST(file, pclose_reports_unwritten_input_of_a_command) {
  leat_file* const f = leat_popen("cat >/dev/null", "w");
  ASSERT_NE(f, nullptr);
  EXPECT_GE(leat_fputs("lost", f), 0);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(::dup2(full, leat_fileno(f)), 0);
  ::close(full);
  errno = 0;
  EXPECT_EQ(leat_pclose(f), -1);
  EXPECT_EQ(errno, ENOSPC);
}
#endif

#if defined(HAS_SHELL)
TEST(file, popen_and_pclose_refuse_invalid_arguments) {
  for (const char* mode : {"", "rw", "r+", "a", "z"}) {
    errno = 0;
    EXPECT_EQ(leat_popen("true", mode), nullptr) << mode;
    EXPECT_EQ(errno, EINVAL);
  }
  const file_ptr f(leat_tmpfile());
  errno = 0;
  EXPECT_EQ(leat_pclose(f.get()), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(leat_fputc('x', f.get()), 'x') << "the stream stays open";
}
#endif

}  // namespace
