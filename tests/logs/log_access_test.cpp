// Paths and access rights of logs: links, names that are too long, modes and owners.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/folder.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"

#if defined(HAS_MODE_BITS)
#  include <sys/stat.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;
using leat::durability;
using leat::flush_when;
using leat::old_names;
using names = std::vector<std::string>;

/// Writes lines, each to its own file.
void write_lines(leat::path_ref path, int lines, leat::rotating_options options = {}) {
  options.size = 1;
  options.flush = flush_when::line;
  auto log = leat::rotating(path, options);
  for (int i = 0; i != lines; ++i) log.println("line {}", i);
  log.close();
}

TEST(log_names, that_are_too_long_for_the_names_of_archives_are_refused) {
  const temporary_folder folder;
  const std::string numbers = ".1000", times = ".20261125T184415.120345Z";
  const leat::rotating_options many{.keep = 999}, timed{.names = old_names::times};
  for (const auto& [options, size] :
       {std::pair(leat::rotating_options{}, 255 - 10 + 1), std::pair(many, 255 - 5 + 1),
        std::pair(timed, 255 - 24 + 1)}) {
    const std::string longer = folder / std::string(static_cast<std::size_t>(size), 'x');
    std::error_code ec;
    EXPECT_FALSE(leat::rotating(longer, options, ec).is_open());
    EXPECT_EQ(ec, std::errc::filename_too_long);
    EXPECT_FALSE(leat::rotating(folder / std::string(255, 'x'), options, ec).is_open());
    EXPECT_EQ(ec, std::errc::filename_too_long);
    EXPECT_EQ(folder.names(), names{});
    const std::string longest = longer.substr(0, longer.size() - 1);
    write_lines(longest, 3, options);
    EXPECT_EQ(folder.names().size(), 3U);
    for (const auto& name : folder.names()) std::filesystem::remove(folder / name);
  }
}

TEST(log_names, that_are_too_long_for_the_names_of_archives_are_refused_in_c) {
  const temporary_folder folder;
  const std::string path = folder / std::string(255, 'x');
  leat_rotation rotation{};
  rotation.size = 100;
  EXPECT_EQ(leat_writer_rotating(path.c_str(), &rotation, nullptr), nullptr);
  EXPECT_EQ(errno, ENAMETOOLONG);
  leat_options options{};
  options.rotation = &rotation;
  EXPECT_EQ(leat_open(path.c_str(), "a", &options), nullptr);
  EXPECT_EQ(errno, ENAMETOOLONG);
  EXPECT_EQ(folder.names(), names{});
}

#if defined(HAS_MODE_BITS)

TEST(log_names, that_are_too_long_for_the_names_of_archives_in_a_folder_are_refused) {
  const temporary_folder folder;
  const leat::folder inside(folder.path());
  std::error_code ec;
  const std::string name(255, 'x');
  EXPECT_FALSE(leat::rotating(inside.at(name), {}, ec).is_open());
  EXPECT_EQ(ec, std::errc::filename_too_long);
}

