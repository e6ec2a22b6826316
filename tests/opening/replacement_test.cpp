// leat::replace: the old content or the new one, never less.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"
#include "support/scripted_device.hpp"
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

void replace_with(const std::string& path, std::string_view content) {
  auto out = leat::replace(path);
  out.write(content);
  out.close();
}

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(replace, works_relative_to_the_current_folder) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    require(::chdir(folder.path().c_str()) == 0);
    replace_with("file", "new");
    std::filesystem::create_symlink("file", "link");
    replace_with("link", "newer");
    require(std::filesystem::is_symlink("link"));
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "newer");
}
#endif

TEST(replace, made_while_the_stack_unwinds_is_still_a_loss_without_close) {
  loss_recorder losses;
  const temporary_folder folder;
  struct writes_at_its_end {
    std::string path;
    ~writes_at_its_end() { leat::replace(path).write("forgot to close"); }
  };
  try {
    const writes_at_its_end last{folder / "file"};
    throw std::runtime_error("on its way");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST(replace, that_failed_is_told_even_if_an_exception_ends_it) {
  loss_recorder losses;
  auto script = new_script();
  script->traits.commits = true;
  script->room = 0;
  try {
    leat::file_writer out(device_of(script), {.flush = leat::flush_when::call});
    out.write("lost");
    throw std::runtime_error("something else");
  } catch (const std::runtime_error&) {
  }
  const auto told = losses.take();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].code(), std::errc::no_space_on_device);
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
/// A child that writes a new file and waits for its end. Returns when the child writes.
pid_t start_replacing(const std::string& path, const pipe_pair& ready) {
  const pid_t child = start_child([&] {
    auto out = leat::replace(path);
    out.write("half of it");
    out.flush();
    require(::write(ready.writer(), "x", 1) == 1);
    ::pause();
  });
  char byte;
  EXPECT_EQ(::read(ready.reader(), &byte, 1), 1);
  return child;
}

void kill(pid_t child) {
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), 1000 + SIGKILL);
}

TEST(replace, removes_what_killed_programs_have_left) {
  const temporary_folder folder;
  for (const bool exists : {false, true}) {
    if (exists) {
      write_file(folder / "file", "old");
      ::chmod((folder / "file").c_str(), 0444);
    }
    pipe_pair ready;
    std::vector<pid_t> children;
    for (int i = 0; i != 5; ++i) children.push_back(start_replacing(folder / "file", ready));
    EXPECT_EQ(folder.names().size(), exists ? 6u : 5u);
    for (const pid_t child : children) kill(child);
    EXPECT_EQ(folder.names().size(), exists ? 6u : 5u) << "that is what they leave";
    replace_with(folder / "file", "new");
    EXPECT_EQ(folder.names(), names{"file"});
  }
}

TEST(replace, removes_nothing_that_a_live_program_writes) {
  const temporary_folder folder;
  pipe_pair ready, go;
  const pid_t live = start_child([&] {
    auto out = leat::replace(folder / "file");
    out.write("of the live one");
    out.flush();
    require(::write(ready.writer(), "x", 1) == 1);
    char byte;
    require(::read(go.reader(), &byte, 1) == 1);
    out.close();
  });
  char byte;
  ASSERT_EQ(::read(ready.reader(), &byte, 1), 1);
  const pid_t killed = start_replacing(folder / "file", ready);
  kill(killed);
  EXPECT_EQ(folder.names().size(), 2u);
  replace_with(folder / "file", "new");
  EXPECT_EQ(folder.names().size(), 2u) << "the file, and what the live one writes";
  ASSERT_EQ(::write(go.writer(), "x", 1), 1);
  EXPECT_EQ(wait_for(live), 0);
  EXPECT_EQ(read_all(folder / "file"), "of the live one");
  EXPECT_EQ(folder.names(), names{"file"});
}

