// Archives of logs: their names and order, which of them are removed, and how they are followed.
#include <gtest/gtest.h>
#include <leat/follow.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/readers.hpp"

#if defined(__linux__)
#  include <dlfcn.h>
#  include <fcntl.h>
#  include <sys/stat.h>
#  include <sys/syscall.h>
#  include <unistd.h>

#  include <atomic>

/// If true, futimens() simulates a file system that stores times in whole seconds.
static std::atomic<bool> stores_whole_seconds = false;
/// Called once during a rotation, after the archives were listed.
static std::function<void()> during_rotation;

/// Replaces the C library's function. The kernel has one call for futimens and utimensat.
extern "C" int futimens(int file, const struct timespec times[2]) noexcept {
  std::array<timespec, 2> stored{times[0], times[1]};
  if (stores_whole_seconds && stored[1].tv_nsec < 1'000'000'000) stored[1].tv_nsec = 0;
  const auto result = static_cast<int>(::syscall(SYS_utimensat, file, nullptr, stored.data(), 0));
  if (during_rotation) std::exchange(during_rotation, nullptr)();
  return result;
}

/// The inode of a file whose next close() fails, or 0. The descriptor is closed nevertheless.
static std::atomic<ino_t> inode_whose_close_fails = 0;

/// Calls the next definition of close(), because ThreadSanitizer defines a close() that must see
/// every call. A static program has no next definition.
extern "C" int close(int file) {
  static const auto next = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "close"));
  struct stat status{};
  const ino_t failing_inode = inode_whose_close_fails;
  const bool fails =
      failing_inode != 0 && ::fstat(file, &status) == 0 && status.st_ino == failing_inode;
  const auto result = next != nullptr ? next(file) : static_cast<int>(::syscall(SYS_close, file));
  if (!fails) return result;
  inode_whose_close_fails = 0;
  errno = EIO;
  return -1;
}
#endif

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using leat::flush_when;
using leat::old_names;
using names = std::vector<std::string>;
using std::chrono::microseconds;
using time_point = std::chrono::sys_time<microseconds>;

