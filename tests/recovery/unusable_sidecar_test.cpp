// durability::process: sidecars that cannot be used or belong to another file.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/folder.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "recovery/killed_child.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

#if defined(__linux__)
#  include <linux/fs.h>
#  include <sys/ioctl.h>
#  include <sys/syscall.h>
#endif

namespace {

using namespace leat_test;
using leat::durability;

std::error_code error_of_append(const std::string& path) {
  std::error_code ec;
  auto out = leat::append(path, {.durability = durability::process}, ec);
  EXPECT_EQ(out.is_open(), !ec);
  return ec;
}

TEST(process_durability, a_file_that_is_no_sidecar_stays_unchanged) {
  const temporary_folder folder;
  write_file(folder / "log", "old\n");
  write_file(folder / "log.leat", "somebody's notes");
  EXPECT_EQ(error_of_append(folder / "log"), leat::errc::bad_sidecar);
  EXPECT_EQ(read_all(folder / "log.leat"), "somebody's notes");
  std::filesystem::remove(folder / "log.leat");
  std::filesystem::create_directory(folder / "log.leat");
  EXPECT_TRUE(error_of_append(folder / "log"));
  EXPECT_EQ(read_all(folder / "log"), "old\n");
}

/// Makes a file "log" with the pending line "waiting" in its sidecar.
void leave_pending_bytes(const temporary_folder& folder) {
  write_file(folder / "log", "old\n");
  run_killed_child([&] {
    auto out = leat::append(folder / "log", {.durability = durability::process});
    out.print("waiting\n");
    ::raise(SIGKILL);
  });
}

TEST(process_durability, other_files_that_begin_with_zeros_stay_unchanged) {
  for (const std::size_t size : {0u, 1u, 8u, 4096u, 331'776u, 10'000'000u}) {
    const temporary_folder folder;
    std::string notes(size, '\0');
    if (size > 8) notes.back() = '!';
    write_file(folder / "notes", "text\n");
    write_file(folder / "notes.leat", notes);
    std::filesystem::permissions(folder / "notes.leat", std::filesystem::perms(0600));
    std::error_code ec;
    leat::recover(folder / "notes", ec);
    EXPECT_EQ(ec, leat::errc::bad_sidecar) << size;
    EXPECT_FALSE(leat::create(folder / "notes", ec).is_open());
    EXPECT_EQ(ec, leat::errc::bad_sidecar) << size;
    EXPECT_EQ(error_of_append(folder / "notes"), leat::errc::bad_sidecar) << size;
    EXPECT_EQ(read_all(folder / "notes"), "text\n");
    EXPECT_EQ(read_all(folder / "notes.leat"), notes) << size;
  }
}

TEST(process_durability, in_a_leat_folder_no_sidecar_is_created_and_no_file_is_removed) {
  const temporary_folder folder;
  const leat::folder untrusted(folder.path());
  const auto reopening = [&] {
    return leat::append(untrusted.at("log"), {.durability = durability::process, .reopen = true});
  };
  const auto rotating = [&] {
    return leat::rotating(untrusted.at("log"), {.size = 8, .durability = durability::process});
  };
  for (const bool rotates : {false, true}) {
    auto out = rotates ? rotating() : reopening();
    out.println("12345");
    out.println("67890");
    out.flush();
    out.println("abc");
    for (const std::string& name : folder.names()) EXPECT_FALSE(name.ends_with(".leat")) << name;
  }
  EXPECT_EQ(read_all(folder / "log"), "abc\n");
  // Bytes that a killed process has left in the sidecar of a plain path stay pending until a
  // plain path is opened.
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  run_killed_child([&] {
    auto out = leat::rotating(folder / "log", {.size = 8, .durability = durability::process});
    out.println("pending");
    ::raise(SIGKILL);
  });
  auto out = rotating();
  out.println("12345");
  out.println("67890");
  out.close();
  EXPECT_TRUE(std::filesystem::exists(folder / "log.leat"));
  leat::append(folder / "log").close();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"log", "log.1"}));
  EXPECT_EQ(read_all(folder / "log.1") + read_all(folder / "log"), "12345\npending\n67890\n");
}

