// Compiled with -fno-exceptions: what such programs have.
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <string>
#include <system_error>

#include "support/files.hpp"

#if defined(__cpp_exceptions)
#  error "this file has to be compiled with -fno-exceptions"
#endif

namespace {

TEST(without_exceptions, files_are_written_and_errors_returned) {
  const std::string path = testing::TempDir() + "leat-no-exceptions";
  std::error_code ec;
  auto out = leat::create(path, ec);
  ASSERT_FALSE(ec);
  out.print("The answer is {}.\n", 42);
  out.println("{:>6.2f}", 3.14159);
  out.put('x');
  out.write("yz");
  out.patch(0, "t", ec);
  EXPECT_FALSE(ec);
  out.seek(1, ec);
  EXPECT_FALSE(ec);
  out.flush(ec);
  EXPECT_FALSE(ec);
  out.close(ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(leat_test::read_all(path), "the answer is 42.\n  3.14\nxyz");
  ::unlink(path.c_str());
}

TEST(without_exceptions, failures_are_codes) {
  std::error_code ec;
  auto none = leat::create("/nonexistent/file", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(none.is_open());
  none.flush(ec);
  EXPECT_EQ(ec, leat::errc::closed);

  auto full = leat::append("/dev/full", {.buffer_size = 16}, ec);
  ASSERT_FALSE(ec);
  full.print("{}", std::string(100, 'x'));
  full.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(full.lost(), 100u);
  EXPECT_EQ(full.error(), std::errc::no_space_on_device);

  EXPECT_FALSE(leat::replace("/nonexistent/file", ec).is_open());
  EXPECT_TRUE(ec);
  auto nameless = leat::temporary_file(ec);
  EXPECT_FALSE(ec);
  const int descriptor = nameless.release(ec);
  EXPECT_FALSE(ec);
  ::close(descriptor);
}

TEST(without_exceptions, memory_and_formatting_work) {
  char area[8];
  leat::memory_writer fixed{std::span<char>(area)};
  fixed.print("{}", 123456789);
  EXPECT_EQ(fixed.view(), "12345678");
  EXPECT_EQ(fixed.error(), leat::errc::memory_full);
  leat::string_writer text;
  leat::synchronized(static_cast<leat::writer&>(text)).print("{:#x}", 255);
  EXPECT_EQ(text.take(), "0xff");
  EXPECT_EQ(leat::format("{} of {}", 1, 2), "1 of 2");
}

}  // namespace
