// leat::create, append, replace and temporary_file: files that are opened or refused, and options.
#include <gtest/gtest.h>
#if !defined(_WIN32)
#  include <sys/wait.h>
#endif
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;

TEST(create, creates_and_truncates_files) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat::create(path).write("a longer text");
  EXPECT_EQ(read_all(path), "a longer text");
  auto out = leat::create(path);
  EXPECT_EQ(read_all(path), "");
  EXPECT_EQ(out.tell(), 0u);
  out.write("short");
  out.close();
  EXPECT_EQ(read_all(path), "short");
}

TEST(create, accepts_paths_of_any_type) {
  const temporary_folder folder;
  const std::string path = folder / "grün 文";
  std::error_code ec;
  leat::create(path.c_str()).put('1');
  leat::append(std::filesystem::path(std::u8string(path.begin(), path.end()))).put('2');
  leat::append(path, ec).put('3');
  leat::append(path, {.buffer_size = 10}, ec).put('4');
  EXPECT_EQ(leat::read_file(path), "1234");
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST(create, does_not_use_the_descriptor_of_a_closed_standard_stream) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    ::close(1);
    auto out = leat::create(folder / "file");
    require(out.native_handle() > 2);
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(create, opens_a_readable_descriptor_on_request) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", {.readable = true});
  out.print("text {}", 1);
  out.flush();
  char text[6];
  EXPECT_EQ(::pread(out.native_handle(), text, sizeof text, 0), 6);
  EXPECT_EQ(std::string_view(text, 6), "text 1");
}
#endif

#if defined(HAS_SYSTEM_FILES)
TEST(create, reports_why_no_file_can_be_created) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_FALSE(leat::create(folder / "no/file", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(leat::create(folder.path(), ec).is_open());
  EXPECT_EQ(ec, std::errc::is_a_directory);
  EXPECT_FALSE(leat::create("", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(leat::append("/proc/new-file", ec).is_open());
  EXPECT_TRUE(ec);
  EXPECT_FALSE(leat::append("/proc/version/below", ec).is_open());
  EXPECT_EQ(ec, std::errc::not_a_directory);
  EXPECT_FALSE(leat::create(folder / std::string(256, 'x'), ec).is_open());
  EXPECT_EQ(ec, std::errc::filename_too_long);
  EXPECT_THROW(leat::append(folder / "no/file").close(), leat::io_error);
  EXPECT_FALSE(leat::create(folder / "file", ec).error());
  EXPECT_FALSE(ec) << "a success must clear the error code";
}
#endif

// Without the refusal, the system would end the name at the NUL, and open another file.
TEST(create, refuses_names_with_a_nul) {
  const temporary_folder folder;
  const std::string path = folder / std::string("a\0b", 3);
  std::error_code ec;
  for (const auto open :
       {+[](const std::string& p, std::error_code& e) { return leat::create(p, e); },
        +[](const std::string& p, std::error_code& e) { return leat::append(p, e); },
        +[](const std::string& p, std::error_code& e) { return leat::replace(p, e); }}) {
    EXPECT_FALSE(open(path, ec).is_open());
    EXPECT_EQ(ec, std::errc::invalid_argument);
  }
  EXPECT_TRUE(folder.names().empty());
}

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(create, is_refused_by_permissions) {
  const temporary_folder folder;
  write_file(folder / "read-only", "old");
  ::chmod((folder / "read-only").c_str(), 0444);
  ::chmod(folder.path().c_str(), 0555);
  const auto child = run_in_child([&] {
    if (::geteuid() == 0) require(::setgid(65534) == 0 && ::setuid(65534) == 0);
    std::error_code ec;
    require(!leat::create(folder / "new", ec).is_open());
    require(ec == std::errc::permission_denied);
    require(!leat::create(folder / "read-only", ec).is_open());
    require(ec == std::errc::permission_denied);
    require(!leat::append(folder / "read-only", ec).is_open());
    require(ec == std::errc::permission_denied);
    require(!leat::replace(folder / "read-only", ec).is_open());
    require(ec == std::errc::permission_denied);
  });
  EXPECT_TRUE(succeeded(child));
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(read_all(folder / "read-only"), "old");
}
#endif

#if defined(HAS_MODE_BITS)
TEST(create, exclusive_fails_if_the_file_exists) {
  const temporary_folder folder;
  leat::create(folder / "file", {.exclusive = true}).write("first");
  std::error_code ec;
  EXPECT_FALSE(leat::create(folder / "file", {.exclusive = true}, ec).is_open());
  EXPECT_EQ(ec, std::errc::file_exists);
  EXPECT_EQ(read_all(folder / "file"), "first");
  std::filesystem::create_symlink("nowhere", folder / "link");
  EXPECT_FALSE(leat::create(folder / "link", {.exclusive = true}, ec).is_open());
  EXPECT_EQ(ec, std::errc::file_exists);
}

#  if defined(__linux__)
TEST(create, exclusive_removes_the_file_if_fsync_of_the_folder_fails) {
  const temporary_folder folder;
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_fsync};
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    std::error_code ec;
    const auto out = leat::create(folder / "file",
                                  {.durability = leat::durability::system, .exclusive = true}, ec);
    require(!out.is_open() && ec == std::errc::io_error);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child));
  EXPECT_TRUE(folder.names().empty());
}

