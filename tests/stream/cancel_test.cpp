// Cancelled threads. No function of leat is a cancellation point: a cancelled thread returns from
// each function, even a function that waits, and leaves nothing open, locked or unwritten.
#include <chrono>

#include "support/process.hpp"

#if defined(HAS_FORK) && defined(__linux__)

#  include <gtest/gtest.h>
#  include <leat/file.hpp>
#  include <leat/file_stream.hpp>
#  include <leat/follow.hpp>
#  include <leat/lock.hpp>
#  include <leat/mapped_file.hpp>
#  include <leat/print.hpp>
#  include <leat/records.hpp>

#  include <pthread.h>

#  include <thread>

#  include "support/files.hpp"
#  include "support/libraries.hpp"
#  include "support/loss_recorder.hpp"
#  include "support/sanitizer.hpp"

namespace {

using namespace leat_test;
using leat::durability;

/// Runs `body` in a thread with a pending cancellation. Returns whether `body` has returned and the
/// thread was cancelled at the cancellation point after `body`.
template <class Body>
bool survives_cancellation(const Body& body) {
  bool ended = false;
  void* result = nullptr;
  const auto run = [&] {
    ::pthread_cancel(::pthread_self());
    body();
    ended = true;
    ::pthread_testcancel();
  };
  const auto start = [](void* context) -> void* {
    (*static_cast<decltype(run)*>(context))();
    return nullptr;
  };
  pthread_t thread{};
  EXPECT_EQ(
      ::pthread_create(&thread, nullptr, start, const_cast<void*>(static_cast<const void*>(&run))),
      0);
  ::pthread_join(thread, &result);
  return ended && result == PTHREAD_CANCELED;
}

TEST(cancelled_thread, writes_all_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const durability level : {durability::none, durability::process, durability::system}) {
    EXPECT_TRUE(survives_cancellation([&] {
      auto out = leat::create(path, {.durability = level});
      out.println("one {}", 1);
      out.flush();
      out.println("two");
      out.sync();
      out.seek(0);
      out.write("O");
      out.close();
      leat::append(path, {.durability = level}).write("three\n");
    }));
    EXPECT_EQ(read_all(path), "One 1\ntwo\nthree\n");
  }
  loss_recorder losses;
  EXPECT_TRUE(survives_cancellation([&] {
    auto out = leat::replace(path, {.durability = durability::system});
    out.write("replaced\n");
    out.close();
    leat::replace(path).write("given up");
  }));
  EXPECT_EQ(read_all(path), "replaced\n");
  EXPECT_EQ(losses.take().size(), 1u);  // the loss of "given up"
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(cancelled_thread, recovers_the_bytes_of_a_killed_process) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const pid_t child = start_child([&] {
    auto out = leat::append(path, {.durability = durability::process});
    out.write("left");
    ::raise(SIGKILL);
  });
  ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
  EXPECT_TRUE(survives_cancellation([&] {
    EXPECT_EQ(leat::open(path, {.live = true}).read_all(), "left");
    EXPECT_EQ(leat::recover(path), 4u);
  }));
  EXPECT_EQ(read_all(path), "left");
}

TEST(cancelled_thread, appends_by_two_streams_to_one_file) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  EXPECT_TRUE(survives_cancellation([&] {
    auto first = leat::append(path, {.durability = durability::process});
    first.write("one\n");
    auto second = leat::append(path, {.durability = durability::process});
    second.write("two\n");
    first.write("three\n");
    const leat::file_lock lock(first);
  }));
  EXPECT_EQ(read_all(path), "one\ntwo\nthree\n");
}

TEST(cancelled_thread, reads_all_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const std::string text = numbered_text(3 << 20);
  write_file(path, text);
  EXPECT_TRUE(survives_cancellation([&] {
    for (const auto caching : {leat::caching::cached, leat::caching::direct}) {
      auto in = leat::open(path, {.caching = caching});
      EXPECT_TRUE(in.read_all() == text);
      in.seek(0);
      EXPECT_TRUE(in.find("9999").has_value());
    }
    EXPECT_TRUE(leat::read_file(path) == text);
    EXPECT_EQ(leat::map_file(path).size(), text.size());
    leat::copy_file(path, folder / "copy");
    auto in = leat::open(path);
    auto out = leat::create(folder / "copied");
    leat::copy(in, out);
    out.close();
  }));
  EXPECT_TRUE(read_all(folder / "copy") == text);
  EXPECT_TRUE(read_all(folder / "copied") == text);
}

TEST(cancelled_thread, updates_records_and_files) {
  const temporary_folder folder;
  EXPECT_TRUE(survives_cancellation([&] {
    for (const auto caching : {leat::caching::cached, leat::caching::direct}) {
      leat::records<std::uint64_t> all = leat::records<std::uint64_t>::create(
          folder / "records", {.access = {.caching = caching}});
      std::vector<std::uint64_t> values(20'000);
      for (std::size_t i = 0; i != values.size(); ++i) values[i] = i;
      all.append(values);
      std::vector<std::uint64_t> indices{3, 19'999, 77};
      all.update(indices, [](std::uint64_t& value) { ++value; });
      all.sync();
      EXPECT_EQ(all[77], 78u);
    }
    auto both = leat::update(folder / "records");
    both.seek(8);
    both.write("12345678");
    both.seek(8);
    EXPECT_EQ(both.peek(8), "12345678");
    both.close();
    leat::temporary_file().write("text");
  }));
}

TEST(cancelled_thread, joins_the_threads_of_its_streams) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const std::string text = numbered_text(8 << 20);
  EXPECT_TRUE(survives_cancellation([&] {
    for (const auto caching : {leat::caching::cached, leat::caching::direct}) {
      auto out = leat::create(path, {.background = true, .caching = caching});
      out.write(text);
      out.close();
      // Not by read_all(): std::ifstream has cancellation points.
      EXPECT_TRUE(leat::read_file(path) == text);
    }
    auto out = leat::create(folder / "log", {.flush_interval = std::chrono::milliseconds(1)});
    out.println("text");
  }));
  EXPECT_EQ(read_all(folder / "log"), "text\n");
}

TEST(cancelled_thread, returns_from_calls_that_wait) {
  const temporary_folder folder;
  write_file(folder / "file", "one\n");
  EXPECT_TRUE(survives_cancellation([&] {
    auto in = leat::follow(folder / "file", {.timeout = std::chrono::milliseconds(50)});
    std::string line;
    EXPECT_TRUE(in.read_line(line));
    EXPECT_FALSE(in.read_line(line));
    auto shared = leat::synchronized(leat::append(folder / "file"));
    shared.println("two");
    shared.sync();
  }));
  EXPECT_EQ(read_all(folder / "file"), "one\ntwo\n");
}

TEST(cancelled_thread, ends_at_cancellation_points_of_the_program) {
  if (!uses_glibc) GTEST_SKIP() << "musl calls no destructors in a cancelled thread";
  const temporary_folder folder;
  const auto run = [](void* context) -> void* {
    auto out = leat::create(*static_cast<const std::string*>(context));
    for (;;) {
      out.write("text\n");
      ::pthread_testcancel();
    }
  };
  std::string path = folder / "file";
  for (int i = 0; i != rounds(100); ++i) {
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(&thread, nullptr, run, &path), 0);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 10));
    ::pthread_cancel(thread);
    void* result = nullptr;
    ::pthread_join(thread, &result);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    // Unwinding the thread's stack has closed the stream.
    const std::string content = read_all(path);
    EXPECT_EQ(content.size() % 5, 0u);
  }
}

}  // namespace

#endif