TEST(replace, leaves_links_and_folders_with_such_names_alone) {
  const temporary_folder folder;
  write_file(folder / "precious", "text");
  std::filesystem::create_symlink("precious", folder / ".file.00000000.tmp");
  std::filesystem::create_directory(folder / ".file.00000001.tmp");
  write_file(folder / ".file.notes.tmp", "text");
  const auto before = folder.names();
  replace_with(folder / "file", "new");
  auto after = before;
  after.push_back("file");
  std::sort(after.begin(), after.end());
  EXPECT_EQ(folder.names(), after);
  EXPECT_EQ(read_all(folder / "precious"), "text");
}

// Each writer takes the names that another one has just given back, while that one's cleaning looks
// at them.
TEST(replace, of_one_file_by_many_processes_never_fails) {
  const temporary_folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i != 6; ++i)
    children.push_back(start_child([&, i] {
      for (int n = 0; n != rounds(300); ++n)
        replace_with(folder / "file", std::string(100, static_cast<char>('a' + i)));
    }));
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(folder.names(), names{"file"});
  const std::string text = read_all(folder / "file");
  EXPECT_EQ(text, std::string(100, text.at(0)));
}
#endif

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(replace, that_failed_does_not_commit) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  const auto child = run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    limit_resource(RLIMIT_FSIZE, 1000);
    auto out = leat::replace(folder / "file");
    out.write(std::string(2000, 'x'));
    std::error_code ec;
    out.close(ec);
    require(ec == std::errc::file_too_large);
    require(out.lost() == 1000);
    out.close(ec);
    require(!ec);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err, "");
  EXPECT_EQ(read_all(folder / "file"), "old");
  EXPECT_EQ(folder.names(), names{"file"});
}
#endif

TEST(replace, reports_when_the_target_can_not_be_renamed_to) {
  const temporary_folder folder;
  auto out = leat::replace(folder / "file");
  out.write("new");
  std::filesystem::create_directories(folder / "file/in the way");
  try {
    out.close();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.operation(), "replace");
#if defined(_WIN32)
    EXPECT_EQ(error.code(), std::errc::permission_denied);
#else
    EXPECT_EQ(error.code(), std::errc::is_a_directory);
#endif
  }
  EXPECT_EQ(folder.names(), names{"file"});
}

