// Calls for programs that are compiled with -fno-exceptions and -fno-char8_t. This file has the
// same flags.
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <cstdio>
#include <string>
#include <system_error>

#include "support/files.hpp"
#include "support/platform.hpp"

#if defined(__cpp_exceptions)
#  error "this file has to be compiled with -fno-exceptions"
#endif
#if defined(__cpp_char8_t)
#  error "this file has to be compiled with -fno-char8_t"
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
  std::remove(path.c_str());
}

#if defined(HAS_SYSTEM_FILES) && defined(HAS_POSIX_FILES)
TEST(without_exceptions, failures_are_codes) {
  std::error_code ec;
  auto none = leat::create("/nonexistent/file", ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(none.is_open());
  none.flush(ec);
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory)
      << "the stream keeps the error of the opening";
  const leat::io_error error = leat::last_error();
  EXPECT_EQ(error.path(), "/nonexistent/file");
  EXPECT_EQ(error.operation(), std::string("open"));

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
  nameless.print("{}", 1);
  nameless.seek(0, ec);
  EXPECT_EQ(nameless.get(ec), '1');
}
#endif

TEST(without_exceptions, memory_is_written_and_values_are_formatted) {
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

TEST(without_exceptions, files_are_read) {
  const leat_test::temporary_folder folder;
  std::error_code ec;
  leat::write_file(folder / "file", "one\ntwo\n3 x needle needle", ec);
  ASSERT_FALSE(ec);
  EXPECT_EQ(leat::read_file(folder / "file", ec).size(), 25u);
  EXPECT_FALSE(ec);
  auto file = leat::open(folder / "file", {.buffer_size = 4}, ec);
  ASSERT_FALSE(ec);
  char area[4] = {};
  EXPECT_EQ(file.get(ec), 'o');
  EXPECT_EQ(file.read(std::span(area, 2), ec), 2u);
  file.seek(0, ec);
  file.read_exactly(std::span(area), ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(std::string_view(area, 4), "one\n");
  file.seek_by(-4, ec);
  EXPECT_FALSE(ec);
  std::string line;
  EXPECT_TRUE(file.read_line(line, ec));
  EXPECT_EQ(line, "one");
  for (std::string_view each : file.lines(ec)) {
    EXPECT_EQ(each, "two");
    break;
  }
  EXPECT_EQ(file.parse<int>(ec), 3);
  EXPECT_EQ(file.parse<double>(ec), std::nullopt);
  EXPECT_EQ(ec, leat::errc::not_a_number);
  EXPECT_EQ(file.peek(2, ec), " x");
  EXPECT_FALSE(file.window(ec).empty());
  EXPECT_EQ(file.skip(2, ec), 2u);
  EXPECT_EQ(file.find("needle", ec), 12u);
  int hits = 0;
  for (const std::uint64_t at : file.find_all("needle", ec)) hits += at > 10;
  EXPECT_EQ(hits, 2);
  EXPECT_FALSE(ec);
  EXPECT_EQ(file.size(ec), 25u);
  file.seek(0, ec);
  leat::string_writer copy;
  EXPECT_EQ(leat::copy(file, copy, ec), 25u);
  EXPECT_FALSE(ec);
  file.close(ec);
  EXPECT_FALSE(ec);
}

TEST(without_exceptions, errors_of_reading_are_returned) {
  const leat_test::temporary_folder folder;
  std::error_code ec;
  leat::write_file(folder / "file", "one", ec);
  auto file = leat::open(folder / "file", ec);
  ASSERT_FALSE(ec);
  char area[4] = {};
  file.read_exactly(std::span(area), ec);
  EXPECT_EQ(ec, leat::errc::ended_early);
  file.close(ec);
  EXPECT_EQ(file.get(ec), leat::reader::end_of_file);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(file.release(ec), leat::no_handle);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_FALSE(leat::open("/nonexistent/file", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::read_file("/nonexistent/file", ec), "");
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

}  // namespace
