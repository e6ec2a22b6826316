// open_options::live: reads the bytes that a writer with durability::process has written, before
// the bytes are in the file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/testing.hpp>

#include <fcntl.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "recovery/live.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/shared_memory.hpp"

namespace {

using namespace leat_test;
using leat::durability;

std::string live_content(const std::string& path) {
  return leat::open(path, {.live = true}).read_all();
}

TEST(live, sees_the_bytes_of_completed_calls) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", {.durability = durability::process});
  auto in = leat::open(folder / "file", {.live = true});
  out.write("one\n");
  EXPECT_EQ(read_all(folder / "file"), "");
  std::string line;
  EXPECT_TRUE(in.read_line(line));
  EXPECT_EQ(line, "one");
  out.flush();
  out.write("two\n");
  out.write("three\n");
  EXPECT_EQ(read_all(folder / "file"), "one\n");
  EXPECT_EQ(live_content(folder / "file"), "one\ntwo\nthree\n");
  auto again = leat::open(folder / "file", {.live = true});
  again.seek(8);
  EXPECT_EQ(again.read_all(), "three\n");
  EXPECT_EQ(again.native_handle(), leat::no_handle);
  out.close();
  EXPECT_EQ(live_content(folder / "file"), "one\ntwo\nthree\n");
}

TEST(live, sees_bytes_of_a_killed_process_without_replaying_them) {
  const temporary_folder folder;
  const pid_t child = start_child([&] {
    auto out = leat::append(folder / "file", {.durability = durability::process});
    out.write("left");
    ::raise(SIGKILL);
  });
  ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
  EXPECT_EQ(live_content(folder / "file"), "left");
  EXPECT_EQ(live_content(folder / "file"), "left");
  EXPECT_EQ(read_all(folder / "file"), "");
  EXPECT_EQ(leat::recover(folder / "file"), 4u);
  EXPECT_EQ(live_content(folder / "file"), "left");
}

TEST(live, reads_only_the_file_if_no_bytes_are_pending) {
  const temporary_folder folder;
  write_file(folder / "file", "content");
  EXPECT_EQ(live_content(folder / "file"), "content");
  std::error_code ec;
  EXPECT_FALSE(leat::open(folder / "missing", {.live = true}, ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

TEST(live, refuses_an_invalid_sidecar_and_the_sidecar_of_another_file) {
  const temporary_folder folder;
  write_file(folder / "file", "content");
  std::error_code ec;
  write_file(folder / "file.leat", "something else");
  std::filesystem::permissions(folder / "file.leat", std::filesystem::perms::owner_read |
                                                         std::filesystem::perms::owner_write);
  EXPECT_FALSE(leat::open(folder / "file", {.live = true}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::bad_sidecar);

  const pid_t child = start_child([&] {
    auto out = leat::create(folder / "other", {.durability = durability::process});
    out.write("bytes");
    ::raise(SIGKILL);
  });
  ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
  std::filesystem::rename(folder / "other.leat", folder / "file.leat");
  EXPECT_FALSE(leat::open(folder / "file", {.live = true}, ec).is_open());
  EXPECT_EQ(ec, leat::errc::foreign_sidecar);
}

TEST(live, reports_an_invalid_sidecar_that_is_created_later) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "content");
  std::error_code ec;
  const auto file =
      leat::live_device::wrap(path, leat::adopt(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), ec);
  ASSERT_NE(file, nullptr);
  std::string text(20, '?');
  EXPECT_EQ(file->read_at(0, text, ec), 7u);
  write_file(folder / "file.leat", "something else");
  std::filesystem::permissions(folder / "file.leat", std::filesystem::perms::owner_read |
                                                         std::filesystem::perms::owner_write);
  EXPECT_EQ(file->read_at(7, text, ec), 0u);
  EXPECT_EQ(ec, leat::errc::bad_sidecar);
  EXPECT_EQ(file->size(ec), 0u);
  EXPECT_EQ(ec, leat::errc::bad_sidecar);
}

TEST(live, reports_that_the_size_of_the_file_cannot_be_read) {
  const temporary_folder folder;
  const std::error_code io_failure = std::make_error_code(std::errc::io_error);
  leat::fault_plan faults({{.in = leat::device_operation::size, .ec = io_failure}});
  leat::volatile_file disk("content");
  std::error_code ec;
  const auto file = leat::live_device::wrap(
      folder / "file", std::make_unique<leat::failing_device>(disk.open(), faults), ec);
  ASSERT_FALSE(ec);
  EXPECT_EQ(file->size(ec), 0u);
  EXPECT_EQ(ec, io_failure);
}

TEST(live, sees_no_gap_while_another_process_flushes_and_opens_streams) {
  const temporary_folder folder;
  auto& done = shared_with_children<std::atomic<std::uint64_t>>();
  write_file(folder / "file", "");
  const pid_t child = start_child([&] {
    for (std::uint64_t n = 0;;) {
      // Each stream continues where the stream before it has ended.
      auto out = leat::append(folder / "file", {.durability = durability::process});
      for (const std::uint64_t end = n + 20'000; n != end; ++n) {
        out.println("{:08}", n);
        done.store(n + 1);
        if (n % 97 == 0) out.flush();
      }
    }
  });
  const int readings = rounds(300);
  for (int reading = 0; reading != readings && !::testing::Test::HasFailure(); ++reading) {
    const std::uint64_t at_least = done.load();
    auto in = leat::open(folder / "file", {.live = true});
    // The reader begins near the end, so that most reads meet the writer's buffer.
    const std::uint64_t first = at_least > 100 ? at_least - 100 : 0;
    in.seek(first * 9);
    std::uint64_t n = first;
    // Without this limit, a reader that is slower than the writer would never reach the end.
    const std::uint64_t limit = at_least + 1000;
    for (const auto line : in.lines()) {
      ASSERT_EQ(line, leat::format("{:08}", n));
      if (++n == limit) break;
    }
    EXPECT_GE(n, at_least);
  }
  ::kill(child, SIGKILL);
  wait_for(child);
  const std::uint64_t all = done.load();
  EXPECT_GE(live_content(folder / "file").size(), all * 9);
}

TEST(live, sees_the_calls_of_several_writers) {
  const temporary_folder folder;
  auto writer = leat::append(folder / "file", {.durability = durability::process});
  writer.write("one\n");
  auto in = leat::open(folder / "file", {.live = true});
  std::string line;
  EXPECT_TRUE(in.read_line(line));
  EXPECT_EQ(line, "one");
  auto other_writer = leat::append(folder / "file", {.durability = durability::process});
  other_writer.write("two\n");
  writer.write("three\n");
  EXPECT_EQ(in.read_all(), "two\nthree\n");
  EXPECT_EQ(live_content(folder / "file"), "one\ntwo\nthree\n");
  EXPECT_EQ(in.size(), 14u);
}

}  // namespace
