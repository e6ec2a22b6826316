// When bytes become visible to other programs, and which crashes the bytes survive: flush, sync and
// intervals.
#include <gtest/gtest.h>
#if !defined(_WIN32)
#  include <poll.h>
#endif
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;

TEST(flush_when, full_writes_at_a_full_buffer_or_a_flush) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.println("{}", 1);
  EXPECT_EQ(script->content, "");
  out.flush();
  EXPECT_EQ(script->content, "1\n");
  const auto calls = script->calls.size();
  out.flush();
  EXPECT_EQ(script->calls.size(), calls) << "a flush without pending bytes makes no write";
}

TEST(flush_when, line_flushes_calls_that_wrote_a_newline) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.flush = leat::flush_when::line});
  out.write("no newline");
  out.print(" {}", 1);
  EXPECT_EQ(script->content, "");
  out.write(" here\nand more");
  EXPECT_EQ(script->content, "no newline 1 here\nand more");
  out.put('x');
  EXPECT_EQ(script->calls.size(), 1u);
  out.put('\n');
  EXPECT_EQ(script->content, "no newline 1 here\nand morex\n");
  out.println("{} {}", 2, std::string(3000, 'y'));
  EXPECT_TRUE(script->content.ends_with("y\n"));
  EXPECT_EQ(script->calls.size(), 3u);
}

TEST(flush_when, line_flushes_streams_for_updates_after_a_newline) {
  auto script = new_script();
  leat::file_stream file(device_of(script), {.flush = leat::flush_when::line});
  file.write("no newline");
  EXPECT_EQ(script->content, "");
  file.write(" here\nand more");
  EXPECT_EQ(script->content, "no newline here\nand more");
  file.write("x");
  EXPECT_EQ(script->calls.size(), 1u);
}

TEST(flush_when, call_writes_each_call_by_one_write) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.flush = leat::flush_when::call});
  out.print("{} and {}", "one", 2);
  EXPECT_EQ(script->content, "one and 2");
  EXPECT_EQ(script->calls.size(), 1u);
  out.print("{:>{}}", "x", 2000);
  EXPECT_EQ(script->calls.size(), 2u) << "interpreted formats come in one piece, too";
  out.put('x');
  EXPECT_EQ(script->calls.size(), 3u);
}

TEST(durability, process_writes_each_call_to_the_device) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.durability = leat::durability::process});
  std::string expected;
  for (int i = 0; i != 100; ++i) {
    out.print("line {}\n", i);
    expected += "line " + std::to_string(i) + '\n';
    ASSERT_EQ(script->content, expected);
    out.put('.');
    expected += '.';
    ASSERT_EQ(script->content, expected);
  }
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST(durability, process_survives_a_kill) {
  for (int round = 0; round != (sanitized ? 3 : 10); ++round) {
    const temporary_folder folder;
    pipe_pair progress;
    const pid_t child = start_child([&] {
      auto out = leat::append(folder / "log", {.durability = leat::durability::process});
      for (int i = 0;; ++i) {
        out.print("entry {}\n", i);
        require(::write(progress.writer(), &i, sizeof i) == sizeof i);
      }
    });
    progress.close_writer();
    int last = -1;
    for (int i = 0; i != 300 + 77 * round; ++i)
      ASSERT_EQ(::read(progress.reader(), &last, sizeof last), ssize_t{sizeof last});
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), 1000 + SIGKILL);
    while (::read(progress.reader(), &last, sizeof last) == ssize_t{sizeof last}) {
    }
    leat::recover(folder / "log");
    const std::string content = read_all(folder / "log");
    std::string expected;
    for (int i = 0; i <= last; ++i) expected += "entry " + std::to_string(i) + '\n';
    EXPECT_EQ(content.substr(0, expected.size()), expected);
    EXPECT_LE(content.size(), expected.size() + 20);
  }
}
#endif

TEST(durability, system_syncs_at_flush_and_close) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.durability = leat::durability::system});
  out.write("abc");
  EXPECT_EQ(script->syncs, 0);
  out.flush();
  EXPECT_EQ(script->syncs, 1);
  out.write("def");
  out.close();
  EXPECT_EQ(script->syncs, 2);
  EXPECT_EQ(script->content, "abcdef");
}