#if defined(HAS_MODE_BITS)
TEST(replace, keeps_mode_and_owner) {
  const temporary_folder folder;
  const mode_t before = ::umask(077);
  for (const unsigned mode : {0600u, 0644u, 0777u, 0444u, 04755u, 02711u}) {
    if (::geteuid() != 0 && (mode & 0200) == 0) continue;  // is refused
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
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of somebody else";
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0777);
  constexpr gid_t shared = 12'345;
  write_file(folder / "file", "old");
  ASSERT_EQ(::chown((folder / "file").c_str(), 0, shared), 0);
  ::chmod((folder / "file").c_str(), 0660);
  const auto child = run_in_child([&] {
    require(::setgroups(1, &shared) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), W_OK) != 0) return;  // as where only root may enter
    replace_with(folder / "file", "new");
    require(status_of(folder / "file").st_gid == shared);
    require(status_of(folder / "file").st_uid == 65534);
    require(mode_of(folder / "file") == 0660);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(replace, passes_no_set_id_bit_to_another_owner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of somebody else";
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
  if (!succeeded(reaches_folder)) GTEST_SKIP() << "others may not enter " << folder.path();
  const auto child = run_in_child([&] {
    become_nobody();
    replace_with(folder / "program", "");  // bytes written would clear the bits, too
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(status_of(folder / "program").st_uid, 65534u);
  EXPECT_EQ(mode_of(folder / "program"), 0777u);
}

// What a group may do, another group must not get.
TEST(replace, passes_no_rights_to_another_group) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs files of somebody else";
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
  if (read_all(folder / "shared") == "old") GTEST_SKIP() << "others may not enter the folder";
  EXPECT_EQ(mode_of(folder / "shared"), 0622u);
}

TEST(replace, refuses_a_file_that_the_process_may_not_write) {
  if (::geteuid() != 0) GTEST_SKIP() << "acts as another user";
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

TEST(replace, names_the_folder_in_which_no_file_may_be_made) {
  if (::geteuid() != 0) GTEST_SKIP() << "acts as another user";
  const temporary_folder folder;
  write_file(folder / "file", "old");
  ::chmod((folder / "file").c_str(), 0666);
  ::chmod(folder.path().c_str(), 0555);
  const auto child = run_in_child([&] {
    require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    if (::access(folder.path().c_str(), X_OK) != 0) return;  // a folder above keeps others out
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
TEST(replace, follows_no_link_of_a_stranger_in_a_folder_for_all) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs links of somebody else";
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
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);  // no longer for all
  replace_with(link, "new");
  EXPECT_EQ(read_all(elsewhere / "victim"), "new");
}

/// Without /proc nobody knows whether the group's bits are rights of the group.
TEST(replace, gives_the_group_no_more_than_others_where_lists_can_not_be_read) {
  constexpr int no_filters = 7;
  const temporary_folder folder;
  write_file(folder / "file", "old");
  ASSERT_EQ(::chmod((folder / "file").c_str(), 0664), 0);
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_listxattr};
    if (!refuse_calls(calls, ENOENT)) ::_exit(no_filters);
    replace_with(folder / "file", "new");
    require(mode_of(folder / "file") == 0644);
  });
  if (child.code == no_filters) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(replace, keeps_access_lists_and_attributes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "no attributes here";
  // acl(5): the owner may read and write, user 1234 may read, the group may do nothing. The mode's
  // group bits are the mask then, "r--".
  struct entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  struct {
    std::uint32_t version = 2;
    entry entries[5] = {{1, 6, ~0u}, {2, 4, 1234}, {4, 0, ~0u}, {16, 4, ~0u}, {32, 0, ~0u}};
  } list;
  const char* const acl = "system.posix_acl_access";
  const bool has_lists = ::setxattr(path.c_str(), acl, &list, sizeof list, 0) == 0;
  replace_with(path, "new");
  char note[8] = {};
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", note, sizeof note), 4);
  EXPECT_STREQ(note, "kept");
  if (!has_lists) GTEST_SKIP() << "no access lists here";
  EXPECT_EQ(mode_of(path), 0640u);
  decltype(list) now;
  ASSERT_EQ(::getxattr(path.c_str(), acl, &now, sizeof now), ssize_t{sizeof now});
  EXPECT_EQ(std::memcmp(&now, &list, sizeof now), 0);
}
#endif

#if defined(HAS_MODE_BITS)
TEST(replace, follows_links_and_leaves_them) {
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
    std::error_code ours, systems;
    static_cast<void>(leat::append(path, systems));
    auto out = leat::replace(path, ours);
    EXPECT_EQ(ours, systems) << links;
    out.discard();
  }
}
#endif

#if defined(HAS_SYSTEM_FILES) && defined(HAS_MODE_BITS) && defined(HAS_POSIX_FILES)
TEST(replace, refuses_what_is_no_plain_file) {
  const temporary_folder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  std::filesystem::create_directory(folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const auto before = folder.names();
  const auto refusal = [](const std::string& path) {
    std::error_code ec;
    EXPECT_FALSE(leat::replace(path, ec).is_open()) << path;
    return ec;
  };
  EXPECT_EQ(refusal(folder / "a"), std::errc::too_many_symbolic_link_levels);
  EXPECT_EQ(refusal(folder / "folder"), std::errc::is_a_directory);
  EXPECT_EQ(refusal(folder / "folder/"), std::errc::is_a_directory);
  EXPECT_EQ(refusal(folder / "new/"), std::errc::is_a_directory);
  EXPECT_EQ(refusal(folder / "fifo"), leat::errc::not_a_file);
  EXPECT_EQ(refusal(folder / "fifo/x"), std::errc::not_a_directory);
  EXPECT_EQ(refusal(folder / "missing/x"), std::errc::no_such_file_or_directory);
  EXPECT_EQ(refusal(""), std::errc::no_such_file_or_directory);
  EXPECT_EQ(refusal("/dev/null"), leat::errc::not_a_file);
  EXPECT_EQ(refusal(folder / std::string(256, 'x')), std::errc::filename_too_long);
  EXPECT_EQ(folder.names(), before);
}
#endif

#if !defined(_WIN32)  // its names are counted in UTF-16
TEST(replace, works_for_the_longest_names) {
  const temporary_folder folder;
  std::string accents;
  while (accents.size() < 254) accents += "é";
  for (const std::string& name : {std::string(255, 'x'), "x" + accents, accents}) {
    auto out = leat::replace(folder / name);
    for (const auto& other : folder.names()) {
      // Not half a character, which some file systems refuse.
      const std::string stem = other.substr(1, other.find('.', 1) - 1);
      EXPECT_EQ(name.substr(0, stem.size()), stem);
      EXPECT_NE(static_cast<unsigned char>(name[stem.size()]) & 0xC0, 0x80);
    }
    out.write("new");
    out.close();
    EXPECT_EQ(folder.names(), names{name});
    std::filesystem::remove(folder / name);
  }
}
#endif

TEST(replace, shows_readers_old_or_new_only) {
  if (under_wine()) GTEST_SKIP() << "Wine renames over no file that is open";
  const temporary_folder folder;
  const std::string path = folder / "file";
  replace_with(path, std::string(20'000, '0'));
  std::thread writer([&] {
    for (int i = 1; i != rounds(500); ++i)
      replace_with(path, std::string(20'000, static_cast<char>('0' + i % 10)));
  });
  for (int i = 0; i != rounds(500); ++i) {
    const std::string content = read_all(path);
    ASSERT_EQ(content.size(), 20'000u);
    ASSERT_EQ(content.find_first_not_of(content[0]), std::string::npos);
  }
  writer.join();
}

#if defined(__linux__)
TEST(replace, that_is_not_yet_durable_says_so_and_not_that_it_failed) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto out = leat::replace(folder / "file", {.durability = leat::durability::system});
    out.write("new");
    require(refuse_calls({SYS_fsync}, EIO));  // the folder; the file has fdatasync
    try {
      out.close();
      require(false);
    } catch (const leat::io_error& error) {
      require(error.code() == std::errc::io_error);
      require(error.operation() == std::string_view("sync"));
    }
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(read_all(folder / "file"), "new");
}
#endif

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(replace, that_gets_no_descriptor_at_its_end_says_so) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  const auto child = run_in_child([&] {
    auto out = leat::replace(folder / "file");
    out.write("new");
    limit_resource(RLIMIT_NOFILE, 64);
    while (::dup(2) >= 0) {
    }
    std::error_code ec;
    out.close(ec);
    require(ec == std::errc::too_many_files_open);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(read_all(folder / "file"), "old");
}
#endif

TEST(replace, by_many_at_once_leaves_one_whole_content) {
  if (under_wine()) GTEST_SKIP() << "Wine renames over no file that is open";
  const temporary_folder folder;
  std::vector<std::thread> threads;
  for (int t = 0; t != 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != 50; ++i)
        replace_with(folder / "file", std::string(1000, static_cast<char>('a' + t)));
    });
  for (auto& thread : threads) thread.join();
  const std::string content = read_all(folder / "file");
  EXPECT_EQ(content, std::string(1000, content[0]));
  EXPECT_EQ(folder.names(), names{"file"});
}

#if defined(__linux__)
TEST(replace, does_not_take_a_link_that_it_can_not_read_for_a_file) {
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
  if (child.code == no_filters) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.names(), (names{"file", "link"}));
}
#endif

}  // namespace
