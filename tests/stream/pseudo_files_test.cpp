// Files whose reported size is not real: 0 in /proc, and one page for text files in /sys. Also:
// real sizes of empty, sparse and changing files, and of devices.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/follow.hpp>
#include <leat/mapped_file.hpp>
#include <leat/split.hpp>

#if defined(__linux__)

#  include <fcntl.h>
#  include <sys/ioctl.h>
#  include <unistd.h>

#  include <algorithm>
#  include <chrono>
#  include <fstream>
#  include <iterator>
#  include <memory>
#  include <stop_token>
#  include <string>
#  include <thread>
#  include <vector>

#  include "support/files.hpp"

namespace {

using namespace leat_test;
using namespace std::chrono_literals;

std::string read_by_ifstream(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `paths` has files of /proc and /sys whose content does not change. Files that can't be
/// read on this system, and empty files, are left out.
class pseudo_files : public testing::Test {
 protected:
  pseudo_files() {
    for (const char* path : {"/proc/version", "/proc/filesystems", "/proc/self/cmdline",
                             "/sys/kernel/mm/transparent_hugepage/enabled",
                             "/sys/devices/system/cpu/possible", "/sys/kernel/notes"})
      if (::access(path, R_OK) == 0 && !read_by_ifstream(path).empty()) paths.emplace_back(path);
  }
  std::vector<std::string> paths;
};

std::string read_lines_backwards(leat::reader& in) {
  std::vector<std::string> lines;
  for (const auto line : in.lines_backwards()) lines.emplace_back(line);
  std::ranges::reverse(lines);
  std::string all;
  for (const auto& line : lines) all += line + '\n';
  return all;
}

TEST_F(pseudo_files, report_no_size_or_the_exact_size) {
  for (const auto& path : paths) {
    const auto text = read_by_ifstream(path);
    auto in = leat::open(path);
    std::error_code ec;
    const auto size = in.size(ec);
    // The sizes of binary files in /sys are real.
    EXPECT_TRUE(ec == std::errc::operation_not_supported || (!ec && size == text.size())) << path;
    const auto file = leat::file::open(path);
    std::error_code file_error;
    file.size(file_error);
    EXPECT_EQ(file_error, ec) << path;
    EXPECT_EQ(in.read_all(), text) << path;
    EXPECT_EQ(leat::read_file(path), text) << path;
    EXPECT_EQ(std::string(leat::map_file(path).view()), text) << path;
    const temporary_folder folder;
    EXPECT_EQ(leat::copy_file(path, folder / "copy"), text.size()) << path;
    EXPECT_EQ(read_by_ifstream(folder / "copy"), text) << path;
  }
}

TEST_F(pseudo_files, are_read_backwards_without_losing_lines) {
  for (const auto& path : paths) {
    auto text = read_by_ifstream(path);
    if (!text.ends_with('\n')) text += '\n';
    auto in = leat::open(path);
    EXPECT_EQ(read_lines_backwards(in), text) << path;
    in.seek(0);
    EXPECT_EQ(read_lines_backwards(in), text) << path;
    auto tiny_buffer = leat::open(path, {.buffer_size = 3});
    EXPECT_EQ(read_lines_backwards(tiny_buffer), text) << path;
    std::error_code ec;
    auto again = leat::open(path);
    std::size_t count = 0;
    for ([[maybe_unused]] const auto line : again.lines_backwards(ec)) ++count;
    EXPECT_FALSE(ec) << path;
    EXPECT_EQ(count, static_cast<std::size_t>(std::ranges::count(text, '\n'))) << path;
  }
}

TEST_F(pseudo_files, are_split_without_losing_bytes) {
  for (const auto& path : paths) {
    for (const std::size_t parts : {1u, 2u, 100u}) {
      std::string all;
      for (auto& part : leat::split(path, parts)) all += part.read_all();
      EXPECT_EQ(all, read_by_ifstream(path)) << path;
      leat_file* files[100];
      const std::size_t count = leat_split(path.c_str(), parts, nullptr, files);
      all.clear();
      for (std::size_t i = 0; i != count; ++i) {
        for (int c = 0; (c = leat_fgetc(files[i])) != EOF;) all += static_cast<char>(c);
        leat_fclose(files[i]);
      }
      EXPECT_EQ(all, read_by_ifstream(path)) << path;
    }
  }
}

TEST_F(pseudo_files, are_followed_without_reading_bytes_again) {
  for (const auto& path : paths) {
    const auto text = read_by_ifstream(path);
    const auto followed = [&](const leat::follow_options& options) {
      auto in = leat::follow(path, options);
      auto all = in.read_all(1 << 20);
      all += in.read_all(1 << 20);
      return all;
    };
    EXPECT_EQ(followed({.timeout = 0ms}), text) << path;
    EXPECT_EQ(followed({.timeout = 20ms}), text) << path;
    EXPECT_EQ(followed({.last_lines = 0, .timeout = 0ms}), "") << path;
    EXPECT_EQ(followed({.last_lines = 1'000'000, .timeout = 0ms}), text) << path;
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(followed({.timeout = 1h, .stop = stopped.get_token()}), text) << path;
  }
}

#  if defined(__GLIBC__)
TEST_F(pseudo_files, have_the_same_size_in_c_as_in_libc) {
  for (const auto& path : paths) {
    std::FILE* const theirs = std::fopen(path.c_str(), "r");
    leat_file* const ours = leat_fopen(path.c_str(), "r");
    const int expected = std::fseek(theirs, 0, SEEK_END);
    EXPECT_EQ(leat_fseek(ours, 0, SEEK_END), expected) << path;
    if (expected == 0) {
      EXPECT_EQ(leat_ftell(ours), std::ftell(theirs)) << path;
    }
    std::fclose(theirs);
    leat_fclose(ours);
  }
}
#  endif

TEST_F(pseudo_files, are_read_backwards_from_a_position_after_the_end) {
  for (const auto& path : paths) {
    auto in = leat::open(path);
    const std::string expected = read_lines_backwards(in);
    in.seek(1'000'000);
    EXPECT_EQ(read_lines_backwards(in), expected) << path;
  }
}

TEST(sizes, of_empty_and_sparse_files_are_exact) {
  const temporary_folder folder;
  write_file(folder / "file", "");
  EXPECT_EQ(leat::open(folder / "file").size(), 0u);
  EXPECT_EQ(leat::create(folder / "file").tell(), 0u);
  EXPECT_EQ(leat::file::open(folder / "file", leat::mode::update).size(), 0u);
  for (const std::uintmax_t size :
       {std::uintmax_t{1}, std::uintmax_t{4096}, std::uintmax_t{1} << 40}) {
    std::filesystem::resize_file(folder / "file", size);
    EXPECT_EQ(leat::open(folder / "file").size(), size);
    EXPECT_EQ(leat::update(folder / "file").size(), size);
  }
}

TEST(sizes, of_files_that_change_are_current) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "");
  const int file = ::open(path.c_str(), O_RDWR);
  std::jthread changes([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      static_cast<void>(::pwrite(file, "text", 4, 0));
      static_cast<void>(::ftruncate(file, 0));
    }
  });
  const auto in = leat::open(path);
  for (int i = 0; i != 2000; ++i) {
    std::error_code ec;
    const auto size = in.size(ec);
    ASSERT_TRUE(!ec && (size == 0 || size == 4)) << ec.message() << ' ' << size;
  }
  changes = {};
  ::close(file);
}

TEST(sizes, of_block_devices_are_those_of_lseek) {
  std::error_code ec;
  EXPECT_EQ(leat::open("/dev/zero").size(ec), 0u);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    if (!entry.is_block_file(ignored) || ::access(entry.path().c_str(), R_OK) != 0) continue;
    const int disk = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (disk < 0) continue;
    const off_t size = ::lseek(disk, 0, SEEK_END);
    ::close(disk);
    auto in = leat::open(entry.path().string(), ec);
    if (ec) continue;
    EXPECT_EQ(in.size(), static_cast<std::uint64_t>(size)) << entry.path();
    break;
  }
}

}  // namespace

#endif
