// leat::replace: the file has the old content or the new one, never a part. Temporary files of
// killed programs are removed.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "opening/replace_with.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/scripted_device.hpp"

#if defined(__linux__)
#  include <sys/syscall.h>
#  include "support/refusals.hpp"
#endif

namespace {

using namespace leat_test;
using names = std::vector<std::string>;

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(replace, accepts_paths_relative_to_the_current_folder) {
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

TEST(replace, opened_by_a_destructor_during_an_exception_and_not_closed_is_a_loss) {
  loss_recorder losses;
  const temporary_folder folder;
  struct writes_at_its_end {
    std::string path;
    ~writes_at_its_end() { leat::replace(path).write("not closed"); }
  };
  try {
    const writes_at_its_end last{folder / "file"};
    throw std::runtime_error("on its way");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST(replace, a_failure_is_reported_even_if_an_exception_destroys_the_stream) {
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
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].code(), std::errc::no_space_on_device);
}

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
/// Starts a child that replaces a file and pauses before the close. Waits until the child has
/// flushed. Returns the child's process id.
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

TEST(replace, removes_temporary_files_of_killed_programs) {
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
    EXPECT_EQ(folder.names().size(), exists ? 6u : 5u) << "killed programs leave files";
    replace_with(folder / "file", "new");
    EXPECT_EQ(folder.names(), names{"file"});
  }
}

TEST(replace, removes_no_temporary_file_of_a_live_program) {
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
  EXPECT_EQ(folder.names().size(), 2u) << "the file, and the temporary file of the live program";
  ASSERT_EQ(::write(go.writer(), "x", 1), 1);
  EXPECT_EQ(wait_for(live), 0);
  EXPECT_EQ(read_all(folder / "file"), "of the live one");
  EXPECT_EQ(folder.names(), names{"file"});
}

TEST(replace, leaves_links_and_folders_with_temporary_names_unchanged) {
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

// A process takes names of temporary files that another process has just released, while the
// cleanup of the other process looks at these names.
TEST(replace, many_processes_can_replace_one_file_at_once) {
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
TEST(replace, a_failed_stream_does_not_replace_the_file) {
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

TEST(replace, reports_a_failed_rename) {
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

#if defined(HAS_SYSTEM_FILES) && defined(HAS_MODE_BITS) && defined(HAS_POSIX_FILES)
TEST(replace, refuses_files_that_are_not_regular) {
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

#if !defined(_WIN32)  // Windows counts names in UTF-16
TEST(replace, accepts_the_longest_names) {
  const temporary_folder folder;
  std::string accents;
  while (accents.size() < 254) accents += "é";
  for (const std::string& name : {std::string(255, 'x'), "x" + accents, accents}) {
    auto out = leat::replace(folder / name);
    for (const auto& other : folder.names()) {
      // A temporary name must not be cut inside a character: some file systems refuse invalid
      // UTF-8.
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

TEST(replace, shows_readers_the_old_or_the_new_content) {
  if (under_wine()) GTEST_SKIP() << "Wine does not rename over an open file";
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
TEST(replace, a_failed_sync_of_the_folder_is_reported) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    auto out = leat::replace(folder / "file", {.durability = leat::durability::system});
    out.write("new");
    require(refuse_calls({SYS_fsync}, EIO));  // fails for the folder; fdatasync syncs the file
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
TEST(replace, close_reports_that_no_descriptor_is_left) {
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

TEST(replace, many_threads_at_once_leave_the_whole_content_of_one_thread) {
  if (under_wine()) GTEST_SKIP() << "Wine does not rename over an open file";
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

}  // namespace