TEST(durability, system_can_be_used_for_files_and_pipes) {
  const temporary_folder folder;
  for (const auto open : {+[](const std::string& p, leat::durability level) {
                            return leat::create(p, {.durability = level});
                          },
                          +[](const std::string& p, leat::durability level) {
                            return leat::append(p, {.durability = level});
                          },
                          +[](const std::string& p, leat::durability level) {
                            return leat::replace(p, {.durability = level});
                          }}) {
    auto out = open(folder / "file", leat::durability::system);
    out.write("abc");
    out.flush();
    out.close();
  }
  EXPECT_EQ(read_all(folder / "file"), "abc");

  pipe_pair pipe;
  leat::file_writer out(leat::borrow(pipe.writer()), {.durability = leat::durability::system});
  out.write("through");
  out.close();
  pipe.close_writer();
  EXPECT_EQ(read_rest(pipe.reader()), "through");
}

// sync()

TEST(sync, reaches_the_disk_once_without_durability_system) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("abc");
  out.flush();
  EXPECT_EQ(script->syncs, 0);
  out.write("def");
  out.sync();
  EXPECT_EQ(script->syncs, 1);
  EXPECT_EQ(script->content, "abcdef");
  out.close();
  EXPECT_EQ(script->syncs, 1) << "close() syncs only with durability::system";
}

TEST(sync, reaches_the_disk_from_shared_and_timed_writers_and_file_streams) {
  auto script = new_script();
  leat::synchronized shared(leat::file_writer(device_of(script)));
  shared.write("abc");
  shared.sync();
  EXPECT_EQ(script->content, "abc");
  EXPECT_EQ(script->syncs, 1);

  auto timed_script = new_script();
  leat::file_writer timed(device_of(timed_script), {.flush_interval = std::chrono::hours(1)});
  timed.write("abc");
  timed.sync();
  EXPECT_EQ(timed_script->content, "abc");
  EXPECT_EQ(timed_script->syncs, 1);

  auto update_script = new_script();
  leat::file_stream update(device_of(update_script));
  update.write("abc");
  update.sync();
  EXPECT_EQ(update_script->content, "abc");
  EXPECT_EQ(update_script->syncs, 1);
}

TEST(sync, a_failed_sync_is_reported_and_final) {
  for (const bool updates : {false, true}) {
    auto script = new_script();
    script->sync_failure = std::make_error_code(std::errc::io_error);
    leat::file_writer plain(updates ? nullptr : device_of(script));
    leat::file_stream update(updates ? device_of(script) : nullptr);
    leat::writer& out = updates ? static_cast<leat::writer&>(update) : plain;
    out.write("abc");
    try {
      out.sync();
      FAIL() << "the call must throw a leat::io_error";
    } catch (const leat::io_error& error) {
      EXPECT_STREQ(error.operation(), "sync");
      EXPECT_EQ(error.code(), std::errc::io_error);
      EXPECT_EQ(error.unwritten(), 0U) << "the operating system has the bytes";
    }
    script->sync_failure = {};
    std::error_code ec;
    out.sync(ec);
    EXPECT_EQ(ec, std::errc::io_error) << "the disk may have dropped the bytes";
    EXPECT_EQ(script->syncs, 1);
    plain.close(ec);
    update.close(ec);
  }
}

TEST(sync, syncs_files_of_any_kind_and_only_flushes_pipes_and_memory) {
  const temporary_folder folder;
  for (const auto open : {+[](const std::string& p) { return leat::create(p); },
                          +[](const std::string& p) { return leat::append(p); },
                          +[](const std::string& p) { return leat::replace(p); }}) {
    auto out = open(folder / "file");
    out.write("abc");
    out.sync();
    out.write("def");
    out.sync();
    out.close();
  }
  EXPECT_EQ(read_all(folder / "file"), "abcdef");

  pipe_pair pipe;
  leat::file_writer out(leat::borrow(pipe.writer()));
  out.write("through");
  out.sync();
  out.close();
  pipe.close_writer();
  EXPECT_EQ(read_rest(pipe.reader()), "through");

  leat::string_writer text;
  text.write("abc");
  EXPECT_NO_THROW(text.sync());
  leat::file_writer closed;
  EXPECT_THROW(closed.sync(), leat::io_error);
}

