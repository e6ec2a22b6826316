// Limits the number of system calls for creating, appending, reading, updating, replacing and
// copying files. Without leat, a program needs three calls to write a file (open, write, close) and
// four calls to read a file (open, read, read, close).
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#if defined(__linux__)

#  include <signal.h>
#  include <sys/ptrace.h>
#  include <sys/syscall.h>
#  include <sys/wait.h>
#  include <unistd.h>

#  include <algorithm>
#  include <cerrno>
#  include <cstdint>
#  include <cstdio>
#  include <filesystem>
#  include <functional>
#  include <set>
#  include <span>
#  include <string>
#  include <system_error>
#  include <utility>
#  include <vector>

#  include "support/files.hpp"
#  include "support/sanitizer.hpp"

namespace {

using leat_test::temporary_folder;
using leat_test::write_file;

constexpr long mark_call = SYS_getppid;

/// Runs `work` in a traced child. Returns which system calls the child made (SYS_read, SYS_write,
/// …), except calls for memory, futex and getpid. If tracing is not possible, returns an empty
/// vector. If fork() fails, throws std::system_error.
std::vector<long> calls_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    ::syscall(mark_call);
    work();
    ::syscall(mark_call);
    ::_exit(0);
  }
  std::vector<long> calls;
  int status = 0, marks = 0;
  bool enters = true;
  while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) == SIGSTOP) {
      ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    } else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && std::exchange(enters, !enters)) {
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
      const auto number = static_cast<long>(info.entry.nr);
      static const std::set<long> ignored_calls = {SYS_brk,    SYS_mmap,     SYS_munmap,
                                                   SYS_mremap, SYS_mprotect, SYS_madvise,
                                                   SYS_getpid, SYS_futex};
      if (number == mark_call)
        ++marks;
      else if (marks == 1 && !ignored_calls.contains(number))
        calls.push_back(number);
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
  EXPECT_TRUE(marks == 0 || (marks == 2 && status == 0)) << status;
  return calls;
}

class system_calls : public testing::Test {
 protected:
  void SetUp() override {
    if (leat_test::sanitized) GTEST_SKIP() << "sanitizer runtimes make system calls of their own";
    if (calls_of([] { ::getuid(); }).empty()) GTEST_SKIP() << "ptrace is not allowed";
  }
  void expect_at_most(std::size_t most, const char* operation, const std::function<void()>& work) {
    const auto calls = calls_of(work);
    EXPECT_FALSE(calls.empty()) << operation << ": tracing failed";
    EXPECT_LE(calls.size(), most) << operation << ": " << testing::PrintToString(calls);
  }
  std::string old_file(const char* name) {
    write_file(folder_ / name, "an old line\n");
    return folder_ / name;
  }
  temporary_folder folder_;
};

TEST_F(system_calls, of_writing_a_small_file_stay_within_the_limit) {
  const std::string new_path = folder_ / "new";
  expect_at_most(5, "create a file", [&] {
    auto out = leat::create(new_path);
    out.println("{} {}", 1, "one");
    out.close();
  });
  EXPECT_EQ(leat_test::read_all(new_path), "1 one\n");
  const std::string old = old_file("old");
  expect_at_most(6, "create over a file", [&] { leat::create(old).println("{}", 1); });
  EXPECT_EQ(leat_test::read_all(old), "1\n");
  expect_at_most(6, "write_file", [&] { leat::write_file(old, "text"); });
  const std::string log = folder_ / "log";
  for (const char* const operation : {"append to a new file", "append to a file"})
    expect_at_most(5, operation, [&] { leat::append(log).println("{}", 1); });
  EXPECT_EQ(leat_test::read_all(log), "1\n1\n");
  expect_at_most(6, "update", [&] { leat::update(log).write("2"); });
  EXPECT_EQ(leat_test::read_all(log), "2\n1\n");
}

TEST_F(system_calls, of_reading_a_small_file_stay_within_the_limit) {
  const std::string old = old_file("old");
  expect_at_most(4, "read_file", [&] { static_cast<void>(leat::read_file(old)); });
  expect_at_most(4, "read_all", [&] { static_cast<void>(leat::open(old).read_all()); });
  expect_at_most(5, "lines", [&] {
    auto in = leat::open(old);
    for (const auto line : in.lines()) static_cast<void>(line);
  });
}

