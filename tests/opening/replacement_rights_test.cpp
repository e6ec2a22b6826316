// leat::replace: mode, owner and access lists of a file, and links to the file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "opening/replace_with.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if defined(HAS_MODE_BITS)
#  include <grp.h>
#endif
#if defined(__linux__)
#  include <sys/syscall.h>
#  include <sys/xattr.h>
#  include "support/refusals.hpp"
#endif

namespace {

using namespace leat_test;
using names = std::vector<std::string>;

#if defined(HAS_MODE_BITS)
TEST(replace, keeps_mode_and_owner) {
  const temporary_folder folder;
  const mode_t before = ::umask(077);
  for (const unsigned mode : {0600u, 0644u, 0777u, 0444u, 04755u, 02711u}) {
    if (::geteuid() != 0 && (mode & 0200) == 0) continue;  // replace() refuses the file
    const std::string path = folder / std::to_string(mode);
    write_file(path, "old");
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(path.c_str(), 1234, 2345), 0);
    }
    ASSERT_EQ(::chmod(path.c_str(), static_cast<mode_t>(mode)), 0);
    const auto old = status_of(path);
    replace_with(path, "new");
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(status_of(path).st_uid, old.st_uid);
    EXPECT_EQ(status_of(path).st_gid, old.st_gid);
    EXPECT_NE(status_of(path).st_ino, old.st_ino);
  }
  ::umask(before);
}
#endif

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(replace, by_a_member_of_the_group_keeps_the_group) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create files of another user";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  constexpr gid_t shared = 12'345;
  write_file(folder / "file", "old");
  ASSERT_EQ(::chown((folder / "file").c_str(), 0, shared), 0);
  ::chmod((folder / "file").c_str(), 0660);
  const auto child = run_in_child([&] {
    require(::setgroups(1, &shared) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), W_OK) != 0) return;  // only root may enter this folder
    replace_with(folder / "file", "new");
    require(status_of(folder / "file").st_gid == shared);
    require(status_of(folder / "file").st_uid == 65534);
    require(mode_of(folder / "file") == 0660);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(replace, passes_no_set_id_bit_to_another_owner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create files of another user";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  write_file(folder / "program", "old");
  ::chmod((folder / "program").c_str(), 06777);
  const auto become_nobody = [] {
    require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
  };
  const auto reaches_folder = run_in_child([&] {
    become_nobody();
    require(::access(folder.path().c_str(), W_OK) == 0);
  });
  if (!succeeded(reaches_folder)) GTEST_SKIP() << "other users may not enter " << folder.path();
  const auto child = run_in_child([&] {
    become_nobody();
    replace_with(folder / "program", "");  // no write, which would also clear the bits
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(status_of(folder / "program").st_uid, 65534u);
  EXPECT_EQ(mode_of(folder / "program"), 0777u);
}

// The new file has another group, because the process may not give the file to the old group. The
// rights of the old group must not pass to the new group.
TEST(replace, passes_no_rights_to_another_group) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create files of another user";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  write_file(folder / "shared", "old");
  ASSERT_EQ(::chown((folder / "shared").c_str(), 1234, 2345), 0);
  ::chmod((folder / "shared").c_str(), 0662);
  const auto child = run_in_child([&] {
    require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), W_OK) == 0) replace_with(folder / "shared", "new");
  });
  EXPECT_TRUE(succeeded(child));
  if (read_all(folder / "shared") == "old") GTEST_SKIP() << "other users may not enter the folder";
  EXPECT_EQ(mode_of(folder / "shared"), 0622u);
}

TEST(replace, refuses_a_file_that_the_process_may_not_write) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  write_file(folder / "kept", "old");
  ::chmod((folder / "kept").c_str(), 0444);
  const auto child = run_in_child([&] {
    require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    std::error_code ec;
    require(!leat::replace(folder / "kept", ec).is_open() && ec == std::errc::permission_denied);
    require(leat::last_error().path() == folder / "kept");
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "kept"), "old");
}

TEST(replace, reports_the_folder_in_which_no_file_can_be_created) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const temporary_folder folder;
  write_file(folder / "file", "old");
  ::chmod((folder / "file").c_str(), 0666);
  ::chmod(folder.path().c_str(), 0555);
  const auto child = run_in_child([&] {
    require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), X_OK) != 0) return;  // no access to a parent folder
    try {
      static_cast<void>(leat::replace(folder / "file"));
      require(false);
    } catch (const leat::io_error& error) {
      require(error.what() ==
              "cannot make a new file in '" + folder.path() + "': Permission denied");
    }
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}
#endif

#if defined(__linux__)
TEST(replace, follows_no_link_of_another_user_in_a_sticky_folder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create links of another user";
  const temporary_folder folder;
  const temporary_folder elsewhere;
  ASSERT_EQ(::chown(folder.path().c_str(), 1234, 1234), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  write_file(elsewhere / "victim", "old");
  const std::string link = folder / "link";
  std::filesystem::create_symlink(elsewhere / "victim", link);
  struct {
    uid_t owner;
    bool followed;
  } const cases[] = {{65534, false}, {1234, true}, {0, true}};
  for (const auto& [owner, followed] : cases) {
    ASSERT_EQ(::lchown(link.c_str(), owner, owner), 0);
    std::error_code ec;
    auto out = leat::replace(link, ec);
    EXPECT_EQ(out.is_open(), followed) << owner;
    EXPECT_EQ(ec, followed ? std::error_code{} : make_error_code(std::errc::permission_denied));
    out.discard();
  }
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);  // other users may no longer write here
  replace_with(link, "new");
  EXPECT_EQ(read_all(elsewhere / "victim"), "new");
}

