// leat::follow: reading a file that grows, is rotated or truncated, or does not exist for a while.
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/follow.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "logs/watch.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/readers.hpp"
#include "support/refusals.hpp"
#include "support/sanitizer.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

class follow : public testing::Test {
 protected:
  void add(std::string_view bytes) const { leat::append(path).write(bytes); }
  void rotate() const { std::filesystem::rename(path, path + ".old"); }
  static void pause() { std::this_thread::sleep_for(60ms); }

  /// Returns what a reader gets while `write` runs, up to `expected` bytes.
  std::string read_while(const std::function<void()>& write, std::size_t expected,
                         leat::follow_options options = {}) const {
    options.timeout = sanitized ? 20s : 5s;
    auto reader = leat::follow(path, options);
    std::thread writer(write);
    std::string text(expected, ' ');
    text.resize(reader.read(std::span(text)));
    writer.join();
    return text;
  }

  const temporary_folder folder;
  const std::string path = folder / "log";
};

TEST_F(follow, returns_existing_and_appended_bytes) {
  add("one\n");
  EXPECT_EQ(read_while(
                [&] {
                  pause();
                  add("two\n");
                  pause();
                  add("three\n");
                },
                14),
            "one\ntwo\nthree\n");
}

TEST_F(follow, wakes_within_half_a_second_of_a_write) {
  add("");
  auto reader = leat::follow(path);
  clock::time_point written;
  std::thread writer([&] {
    pause();
    written = clock::now();
    add("x");
  });
  EXPECT_EQ(reader.get(), 'x');
  const auto noticed = clock::now();
  writer.join();
  EXPECT_LT(noticed - written, 500ms);
}

TEST_F(follow, sleeps_while_nothing_happens) {
  const std::stop_source stop;
  const auto watch = leat::watch_folder(folder.path(), stop.get_token());
  add("seen once");
  int calls = 0;
  for (const auto end = clock::now() + 60ms; clock::now() < end; ++calls) watch->wait(60ms);
  EXPECT_LT(calls, 20);
}

TEST_F(follow, waits_for_a_file_that_is_not_there_yet) {
  EXPECT_EQ(read_while(
                [&] {
                  pause();
                  add("first");
                },
                5, {.last_lines = 0}),
            "first");
}

TEST_F(follow, reads_the_old_file_to_its_end_before_the_new_one) {
  add("1");
  EXPECT_EQ(read_while(
                [&] {
                  pause();
                  rotate();
                  leat::append(path + ".old").write("2");
                  pause();
                  leat::create(path).close();
                  pause();
                  leat::append(path + ".old").write("3");
                  pause();
                  add("4");
                  pause();
                  rotate();
                  add("5");
                },
                7),
            "123\n4\n5")
      << "each file's last line gets a newline";
}

