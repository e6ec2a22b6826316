// durability::process: the bytes of completed calls survive a kill of the process at any moment.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "recovery/killed_child.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;
using leat::durability;

/// The line of the n-th call: its number, and a tail whose length varies.
std::string line_of(std::uint64_t n) {
  return std::to_string(n) + ' ' + std::string(n * 7919 % 97, 'a') + '\n';
}

TEST(process_durability, the_next_append_recovers_the_bytes_of_all_calls) {
  const temporary_folder folder;
  write_file(folder / "log", "old\n");
  run_killed_child([&] {
    auto out = leat::append(folder / "log", {.durability = durability::process});
    out.println("{}", 1);
    out.put('2');
    out.write("\n");
    ::raise(SIGKILL);
  });
  EXPECT_EQ(read_all(folder / "log"), "old\n");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"log", "log.leat"}));
  leat::append(folder / "log").close();
  EXPECT_EQ(read_all(folder / "log"), "old\n1\n2\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
}

TEST(process_durability, recover_and_update_replay_pending_bytes) {
  for (const bool update : {false, true}) {
    const temporary_folder folder;
    run_killed_child([&] {
      auto out = leat::create(folder / "file", {.durability = durability::process});
      out.write(std::string(300'000, 'a'));
      out.write("b");
      ::raise(SIGKILL);
    });
    if (update)
      leat::update(folder / "file").close();
    else
      EXPECT_EQ(leat::recover(folder / "file"), 1u);
    EXPECT_EQ(read_all(folder / "file"), std::string(300'000, 'a') + 'b');
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
    EXPECT_EQ(leat::recover(folder / "file"), 0u);
  }
}

TEST(process_durability, a_stream_begins_after_the_bytes_that_it_recovers) {
  const temporary_folder folder;
  run_killed_child([&] {
    auto out = leat::append(folder / "file", {.durability = durability::process});
    out.write("12345");
    ::raise(SIGKILL);
  });
  auto out = leat::append(folder / "file");
  EXPECT_EQ(out.tell(), 5U);
  out.write("67");
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "1234567");
}

TEST(process_durability, random_access_recovers_and_creating_drops_pending_bytes) {
  using leat::mode;
  const temporary_folder folder;
  const auto kill_a_writer = [&] {
    run_killed_child([&] {
      auto out = leat::append(folder / "file", {.durability = durability::process});
      out.write("12345678");
      ::raise(SIGKILL);
    });
  };
  for (const mode open_mode : {mode::update, mode::update_or_create}) {
    leat::write_file(folder / "file", "");
    kill_a_writer();
    EXPECT_EQ(leat::file::open(folder / "file", open_mode).size(), 8U);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  }
  kill_a_writer();
  leat::file::create(folder / "file").close();
  EXPECT_EQ(leat::recover(folder / "file"), 0U);
  EXPECT_EQ(read_all(folder / "file"), "");
}

TEST(process_durability, create_drops_the_pending_bytes_of_a_killed_process) {
  const temporary_folder folder;
  run_killed_child([&] {
    leat::create(folder / "file", {.durability = durability::process}).write("old");
    auto out = leat::create(folder / "file", {.durability = durability::process});
    out.write("lost with the file");
    ::raise(SIGKILL);
  });
  leat::create(folder / "file").write("new");
  EXPECT_EQ(read_all(folder / "file"), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(process_durability, flush_close_and_a_full_buffer_write_the_bytes_into_the_file) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", {.durability = durability::process});
  out.write("first");
  EXPECT_EQ(read_all(folder / "file"), "");
  EXPECT_EQ(out.tell(), 5u);
  out.flush();
  EXPECT_EQ(read_all(folder / "file"), "first");
  std::string all = "first";
  const std::string line(999, 'x');
  for (int i = 0; i != 300; ++i) {
    out.println("{}", line);
    all += line + '\n';
  }
  EXPECT_GE(read_all(folder / "file").size(), 200'000u);
  EXPECT_EQ(out.tell(), all.size());
  out.seek(2);
  out.write("R");
  all[2] = 'R';
  out.seek(all.size());
  out.print("end");
  out.patch(0, "F");
  all[0] = 'F';
  out.close();
  EXPECT_EQ(read_all(folder / "file"), all + "end");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(process_durability, bytes_are_in_the_file_after_the_flush_interval) {
  const temporary_folder folder;
  auto out = leat::append(folder / "log", {.durability = durability::process,
                                           .flush_interval = std::chrono::milliseconds(1)});
  out.println("{}", 1);
  for (int i = 0; i != 5000 && read_all(folder / "log").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(read_all(folder / "log"), "1\n");
}

TEST(process_durability, a_second_writer_makes_both_write_without_sidecar) {
  const temporary_folder folder;
  auto first = leat::append(folder / "log", {.durability = durability::process});
  first.print("1\n");
  EXPECT_EQ(read_all(folder / "log"), "");
  auto second = leat::append(folder / "log", {.durability = durability::process});
  EXPECT_EQ(read_all(folder / "log"), "1\n") << "the second writer must write the pending bytes";
  second.print("2\n");
  first.print("3\n");
  second.print("4\n");
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n3\n4\n");
  first.close();
  // A third writer must notice that it is not alone.
  auto third = leat::append(folder / "log", {.durability = durability::process});
  third.print("5\n");
  second.print("6\n");
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n3\n4\n5\n6\n");
  second.close();
  third.close();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
  auto alone = leat::append(folder / "log", {.durability = durability::process});
  alone.print("7\n");
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n3\n4\n5\n6\n");
  alone.close();
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n3\n4\n5\n6\n7\n");
}

TEST(process_durability, another_stream_that_empties_the_file_causes_no_gap_and_no_old_byte) {
  // The pending bytes have a position within the new content, or after it.
  for (const char* const before : {"", "what was there before\n"}) {
    const temporary_folder folder;
    leat::write_file(folder / "log", before);
    {
      auto log = leat::append(folder / "log", {.durability = durability::process});
      log.write("12345");
      leat::write_file(folder / "log", "new,");
      log.write("678");
      log.close();
      EXPECT_EQ(read_all(folder / "log"), "new,678");
    }
    leat::write_file(folder / "log", before);
    run_killed_child([&] {
      auto log = leat::append(folder / "log", {.durability = durability::process});
      log.write("12345");
      leat::write_file(folder / "log", "new,");
      std::raise(SIGKILL);
    });
    EXPECT_EQ(leat::recover(folder / "log"), 0U);
    EXPECT_EQ(read_all(folder / "log"), "new,");
  }
}

TEST(process_durability, writers_of_other_kinds_make_a_stream_write_without_sidecar) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", {.durability = durability::process});
  out.print("abc");
  auto change = leat::update(folder / "file");
  EXPECT_EQ(read_all(folder / "file"), "abc");
  out.print("def");
  EXPECT_EQ(read_all(folder / "file"), "abcdef");
}

TEST(process_durability, pending_bytes_at_a_fork_are_written_once) {
  for (const bool append : {false, true}) {
    const temporary_folder folder;
    const auto child = run_in_child([&] {
      auto out = append ? leat::append(folder / "log", {.durability = durability::process})
                        : leat::create(folder / "log", {.durability = durability::process});
      out.print("parent\n");
      require(::chdir("/") == 0);
      require(wait_for(start_child([&] {
                out.print("child\n");
                out.print("again\n");
              })) == 0);
      require(read_all(folder / "log") == "parent\nchild\nagain\n");
      out.print("and again\n");
      out.close();
    });
    EXPECT_TRUE(succeeded(child)) << child.err;
    EXPECT_EQ(read_all(folder / "log"), "parent\nchild\nagain\nand again\n");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
  }
}

TEST(process_durability, a_forked_child_that_writes_nothing_keeps_the_sidecar_of_its_parent) {
  const temporary_folder folder;
  auto out = leat::append(folder / "log", {.durability = durability::process});
  out.print("1\n");
  ASSERT_EQ(wait_for(start_child([] {})), 0);
  out.print("2\n");
  EXPECT_EQ(read_all(folder / "log"), "1\n") << "the second line is still pending";
  ASSERT_EQ(wait_for(start_child([&] { out.close(); })), 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"log", "log.leat"}))
      << "the child must not remove the parent's sidecar";
  out.close();
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n");
}

TEST(process_durability, a_fork_does_not_write_the_streams_of_other_threads) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    std::atomic<bool> stop = false;
    std::uint64_t lines = 0;
    std::thread other([&] {
      auto out = leat::append(folder / "log", {.durability = durability::process});
      for (; !stop && lines != 1'000'000; ++lines) out.write(line_of(lines));
    });
    for (int i = 0; i != 50; ++i) require(wait_for(start_child([] {})) == 0);
    stop = true;
    other.join();
    std::string expected;
    for (std::uint64_t n = 0; n != lines; ++n) expected += line_of(n);
    require(read_all(folder / "log") == expected);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(process_durability, a_stream_opened_by_a_link_uses_the_sidecar_of_the_target) {
  const temporary_folder folder;
  ASSERT_EQ(::symlink("log", (folder / "link").c_str()), 0);
  write_file(folder / "log", "");
  run_killed_child([&] {
    leat::append(folder / "link", {.durability = durability::process}).print("1\n");
    auto out = leat::append(folder / "link", {.durability = durability::process});
    out.print("2\n");
    ::raise(SIGKILL);
  });
  leat::append(folder / "log").close();
  EXPECT_EQ(read_all(folder / "log"), "1\n2\n");
}

TEST(process_durability, each_call_writes_to_the_file_if_there_is_no_sidecar) {
  const temporary_folder folder;
  const std::string path = folder / std::string(252, 'n');  // the sidecar's name would be too long
  auto out = leat::append(path, {.durability = durability::process});
  out.print("1\n");
  EXPECT_EQ(read_all(path), "1\n");
}

TEST(process_durability, a_device_file_has_no_sidecar) {
  auto out = leat::create("/dev/null", {.durability = durability::process});
  out.print("1\n");
  out.close();
  EXPECT_FALSE(std::filesystem::exists("/dev/null.leat"));
}

leat::file_writer writer_that_failed_after_600_bytes(const std::string& path) {
  auto out = leat::create(path, {.durability = durability::process});
  out.write(std::string(1000, 'a'));
  ::signal(SIGXFSZ, SIG_IGN);
  limit_resource(RLIMIT_FSIZE, 600);
  std::error_code ec;
  out.flush(ec);
  require(ec == std::errc::file_too_large);
  return out;
}

TEST(process_durability, a_failed_write_is_reported_and_nothing_is_recovered_later) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat::file_writer out = writer_that_failed_after_600_bytes(folder / "file");
    require(out.lost() == 400);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  EXPECT_EQ(read_all(folder / "file").size(), 600u);
}

TEST(process_durability, bytes_after_a_failed_write_are_counted_as_lost) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat::file_writer out = writer_that_failed_after_600_bytes(folder / "file");
    require(folder.names() == std::vector<std::string>{"file"});
    out.write("more");
    require(out.lost() == 404);
    std::error_code ec;
    out.close(ec);
    require(ec == std::errc::file_too_large);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), std::string(600, 'a'));
}