TEST_F(system_calls, of_replacing_a_small_file_stay_within_the_limit) {
  const std::string old = old_file("old"), new_path = folder_ / "new";
  for (const auto& path : {old, new_path})
    expect_at_most(12, "replace", [&] {
      auto out = leat::replace(path);
      out.write("text");
      out.close();
    });
  EXPECT_EQ(leat_test::read_all(new_path), "text");
}

TEST_F(system_calls, of_reading_and_appending_with_c_streams_stay_within_the_limit) {
  const std::string old = old_file("old");
  expect_at_most(7, "leat_fopen to read", [&] {
    leat_file* const in = leat_fopen(old.c_str(), "r");
    char line[20];
    while (leat_fgets(line, sizeof line, in) != nullptr) {
    }
    leat_fclose(in);
  });
  constexpr int rounds = 10, calls_of_opening = 6;
  expect_at_most(calls_of_opening + 3 * rounds, "append a line and read the first one", [&] {
    leat_file* const log = leat_fopen(old.c_str(), "a+");
    for (int i = 0; i != rounds; ++i) {
      leat_fputs("line\n", log);
      leat_fseek(log, 0, SEEK_SET);
      leat_fgetc(log);
    }
    leat_fclose(log);
  });
}

/// Reads records of 100 bytes, the last one first.
template <class Stream>
void read_backwards(Stream&& in, std::uint64_t size) {
  char record[100];
  for (std::uint64_t at = size / 100 * 100; at != 0; at -= 100) {
    in.seek(at - 100);
    in.read(std::span(record));
  }
}

TEST_F(system_calls, of_reading_backwards_are_far_fewer_than_the_records) {
  const std::string path = folder_ / "file";
  constexpr std::size_t size = 1 << 20;
  write_file(path, leat_test::numbered_text(size));
  expect_at_most(50, "open", [&] { read_backwards(leat::open(path), size); });
  expect_at_most(60, "update", [&] { read_backwards(leat::update(path), size); });
  expect_at_most(300, "open, random", [&] {
    read_backwards(leat::open(path, {.pattern = leat::pattern::random}), size);
  });
  for (const std::size_t buffer : {0u, 8192u, 65536u}) {
    expect_at_most(buffer == 0 ? 60 : 400, "leat_fopen", [&] {
      leat_file* const f = leat_fopen(path.c_str(), "r");
      if (buffer != 0) leat_setvbuf(f, nullptr, _IOFBF, buffer);
      char record[100];
      for (long at = size / 100 * 100; at != 0; at -= 100) {
        leat_fseek(f, at - 100, SEEK_SET);
        leat_fread(record, 1, 100, f);
      }
      leat_fclose(f);
    });
  }
}

TEST_F(system_calls, of_copying_a_file_copy_all_bytes_in_the_kernel) {
  const std::string path = folder_ / "file";
  write_file(path, leat_test::numbered_text(1 << 20));
  const auto calls = calls_of([&] { leat::copy_file(path, folder_ / "copy"); });
  EXPECT_TRUE(leat_test::read_all(path) == leat_test::read_all(folder_ / "copy"));
  EXPECT_EQ(std::count(calls.begin(), calls.end(), SYS_copy_file_range), 2);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), SYS_write), 0);
  const std::string small = old_file("small");
  expect_at_most(17, "copy a small file", [&] { leat::copy_file(small, folder_ / "small copy"); });
}

// The calls are not counted here: the target of a link may have a sidecar under the target's own
// name, so opening takes more calls.
TEST_F(system_calls, of_a_path_through_a_link_write_to_the_target) {
  const std::string old = old_file("old");
  std::filesystem::create_symlink("old", folder_ / "link");
  leat::create(folder_ / "link").println("{}", 1);
  EXPECT_EQ(leat_test::read_all(old), "1\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  std::filesystem::create_symlink("made", folder_ / "dangling");
  leat::append(folder_ / "dangling").println("{}", 2);
  EXPECT_EQ(leat_test::read_all(folder_ / "made"), "2\n");
}

}  // namespace

#endif
