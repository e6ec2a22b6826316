// Failed calls: what a failed call reports and keeps, and how later calls continue.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/format.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "stdio/counted_file.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <sys/resource.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

#if defined(HAS_POSIX_FILES)
TEST(file, calls_after_a_failed_write_do_not_all_write_again) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (const int buffers : {_IOFBF, _IOLBF, _IONBF}) {
    counted_file file;
    leat_file* const f = file.open("w");
    ASSERT_EQ(leat_setvbuf(f, nullptr, buffers, 1000), 0);
    const std::string line(1001, '\n');
    file.error = ENOSPC;
    const auto begin = now();
    for (int i = 0; i != 100'000; ++i) {
      errno = 0;
      ASSERT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
      ASSERT_EQ(errno, ENOSPC);
    }
    // The first 16 calls write to the device. Of the later calls, at most one in each millisecond
    // writes to the device.
    EXPECT_LE(file.writes, 17 + (now() - begin) / std::chrono::milliseconds(1)) << buffers;
    EXPECT_NE(leat_ferror(f), 0);
    int before = file.writes;
    leat_clearerr(f);
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    EXPECT_EQ(file.writes, before + 1) << "after leat_clearerr the device is tried at once";
    file.error = EAGAIN;
    leat_clearerr(f);
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    before = file.writes;
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    EXPECT_EQ(file.writes, before + 1) << "after EAGAIN the device may be ready at any moment";
    file.error = 0;
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 1u);
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_TRUE(file.content.ends_with(line));
  }
}

TEST(file, a_call_that_fails_leaves_no_part_of_a_line) {
  counted_file file;
  leat_file* const f = file.open("w");
  ASSERT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 100), 0);
  std::string expected;
  const auto print = [&](int i) {
    if (leat_fprintf(f, "line %06d\n", i) > 0) expected += leat::format("line {:06}\n", i);
  };
  file.error = ENOSPC;
  for (int i = 0; i != 40; ++i) print(i);
  file.error = 0;
  leat_clearerr(f);
  for (int i = 40; i != 80; ++i) print(i);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, expected);
}

TEST(file, a_failed_long_print_leaves_only_the_bytes_that_were_already_written) {
  counted_file file;
  leat_file* const f = file.open("w");
  ASSERT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 4037), 0);
  file.room = 9000;
  EXPECT_LT(leat_fprintf(f, "%s", std::string(20'000, 'x').c_str()), 0);
  file.room = std::string::npos;
  leat_clearerr(f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content.size(), 9000u);
}
#endif

#if defined(HAS_POSIX_FILES) && defined(F_SETPIPE_SZ)
TEST(file, a_call_writes_nothing_after_its_first_failed_write) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  ::fcntl(pipe.writer(), F_SETPIPE_SZ, 4096);
  const std::string text = numbered_text(8700);
  for (const bool wide : {false, true}) {
    leat_file* const f = leat_fdopen(::dup(pipe.writer()), "w");
    EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 1000), 0);
    EXPECT_LT(wide ? leat_fwprintf(f, L"%s", text.c_str()) : leat_fprintf(f, "%s", text.c_str()),
              0);
    std::string got;
    const auto read = [&] {
      std::string block(10'000, ' ');
      const ssize_t n = ::read(pipe.reader(), block.data(), block.size());
      if (n > 0) got.append(block, 0, static_cast<std::size_t>(n));
    };
    read();
    leat_clearerr(f);
    EXPECT_EQ(leat_fclose(f), 0);
    read();
    EXPECT_GE(got.size(), 4000u);  // a write of 1000 bytes to a pipe is all or nothing
    EXPECT_TRUE(text.starts_with(got)) << wide << got.size();
  }
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(file, bytes_of_a_failed_write_stay_in_the_buffer) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  leat_file* const f = leat_fdopen(pipe.release_writer(), "w");
  EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 5000), 0);
  std::string taken, read;
  const std::string text = numbered_text(300000);
  // If a write fails because the pipe and the buffer are full, the test reads from the other end.
  // Each byte must arrive once and in order.
  while (taken.size() != text.size()) {
    const std::size_t n = std::min<std::size_t>(7000, text.size() - taken.size());
    errno = 0;
    const std::size_t done = leat_fwrite(text.data() + taken.size(), 1, n, f);
    taken.append(text, taken.size(), done);
    if (done == n) continue;
    ASSERT_EQ(errno, EAGAIN);
    ASSERT_NE(leat_ferror(f), 0);
    leat_clearerr(f);
    char block[3001];
    const ssize_t got = ::read(pipe.reader(), block, sizeof block);
    ASSERT_GT(got, 0);
    read.append(block, static_cast<std::size_t>(got));
  }
  while (leat_fflush(f) != 0) {
    char block[5003];
    const ssize_t got = ::read(pipe.reader(), block, sizeof block);
    ASSERT_GT(got, 0);
    read.append(block, static_cast<std::size_t>(got));
  }
  EXPECT_EQ(leat_fclose(f), 0);
  read += read_rest(pipe.reader());
  EXPECT_TRUE(read == text) << read.size();
}

