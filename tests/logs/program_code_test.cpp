// Program code in the threads of leat: a log's `finished`, and devices of background streams. The
// code prints, forks, opens streams and exits.
#include "support/process.hpp"

#if defined(HAS_FORK) && !defined(LEAT_EMULATED)

#  include <gtest/gtest.h>
#  include <leat/leat.h>
#  include <sys/wait.h>
#  include <unistd.h>
#  include <atomic>
#  include <leat/device.hpp>
#  include <leat/file_stream.hpp>
#  include <leat/print.hpp>
#  include <leat/rotating.hpp>

#  include <chrono>
#  include <cstdint>
#  include <cstdlib>
#  include <memory>
#  include <span>
#  include <string>
#  include <string_view>
#  include <thread>

#  include "support/files.hpp"
#  include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

/// Returns the number of lines "line N" in a log and its archives.
int count_lines(const temporary_folder& folder) {
  int found = 0;
  for (const auto& name : folder.names()) {
    const std::string text = read_all(folder / name);
    for (std::size_t at = text.find("line "); at != text.npos; at = text.find("line ", at + 1))
      ++found;
  }
  return found;
}

void fork_and_wait() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
}

leat::shared_writer* shared_log = nullptr;

TEST(finished_callback, may_print_to_the_shared_log) {
  const temporary_folder folder;
  const int lines = rounds(10'000);
  const auto child = run_in_child([&] {
    auto log = leat::synchronized(
        leat::rotating(folder / "log", {.size = 1000, .finished = [](std::string_view, auto) {
                                          shared_log->println("from finished");
                                        }}));
    shared_log = &log;
    for (int i = 0; i != lines; ++i) log.println("line {}", i);
    log.flush();
    log.close();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(count_lines(folder), lines);
}

leat_file* c_log = nullptr;

TEST(finished_callback, may_print_to_the_log_of_c) {
  const temporary_folder folder;
  const int lines = rounds(10'000);
  const auto child = run_in_child([&] {
    leat_rotation rotation{};
    rotation.size = 1000;
    rotation.finished = [](const char*, int, void*) { leat_fprintf(c_log, "from finished\n"); };
    leat_options how{};
    how.rotation = &rotation;
    c_log = leat_open((folder / "log").c_str(), "a", &how);
    for (int i = 0; i != lines; ++i) leat_fprintf(c_log, "line %d\n", i);
    require(leat_fclose(c_log) == 0);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(count_lines(folder), lines);
}

TEST(finished_callback, may_fork_while_the_program_uses_other_streams) {
  const temporary_folder folder;
  const int lines = rounds(100'000);
  const auto child = run_in_child([&] {
    auto log = leat::rotating(folder / "log",
                              {.size = 1000, .finished = [](auto, auto) { fork_and_wait(); }});
    auto out = leat::create(folder / "out");
    for (int i = 0; i != lines; ++i) {
      out.println("line {}", i);
      if (i % 1000 == 0) log.println("{:500}", i);
    }
    out.close();
    log.close();
  });
  EXPECT_TRUE(succeeded(child));
  int next = 0;
  for (const auto line : leat::open(folder / "out").lines())
    ASSERT_EQ(line, "line " + std::to_string(next++));
  EXPECT_EQ(next, lines);
}

TEST(finished_callback, may_use_its_own_streams_while_the_program_forks) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto audit = leat::create(folder / "audit");  // only `finished` uses it
    int number = 0;
    {
      auto log = leat::rotating(folder / "log", {.size = 500, .finished = [&](auto, auto) {
                                                   for (int k = 0; k != 2000; ++k)
                                                     audit.println("audit {}", number++);
                                                 }});
      for (int i = 0; i != rounds(40); ++i) {
        for (int k = 0; k != 20; ++k) log.println("{:50}", i);
        log.flush();
        fork_and_wait();
      }
      log.close();
    }
    audit.close();
  });
  EXPECT_TRUE(succeeded(child));
  int next = 0;
  for (const auto line : leat::open(folder / "audit").lines())
    ASSERT_EQ(line, "audit " + std::to_string(next++));
  EXPECT_GT(next, 0);
  EXPECT_EQ(next % 2000, 0) << "each call prints 2000 lines";
}

TEST(finished_callback, may_exit) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    // exit destroys the log, so the first thread must no longer use the log.
    static std::atomic<bool> is_flushed = false;
    static leat::file_writer log =
        leat::rotating(folder / "log", {.size = 100, .finished = [](auto, auto) {
                                          is_flushed.wait(false);
                                          std::exit(3);
                                        }});
    for (int i = 0; i != 20; ++i) log.println("line {}", i);
    log.flush();
    is_flushed = true;
    is_flushed.notify_one();
    for (;;) ::pause();
  });
  EXPECT_EQ(child.signal, 0);
  EXPECT_EQ(child.code, 3) << child.err;
}

/// Replaces a file by the first piece of each write.
struct replacing_device final : leat::device {
  std::string path;

  explicit replacing_device(std::string to) : path(std::move(to)) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec.clear();
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    std::size_t size = 0;
    for (const auto piece : pieces) size += piece.size();
    leat::write_file(path, pieces.front(), ec);
    return ec ? 0 : size;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }
};

TEST(background_device, may_open_streams_while_the_program_forks) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat::file_writer out(std::make_unique<replacing_device>(folder / "piece"),
                          {.buffer_size = 4096, .background = true});
    const std::string text(1000, 'x');
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i != rounds(100); ++i) {
      for (int k = 0; k != 9; ++k) out.write(text);
      fork_and_wait();
    }
    out.close();
    require(std::chrono::steady_clock::now() - begin < std::chrono::seconds(sanitized ? 60 : 15));
  });
  EXPECT_TRUE(succeeded(child));
}

}  // namespace

#endif