TEST_F(follow, returns_the_end_at_a_timeout_and_later_bytes_afterwards) {
  add("one\n");
  auto reader = leat::follow(path, {.timeout = 30ms});
  for (const std::string_view line : reader.lines()) EXPECT_EQ(line, "one");
  const auto begin = clock::now();
  EXPECT_EQ(reader.get(), leat::reader::end_of_file);
  EXPECT_GE(clock::now() - begin, 30ms);
  EXPECT_FALSE(reader.error());
  add("two\n");
  std::string line;
  EXPECT_TRUE(reader.read_line(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(reader.tell(), 8u);
}

TEST_F(follow, stops_on_request) {
  add("one\n");
  std::stop_source stop;
  auto reader = leat::follow(path, {.stop = stop.get_token()});
  clock::time_point requested;
  std::thread other([&] {
    pause();
    add("two\n");
    requested = clock::now();
    stop.request_stop();
  });
  std::vector<std::string> lines;
  for (const std::string_view line : reader.lines()) lines.emplace_back(line);
  const auto noticed = clock::now();
  other.join();
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_LT(noticed - requested, 500ms);
  add("three\n");
  EXPECT_EQ(reader.get(), leat::reader::end_of_file);
  reader.close();
}

TEST_F(follow, reads_no_byte_again_after_a_stop) {
  for (const bool truncates_before : {false, true}) {
    std::filesystem::remove(path);
    add("one\ntwo");
    std::stop_source stop;
    auto reader = leat::follow(path, {.timeout = 0ms, .stop = stop.get_token()});
    EXPECT_EQ(reader.read_all(), "one\ntwo");
    if (truncates_before) std::filesystem::resize_file(path, 0);
    stop.request_stop();
    EXPECT_EQ(reader.read_all(), truncates_before ? "\n" : "");
    std::filesystem::resize_file(path, 0);
    add("three\n");
    EXPECT_EQ(reader.read_all(), "");
  }
}

TEST_F(follow, copies_of_options_keep_the_stop_token) {
  std::stop_source stop;
  leat::follow_options options{.stop = stop.get_token()};
  const leat::follow_options copy = options;
  options = {};
  EXPECT_FALSE(std::stop_token(options.stop).stop_possible());
  EXPECT_TRUE(std::stop_token(copy.stop) == stop.get_token());
  options = copy;
  stop.request_stop();
  const std::stop_token kept = options.stop;
  EXPECT_TRUE(kept.stop_requested());
}

TEST_F(follow, stops_while_there_is_no_file) {
  std::stop_source stop;
  auto reader = leat::follow(path, {.stop = stop.get_token()});
  std::thread other([&] {
    pause();
    stop.request_stop();
  });
  EXPECT_EQ(reader.get(), leat::reader::end_of_file);
  other.join();
}

TEST_F(follow, stops_while_a_writer_continues) {
  add("x");
  std::stop_source stop;
  std::jthread writer([&](const std::stop_token& ended) {
    auto to = leat::append(path);
    while (!ended.stop_requested()) {
      to.write(std::string(1000, 'x'));
      to.flush();
    }
  });
  auto reader = leat::follow(path, {.stop = stop.get_token()});
  EXPECT_EQ(reader.skip(10'000), 10'000u);
  stop.request_stop();
  reader.skip(~std::uint64_t{0});
}

#if defined(HAS_SYSTEM_FILES)
TEST_F(follow, reports_why_it_cannot_start) {
  std::error_code ec;
  EXPECT_FALSE(leat::follow(folder / "nowhere/log", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(leat::follow("", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(leat::follow(folder.path(), ec).is_open());
  EXPECT_EQ(ec, std::errc::is_a_directory);
  EXPECT_THROW(static_cast<void>(leat::follow("/dev/null")), leat::io_error);
  auto reader = leat::follow(path, {.timeout = 0ms}, ec);
  EXPECT_FALSE(ec);
  reader.seek(10, ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
}
#endif

TEST_F(follow, addresses_are_refused) {
  for (const char* const address : {"http://host/page", "s3://bucket/key"}) {
    std::error_code ec;
    EXPECT_FALSE(leat::follow(address, {.timeout = 0ms}, ec).is_open());
    EXPECT_EQ(ec, std::errc::operation_not_supported) << address;
  }
}

TEST_F(follow, closes_the_descriptors_of_rotated_files) {
  const auto before = count_open_descriptors();
  {
    std::stop_source stop;
    auto reader = leat::follow(path, {.timeout = 0ms, .stop = stop.get_token()});
    for (int i = 0; i != 10; ++i) {
      add(std::to_string(i) + '\n');
      EXPECT_EQ(reader.get(), '0' + i);
      EXPECT_EQ(reader.get(), '\n');
      rotate();
    }
    reader.close();
  }
  EXPECT_EQ(count_open_descriptors(), before);
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
/// A writer in another process writes files of 500 lines, and rotates a file as soon as the reader
/// has read the file's first line.
TEST_F(follow, returns_each_line_once_while_a_writer_rotates) {
  const int lines = rounds(20'000);
  const int lines_of_a_file = 500;
  pipe_pair seen;
  const pid_t child = start_child([&] {
    auto to = leat::append(path);
    for (int i = 0; i != lines; ++i) {
      to.print("line {}\n", i);
      if (i % 7 == 0) to.flush();
      if (i % lines_of_a_file != lines_of_a_file - 1) continue;
      to.close();
      char byte;
      require(::read(seen.reader(), &byte, 1) == 1);
      std::filesystem::rename(path, path + std::to_string(i));
      if (i % 1000 == 999) std::this_thread::sleep_for(3ms);
      to = leat::append(path);
    }
  });
  auto reader = leat::follow(path, {.timeout = sanitized ? 20s : 5s});
  std::string line;
  int wrong = 0;
  for (int i = 0; i != lines && wrong < 3; ++i) {
    EXPECT_TRUE(reader.read_line(line));
    if (i % lines_of_a_file == 0) {
      EXPECT_EQ(::write(seen.writer(), "", 1), 1);
    }
    if (line == "line " + std::to_string(i)) continue;
    ADD_FAILURE() << "'" << line << "' for " << i;
    ++wrong;
  }
  EXPECT_EQ(wait_for(child), 0);
}
#endif

#if defined(__linux__)
/// The system calls that return a file's status.
constexpr long status_calls[] = {
    SYS_fstat,
    SYS_statx,
#  if defined(SYS_newfstatat)
    SYS_newfstatat,
#  endif
};

constexpr int no_filters = 77;  // the exit status of a child that can't refuse calls

/// Calls `body` in a thread in which the system refuses `calls` with `error`.
template <std::size_t Count, class Body>
void with_refused_calls(const long (&calls)[Count], int error, const Body& body) {
  std::thread([&] {  // the filter belongs to this thread
    if (!refuse_calls(calls, error)) ::_exit(no_filters);
    body();
  })
      .join();
}

void expect_success_with_filters(const child_result& result) {
  if (result.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(result)) << result.err;
}

TEST_F(follow, an_error_during_a_stop_loses_no_bytes) {
  add("one\n");
  const auto result = run_in_child([&] {
    std::stop_source stop;
    auto reader = leat::follow(path, {.timeout = 0ms, .stop = stop.get_token()});
    std::string line;
    require(reader.read_line(line) && line == "one");
    add("two\n");
    stop.request_stop();
    with_refused_calls(status_calls, EIO, [&] {
      std::error_code ec;
      require(!reader.read_line(line, ec) && ec == std::errc::io_error);
    });
    require(reader.read_line(line) && line == "two");
    require(!reader.read_line(line));
  });
  expect_success_with_filters(result);
}

TEST_F(follow, a_file_that_cannot_be_opened_at_a_stop_is_an_error_after_the_other_bytes) {
  add("one\n");
  const auto result = run_in_child([&] {
    std::stop_source stop;
    auto reader = leat::follow(path, {.timeout = 0ms, .stop = stop.get_token()});
    std::string line;
    require(reader.read_line(line) && line == "one");
    add("two\n");
    std::filesystem::rename(path, path + ".1");
    add("three\n");
    stop.request_stop();
    with_refused_calls({SYS_openat}, EMFILE, [&] {
      std::error_code ec;
      require(reader.read_line(line, ec) && line == "two");
      require(!reader.read_line(line, ec) && ec == std::errc::too_many_files_open);
    });
  });
  expect_success_with_filters(result);
}

TEST_F(follow, a_failed_fstat_is_an_error_and_no_byte_is_read_again) {
  add("one\ntwo\n");
  const auto result = run_in_child([&] {
    auto reader = leat::follow(path, {.timeout = 0ms});
    std::string line;
    require(reader.read_line(line) && reader.read_line(line) && line == "two");
    std::error_code ec;
    require(!reader.read_line(line, ec) && !ec);
    if (!refuse_calls(status_calls, EIO)) ::_exit(no_filters);
    for (int i = 0; i != 3; ++i) require(!reader.read_line(line, ec) && ec == std::errc::io_error);
  });
  expect_success_with_filters(result);
}

TEST_F(follow, misses_no_archive_after_the_folder_could_not_be_listed) {
  const auto result = run_in_child([&] {
    auto log = leat::rotating(path, {.size = 8, .flush = leat::flush_when::line});
    log.println("line 0");
    auto reader = leat::follow(path, {.timeout = 0ms});
    for (int i = 1; i != 5; ++i) log.println("line {}", i);
    with_refused_calls({SYS_getdents64}, EIO, [&] {
      std::string line;
      std::error_code ec;
      require(reader.read_line(line, ec) && line == "line 0");
      require(!reader.read_line(line, ec) && ec == std::errc::io_error);
    });
    for (int i = 1; i != 5; ++i) require(next_line(reader) == "line " + std::to_string(i));
  });
  expect_success_with_filters(result);
}
#endif

TEST_F(follow, reads_all_files_of_a_log_in_order) {
  constexpr int lines = emulated ? 4'000 : 20'000;
  auto log = leat::rotating(path, {.size = 2'000, .flush = leat::flush_when::line});
  log.println("0");
  auto in = leat::follow(path, {.timeout = 2s});  // begins with the existing file
  std::thread writer([&log] {
    for (int i = 1; i != lines; ++i) log.println("{}", i);
    log.close();
  });
  int next = 0;
  for (const auto line : in.lines()) {
    if (line != std::to_string(next)) {
      ADD_FAILURE() << line << " instead of " << next;
      break;
    }
    if (++next == lines) break;
  }
  writer.join();
  EXPECT_EQ(next, lines);
}

TEST_F(follow, finds_the_files_of_a_log_that_it_has_missed) {
  auto log = leat::rotating(path, {.size = 8, .flush = leat::flush_when::line});
  log.println("line 0");
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "line 0");
  for (int i = 1; i != 6; ++i) log.println("line {}", i);
  for (int i = 1; i != 6; ++i) EXPECT_EQ(next_line(in), "line " + std::to_string(i));
  log.println("line 6");
  EXPECT_EQ(next_line(in), "line 6");
}

TEST_F(follow, reads_no_archive_again_if_the_numbers_count_upwards) {
  const auto rename = [&](const char* suffix) { std::filesystem::rename(path, path + suffix); };
  add("old\n");
  rename(".1");
  add("a\n");
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "a");
  rename(".2");
  add("b\n");
  EXPECT_EQ(next_line(in), "b");
  rename(".3");
  add("c\n");
  EXPECT_EQ(next_line(in), "c");
#if !defined(_WIN32)  // on Windows, std::filesystem sets times in whole seconds
  // A compressed archive has another identity. The test's archive has another text, too.
  const auto time = std::filesystem::last_write_time(path + ".2");
  std::filesystem::remove(path + ".2");
  leat::write_file(path + ".2.gz", "compressed");
  std::filesystem::last_write_time(path + ".2.gz", time);
#endif
  rename(".4");
  add("d\n");
  EXPECT_EQ(next_line(in), "d");
  EXPECT_EQ(next_line(in), "the end");
}

TEST_F(follow, finds_a_missed_file_whose_time_is_earlier) {
  add("a\n");
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "a");
  std::filesystem::rename(path, path + ".2");
  leat::write_file(path + ".1", "b\n");
  const auto time = std::filesystem::last_write_time(path + ".2");
  std::filesystem::last_write_time(path + ".1", time - 1h);  // as if the clock was set back
  add("c\n");
  EXPECT_EQ(next_line(in), "b");
  EXPECT_EQ(next_line(in), "c");
}

}  // namespace