#if defined(HAS_POSIX_FILES)
TEST(sync, syncs_the_folder_of_a_new_file_too) {
  const temporary_folder folder;
  std::filesystem::create_directory(folder / "sub");
  auto out = leat::create(folder / "sub/file");
  out.write("abc");
  // After the rename, sync() finds no folder "sub", and can't sync the folder of the file.
  std::filesystem::rename(folder / "sub", folder / "moved");
  std::error_code ec;
  out.sync(ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  out.close(ec);
}
#endif

// Intervals

#if defined(HAS_SYSTEM_FILES)
std::ptrdiff_t count_threads() {
  std::ptrdiff_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(flush_interval, writes_pending_bytes_without_a_further_call) {
  pipe_pair pipe;
  leat::file_writer out(leat::borrow(pipe.writer()), {.flush_interval = 30ms});
  for (const char* text : {"first", "second"}) {
    const auto before = std::chrono::steady_clock::now();
    out.write(text);
    pollfd ready{pipe.reader(), POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, 10'000), 1) << text;
    EXPECT_GE(std::chrono::steady_clock::now() - before, 25ms)
        << "the stream must wait for the interval";
    char got[16]{};
    ASSERT_GT(::read(pipe.reader(), got, sizeof got), 0);
    EXPECT_STREQ(got, text);
  }
}
#endif

#if defined(HAS_SYSTEM_FILES)
TEST(flush_interval, starts_its_thread_at_the_first_write) {
  if (emulated) GTEST_SKIP() << "qemu's threads outlive the threads that they emulate";
  std::thread([] {}).join();  // at the first thread, the thread sanitizer starts its own thread
  const auto before = count_threads();
  auto script = new_script();
  {
    leat::file_writer out(device_of(script), {.flush_interval = std::chrono::hours(1)});
    EXPECT_EQ(count_threads(), before);
    out.flush();
    EXPECT_EQ(count_threads(), before);
    out.write("bytes");
    EXPECT_EQ(count_threads(), before + 1);
  }  // the destructor does not wait for an hour
  // The system counts a thread for a moment after it has been joined.
  for (int i = 0; i != 5000 && count_threads() != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(count_threads(), before);
  EXPECT_EQ(script->content, "bytes");
  EXPECT_EQ(script->closes, 1);
}
#endif

TEST(flush_interval, flush_seek_and_patch_work_with_an_interval) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.flush_interval = std::chrono::milliseconds::max()});
  out.write("0123456789");
  EXPECT_EQ(out.tell(), 10u);
  out.patch(2, "xy");
  out.seek(5);
  out.write("z");
  out.flush();
  EXPECT_EQ(script->content, "01xy4z6789");
}

TEST(flush_interval, with_durability_system_syncs) {
  const temporary_folder folder;
  auto script = new_script();
  {
    leat::file_writer out(device_of(script),
                          {.durability = leat::durability::system, .flush_interval = 1ms});
    out.write("abc");
    std::this_thread::sleep_for(300ms);
  }
  EXPECT_GE(script->syncs, 2) << "one sync after the interval, and one at close";
}

TEST(flush_interval, errors_are_reported_by_the_next_flush) {
  loss_recorder losses;
  auto script = new_script();
  script->room = 2;
  {
    leat::file_writer out(device_of(script), {.flush_interval = 1ms});
    out.write("abc");
    while (out.lost() == 0) std::this_thread::sleep_for(1ms);
    std::error_code ec;
    out.flush(ec);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    out.close(ec);
    EXPECT_TRUE(ec);
  }
  EXPECT_TRUE(losses.take().empty());
  script = new_script();
  script->room = 2;
  {
    leat::file_writer out(device_of(script), {.flush_interval = 1ms});
    out.write("abc");
  }
  ASSERT_EQ(losses.take().size(), 1u);
}

TEST(flush_interval, loses_no_bytes_of_many_small_writes) {
  auto script = new_script();
  std::string expected;
  {
    leat::file_writer out(device_of(script), {.buffer_size = 100, .flush_interval = 1ms});
    for (int i = 0; i != rounds(200'000); ++i) {
      out.print("{} ", i);
      expected += std::to_string(i) + ' ';
    }
  }
  EXPECT_TRUE(script->content == expected);
}

}  // namespace