TEST(linked_logs, are_created_at_the_target_of_the_link) {
  const temporary_folder folder;
  std::filesystem::create_directory(folder / "data");
  std::filesystem::create_directory(folder / "links");
  std::filesystem::create_symlink("../data/real.log", folder / "links/second");
  std::filesystem::create_symlink("links/second", folder / "app.log");
  std::filesystem::create_directory_symlink("data", folder / "place");
  write_lines(folder / "app.log", 3);
  EXPECT_EQ(read_all(folder / "data/real.log.2"), "line 0\n");
  EXPECT_EQ(read_all(folder / "data/real.log"), "line 2\n");
  EXPECT_EQ(folder.names(), (names{"app.log", "data", "links", "place"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "app.log"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "links/second"));
  write_lines(folder / "place/real.log", 1);  // through a linked folder; the file exists now
  EXPECT_EQ(read_all(folder / "data/real.log.3"), "line 0\n");
  EXPECT_EQ(read_all(folder / "app.log"), "line 0\n");
}

TEST(linked_logs, are_reopened_at_the_target_of_the_link) {
  const temporary_folder folder;
  std::filesystem::create_symlink("real.log", folder / "app.log");
  auto log = leat::append(folder / "app.log", {.reopen = true});
  log.println("one");
  log.flush();
  std::filesystem::rename(folder / "real.log", folder / "real.log.1");
  log.println("two");
  log.close();
  EXPECT_EQ(read_all(folder / "real.log.1"), "one\n");
  EXPECT_EQ(read_all(folder / "real.log"), "two\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "app.log"));
}

TEST(linked_logs, in_a_loop_are_refused) {
  const temporary_folder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  std::error_code ec;
  EXPECT_FALSE(leat::rotating(folder / "a", {}, ec).is_open());
  EXPECT_EQ(ec, std::errc::too_many_symbolic_link_levels);
}

#  if defined(__linux__)
TEST(linked_logs, of_proc_self_fd_append_to_the_open_file) {
  const temporary_folder folder;
  auto file = leat::create(folder / "file");
  auto log =
      leat::append("/proc/self/fd/" + std::to_string(file.native_handle()), {.reopen = true});
  log.println("one");
  log.close();
  file.close();
  EXPECT_EQ(read_all(folder / "file"), "one\n");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  log = leat::append("/proc/self/fd/" + std::to_string(ends[1]), {.reopen = true});
  log.println("two");
  log.close();
  char text[4];
  EXPECT_EQ(::read(ends[0], text, sizeof text), 4);
  ::close(ends[0]);
  ::close(ends[1]);
}
#  endif

struct access {
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
  bool operator==(const access&) const = default;
};

access access_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return {static_cast<mode_t>(status.st_mode & 07777), status.st_uid, status.st_gid};
}

/// Gives a log another mode and, if the process runs as root, another owner. Returns the new
/// rights.
access change_access(const std::string& path, mode_t mode) {
  if (::geteuid() == 0) {
    EXPECT_EQ(::chown(path.c_str(), 12'345, 23'456), 0);
  }
  EXPECT_EQ(::chmod(path.c_str(), mode), 0);
  return access_of(path);
}

TEST(log_permissions, are_kept_by_the_archive_and_the_new_file) {
  for (const auto level : {durability::none, durability::process}) {
    for (const mode_t mode : {mode_t{0600}, mode_t{0640}, mode_t{0664}, mode_t{0606}}) {
      const temporary_folder folder;
      const std::string path = folder / "app.log";
      write_file(path, "before\n");
      const access expected = change_access(path, mode);
      write_lines(path, 2, {.durability = level});
      for (const auto& name : folder.names()) EXPECT_EQ(access_of(folder / name), expected) << name;
      EXPECT_EQ(folder.names(), (names{"app.log", "app.log.1", "app.log.2"}));
    }
  }
}

TEST(log_permissions, are_kept_if_another_process_moves_the_file) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  for (const bool rotates : {false, true}) {
    write_file(path, "before\n");
    const access expected = change_access(path, 0640);
    auto log = rotates ? leat::rotating(path, {.flush = flush_when::line})
                       : leat::append(path, {.flush = flush_when::line, .reopen = true});
    std::filesystem::rename(path, path + ".moved");
    log.println("line 0");
    EXPECT_EQ(access_of(path), expected);
    std::filesystem::remove(path);
    log.println("line 1");
    EXPECT_EQ(access_of(path), expected);
    // A file that another program has made keeps its mode and owner.
    std::filesystem::rename(path, path + ".moved");
    write_file(path, "");
    ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
    const access other = access_of(path);
    log.println("line 2");
    log.close();
    EXPECT_EQ(read_all(path), "line 2\n");
    EXPECT_EQ(access_of(path), other);
  }
}

#endif

}  // namespace
