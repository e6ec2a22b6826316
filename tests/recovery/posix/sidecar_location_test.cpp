// The location of the sidecar of an open file whose name in /proc differs from the file's path.
#if defined(__linux__)  // needs /proc

#  include "recovery/posix/sidecar_file.hpp"

#  include <gtest/gtest.h>

#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include "support/files.hpp"

namespace {

// A former bug: with bindfs, when several processes opened a new file, one process named the
// sidecar "log (deleted).leat", and the lines of this process came after all other lines.
TEST(sidecar_location, is_found_after_the_entry_of_a_hard_link_was_replaced) {
  if (::access("/proc/self/fd", X_OK) != 0) GTEST_SKIP() << "/proc is not available";
  const leat_test::temporary_folder folder;
  const std::string path = folder / "log", other = folder / "other";
  leat_test::write_file(path, "");
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::link(path.c_str(), other.c_str()), 0);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::link(other.c_str(), path.c_str()), 0);
  ASSERT_EQ(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)),
            path + " (deleted)");
  struct stat status{};
  ASSERT_EQ(::fstat(file, &status), 0);
  std::error_code ec;
  const auto location = leat::locate_sidecar(leat::path_ref(path), status, file, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(location.name, "log.leat");
  EXPECT_GE(location.folder.get(), 0);
  ::close(file);
}

}  // namespace

#endif