TEST(process_durability, a_sidecar_stays_in_its_folder_when_the_folder_is_renamed) {
  const temporary_folder folder;
  for (const bool alone : {true, false}) {
    std::filesystem::create_directory(folder / "old");
    auto out = leat::append(folder / "old/log", {.durability = durability::process});
    if (!alone) leat::recover(folder / "old/log");
    out.println("1");
    std::filesystem::rename(folder / "old", folder / "new");
    std::filesystem::create_directory(folder / "old");
    write_file(folder / "old/log.leat", "of somebody else");
    out.println("2");
    EXPECT_TRUE(std::filesystem::exists(folder / "new/log.leat"));
    out.close();
    EXPECT_FALSE(std::filesystem::exists(folder / "new/log.leat"));
    EXPECT_EQ(read_all(folder / "new/log"), "1\n2\n");
    EXPECT_EQ(read_all(folder / "old/log.leat"), "of somebody else");
    std::filesystem::remove_all(folder / "old");
    std::filesystem::remove_all(folder / "new");
  }
}

/// The inode number and the generation of a file. An unknown generation is 0. Returns nothing if
/// the file can't be opened.
std::optional<std::pair<ino_t, int>> identity_of(const std::string& path) {
  struct stat status{};
  int generation = 0;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool known = file >= 0 && ::fstat(file, &status) == 0;
#if defined(__linux__)
  if (known) static_cast<void>(::ioctl(file, FS_IOC_GETVERSION, &generation));
#endif
  if (file >= 0) ::close(file);
  return known ? std::optional(std::pair(status.st_ino, generation)) : std::nullopt;
}

TEST(process_durability, a_new_file_with_the_same_inode_number_is_another_file) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  const auto before = identity_of(folder / "log");
  // Most file systems reuse the inode number immediately, with another generation.
  std::filesystem::remove(folder / "log");
  write_file(folder / "log", "new\n");
  const auto after = identity_of(folder / "log");
  const std::error_code ec = error_of_append(folder / "log");
  if (before && after && *before == *after) GTEST_SKIP() << "this file system shows no difference";
  EXPECT_EQ(ec, leat::errc::foreign_sidecar);
  EXPECT_EQ(read_all(folder / "log"), "new\n");
}

TEST(process_durability, a_damaged_sidecar_is_an_error_and_is_not_removed) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  const std::string good = read_all(folder / "log.leat");
  for (const std::size_t at : {0u, 8u, 12u}) {  // the magic number, the version, the buffer's size
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    write_file(folder / "log.leat", bad);
    EXPECT_EQ(error_of_append(folder / "log"), leat::errc::bad_sidecar) << at;
  }
  write_file(folder / "log.leat", good.substr(0, good.size() - 1));
  EXPECT_EQ(error_of_append(folder / "log"), leat::errc::bad_sidecar);
  write_file(folder / "log.leat", good);
  EXPECT_EQ(leat::recover(folder / "log"), 8u);
  EXPECT_EQ(read_all(folder / "log"), "old\nwaiting\n");
}

#if defined(__linux__)
TEST(process_durability, append_fails_if_the_lock_of_a_writer_cannot_be_tested) {
  constexpr int no_filters = 7;
  const temporary_folder folder;
  leave_pending_bytes(folder);
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_flock};
    if (!refuse_calls(calls, ENOLCK)) ::_exit(no_filters);
    require(error_of_append(folder / "log") == std::errc::no_lock_available);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(leat::recover(folder / "log"), 8u);
}
#endif

TEST(process_durability, the_sidecar_of_another_file_is_an_error) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  std::filesystem::rename(folder / "log", folder / "log.1");
  EXPECT_EQ(error_of_append(folder / "log"), leat::errc::foreign_sidecar);
  std::filesystem::rename(folder / "log.leat", folder / "log.1.leat");
  EXPECT_EQ(leat::recover(folder / "log.1"), 8u) << "the sidecar has moved with its file";
  EXPECT_EQ(read_all(folder / "log.1"), "old\nwaiting\n");
}