TEST(temporary_file, names_the_folder_that_failed) {
  const temporary_folder folder;
  const std::string missing = folder / "missing";
  const auto child = run_in_child([&] {
    ::setenv("TMPDIR", missing.c_str(), 1);
    try {
      static_cast<void>(leat::temporary_file());
      require(false);
    } catch (const leat::io_error& error) {
      require(error.path() == missing);
      require(error.what() ==
              "cannot make a temporary file in '" + missing + "': No such file or directory");
    }
    std::error_code ec;
    static_cast<void>(leat::temporary_file(ec));
    require(ec == std::errc::no_such_file_or_directory);

    // The message names the folder, because its disk may be full.
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    ::signal(SIGXFSZ, SIG_IGN);
    limit_resource(RLIMIT_FSIZE, 10);
    auto file = leat::temporary_file();
    file.write(std::string(100, 'x'));
    try {
      file.flush();
      require(false);
    } catch (const leat::io_error& error) {
      require(error.path() == "<temporary file in " + folder.path() + '>');
      file.close(ec);
    }
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(temporary_file, loses_its_name_if_the_system_creates_no_nameless_files) {
  const temporary_folder folder;
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    if (!refuse_nameless_files()) ::_exit(no_filters);
    auto file = leat::temporary_file();
    file.write("text");
    file.seek(0);
    require(file.read_all() == "text");
    require(std::filesystem::is_empty(folder.path()));
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child));
}

TEST(temporary_file, whose_name_can_not_be_removed_is_an_error) {
  const temporary_folder folder;
  constexpr int no_filters = 77;
  const auto child = run_in_child([&] {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    const auto descriptors = count_open_descriptors();
    constexpr long calls[] = {
        SYS_unlinkat,
#    if defined(SYS_unlink)
        SYS_unlink,
#    endif
    };
    if (!refuse_nameless_files() || !refuse_calls(calls, EIO)) ::_exit(no_filters);
    std::error_code ec;
    const auto out = leat::temporary_file(ec);
    require(!out.is_open() && ec == std::errc::io_error);
    require(count_open_descriptors() == descriptors);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child));
}
#  endif

TEST(create, permissions_honour_the_umask) {
  const temporary_folder folder;
  const mode_t before = ::umask(027);
  leat::create(folder / "usual").put('x');
  leat::create(folder / "private", {.permissions = 0600}).put('x');
  leat::append(folder / "program", {.permissions = 0777}).put('x');
  leat::replace(folder / "replaced", {.permissions = 0664}).close();
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "usual"), 0640u);
  EXPECT_EQ(mode_of(folder / "private"), 0600u);
  EXPECT_EQ(mode_of(folder / "program"), 0750u);
  EXPECT_EQ(mode_of(folder / "replaced"), 0640u);
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(every_descriptor, is_closed_by_exec) {
  const temporary_folder folder;
  const auto closes = [](const auto& out) {
    return (::fcntl(out.native_handle(), F_GETFD) & FD_CLOEXEC) != 0;
  };
  EXPECT_TRUE(closes(leat::create(folder / "a")));
  EXPECT_TRUE(closes(leat::append(folder / "b")));
  auto c = leat::replace(folder / "c");
  EXPECT_TRUE(closes(c));
  c.discard();
  EXPECT_TRUE(closes(leat::temporary_file()));
}
#endif

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
// If the file got descriptor 1 or 2, later output to the standard streams would go into the file.
TEST(every_descriptor, leaves_the_descriptors_of_closed_standard_streams_free) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    for (int i = 0; i != 3; ++i) ::close(i);
    auto out = leat::create(folder / "file");
    require(out.native_handle() > 2);
    require(!is_descriptor(0) && !is_descriptor(1) && !is_descriptor(2));
    require((::fcntl(out.native_handle(), F_GETFD) & FD_CLOEXEC) != 0);
    out.write("text");
    require(leat::temporary_file().native_handle() > 2);
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(read_all(folder / "file"), "text");
}
#endif

TEST(streams, leak_no_descriptor) {
  if (under_wine()) GTEST_SKIP() << "Wine does not rename over an open file";
  const temporary_folder folder;
  const auto before = count_open_descriptors();
  for (int i = 0; i != 20; ++i) {
    auto a = leat::create(folder / "a", {.durability = leat::durability::system});
    auto b = leat::append(folder / "a");
    auto c = leat::replace(folder / "a", {.durability = leat::durability::system});
    c.write("x");
    c.close();
    auto d = leat::temporary_file();
    auto e = leat::replace(folder / "e");
    e.discard();
    a = leat::create(folder / "other");
    std::error_code ec;
    EXPECT_FALSE(leat::replace(folder / "no/where", ec).is_open());
    EXPECT_FALSE(
        leat::create(folder / "no/where", {.durability = leat::durability::system}, ec).is_open());
  }
  EXPECT_EQ(count_open_descriptors(), before);
}

#if defined(HAS_POSIX_FILES)
TEST(temporary_file, has_no_name_and_can_be_read) {
  const temporary_folder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  auto out = leat::temporary_file();
  if (before != nullptr)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
  EXPECT_TRUE(folder.names().empty());
  out.print("{} {}", "temporary", 1);
  out.seek(0);
  out.put('T');
  char got[10];
  ASSERT_EQ(out.read(std::span(got)), 10u);
  EXPECT_EQ(std::string(got, 10), "emporary 1");
  EXPECT_EQ(out.size(), 11u);
  const int descriptor = out.native_handle();
  out.close();
  EXPECT_FALSE(is_descriptor(descriptor));
}
#endif

#if defined(HAS_FORK)
TEST(temporary_file, an_empty_tmpdir_is_ignored_and_a_wrong_tmpdir_is_an_error) {
  const auto child = run_in_child([] {
    ::setenv("TMPDIR", "/nonexistent", 1);
    std::error_code ec;
    require(!leat::temporary_file(ec).is_open());
    require(ec == std::errc::no_such_file_or_directory);
    ::setenv("TMPDIR", "", 1);
    require(leat::temporary_file(ec).is_open());
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

}  // namespace