/// Lines that exceed the file's limit (RLIMIT_FSIZE) must remain in the sidecar, and be whole after
/// recovery. If a call wrote its line to the file, SIGXFSZ would kill the child inside the write.
template <class Write>
void expect_whole_lines_if_a_write_is_cut(const Write& write_line_of) {
  const temporary_folder folder;
  const std::string line(999, 'x');
  constexpr int fit = (256 << 10) / 1000;
  const pid_t child = start_child([&] {
    const auto write_line = write_line_of(folder / "log");
    for (int i = 0; i != fit; ++i) write_line(line);
    limit_resource(RLIMIT_FSIZE, fit * 1000 + 300);
    for (int i = 0; i != 10; ++i) write_line(line);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(wait_for(child), 1000 + SIGKILL)
      << "a call was written to the file instead of the sidecar";
  leat::append(folder / "log").close();
  int lines = 0;
  for (const auto one : leat::open(folder / "log").lines()) {
    ASSERT_EQ(one.size(), line.size()) << "line " << lines;
    ++lines;
  }
  EXPECT_EQ(lines, fit + 10);
}

TEST(process_durability, a_call_that_begins_a_new_buffer_is_recovered_whole) {
  expect_whole_lines_if_a_write_is_cut([](const std::string& path) {
    auto out = std::make_shared<leat::file_writer>(
        leat::append(path, {.durability = durability::process}));
    return [out](const std::string& line) { out->println("{}", line); };
  });
  expect_whole_lines_if_a_write_is_cut([](const std::string& path) {
    auto out = std::make_shared<leat::file_writer>(
        leat::create(path, {.durability = durability::process}));
    return [out](const std::string& line) { out->println("{}", line); };
  });
  expect_whole_lines_if_a_write_is_cut([](const std::string& path) {
    auto out = std::make_shared<leat::file_writer>(
        leat::rotating(path, {.durability = durability::process}));
    return [out](const std::string& line) { out->println("{}", line); };
  });
}

/// The stream that closes last has made no call since the other stream was opened, so the closing
/// stream does not know of the other stream.
TEST(process_durability, a_call_of_a_killed_process_is_whole_after_the_last_close) {
  const temporary_folder folder;
  auto first = leat::append(folder / "log", {.durability = durability::process});
  const pid_t child = start_child([&] {
    auto second = leat::append(folder / "log", {.durability = durability::process});
    second.println("1");
    limit_resource(RLIMIT_FSIZE, 5);
    second.println("234567");
  });
  EXPECT_EQ(wait_for(child), 1000 + SIGXFSZ);
  EXPECT_EQ(read_all(folder / "log"), "1\n234");
  first.close();
  EXPECT_EQ(read_all(folder / "log"), "1\n234567\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
}

TEST(process_durability, a_call_of_c_that_begins_a_new_buffer_is_recovered_whole) {
  for (const char* const mode : {"a", "w"}) {
    expect_whole_lines_if_a_write_is_cut([&](const std::string& path) {
      leat_options options{};
      options.durability = LEAT_DURABILITY_PROCESS;
      leat_file* const out = leat_open(path.c_str(), mode, &options);
      return [out](const std::string& line) { leat_fputs((line + '\n').c_str(), out); };
    });
  }
}

TEST(process_durability, the_first_line_of_a_rotated_file_is_pending_in_the_sidecar) {
  const temporary_folder folder;
  auto out = leat::rotating(folder / "log", {.size = 10, .durability = durability::process});
  out.println("1234567");
  out.println("abcdefg");
  EXPECT_EQ(read_all(folder / "log.1"), "1234567\n");
  EXPECT_EQ(read_all(folder / "log"), "");
  out.println("longer than a file may be");
  EXPECT_EQ(read_all(folder / "log.1"), "abcdefg\n");
  EXPECT_EQ(read_all(folder / "log"), "");
  out.print("12345\n67890\nabcde\n");
  EXPECT_EQ(read_all(folder / "log.1"), "67890\n");
  EXPECT_EQ(read_all(folder / "log"), "");
  out.close();
  EXPECT_EQ(read_all(folder / "log"), "abcde\n");
}

TEST(process_durability, bytes_that_overwrite_earlier_bytes_survive) {
  const temporary_folder folder;
  run_killed_child([&] {
    auto out = leat::create(folder / "file", {.durability = durability::process});
    out.write("0123456789");
    out.flush();
    out.seek(2);
    out.write("ab");
    out.seek(12);
    out.write("after a gap");
    ::raise(SIGKILL);
  });
  std::error_code ec;
  leat::recover(folder / "file", ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(read_all(folder / "file"), std::string("01ab456789\0\0after a gap", 23));
}

}  // namespace