TEST(process_durability, a_sidecar_that_another_user_owns_or_may_write_is_refused) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  std::filesystem::permissions(folder / "log.leat", std::filesystem::perms(0666));
  EXPECT_EQ(error_of_append(folder / "log"), leat::errc::bad_sidecar);
  if (::geteuid() == 0) {
    std::filesystem::permissions(folder / "log.leat", std::filesystem::perms(0600));
    ASSERT_EQ(::chown((folder / "log.leat").c_str(), 65534, 65534), 0);
    EXPECT_EQ(error_of_append(folder / "log"), leat::errc::bad_sidecar);
  }
  EXPECT_EQ(read_all(folder / "log"), "old\n");
}

TEST(process_durability, recovery_does_not_overwrite_bytes_that_another_process_has_appended) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  std::ofstream(folder / "log", std::ios::app) << "echo\n";
  EXPECT_EQ(error_of_append(folder / "log"), leat::errc::foreign_sidecar);
  EXPECT_EQ(read_all(folder / "log"), "old\necho\n");
}

TEST(process_durability, bytes_after_those_of_other_processes_are_recovered_once) {
  const temporary_folder folder;
  run_killed_child([&] {
    auto out = leat::append(folder / "log", {.durability = durability::process});
    out.println("1");
    std::ofstream(folder / "log", std::ios::app) << "other\n";
    leat::recover(folder / "log");
    out.println("2");
    ::raise(SIGKILL);
  });
  leat::append(folder / "log").close();
  EXPECT_EQ(read_all(folder / "log"), "other\n1\n2\n");
}

TEST(process_durability, pending_bytes_are_appended_to_a_truncated_file) {
  const temporary_folder folder;
  leave_pending_bytes(folder);
  std::filesystem::resize_file(folder / "log", 0);
  leat::append(folder / "log").close();
  EXPECT_EQ(read_all(folder / "log"), "waiting\n");
}

TEST(process_durability, pending_bytes_from_before_a_reboot_are_reported_as_lost) {
  // After a crash of the system, only a part of the sidecar may be on the disk.
  for (const std::size_t left : {std::size_t{1} << 30, std::size_t{100'000}, std::size_t{4096}}) {
    const temporary_folder folder;
    leave_pending_bytes(folder);
    std::string sidecar = read_all(folder / "log.leat");
    sidecar[16] = sidecar[16] == 'f' ? 'e' : 'f';  // the boot's id
    write_file(folder / "log.leat", sidecar.substr(0, left));
    EXPECT_EQ(leat::open(folder / "log", {.live = true}).read_all(), "old\n");
    loss_recorder losses;
    leat::append(folder / "log").close();
    const auto reported = losses.take();
    ASSERT_EQ(reported.size(), 1u);
    EXPECT_EQ(reported[0].code(), leat::errc::stale_sidecar);
    EXPECT_EQ(reported[0].unwritten(), 8u);
    EXPECT_EQ(read_all(folder / "log"), "old\n");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
  }
}

TEST(process_durability, bytes_that_another_process_has_replayed_are_not_lost) {
  const temporary_folder folder;
  run_killed_child([&] {
    auto out = leat::append(folder / "log", {.durability = durability::process});
    out.println("1");
    leat::recover(folder / "log");
    ::raise(SIGKILL);
  });
  std::string sidecar = read_all(folder / "log.leat");
  sidecar[16] = sidecar[16] == 'f' ? 'e' : 'f';  // the boot's id
  write_file(folder / "log.leat", sidecar);
  loss_recorder losses;
  leat::append(folder / "log").close();
  EXPECT_TRUE(losses.take().empty());
  EXPECT_EQ(read_all(folder / "log"), "1\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
}

}  // namespace
