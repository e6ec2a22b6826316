#if defined(__linux__)

#  include "device/sidecar.hpp"

#  include <gtest/gtest.h>

#  include <csignal>
#  include <string_view>
#  include <system_error>

#  include "device/open.hpp"
#  include "device/options.hpp"
#  include "support/files.hpp"
#  include "support/process.hpp"

namespace {

using namespace leat_test;

// Another process puts there what waits, as far as there is space, and appends more without a
// sidecar.
TEST(sidecar, puts_no_byte_twice_where_there_was_no_space_for_all) {
  const temporary_folder folder;
  const std::string path = folder / "log";
  std::error_code ec;
  const auto file = leat::files::open_appending(path, {}, ec);
  ASSERT_NE(file, nullptr);
  auto own = leat::sidecar::open(leat::path_ref(path), *file);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->put("1\n2\n3\n"), leat::sidecar::result::taken);

  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  limit_resource(RLIMIT_FSIZE, 4);
  leat::settle_sidecar(leat::path_ref(path), file->native_handle(), leat::settling::replay, ec);
  limit_resource(RLIMIT_FSIZE, RLIM_INFINITY);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(ec, std::errc::file_too_large);
  EXPECT_EQ(read_all(path), "1\n2\n");
  write_file(path, "1\n2\nof the other one\n");

  EXPECT_EQ(own->put("4\n"), leat::sidecar::result::shared);
  EXPECT_EQ(own->withdraw(ec), std::string_view("1\n2\n3\n").size());
  EXPECT_FALSE(ec);
  EXPECT_EQ(read_all(path), "1\n2\nof the other one\n3\n");
}

}  // namespace

#endif