time_point now() {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

/// The time as in the name of an archive: "20261125T184415.120345Z"
std::string text_of(time_point when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(when - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02d.%06dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text.data();
}

class old_logs : public testing::Test {
 protected:
  temporary_folder folder;
  const std::string path = folder / "app.log";

  /// The archives, sorted by name.
  names archives() const {
    names found = folder.names();
    std::erase(found, "app.log");
    return found;
  }
  /// Writes lines with the numbers from `from` to `to - 1`, each to its own file.
  void write(int from, int to, leat::rotating_options options) const {
    options.size = 1;
    options.flush = flush_when::line;
    auto log = leat::rotating(path, options);
    for (int i = from; i != to; ++i) log.println("line {}", i);
    log.close();
  }
  /// The contents of all files, sorted.
  names lines() const {
    names all;
    for (const auto& name : folder.names()) all.push_back(read_all(folder / name));
    std::sort(all.begin(), all.end());
    return all;
  }
};

names numbered_lines(int from, int to) {
  names all;
  for (int i = from; i != to; ++i) all.push_back("line " + std::to_string(i) + '\n');
  return all;
}

TEST_F(old_logs, have_the_time_of_the_rotation_in_their_names) {
  const time_point begin = now();
  write(0, 5, {.names = old_names::times});
  const time_point end = now() + 1ms;
  const names found = archives();
  ASSERT_EQ(found.size(), 4U);
  for (const auto& name : found) {
    EXPECT_GE(name, "app.log." + text_of(begin));
    EXPECT_LE(name, "app.log." + text_of(end));
    EXPECT_EQ(read_all(folder / name), "line " + std::to_string(&name - found.data()) + '\n');
  }
}

TEST_F(old_logs, get_later_names_than_an_archive_with_a_time_in_the_future) {
  const std::string ahead = text_of(now() + 24h);
  write_file(path + '.' + ahead, "line 0\n");
  write(1, 5, {.names = old_names::times});
  const names found = archives();
  ASSERT_EQ(found.size(), 4U);
  for (std::size_t i = 0; i != found.size(); ++i)
    EXPECT_EQ(read_all(folder / found[i]), "line " + std::to_string(i) + '\n');
  EXPECT_EQ(found.front(), "app.log." + ahead);
  EXPECT_LT(found.back(), "app.log." + text_of(now() + 25h));
}

TEST_F(old_logs, are_removed_even_if_a_folder_has_the_name_of_an_archive) {
  std::filesystem::create_directory(folder / "app.log.3");
  const loss_recorder losses;
  write(0, 10, {.keep = 2});
  EXPECT_LE(archives().size(), 3U);  // the folder and two archives
}

TEST_F(old_logs, files_with_an_invalid_time_in_their_names_are_not_removed) {
  const names others{"app.log.99991231T235959.999999Z", "app.log.99990101T000000.000000Z",
                     "app.log.20261399T996199.000000Z", "app.log.20260230T000000.000000Z",
                     "app.log.20260228T240000.000000Z", "app.log.20260228T236000.000000Z",
                     "app.log.20260228T230060.000000Z", "app.log.2026-228T230000.000000Z"};
  for (const auto& name : others) write_file(folder / name, "keep\n");
  const time_point begin = now();
  write(0, 4, {.keep = 1, .names = old_names::times});
  const time_point end = now() + 1ms;
  names found = archives();
  for (const auto& name : others) {
    EXPECT_EQ(read_all(folder / name), "keep\n");
    std::erase(found, name);
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(found[0], "app.log." + text_of(begin));
  EXPECT_LE(found[0], "app.log." + text_of(end));
  EXPECT_EQ(read_all(folder / found[0]), "line 2\n");
}

TEST_F(old_logs, a_log_is_not_rotated_if_no_later_name_is_left) {
  const std::string last = path + ".99981231T235959.999999Z";
  write_file(last, "last\n");
  std::error_code finished_error;
  write(0, 4, {.names = old_names::times, .finished = [&](std::string_view, std::error_code ec) {
                 finished_error = ec;
               }});
  EXPECT_EQ(finished_error, std::errc::value_too_large);
  EXPECT_EQ(read_all(last), "last\n");
  EXPECT_EQ(read_all(path), "line 0\nline 1\nline 2\nline 3\n");
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST_F(old_logs, keep_all_lines_with_extreme_modification_times) {
  using file_clock = std::filesystem::file_time_type::clock;
  for (const auto when : {file_clock::time_point::min(), file_clock::time_point::max()}) {
    for (const auto naming : {old_names::numbers, old_names::times}) {
      write(0, 2, {.names = naming});
      std::error_code refused;
      std::filesystem::last_write_time(folder / archives().front(), when, refused);
      write(2, 4, {.names = naming});
      EXPECT_EQ(lines(), numbered_lines(0, 4));
      for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
    }
  }
}

TEST_F(old_logs, the_oldest_are_removed_first_after_names_change_between_times_and_numbers) {
  for (const auto& [first, second] : {std::pair(old_names::times, old_names::numbers),
                                      std::pair(old_names::numbers, old_names::times)}) {
    write(0, 6, {.names = first});
    write(6, 7, {.keep = 4, .names = second});
    EXPECT_EQ(lines(), numbered_lines(2, 7));
    write(7, 9, {.keep = 4, .names = second});
    EXPECT_EQ(lines(), numbered_lines(4, 9));
    write(9, 10, {.keep = 4, .names = first});  // the first names again
    EXPECT_EQ(lines(), numbered_lines(5, 10));
    write(10, 18, {.keep = 4, .names = first});
    EXPECT_EQ(lines(), numbered_lines(13, 18));
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST_F(old_logs, the_highest_numbers_are_removed_first_whatever_the_modification_times) {
  using file_clock = std::filesystem::file_time_type::clock;
  const auto make = [&](int number, std::chrono::hours age) {
    const std::string name = path + '.' + std::to_string(number);
    write_file(name, "line " + std::to_string(4 - number) + '\n');
    std::filesystem::last_write_time(name, file_clock::now() - age);
  };
  write_file(path + '.' + text_of(now() - 3h), "line 0\n");
  make(3, 2h);  // as if a tool had written to this file last
  make(2, 5h);
  make(1, 4h);
  write(4, 6, {.keep = 4});
  EXPECT_EQ(lines(), numbered_lines(1, 6));
  write(6, 7, {.keep = 3});
  EXPECT_EQ(lines(), numbered_lines(3, 7));
}

#if defined(__linux__)
TEST_F(old_logs, a_failed_close_is_reported) {
  for (const bool syncs : {false, true}) {
    auto log = leat::rotating(path, {.size = 1, .flush = flush_when::line});
    for (int i = 0; i != 3; ++i) log.println("line {}", i);
    struct stat status{};
    ASSERT_EQ(::stat((path + ".1").c_str(), &status), 0);
    inode_whose_close_fails = status.st_ino;
    loss_recorder losses;
    if (syncs) log.sync();
    std::error_code ec;
    log.close(ec);
    EXPECT_EQ(ec == std::errc::io_error, !syncs);
    const auto reported = losses.take();
    ASSERT_EQ(reported.size(), syncs ? 1u : 0u);
    for (const auto& one : reported) EXPECT_EQ(one.code(), std::errc::io_error);
  }
}
#endif

TEST_F(old_logs, rotation_is_tried_again_a_second_after_a_failure) {
  write_file(path + ".99981231T235959.999999Z", "last\n");
  auto log =
      leat::rotating(path, {.size = 1, .names = old_names::times, .flush = flush_when::line});
  const loss_recorder losses;
  for (int i = 0; i != 3; ++i) log.println("line {}", i);
  std::filesystem::remove(path + ".99981231T235959.999999Z");
  std::this_thread::sleep_for(1100ms);
  log.println("line 3");
  log.close();
  EXPECT_EQ(lines(), (names{"line 0\nline 1\nline 2\n", "line 3\n"}));
}

TEST_F(old_logs, streams_that_share_a_log_make_at_most_one_archive_for_each_period) {
  const auto second = [] { return std::chrono::floor<std::chrono::seconds>(now()); };
  const auto begin = second();
  const leat::rotating_options options{.every = 1s, .flush = flush_when::line};
  {
    std::array<leat::file_writer, 3> logs{leat::rotating(path, options),
                                          leat::rotating(path, options),
                                          leat::rotating(path, options)};
    while (now() < begin + 1500ms)
      for (auto& log : logs) {
        log.println("line");
        std::this_thread::sleep_for(5ms);
      }
  }
  EXPECT_LE(folder.names().size(), static_cast<std::size_t>((second() - begin) / 1s) + 1);
}

#if !defined(_WIN32)
TEST_F(old_logs, are_not_removed_in_the_hour_before_summer_time_begins) {
  // A time zone in which summer time begins with the next hour.
  const auto hour = std::chrono::floor<std::chrono::hours>(now());
  const auto day = std::chrono::floor<std::chrono::days>(now());
  const std::chrono::year_month_day date(day);
  auto number = (day - std::chrono::sys_days(date.year() / 1 / 1)).count() + 1;
  if (date.year().is_leap() && date.month() > std::chrono::February) --number;  // "J" skips Feb. 29
  const std::string zone = "AAA0BBB-1,J" + std::to_string(number) + '/' +
                           std::to_string((hour - day).count() + 1) + ",J" +
                           std::to_string(number > 180 ? number - 100 : number + 100) + "/2";
  const char* const before = std::getenv("TZ");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TZ", zone.c_str(), 1);
  ::tzset();
  for (int i = 0; i != 2; ++i) write_file(path + '.' + std::to_string(2 - i), "old\n");
  auto log =
      leat::rotating(path, {.every = 1h, .keep = 3, .local_time = true, .flush = flush_when::line});
  for (int i = 0; i != 50; ++i) log.println("line {}", i);
  log.close();
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", saved.c_str(), 1);
  ::tzset();
  EXPECT_EQ(read_all(path + ".1") == "old\n" ? read_all(path + ".2") : read_all(path + ".3"),
            "old\n");
  EXPECT_LE(folder.names().size(), 4U);
}
#endif

// Following archives

class followed_logs : public old_logs, public testing::WithParamInterface<old_names> {};
INSTANTIATE_TEST_SUITE_P(names, followed_logs,
                         testing::Values(old_names::numbers, old_names::times));

TEST_P(followed_logs, are_read_in_order_if_they_have_the_same_time) {
  write(0, 2, {.names = GetParam()});
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "line 1");
  write(2, 6, {.names = GetParam()});
  const auto time = std::filesystem::last_write_time(path);
  for (const auto& name : archives()) std::filesystem::last_write_time(folder / name, time);
  for (int i = 2; i != 6; ++i) EXPECT_EQ(next_line(in), "line " + std::to_string(i));
  EXPECT_EQ(next_line(in), "the end");
}

#if defined(__linux__)
TEST_F(old_logs, the_oldest_are_removed_first_if_the_file_system_stores_whole_seconds) {
  stores_whole_seconds = true;
  for (const auto& [first, second] : {std::pair(old_names::times, old_names::numbers),
                                      std::pair(old_names::numbers, old_names::times)}) {
    write(0, 7, {.names = first});
    write(7, 10, {.keep = 4, .names = second});
    EXPECT_EQ(lines(), numbered_lines(5, 10));
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
  stores_whole_seconds = false;
}

TEST_P(followed_logs, are_read_in_order_if_the_file_system_stores_whole_seconds) {
  stores_whole_seconds = true;
  write(0, 2, {.names = GetParam()});
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "line 1");
  write(2, 8, {.names = GetParam()});
  std::vector<std::filesystem::file_time_type> times;
  for (const auto& name : archives())
    times.push_back(std::filesystem::last_write_time(folder / name));
  std::sort(times.begin(), times.end());
  EXPECT_EQ(std::adjacent_find(times.begin(), times.end()), times.end());
  // The reader's file is removed, as by `keep`.
  for (const auto& name : archives())
    if (read_all(folder / name) == "line 1\n") std::filesystem::remove(folder / name);
  for (int i = 2; i != 8; ++i) EXPECT_EQ(next_line(in), "line " + std::to_string(i));
  stores_whole_seconds = false;
}
#endif

#if defined(__linux__)

TEST_F(old_logs, are_reported_once_if_a_tool_moves_the_log_during_a_rotation) {
  std::mutex lock;
  names reported;
  const auto report = [&](std::string_view old, std::error_code ec) {
    const std::lock_guard guard(lock);
    EXPECT_FALSE(ec) << ec.message();
    reported.emplace_back(old);
  };
  auto log = leat::rotating(path, {.size = 1, .finished = report, .flush = flush_when::line});
  for (int i = 1; i != 3; ++i) log.println("line {}", i);
  during_rotation = [&] { std::filesystem::rename(path, path + "-moved"); };
  log.println("line {}", 3);
  log.close();  // waits for the reports
  EXPECT_EQ(reported, names{path + ".1"});
  EXPECT_EQ(lines(), numbered_lines(1, 4));
}

TEST_F(old_logs, a_rotation_never_replaces_a_file) {
  auto log = leat::rotating(path, {.size = 1, .flush = flush_when::line});
  for (int i = 1; i != 4; ++i) log.println("line {}", i);
  during_rotation = [&] { write_file(path + ".3", "line 0\n"); };
  log.println("line {}", 4);
  log.close();
  EXPECT_EQ(lines(), numbered_lines(0, 5));
  EXPECT_EQ(read_all(path + ".4"), "line 0\n");
}

#endif

}  // namespace
