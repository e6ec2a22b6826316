// Space on the disk that is reserved when a file is opened (`preallocate`).
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if defined(HAS_MODE_BITS)
#  include <sys/stat.h>
#endif

namespace {

using namespace leat_test;

#if defined(HAS_MODE_BITS)
std::uint64_t allocated_bytes(const std::string& path) {
  return static_cast<std::uint64_t>(status_of(path).st_blocks) * 512;
}

TEST(preallocate, reserves_space_and_releases_unused_space) {
  const temporary_folder folder;
  constexpr std::uint64_t size = 8 << 20;
  auto out = leat::create(folder / "file", {.preallocate = size});
  EXPECT_EQ(std::filesystem::file_size(folder / "file"), 0U);
  if (allocated_bytes(folder / "file") < size) GTEST_SKIP() << "this file system reserves nothing";
  out.write("a little");
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "a little");
  EXPECT_LT(allocated_bytes(folder / "file"), size / 8);

  leat::create(folder / "discarded", {.preallocate = size}).discard();
  EXPECT_LT(allocated_bytes(folder / "discarded"), size / 8);
}

/// A truncation at close would change the modification time, and could cut off bytes that another
/// program has appended.
TEST(preallocate, does_not_change_a_file_of_the_expected_size) {
  const temporary_folder folder;
  constexpr std::uint64_t size = 8 << 20;
  auto out = leat::create(folder / "file", {.preallocate = size});
  if (allocated_bytes(folder / "file") < size) GTEST_SKIP() << "this file system reserves nothing";
  out.write(std::string(size, 'x'));
  out.flush();
  const timespec times[2] = {{.tv_sec = 1'000, .tv_nsec = 0}, {.tv_sec = 1'000, .tv_nsec = 0}};
  ASSERT_EQ(::futimens(out.native_handle(), times), 0);
  out.close();
  EXPECT_EQ(status_of(folder / "file").st_mtime, 1'000);
}

TEST(preallocate, more_than_the_free_space_fails_at_opening) {
  const temporary_folder folder;
  constexpr std::uint64_t too_much = std::uint64_t{1} << 43;  // ext4 allows a file of this size
  if (std::filesystem::space(folder.path()).available >= too_much) GTEST_SKIP() << "8 TiB are free";
  std::error_code ec;
  auto out = leat::create(folder / "file", {.preallocate = too_much}, ec);
  if (!ec) GTEST_SKIP() << "this file system reserves nothing";
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(allocated_bytes(folder / "file"), 0U) << "the failed call has kept its space";
  static_cast<void>(leat::create(folder / "new", {.preallocate = too_much, .exclusive = true}, ec));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}
#endif

#if defined(HAS_SYSTEM_FILES)
TEST(preallocate, has_no_effect_on_a_device) {
  auto out = leat::create("/dev/null", {.preallocate = 1 << 20});
  out.write("x");
  out.close();
}
#endif

#if defined(HAS_FORK) && defined(HAS_MODE_BITS)
TEST(preallocate, a_forked_child_does_not_release_the_space_of_its_parent) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", {.buffer_size = 10, .preallocate = 1 << 20});
  out.write("the parent's ");
  const std::uint64_t reserved = allocated_bytes(folder / "file");
  const pid_t child = start_child([&] { out.close(); });
  require(wait_for(child) == 0);
  EXPECT_EQ(allocated_bytes(folder / "file"), reserved);
  out.write("bytes");
  out.close();
  EXPECT_EQ(read_all(folder / "file"), "the parent's bytes");
}
#endif

}  // namespace
