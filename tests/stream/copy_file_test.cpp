// copy_file(): copies that are refused, and what a copy keeps of its source.
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#if defined(__linux__)
#  include <fcntl.h>
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

namespace {

using namespace leat_test;

#if defined(__linux__)
TEST(copy_file, reports_permissions_that_the_copy_can_not_have) {
  constexpr int no_filters_status = 7;
  const temporary_folder folder;
  write_file(folder / "from", "text");
  const auto child = run_in_child([&] {
    constexpr long calls[] = {SYS_fchmod};
    if (!refuse_calls(calls, EPERM)) ::_exit(no_filters_status);
    std::error_code ec;
    leat::copy_file(folder / "from", folder / "to", ec);
    require(ec == std::errc::operation_not_permitted);
  });
  if (child.code == no_filters_status) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(succeeded(child)) << child.err;
}
#endif

TEST(copy_file, refuses_the_same_file_a_missing_source_and_a_missing_folder) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  std::error_code ec;
  leat::copy_file(folder / "file", folder / "file", ec);
  EXPECT_EQ(ec, leat::errc::same_file);
  EXPECT_THROW(leat::copy_file(folder / "file", folder / "file"), leat::io_error);
  EXPECT_EQ(read_all(folder / "file"), "text");
  leat::copy_file(folder / "none", folder / "to", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  leat::copy_file(folder / "file", folder / "none/to", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(copy_file, checks_the_source_before_it_changes_the_target) {
  const temporary_folder folder;
  write_file(folder / "kept", "kept");
  std::filesystem::create_directory(folder / "folder");
  std::vector<std::string> sources{folder / "none", folder / "folder"};
#if defined(__linux__)
  sources.emplace_back("/proc/self/mem");  // can be opened, but not read
#endif
  for (const auto& source : sources) {
    std::error_code ec;
    EXPECT_EQ(leat::copy_file(source, folder / "kept", ec), 0u) << source;
    EXPECT_TRUE(ec) << source;
    EXPECT_THROW(leat::copy_file(source, folder / "kept"), leat::io_error) << source;
    EXPECT_EQ(read_all(folder / "kept"), "kept") << source;
    leat::copy_file(source, folder / "new", ec);
    EXPECT_FALSE(std::filesystem::exists(folder / "new")) << source;
  }
  try {
    leat::copy_file(folder / "folder", folder / "kept");
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.path(), folder / "folder");
  }
}

#if defined(__linux__)
/// Returns the ranges of a file that have data: for each range, its start and its end.
std::vector<off_t> data_ranges_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  std::vector<off_t> all;
  for (off_t at = 0; (at = ::lseek(file, at, SEEK_DATA)) >= 0;) {
    all.push_back(at);
    at = ::lseek(file, at, SEEK_HOLE);
    all.push_back(at);
  }
  ::close(file);
  return all;
}

TEST(copy_file, keeps_holes_of_sparse_files) {
  const temporary_folder folder;
  constexpr std::uint64_t size = 5'000'000'000;
  // Holes at the start, at the end and between data; data that ends inside a block.
  for (const auto& positions : std::vector<std::vector<std::uint64_t>>{
           {}, {0}, {size - 4}, {1 << 20}, {0, 1 << 20, (1 << 20) + 8192, size - 4}}) {
    {
      auto file = leat::create(folder / "from");
      for (const auto position : positions) {
        file.seek(position);
        file.write("data");
      }
      file.close();
      std::filesystem::resize_file(folder / "from", size);
    }
    std::vector<std::string> targets{folder / "to"};
    // If this system has /dev/shm, also a target on another file system.
    const std::string shared = "/dev/shm/leat-copy-test-" + std::to_string(::getpid());
    if (::access("/dev/shm", W_OK) == 0) targets.push_back(shared);
    for (const auto& to : targets) {
      EXPECT_EQ(leat::copy_file(folder / "from", to), size);
      EXPECT_EQ(std::filesystem::file_size(to), size);
      EXPECT_EQ(data_ranges_of(to), data_ranges_of(folder / "from"))
          << to << ' ' << positions.size();
      auto copy = leat::open(to);
      for (const auto position : positions) {
        copy.seek(position);
        EXPECT_EQ(copy.peek(4), "data");
      }
    }
    ::unlink(shared.c_str());
  }
}
#endif

}  // namespace