TEST(file, lines_of_a_failed_write_stay_in_the_buffer) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  leat_file* const f = leat_fdopen(pipe.release_writer(), "w");
  leat_setlinebuf(f);
  std::string taken, read;
  for (int i = 0; i != 20000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\npart";
    std::size_t done = 0;
    while (done != line.size()) {
      const std::size_t now = leat_fwrite(line.data() + done, 1, line.size() - done, f);
      done += now;
      if (done == line.size()) break;
      ASSERT_EQ(errno, EAGAIN);
      char block[3001];
      const ssize_t got = ::read(pipe.reader(), block, sizeof block);
      ASSERT_GT(got, 0);
      read.append(block, static_cast<std::size_t>(got));
    }
    taken += line;
  }
  read += read_rest(pipe.reader());
  EXPECT_EQ(leat_fclose(f), 0);
  read += read_rest(pipe.reader());
  EXPECT_TRUE(read == taken) << read.size() << ' ' << taken.size();
}
#endif

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(file, bytes_beyond_the_file_size_limit_stay_in_the_buffer) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    leat_file* const f = leat_fopen(path.c_str(), "w");
    rlimit limit{};
    require(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 1000;
    require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    require(leat_fwrite(numbered_text(3000).data(), 1, 3000, f) == 3000);
    require(leat_fflush(f) == EOF && errno == EFBIG && leat_ferror(f) != 0);
    require(leat_ftell(f) == 3000);
    require(leat_fseek(f, 0, SEEK_SET) != 0);
    limit.rlim_cur = before;
    require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    require(leat_fflush(f) == 0);
    require(leat_fclose(f) == 0);
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_all(path), numbered_text(3000));
}
#endif

#if defined(HAS_FORK) && defined(HAS_LIMITS)
/// Writes 210 bytes in pieces of 7 bytes, and flushes after each piece. The file may have only 100
/// bytes until three pieces have failed.
void write_lines_past_a_limit(const std::string& path, const char* mode, int buffering) {
  std::signal(SIGXFSZ, SIG_IGN);
  leat_file* const f = leat_fopen(path.c_str(), mode);
  require(f != nullptr && leat_setvbuf(f, nullptr, buffering, 0) == 0);
  rlimit limit{};
  require(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlim_t before = std::exchange(limit.rlim_cur, 100);
  require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string text = numbered_text(210);
  std::size_t failures = 0;
  for (std::size_t taken = 0; taken != text.size();) {
    const std::size_t n = std::min<std::size_t>(7, text.size() - taken);
    errno = 0;
    const std::size_t done = leat_fwrite(text.data() + taken, 1, n, f);
    const bool good = leat_fflush(f) == 0 && done == n;
    taken += done;
    require(good || (errno == EFBIG && leat_ferror(f) != 0));
    if (good || ++failures != 3) continue;
    require(leat_ftell(f) == static_cast<long>(taken));
    limit.rlim_cur = before;
    require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  require(failures == 3 && leat_fclose(f) == 0);
}

TEST(file, continues_a_short_write_of_a_flushed_line) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const char* const mode : {"w", "a", "w+"})
    for (const int buffering : {_IOFBF, _IOLBF, _IONBF}) {
      write_file(path, "");
      const auto result = run_in_child([&] { write_lines_past_a_limit(path, mode, buffering); });
      EXPECT_TRUE(succeeded(result)) << mode << buffering;
      EXPECT_EQ(read_all(path), numbered_text(210)) << mode << buffering;
    }
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(file, reading_continues_after_an_error) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  const file_ptr f(leat_fdopen(::dup(pipe.reader()), "r"));
  char block[10];
  EXPECT_EQ(::write(pipe.writer(), "some", 4), 4);
  EXPECT_EQ(leat_fread(block, 1, sizeof block, f.get()), 4u);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_feof(f.get()), 0);
  EXPECT_EQ(::write(pipe.writer(), "more", 4), 4);
  EXPECT_EQ(leat_fread(block, 1, 4, f.get()), 4u);
  EXPECT_EQ(std::string_view(block, 4), "more");
}

TEST(file, bytes_of_a_line_before_eagain_are_returned) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  const file_ptr f(leat_fdopen(::dup(pipe.reader()), "r"));
  wchar_t line[10];
  EXPECT_EQ(leat_fgetws(line, 10, f.get()), nullptr);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(::write(pipe.writer(), "some", 4), 4);
  ASSERT_EQ(leat_fgetws(line, 10, f.get()), line);
  EXPECT_STREQ(line, L"some");
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(::write(pipe.writer(), " more\n", 6), 6);
  ASSERT_EQ(leat_fgetws(line, 10, f.get()), line);
  EXPECT_STREQ(line, L" more\n");
}
#endif

}  // namespace
