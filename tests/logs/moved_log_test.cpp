// Logs with durability::process whose file another program moves, removes, replaces or empties.
// Each completed line is in one file, once, however the log is opened and shared. Exception: lines
// that were in a removed, replaced or emptied file. tests/log_simulator makes these changes at
// random moments, with kills.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "device/options.hpp"
#include "logs/rotating.hpp"
#include "recovery/sidecar.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;
using leat::durability;

enum class file_change { moved, removed, replaced, emptied };
enum class stream_kind { reopen, rotating, c };
enum class sidecar_use { alone, recovered, shared };

std::string name_of(file_change change) {
  constexpr const char* names[] = {"moved", "removed", "replaced", "emptied"};
  return names[static_cast<int>(change)];
}
std::string name_of(stream_kind kind) {
  constexpr const char* names[] = {"reopen", "rotating", "c"};
  return names[static_cast<int>(kind)];
}
std::string name_of(sidecar_use use) {
  constexpr const char* names[] = {"alone", "recovered", "shared"};
  return names[static_cast<int>(use)];
}

/// A log's stream of the given kind.
class log_stream {
 public:
  log_stream(const std::string& path, stream_kind kind) {
    if (kind == stream_kind::reopen)
      out_ = leat::append(path, {.durability = durability::process, .reopen = true});
    else if (kind == stream_kind::rotating)
      out_ = leat::rotating(path, {.size = 1 << 20, .durability = durability::process});
    else
      c_ = open_c(path);
  }
  log_stream(const log_stream&) = delete;
  log_stream& operator=(const log_stream&) = delete;
  ~log_stream() { close(); }

  void line(const std::string& text) {
    if (c_ != nullptr)
      EXPECT_GE(leat_fputs((text + '\n').c_str(), c_), 0);
    else
      out_.println("{}", text);
  }
  void flush() {
    if (c_ != nullptr)
      EXPECT_EQ(leat_fflush(c_), 0);
    else
      out_.flush();
  }
  void close() {
    if (leat_file* const file = std::exchange(c_, nullptr); file != nullptr) {
      EXPECT_EQ(leat_fclose(file), 0);
    }
    EXPECT_EQ(out_.lost(), 0u);
    if (out_.is_open()) out_.close();
  }

 private:
  static leat_file* open_c(const std::string& path) {
    leat_options options{};
    options.durability = LEAT_DURABILITY_PROCESS;
    options.reopen = 1;
    return leat_open(path.c_str(), "a", &options);
  }

  leat::file_writer out_;
  leat_file* c_ = nullptr;
};

class moved_log : public testing::TestWithParam<std::tuple<file_change, stream_kind, sidecar_use>> {
 protected:
  void change_file() const {
    switch (std::get<file_change>(GetParam())) {
      case file_change::moved:
        std::filesystem::rename(path, folder / "log-old");
        break;
      case file_change::removed:
        std::filesystem::remove(path);
        break;
      case file_change::replaced:
        write_file(folder / "other", "other\n");
        std::filesystem::rename(folder / "other", path);
        break;
      case file_change::emptied:
        std::filesystem::resize_file(path, 0);
    }
  }
  /// The lines of all files, sorted. The folder must have no sidecar.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const std::string& name : folder.names()) {
      EXPECT_FALSE(name.ends_with(".leat")) << name;
      for (const auto line : leat::open(folder / name).lines()) all.emplace_back(line);
    }
    std::ranges::sort(all);
    return all;
  }
  /// The lines that the files should have, sorted. `first`: the lines written before the change,
  /// which only a moved file keeps. `later`: the lines written after the change.
  std::vector<std::string> expected(std::vector<std::string> first,
                                    const std::vector<std::string>& later) const {
    const auto change = std::get<file_change>(GetParam());
    if (change != file_change::moved) first.clear();
    first.insert(first.end(), later.begin(), later.end());
    if (change == file_change::replaced) first.emplace_back("other");
    std::ranges::sort(first);
    return first;
  }
  bool is_shared() const { return std::get<sidecar_use>(GetParam()) == sidecar_use::shared; }

  temporary_folder folder;
  std::string path = folder / "log";
};

INSTANTIATE_TEST_SUITE_P(
    all, moved_log,
    testing::Combine(testing::Values(file_change::moved, file_change::removed,
                                     file_change::replaced, file_change::emptied),
                     testing::Values(stream_kind::reopen, stream_kind::rotating, stream_kind::c),
                     testing::Values(sidecar_use::alone, sidecar_use::recovered,
                                     sidecar_use::shared)),
    [](const auto& instance) {
      return name_of(std::get<file_change>(instance.param)) + "_" +
             name_of(std::get<stream_kind>(instance.param)) + "_" +
             name_of(std::get<sidecar_use>(instance.param));
    });