/// If access lists can't be read (ENOENT: without /proc), the group bits may be the mask of a list
/// instead of the rights of the group.
TEST(replace, gives_the_group_no_more_than_others_if_lists_can_not_be_read) {
  constexpr int no_filters = 7;
  struct {
    int error;
    unsigned mode;
  } const cases[] = {{ENOENT, 0644}, {EIO, 0644}, {EOPNOTSUPP, 0664}};
  for (const auto& [error, mode] : cases) {
    const temporary_folder folder;
    write_file(folder / "file", "old");
    ASSERT_EQ(::chmod((folder / "file").c_str(), 0664), 0);
    const auto child = run_in_child([&] {
      constexpr long calls[] = {SYS_listxattr};
      if (!refuse_calls(calls, error)) ::_exit(no_filters);
      replace_with(folder / "file", "new");
    });
    if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
    EXPECT_TRUE(succeeded(child)) << child.err;
    EXPECT_EQ(mode_of(folder / "file"), mode) << error;
  }
}

/// acl(5): the owner may read and write, user 1234 may read, the group has no rights. With this
/// list, the group bits of the mode are the mask, "r--".
struct access_list {
  static constexpr const char* name = "system.posix_acl_access";
  struct entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  std::uint32_t version = 2;
  entry entries[5] = {{1, 6, ~0u}, {2, 4, 1234}, {4, 0, ~0u}, {16, 4, ~0u}, {32, 0, ~0u}};
};

TEST(replace, does_not_treat_an_unreadable_attribute_as_empty) {
  constexpr int no_filters = 7;
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::setxattr(path.c_str(), "user.note", "lost", 4, 0) != 0)
    GTEST_SKIP() << "the file system has no extended attributes";
  const access_list list;
  const bool has_lists = ::setxattr(path.c_str(), access_list::name, &list, sizeof list, 0) == 0;
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_getxattr};
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    replace_with(path, "new");
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child)) << child.err;
  char note[8];
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", note, sizeof note), -1);
  if (!has_lists) GTEST_SKIP() << "the file system has no access lists";
  EXPECT_EQ(mode_of(path), 0600u) << "the bits of the mask became rights of the group";
}

TEST(replace, gives_no_rights_by_the_default_list_of_the_folder) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const access_list list;
  const std::string name = folder / ".";
  if (::setxattr(name.c_str(), "system.posix_acl_default", &list, sizeof list, 0) != 0)
    GTEST_SKIP() << "the file system has no access lists";
  replace_with(path, "new");
  EXPECT_EQ(mode_of(path), 0640u);
  EXPECT_EQ(::getxattr(path.c_str(), access_list::name, nullptr, 0), -1);
}

TEST(replace, keeps_access_lists_and_attributes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "the file system has no extended attributes";
  const access_list list;
  const bool has_lists = ::setxattr(path.c_str(), access_list::name, &list, sizeof list, 0) == 0;
  replace_with(path, "new");
  char note[8] = {};
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", note, sizeof note), 4);
  EXPECT_STREQ(note, "kept");
  if (!has_lists) GTEST_SKIP() << "the file system has no access lists";
  EXPECT_EQ(mode_of(path), 0640u);
  access_list now{.version = 0};
  ASSERT_EQ(::getxattr(path.c_str(), access_list::name, &now, sizeof now), ssize_t{sizeof now});
  EXPECT_EQ(std::memcmp(&now, &list, sizeof now), 0);
}
#endif

#if defined(HAS_MODE_BITS)
TEST(replace, follows_links_and_keeps_them) {
  const temporary_folder folder;
  std::filesystem::create_directory(folder / "below");
  write_file(folder / "below/file", "old");
  std::filesystem::create_symlink("below/file", folder / "relative");
  std::filesystem::create_symlink(folder / "below/file", folder / "absolute");
  std::filesystem::create_symlink("../relative", folder / "below/chain");
  std::filesystem::create_symlink("below/new", folder / "dangling");
  for (const char* link : {"relative", "absolute", "below/chain"}) {
    replace_with(folder / link, link);
    EXPECT_EQ(read_all(folder / "below/file"), link);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / link));
  }
  replace_with(folder / "dangling", "made");
  EXPECT_EQ(read_all(folder / "below/new"), "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_EQ(folder.names(), (names{"absolute", "below", "dangling", "relative"}));
}

TEST(replace, follows_as_many_links_as_the_system) {
  const temporary_folder folder;
  write_file(folder / "0", "old");
  for (int i = 1; i <= 41; ++i)
    std::filesystem::create_symlink(std::to_string(i - 1), folder / std::to_string(i));
  for (const int links : {39, 40, 41}) {
    const std::string path = folder / std::to_string(links);
    std::error_code replace_error, append_error;
    static_cast<void>(leat::append(path, append_error));
    auto out = leat::replace(path, replace_error);
    EXPECT_EQ(replace_error, append_error) << links;
    out.discard();
  }
}
#endif

#if defined(__linux__)
TEST(replace, does_not_replace_a_link_that_it_can_not_read) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_readlinkat};
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    std::error_code ec;
    require(!leat::replace(folder / "link", ec).is_open() && ec == std::errc::io_error);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.names(), (names{"file", "link"}));
}
#endif

}  // namespace
