// Calls for whole files: read_file, write_file, rename_durably and copy_file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

#if defined(HAS_MODE_BITS)
#  include <grp.h>
#  include <sys/stat.h>
#  include <unistd.h>
#endif

namespace {

using leat_test::temporary_folder;

TEST(whole_file, is_written_and_read) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const std::size_t size : {0u, 1u, 4096u, 8191u, 8192u, 8193u, 300000u, 5000000u}) {
    const std::string text = leat_test::numbered_text(size);
    leat::write_file(path, text);
    EXPECT_TRUE(leat::read_file(path) == text) << size;
    EXPECT_TRUE(leat_test::read_all(path) == text) << size;
  }
  std::error_code ec = leat::errc::closed;
  leat::write_file(std::filesystem::path(path), std::string_view("a\0b", 3), ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(leat::read_file(path, ec), std::string_view("a\0b", 3));
  EXPECT_FALSE(ec);
}

#if defined(HAS_SYSTEM_FILES)
TEST(whole_file, is_read_to_its_end_if_it_has_no_size) {
  EXPECT_NE(leat::read_file("/proc/self/status").find("VmPeak"), std::string::npos);
  std::error_code ec = leat::errc::closed;
  EXPECT_NE(leat::read_file("/proc/self/status", ec).find("VmPeak"), std::string::npos);
  EXPECT_FALSE(ec);
  EXPECT_EQ(leat::read_file("/dev/null"), "");
}
#endif

TEST(whole_file, reports_why_it_can_not_be_read_or_written) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_EQ(leat::read_file(folder / "none", ec), "");
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_THROW(leat::read_file(folder / "none"), leat::io_error);
  EXPECT_EQ(leat::read_file(folder.path(), ec), "");
  EXPECT_EQ(ec, std::errc::is_a_directory);
  EXPECT_THROW(leat::read_file(folder.path()), leat::io_error);
  leat::write_file(folder.path(), "text", ec);
  EXPECT_EQ(ec, std::errc::is_a_directory);
#if defined(HAS_SYSTEM_FILES)
  leat::write_file("/dev/full", "text", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_THROW(leat::write_file("/dev/full", "text"), leat::io_error);
#endif
}

TEST(whole_file, rename_durably_replaces_the_file_of_the_new_name) {
  const temporary_folder folder;
  const std::string old = folder / "old", name = folder / "name";
  std::error_code ec;
  leat::write_file(old, "content");
  leat::rename_durably(old, name);
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_EQ(leat::read_file(name), "content");
  leat::write_file(old, "other");
  leat::rename_durably(old, name, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(leat::read_file(name), "other") << "the file of that name is replaced";
  std::filesystem::create_directory(folder / "below");
  leat::rename_durably(name, folder / "below/name", ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_EQ(leat::read_file(folder / "below/name"), "other");

  leat::rename_durably(old, name, ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::last_error().path(), old);
  try {
    leat::rename_durably(folder / "below/name", folder / "missing/name");
    FAIL();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.operation(), std::string("rename"));
    EXPECT_NE(std::string(error.what()).find("to '"), std::string::npos) << error.what();
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
  EXPECT_EQ(leat::read_file(folder / "below/name"), "other");
}

#if defined(HAS_MODE_BITS)
TEST(whole_file, rename_durably_renames_links_and_pipes) {
  const temporary_folder folder;
  leat::write_file(folder / "target", "content");
  std::filesystem::create_symlink("target", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::error_code ec;
  for (const std::string name : {"link", "pipe"}) {
    leat::rename_durably(folder / name, folder / ("new " + name), ec);
    EXPECT_FALSE(ec) << name << ": " << ec.message();
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"new link", "new pipe", "target"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "new link"));
}
#endif

#if defined(__linux__)
/// If a folder can't be listed, the file system of the renamed file is synced instead. The sync
/// needs an open file, and rename_durably() opens no symbolic links.
TEST(whole_file, that_is_a_link_reports_that_its_folder_can_not_be_synced) {
  const temporary_folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  std::filesystem::create_directory(folder / "below");
  leat::write_file(folder / "below/target", "content");
  std::filesystem::create_symlink("target", folder / "below/link");
  ASSERT_EQ(::chmod((folder / "below").c_str(), 0333), 0);
  const auto child = leat_test::run_in_child([&] {
    using leat_test::require;
    if (::geteuid() == 0)
      require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access((folder / "below").c_str(), W_OK) != 0) return;  // no access to a parent folder
    std::error_code ec;
    leat::rename_durably(folder / "below/target", folder / "below/file", ec);
    require(!ec);
    leat::rename_durably(folder / "below/file", folder / "below/target", ec);
    require(!ec);
    leat::rename_durably(folder / "below/link", folder / "below/other", ec);
    require(ec == std::errc::permission_denied);
    require(::access((folder / "below/other").c_str(), F_OK) == 0);
  });
  ::chmod((folder / "below").c_str(), 0755);
  EXPECT_TRUE(leat_test::succeeded(child)) << child.err;
}
#endif

TEST(whole_file, that_cannot_be_copied_is_reported_by_error_code) {
  const temporary_folder folder;
  const std::string from = folder / "from", to = folder / "missing/to";
  leat::write_file(from, "content");
  std::error_code ec;
  leat::copy_file(from, to, ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::last_error().path(), to);
  leat::copy_file(from, from, ec);
  EXPECT_EQ(ec, leat::errc::same_file);
  EXPECT_EQ(leat::last_error().operation(), std::string("copy"));
}

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(whole_file, of_another_user_keeps_its_content_if_a_copy_may_not_change_its_mode) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  const std::string from = folder / "from", to = folder / "to";
  leat::write_file(from, "new");
  leat::write_file(to, "content");
  ::chmod(from.c_str(), 0644);
  ::chmod(to.c_str(), 0666);
  const auto child = leat_test::run_in_child([&] {
    leat_test::require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 &&
                       ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), W_OK) != 0) return;  // only root may enter this folder
    std::error_code ec;
    leat::copy_file(from, to, ec);
    leat_test::require(ec == std::errc::operation_not_permitted);
    leat_test::require(leat::read_file(to) == "content");
  });
  EXPECT_TRUE(leat_test::succeeded(child)) << child.err;
}
#endif

#if defined(__linux__)
TEST(whole_file, that_is_renamed_keeps_the_bytes_of_its_sidecar) {
  const temporary_folder folder;
  const pid_t child = leat_test::start_child([&] {
    auto log = leat::append(folder / "log", {.durability = leat::durability::process});
    log.write("of a killed process\n");
    ::raise(SIGKILL);
  });
  leat_test::wait_for(child);
  leat::rename_durably(folder / "log", folder / "old");
  EXPECT_EQ(leat::read_file(folder / "old"), "of a killed process\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
}
#endif

#if defined(HAS_MODE_BITS)
TEST(whole_file, larger_than_memory_is_an_error) {
  if (leat_test::sanitized) GTEST_SKIP() << "sanitizers end the program instead";
  const temporary_folder folder;
  leat::write_file(folder / "sparse", "");
  if (::truncate((folder / "sparse").c_str(), off_t{1} << 43) != 0)
    GTEST_SKIP() << "this file system has no files of 8 TiB";
  std::error_code ec;
  EXPECT_EQ(leat::read_file(folder / "sparse", ec), "");
  EXPECT_EQ(ec, std::errc::not_enough_memory);
}
#endif

}  // namespace
