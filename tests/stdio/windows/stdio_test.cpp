// C's streams on Windows: modes, descriptors, commands.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <io.h>
#include <leat/file_stream.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(windows_stdio, translates_lines_in_text_mode_only) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const auto& [mode, expected] :
       {std::pair("w", "a\nb\n"), std::pair("wb", "a\nb\n"), std::pair("wt", "a\r\nb\r\n")}) {
    EXPECT_GT(leat_fputs("a\nb\n", open_file(path, mode).get()), 0);
    EXPECT_EQ(read_all(path), expected) << mode;
  }
  EXPECT_EQ(rest_of(open_file(path, "rt").get()), "a\nb\n");
  EXPECT_EQ(rest_of(open_file(path, "r").get()), "a\r\nb\r\n");
  EXPECT_GT(leat_fputs("c\n", open_file(path, "at").get()), 0);
  EXPECT_EQ(read_all(path), "a\r\nb\r\nc\r\n");
}

TEST(windows_stdio, a_reopened_file_begins_at_its_start) {
  const temporary_folder folder;
  write_file(folder / "a", "one\r\ntwo\r\n");
  write_file(folder / "b", "1\r\n2\r\n3\r\n");
  leat_file* const f = leat_fopen((folder / "a").c_str(), "rt");
  ASSERT_NE(f, nullptr);
  char line[8] = {};
  EXPECT_STREQ(leat_fgets(line, sizeof line, f), "one\n");
  EXPECT_EQ(leat_freopen((folder / "b").c_str(), "rt", f), f);
  EXPECT_EQ(rest_of(f), "1\n2\n3\n");
  leat_fclose(f);
}

TEST(windows_stdio, opens_paths_of_utf8_and_refuses_devices) {
  const temporary_folder folder;
  EXPECT_GT(leat_fputs("x", open_file(folder / "\u20ac", "w").get()), 0);
  EXPECT_EQ(leat::read_file(folder / "\u20ac"), "x");
  errno = 0;
  EXPECT_EQ(leat_fopen((folder / "COM1").c_str(), "w"), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_fopen((folder / "none").c_str(), "r"), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(leat_fopen(folder.path().c_str(), "r"), nullptr);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(leat_fopen((folder / "\u20ac").c_str(), "wx"), nullptr);
  EXPECT_EQ(errno, EEXIST);
}

TEST(windows_stdio, sizes_beyond_the_range_of_long_are_printed) {
  constexpr std::size_t size = (std::size_t{1} << 40) + 5;
  constexpr std::ptrdiff_t distance = -(std::ptrdiff_t{1} << 40);
  char text[100];
  leat_snprintf(text, sizeof text, "%zu %zd %td %zx", size, distance, distance, size);
  EXPECT_STREQ(text, "1099511627781 -1099511627776 -1099511627776 10000000005");
  leat_snprintf(text, sizeof text, "%2$s %1$zu", size, "last");
  EXPECT_STREQ(text, "last 1099511627781");
}

TEST(windows_stdio, reads_writes_and_seeks) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w+");
  EXPECT_EQ(leat_fprintf(f.get(), "%ld %lld %zu %5.2f\n", 1L << 30, 1LL << 40, sizeof(long), 2.5),
            33);
  EXPECT_EQ(leat_fseek(f.get(), 11, SEEK_SET), 0);
  EXPECT_EQ(leat_fgetc(f.get()), '1');
  EXPECT_EQ(leat_ftell(f.get()), 12);
  leat_rewind(f.get());
  EXPECT_EQ(rest_of(f.get()), "1073741824 1099511627776 4  2.50\n");
  EXPECT_EQ(leat_fseeko(f.get(), std::int64_t{3} << 30, SEEK_SET), 0);
  EXPECT_EQ(leat_ftell(f.get()), -1) << "a long has 32 bits";
  EXPECT_EQ(errno, EOVERFLOW);
  EXPECT_EQ(leat_ftello(f.get()), std::int64_t{3} << 30);
}

TEST(windows_stdio, shares_descriptors_with_the_c_library) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const int descriptor = ::_open(path.c_str(), _O_RDWR | _O_CREAT | _O_BINARY, 0600);
  ASSERT_GE(descriptor, 0);
  leat_file* const f = leat_fdopen(descriptor, "r+");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_fileno(f), descriptor);
  leat_fputs("by leat, ", f);
  leat_fflush(f);
  EXPECT_EQ(::_write(descriptor, "by C", 4), 4);
  leat_fputs(" and by leat", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(path), "by leat, by C and by leat");
  EXPECT_EQ(::_close(descriptor), -1);
}

TEST(windows_stdio, reopening_keeps_the_number_of_the_descriptor) {
  const temporary_folder folder;
  leat_file* f = leat_fopen((folder / "a").c_str(), "w");
  ASSERT_NE(f, nullptr);
  const int descriptor = leat_fileno(f);
  leat_fputs("first", f);
  f = leat_freopen((folder / "b").c_str(), "w", f);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_fileno(f), descriptor);
  leat_fputs("second", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "a"), "first");
  EXPECT_EQ(read_all(folder / "b"), "second");
}

TEST(windows_stdio, appends_at_the_end_after_a_read) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const file_ptr f = open_file(folder / "file", "a+");
  EXPECT_EQ(leat_fgetc(f.get()), '0');
  leat_fseek(f.get(), 0, SEEK_CUR);
  leat_fputs("end", f.get());
  leat_fflush(f.get());
  EXPECT_EQ(read_all(folder / "file"), "0123456789end");
}

TEST(windows_stdio, runs_commands) {
  leat_file* f = leat_popen("echo out& exit 3", "rt");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(rest_of(f), "out\n");
  EXPECT_EQ(leat_pclose(f), 3);
  const temporary_folder folder;
  const std::string path = folder / "sorted";
  std::string command = "more > \"" + path + "\"";
  for (char& c : command)
    if (c == '/') c = '\\';
  f = leat_popen(command.c_str(), "w");
  ASSERT_NE(f, nullptr);
  leat_fputs("in\n", f);
  EXPECT_EQ(leat_pclose(f), 0);
  EXPECT_EQ(leat_popen("x", "q"), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(windows_stdio, starts_no_command_without_a_descriptor) {
  const temporary_folder folder;
  std::string file = folder / "file";
  for (char& c : file)
    if (c == '/') c = '\\';
  std::vector<int> all;
  for (int one; (one = ::_open("NUL", _O_RDONLY)) >= 0;) all.push_back(one);
  errno = 0;
  EXPECT_EQ(leat_popen(("echo x> \"" + file + "\"").c_str(), "r"), nullptr);
  EXPECT_NE(errno, 0);  // EMFILE; under Wine ENFILE
  for (const int one : all) ::_close(one);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_TRUE(folder.names().empty());
}

TEST(windows_stdio, tmpfile_can_be_written_and_read) {
  const file_ptr f(leat_tmpfile());
  ASSERT_NE(f, nullptr);
  leat_fputs("text", f.get());
  leat_rewind(f.get());
  EXPECT_EQ(rest_of(f.get()), "text");
}

}  // namespace
