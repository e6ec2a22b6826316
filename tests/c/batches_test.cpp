// Batches of records and ranges with leat.h: refusals, errors, the stream's position, and streams
// of all kinds. The driver fuzz/c_random.cpp compares random batches with a string.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "c/updates.hpp"
#include "support/c_files.hpp"
#include "support/c_options.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

#if !defined(__APPLE__) && !defined(_WIN32)
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;

TEST(batches, refuse_records_that_do_not_exist) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "aaabbbcc");  // the third record is incomplete
  const file_ptr f = open_file(path, "r+");
  for (const std::uint64_t outside :
       {std::uint64_t{2}, std::uint64_t{3}, UINT64_MAX / 3, UINT64_MAX}) {
    const std::uint64_t positions[] = {0, 1, outside};
    char out[10] = "#########";
    errno = 0;
    EXPECT_EQ(leat_gather(f.get(), 3, positions, 3, out), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_STREQ(out, "#########");
    errno = 0;
    EXPECT_EQ(update(f.get(), 3, positions,
                     [](char*, std::size_t) -> int {
                       ADD_FAILURE();
                       return 0;
                     }),
              -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(leat_ferror(f.get()), 0);
  EXPECT_EQ(read_all(path), "aaabbbcc");
}

TEST(batches, refuse_records_of_invalid_sizes) {
  const temporary_folder folder;
  write_file(folder / "file", "abc");
  const file_ptr f = open_file(folder / "file", "r+");
  const std::uint64_t first[] = {0};
  char out = '#';
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, SIZE_MAX}) {
    errno = 0;
    EXPECT_EQ(leat_gather(f.get(), size, first, 1, &out), -1);
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(update(f.get(), size, first, [](char*, std::size_t) { return 0; }), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(out, '#');
  EXPECT_EQ(leat_gather(f.get(), 1, nullptr, 0, nullptr), 0);
  EXPECT_EQ(update(f.get(), 1, {}, [](char*, std::size_t) { return 1; }), 0);
}

TEST(batches, refuse_streams_of_unsuitable_modes_and_pipes) {
  const temporary_folder folder;
  write_file(folder / "file", "abc");
  const std::uint64_t first[] = {0};
  char out = '#';
  const file_ptr reading = open_file(folder / "file", "r");
  errno = 0;
  EXPECT_EQ(update(reading.get(), 1, first, [](char*, std::size_t) { return 0; }), -1);
  EXPECT_EQ(errno, EBADF);
  const file_ptr appending = open_file(folder / "file", "a");
  errno = 0;
  EXPECT_EQ(leat_gather(appending.get(), 1, first, 1, &out), -1);
  EXPECT_EQ(errno, EBADF);
  int ends[2];
  make_pipe(ends);
  const file_ptr piped(leat_fdopen(ends[0], "r")), other(leat_fdopen(ends[1], "w"));
  errno = 0;
  EXPECT_EQ(leat_gather(piped.get(), 1, first, 1, &out), -1);
  EXPECT_EQ(errno, ESPIPE);
  EXPECT_EQ(read_all(folder / "file"), "abc");
}

TEST(batches, gather_bytes_that_are_still_buffered) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w+");
  leat_fputs("aabbcc", f.get());
  const std::uint64_t positions[] = {2, 0, 2};
  char out[7] = {};
  EXPECT_EQ(leat_gather(f.get(), 2, positions, 3, out), 0);
  EXPECT_STREQ(out, "ccaacc");
}

TEST(batches, refuse_ranges_outside_the_file) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const file_ptr f = open_file(folder / "file", "r");
  char out[20] = "#########";
  for (const leat_range outside : {leat_range{10, 1}, leat_range{11, 0}, leat_range{0, 11},
                                   leat_range{UINT64_MAX, 1}, leat_range{1, UINT64_MAX}}) {
    const leat_range ranges[] = {{0, 2}, outside};
    errno = 0;
    EXPECT_EQ(leat_read_ranges(f.get(), ranges, 2, out), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_STREQ(out, "#########");
  const leat_range at_the_end{10, 0};
  EXPECT_EQ(leat_read_ranges(f.get(), &at_the_end, 1, out), 0);
  EXPECT_EQ(leat_ferror(f.get()), 0);
}

/// A batch does not move the stream's position, even if bytes were pushed back.
TEST(batches, keep_the_position_of_the_stream) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "0123456789");
  const file_ptr f = open_file(path, "r+");
  const std::uint64_t positions[] = {8, 3};
  char out[3] = "##";
  EXPECT_EQ(leat_fgetc(f.get()), '0');
  EXPECT_EQ(leat_ungetc('x', f.get()), 'x');
  EXPECT_EQ(leat_gather(f.get(), 1, positions, 2, out), 0);
  EXPECT_STREQ(out, "83");
  EXPECT_EQ(leat_ftello(f.get()), 0);
  EXPECT_EQ(leat_fgetc(f.get()), 'x');
  // After a change, bytes that were read ahead are read again.
  EXPECT_EQ(leat_scatter(f.get(), 1, positions, 2, "ab"), 0);
  EXPECT_EQ(leat_ftello(f.get()), 1);
  EXPECT_EQ(rest_of(f.get()), "12b4567a9");
  EXPECT_NE(leat_feof(f.get()), 0);
  EXPECT_EQ(leat_gather(f.get(), 1, positions, 2, out), 0);
  EXPECT_NE(leat_feof(f.get()), 0);
  // Buffered bytes are written before the batch, and later bytes follow them.
  leat_rewind(f.get());
  leat_fputs("ABCD", f.get());
  EXPECT_EQ(update(f.get(), 1, positions,
                   [](char* record, std::size_t) {
                     ++*record;
                     return 0;
                   }),
            0);
  leat_fputs("EF", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(read_all(path), "ABCEEF67b9");
}

TEST(batches, read_and_write_streams_of_memory) {
  char memory[] = "0123456789";
  const file_ptr f(leat_fmemopen(memory, 10, "r+"));
  const std::uint64_t positions[] = {4, 0, 4};
  char out[7] = {};
  EXPECT_EQ(leat_fseek(f.get(), 3, SEEK_SET), 0);
  EXPECT_EQ(leat_gather(f.get(), 2, positions, 3, out), 0);
  EXPECT_STREQ(out, "890189");
  EXPECT_EQ(leat_ftello(f.get()), 3);
  EXPECT_EQ(update(f.get(), 2, positions,
                   [](char* record, std::size_t index) {
                     record[1] = static_cast<char>('a' + index);
                     return 0;
                   }),
            0);
  EXPECT_EQ(leat_ftello(f.get()), 3);
  EXPECT_EQ(std::string(memory, 10), "0b2345678c");
  EXPECT_EQ(leat_fgetc(f.get()), '3');
  const file_ptr appending(leat_fmemopen(memory, 10, "a+"));
  errno = 0;
  EXPECT_EQ(leat_scatter(appending.get(), 2, positions, 3, out), -1);
  EXPECT_EQ(errno, EBADF);
}

/// A file in a string, which leat_fopencookie opens.
struct scripted_file {
  std::string content;
  std::size_t at = 0;
  bool fails = false;
  std::size_t beyond_end = 0;  // a seek from the end goes this many bytes too far

  static ssize_t read(void* cookie, char* to, std::size_t n) {
    auto& self = *static_cast<scripted_file*>(cookie);
    if (self.fails) return errno = ENXIO, -1;
    const std::size_t taken = self.content.copy(to, n, std::min(self.at, self.content.size()));
    self.at += taken;
    return static_cast<ssize_t>(taken);
  }
  static ssize_t write(void* cookie, const char* from, std::size_t n) {
    auto& self = *static_cast<scripted_file*>(cookie);
    if (self.fails) return errno = ENXIO, -1;
    self.content.replace(self.at, n, from, n);
    self.at += n;
    return static_cast<ssize_t>(n);
  }
  static int seek(void* cookie, leat_off_t* offset, int whence) {
    auto& self = *static_cast<scripted_file*>(cookie);
    const auto base = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? self.at
                                           : self.content.size() + self.beyond_end;
    self.at = base + static_cast<std::size_t>(*offset);
    *offset = static_cast<leat_off_t>(self.at);
    return 0;
  }
  file_ptr open(const char* mode) {
    return file_ptr(leat_fopencookie(
        this, mode, {.read = read, .write = write, .seek = seek, .close = nullptr}));
  }
};

TEST(batches, read_and_write_streams_of_fopencookie) {
  scripted_file script{numbered_text(60'000)};
  std::string expected = script.content;
  const file_ptr f = script.open("r+");
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i != 5000; ++i) positions.push_back(i * 7919 % 30'000);
  std::string got(2 * positions.size(), '#'), wanted;
  for (const auto at : positions) wanted += expected.substr(2 * at, 2);
  EXPECT_EQ(leat_gather(f.get(), 2, positions.data(), positions.size(), got.data()), 0);
  EXPECT_TRUE(got == wanted);
  EXPECT_EQ(update(f.get(), 2, positions, [](char* record, std::size_t) { return ++*record, 0; }),
            0);
  for (const auto at : positions) ++expected[2 * at];
  EXPECT_TRUE(script.content == expected);
  EXPECT_EQ(leat_ferror(f.get()), 0);
  script.fails = true;
  errno = 0;
  EXPECT_EQ(leat_gather(f.get(), 2, positions.data(), positions.size(), got.data()), -1);
  EXPECT_EQ(errno, ENXIO);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

TEST(batches, refuse_to_close_the_stream_in_a_callback) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, numbered_text(400));
  file_ptr f = open_file(path, "r+");
  const std::uint64_t positions[] = {1, 5, 9};
  std::size_t calls = 0;
  EXPECT_EQ(update(f.get(), 4, positions,
                   [&](char* record, std::size_t) {
                     errno = 0;
                     EXPECT_EQ(leat_fclose(f.get()), EOF);
                     EXPECT_EQ(errno, EDEADLK);
                     errno = 0;
                     leat_discard(f.get());
                     EXPECT_EQ(errno, EDEADLK);
                     errno = 0;
                     EXPECT_EQ(leat_freopen(path.c_str(), "r", f.get()), nullptr);
                     EXPECT_EQ(errno, EDEADLK);
                     record[0] = '#';
                     ++calls;
                     return 0;
                   }),
            0);
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(leat_fclose(f.release()), 0);
  EXPECT_EQ(std::ranges::count(read_all(path), '#'), 3);
}

TEST(batches, read_the_new_file_after_freopen) {
  const temporary_folder folder;
  write_file(folder / "one", "one");
  write_file(folder / "other", "other");
  file_ptr f = open_file(folder / "one", "r");
  const std::uint64_t first[] = {0};
  char out = '#';
  EXPECT_EQ(leat_gather(f.get(), 1, first, 1, &out), 0);
  ASSERT_EQ(leat_freopen((folder / "other").c_str(), "r", f.get()), f.get());
  EXPECT_EQ(leat_last_plan(f.get()).positions, 0U);
  const std::uint64_t last[] = {4};
  EXPECT_EQ(leat_gather(f.get(), 1, last, 1, &out), 0);
  EXPECT_EQ(out, 'r');
}

TEST(batches, report_a_file_that_was_truncated) {
  scripted_file script{"0123456789"};
  script.beyond_end = 1;
  const file_ptr f = script.open("r+");
  const std::uint64_t positions[] = {0, 10};
  char out[2];
  errno = 0;
  EXPECT_EQ(leat_gather(f.get(), 1, positions, 2, out), -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

#if defined(__linux__)
TEST(batches, report_that_fstat_has_failed) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    const file_ptr f = open_file(folder / "file", "r+");
    constexpr long calls[] = {SYS_statx, SYS_newfstatat, SYS_fstat};
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    const std::uint64_t positions[] = {0, 1};
    char out[2];
    require(leat_gather(f.get(), 1, positions, 2, out) == -1 && errno != 0);
    require(leat_scatter(f.get(), 1, positions, 2, "ab") == -1 && errno != 0);
  });
  if (child.code == no_filters) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "0123456789");
}
#endif

}  // namespace
