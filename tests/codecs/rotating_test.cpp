// Logs whose archives are compressed.
#include <gtest/gtest.h>
#include <leat/codecs.hpp>
#include <leat/follow.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;
using namespace std::chrono_literals;
using leat::compression;
using leat::flush_when;
using names = std::vector<std::string>;

std::string content_of(const std::string& path) {
  return leat::open(path, {.compression = compression::automatic}).read_all();
}

/// Returns the next line of a reader, or "the end".
std::string next_line(leat::reader& in) {
  std::string line;
  return in.read_line(line) ? line : "the end";
}

/// The format of later archives. The first archives are gzip. A build without zstd uses gzip for
/// all archives.
const compression other =
    leat::codecs::has(compression::zstd) ? compression::zstd : compression::gzip;
const std::string ending = other == compression::zstd ? ".zst" : ".gz";

TEST(rotating_codecs, archives_are_compressed) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  std::mutex lock;
  names compressed_files;
  auto log = leat::rotating(path, {.size = 8,
                                   .keep = 3,
                                   .compression = compression::gzip,
                                   .finished =
                                       [&](std::string_view old, std::error_code ec) {
                                         const std::lock_guard guard(lock);
                                         EXPECT_EQ(ec, std::error_code());
                                         EXPECT_TRUE(old.ends_with(".gz")) << old;
                                         compressed_files.emplace_back(old);
                                       },
                                   .flush = flush_when::line});
  for (int i = 0; i != 3; ++i) {
    log.println("line {}", i);
    log.flush();
  }
  log.close();  // waits for the compression
  EXPECT_EQ(folder.names(), (names{"app.log", "app.log.1.gz", "app.log.2.gz"}));
  EXPECT_EQ(compressed_files.size(), 2U);
  EXPECT_EQ(content_of(path + ".2.gz"), "line 0\n");
  EXPECT_EQ(content_of(path + ".1.gz"), "line 1\n");
  auto next = leat::rotating(path, {.size = 8, .keep = 3, .compression = other});
  for (int i = 3; i != 6; ++i) next.println("line {}", i);
  next.close();
  EXPECT_EQ(folder.names(),
            (names{"app.log", "app.log.1" + ending, "app.log.2" + ending, "app.log.3" + ending}));
  EXPECT_EQ(content_of(path + ".3" + ending), "line 2\n");
}

TEST(rotating_codecs, the_next_opening_compresses_files_of_killed_processes) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  write_file(path, "line 3\n");
  write_file(path + ".1", "line 2\n");
  write_file(path + ".2", "line 1\n");
  {  // one process was killed before it removed the original, another while it compressed
    auto out = leat::create(path + ".2.gz", {.compression = compression::gzip});
    out.print("line 1\n");
  }
  write_file(path + ".3", "line 0\n");
  write_file(path + ".compressing", "half of it");
  leat::rotating(path, {.size = 8, .compression = compression::gzip}).close();
  EXPECT_EQ(folder.names(), (names{"app.log", "app.log.1.gz", "app.log.2.gz", "app.log.3.gz"}));
  for (int i = 0; i != 3; ++i)
    EXPECT_EQ(content_of(path + '.' + std::to_string(3 - i) + ".gz"),
              "line " + std::to_string(i) + '\n');
}

TEST(rotating_codecs, the_next_opening_removes_files_of_a_killed_process) {
  const temporary_folder folder;
  write_file(folder / "app.log.compressing", "half of what a tool has removed since");
  leat::rotating(folder / "app.log", {.size = 8, .compression = compression::gzip}).close();
  EXPECT_EQ(folder.names(), names{"app.log"});
}

#if !defined(_WIN32)
TEST(rotating_codecs, a_compressed_file_has_the_permissions_of_its_log) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  auto log =
      leat::rotating(path, {.size = 8, .compression = compression::gzip, .permissions = 0640});
  for (int i = 0; i != 2; ++i) log.println("line {}", i);
  log.close();
  EXPECT_EQ(std::filesystem::status(path + ".1.gz").permissions(),
            std::filesystem::status(path).permissions());
}

TEST(rotating_codecs, a_failed_compression_keeps_the_archive) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  std::filesystem::create_directory(path + ".compressing");
  std::mutex lock;
  std::vector<std::error_code> errors;
  auto log = leat::rotating(path, {.size = 8,
                                   .compression = compression::gzip,
                                   .finished = [&](std::string_view, std::error_code ec) {
                                     const std::lock_guard guard(lock);
                                     errors.push_back(ec);
                                   }});
  for (int i = 0; i != 2; ++i) log.println("line {}", i);
  log.close();
  EXPECT_EQ(read_all(path + ".1"), "line 0\n");
  EXPECT_EQ(read_all(path), "line 1\n");
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors.back(), std::errc::is_a_directory);
}
#endif

#if defined(__linux__)
TEST(rotating_codecs, a_failed_rename_leaves_no_compressed_file) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  write_file(path + ".1", "line 1\n");
  constexpr int no_filters = 77;
  const auto result = run_in_child([&] {
#  if defined(SYS_renameat)
    constexpr long calls[] = {SYS_renameat2, SYS_renameat};
#  else
    constexpr long calls[] = {SYS_renameat2};
#  endif
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    std::error_code reported;
    const auto report = [&](std::string_view, std::error_code ec) { reported = ec; };
    leat::rotating(path, {.size = 8, .compression = compression::gzip, .finished = report}).close();
    require(reported == std::errc::io_error);
  });
  if (result.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(folder.names(), (names{"app.log", "app.log.1"}));
}
#endif

#if defined(HAS_FORK)
TEST(rotating_codecs, processes_that_compress_archives_of_one_log_report_no_error) {
  constexpr int lines = 15;
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  std::vector<pid_t> children;
  for (int c = 0; c != 3; ++c)
    children.push_back(start_child([&] {
      std::atomic<int> errors = 0;
      auto log = leat::rotating(path, {.size = 1,
                                       .compression = compression::gzip,
                                       .finished =
                                           [&](std::string_view old, std::error_code ec) {
                                             if (!ec) return;
                                             ++errors;
                                             leat::err.println("{}: {}", old, ec.message());
                                           },
                                       .flush = flush_when::line});
      for (int i = 0; i != lines; ++i) log.println("{} {}", c, i);
      log.close();
      require(errors == 0);
    }));
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  leat::rotating(path, {.size = 1, .compression = compression::gzip}).close();
  std::vector<std::string> found;
  for (const auto& name : folder.names()) {
    EXPECT_TRUE(name == "app.log" || name.ends_with(".gz")) << name;
    found.push_back(content_of(folder / name));
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found.size(), std::size_t{3} * lines);
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}
#endif

TEST(rotating_codecs, follow_reads_archives_that_were_compressed_meanwhile) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  const leat::rotating_options options{.size = 8, .compression = other, .flush = flush_when::line};
  {
    auto log = leat::rotating(path, options);
    log.println("line 0");
  }
  auto in = leat::follow(path, {.timeout = 0ms});
  EXPECT_EQ(next_line(in), "line 0");
  {
    auto log = leat::rotating(path, options);
    for (int i = 1; i != 5; ++i) log.println("line {}", i);
    log.close();
  }
#if !defined(_WIN32)  // on Windows a removed file may keep its name until its handles are closed
  EXPECT_EQ(folder.names().size(), 5U);
#endif
  EXPECT_FALSE(std::filesystem::exists(path + ".1"));
  for (int i = 1; i != 5; ++i) EXPECT_EQ(next_line(in), "line " + std::to_string(i));
  EXPECT_EQ(next_line(in), "the end");
}

}  // namespace