TEST_P(moved_log, has_each_completed_line_once) {
  const stream_kind kind = std::get<stream_kind>(GetParam());
  std::unique_ptr<log_stream> second;
  log_stream log(path, kind);
  log.line("1");
  log.flush();
  if (std::get<sidecar_use>(GetParam()) == sidecar_use::recovered) leat::recover(path);
  if (is_shared()) second = std::make_unique<log_stream>(path, kind);
  change_file();
  log.line("2");
  if (second != nullptr) second->line("a");
  log.flush();
  log.line("3");
  if (second != nullptr) second->line("b");
  log.flush();
  EXPECT_NE(read_all(path).find("3\n"), std::string::npos)
      << "the stream still writes to the old file";
  log.line("4");
  log.close();
  if (second != nullptr) second->line("c");
  second.reset();
  const auto later = is_shared() ? std::vector<std::string>{"2", "3", "4", "a", "b", "c"}
                                 : std::vector<std::string>{"2", "3", "4"};
  EXPECT_EQ(lines(), expected({"1"}, later));
}

/// No program would look for a sidecar under the new name.
TEST(log_that_is_moved, has_no_sidecar_under_its_new_name) {
  const temporary_folder folder;
  leat::options options;
  options.durability = leat::durability::process;
  std::error_code ec;
  const auto log = leat::rotating_device::open(folder / "log", options, nullptr, ec);
  ASSERT_FALSE(ec);
  EXPECT_NE(log->open_sidecar(), nullptr);
  std::filesystem::rename(folder / "log", folder / "log-old");
  EXPECT_EQ(log->open_sidecar(), nullptr);
}

class log_of_a_killed_process : public testing::TestWithParam<stream_kind> {
 protected:
  /// All lines of all files, sorted.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const std::string& name : folder.names())
      for (const auto line : leat::open(folder / name).lines()) all.emplace_back(line);
    std::ranges::sort(all);
    return all;
  }

  temporary_folder folder;
  std::string path = folder / "log";
};

INSTANTIATE_TEST_SUITE_P(all, log_of_a_killed_process,
                         testing::Values(stream_kind::reopen, stream_kind::rotating),
                         [](const auto& instance) { return name_of(instance.param); });

#if defined(__linux__)

/// Holds a lock of the sidecar. A process holds this lock for a moment while it opens the log, and
/// all the time while it shares the log.
class sidecar_share_lock {
 public:
  explicit sidecar_share_lock(const std::string& sidecar)
      : file_(::open(sidecar.c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock lock{};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    EXPECT_EQ(::fcntl(file_, F_OFD_SETLK, &lock), 0);
  }
  sidecar_share_lock(const sidecar_share_lock&) = delete;
  sidecar_share_lock& operator=(const sidecar_share_lock&) = delete;
  ~sidecar_share_lock() { ::close(file_); }

 private:
  int file_;
};

TEST_P(log_of_a_killed_process, keeps_its_lines_if_another_process_has_the_sidecar_open) {
  for (const bool moved : {true, false}) {
    const pid_t child = start_child([&] {
      log_stream log(path, GetParam());
      log.line("1");
      ::raise(SIGKILL);
    });
    ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
    {
      const sidecar_share_lock other(path + ".leat");
      if (moved)
        std::filesystem::rename(path, folder / "log-old");
      else
        std::filesystem::remove(path);
      log_stream next(path, GetParam());
      next.line("2");
    }
    log_stream(path, GetParam()).close();
    EXPECT_EQ(lines(), (std::vector<std::string>{"1", "2"}));
    for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

#endif

TEST_P(log_of_a_killed_process, has_its_lines_once_after_lines_of_another_process) {
  for (const bool moved : {true, false}) {
    const pid_t child = start_child([&] {
      log_stream log(path, GetParam());
      log.line("1");
      std::ofstream(path, std::ios::app) << "stranger\n";
      leat::recover(path);
      log.line("2");
      if (moved) std::filesystem::rename(path, folder / "log-old");
      ::raise(SIGKILL);
    });
    ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
    log_stream next(path, GetParam());
    next.line("3");
    next.close();
    EXPECT_EQ(lines(), (std::vector<std::string>{"1", "2", "3", "stranger"}));
    for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

/// Another program may append to the file while the lines of a killed process are replayed.
TEST_P(log_of_a_killed_process, has_the_lines_of_other_processes_appended_during_recovery) {
  std::vector<std::string> expected;
  for (int round = 0; round != 100; ++round) {
    const pid_t child = start_child([&] {
      log_stream log(path, GetParam());
      log.line("killed " + std::to_string(round));
      ::raise(SIGKILL);
    });
    ASSERT_EQ(wait_for(child), 1000 + SIGKILL);
    std::atomic<bool> done = false;
    std::vector<std::string> others;
    std::thread other([&] {
      const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      for (int i = 0; i != 2000 && !done; ++i) {
        others.push_back("other " + std::to_string(round) + ' ' + std::to_string(i));
        const std::string line = others.back() + '\n';
        EXPECT_EQ(::write(file, line.data(), line.size()), static_cast<ssize_t>(line.size()));
      }
      ::close(file);
    });
    leat::append(path, {.reopen = true}).close();
    done = true;
    other.join();
    expected.push_back("killed " + std::to_string(round));
    expected.insert(expected.end(), others.begin(), others.end());
  }
  std::ranges::sort(expected);
  EXPECT_EQ(lines(), expected);
}

}  // namespace
