// The system calls of logs: failed locks, and the path of an open file that was deleted.
#include "logs/log_system.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "support/files.hpp"

namespace {

TEST(log_system, a_failed_lock_is_an_error) {
  std::error_code ec;
  EXPECT_FALSE(leat::try_lock_log(leat::no_handle, ec));
  EXPECT_EQ(ec, std::errc::bad_file_descriptor);
}

#if defined(__linux__)
TEST(log_system, the_path_of_an_open_deleted_file_stays_below_proc) {
  const leat_test::temporary_folder folder;
  const std::string path = folder / "log";
  leat_test::write_file(path, "");
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  leat_test::write_file(path + " (deleted)", "another");
  const std::string name = "/fd/" + std::to_string(file);
  std::error_code ec;
  const std::string found = leat::absolute_log_path("/proc/self" + name, ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(found.starts_with("/proc/") && found.ends_with(name)) << found;
  ::close(file);
}
#endif

}  // namespace
