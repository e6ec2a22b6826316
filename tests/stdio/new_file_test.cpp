// A stream knows the offset of a file that the stream has just opened. As soon as other code can
// use the descriptor, the stream asks the system for the offset.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cstdio>
#include <string>

#include "support/c_files.hpp"
#include "support/files.hpp"

#ifndef _WIN32
#  include <fcntl.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

TEST(opened_file, a_seek_to_the_end_returns_the_size) {
  const temporary_folder folder;
  const std::string path = folder / "file", text = "0123456789";
  write_file(path, text);
  for (const char* mode : {"r", "r+", "a+"}) {
    const file_ptr f(leat_fopen(path.c_str(), mode));
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(leat_fseek(f.get(), 0, SEEK_END), 0);
    EXPECT_EQ(leat_ftell(f.get()), 10);
    leat_rewind(f.get());
    char bytes[20];
    EXPECT_EQ(leat_fread(bytes, 1, 20, f.get()), 10u);
    EXPECT_EQ(std::string(bytes, 10), text);
    EXPECT_EQ(leat_ftell(f.get()), 10);
  }
}

TEST(opened_file, appends_after_the_bytes_of_other_streams) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "one ");
  const file_ptr a(leat_fopen(path.c_str(), "a")), b(leat_fopen(path.c_str(), "a"));
  EXPECT_EQ(leat_ftell(a.get()), 4);
  leat_fputs("two ", a.get());
  leat_fflush(a.get());
  leat_fputs("three", b.get());
  EXPECT_EQ(leat_ftell(b.get()), 13);
  leat_fflush(b.get());
  EXPECT_EQ(read_all(path), "one two three");
}

#ifndef _WIN32
TEST(opened_file, reads_and_writes_at_the_offset_that_the_program_has_set) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "0123456789");
  const file_ptr f(leat_fopen(path.c_str(), "r+"));
  ASSERT_EQ(::lseek(leat_fileno(f.get()), 4, SEEK_SET), 4);
  EXPECT_EQ(leat_ftell(f.get()), 4);
  EXPECT_EQ(leat_fgetc(f.get()), '4');
  EXPECT_EQ(leat_ftell(f.get()), 5);
  const file_ptr g(leat_fopen(path.c_str(), "r+"));
  ASSERT_EQ(::lseek(leat_fileno(g.get()), 7, SEEK_SET), 7);
  leat_fputs("x", g.get());
  leat_fflush(g.get());
  EXPECT_EQ(read_all(path), "0123456x89");
}

TEST(opened_file, reads_at_the_offset_that_a_forked_child_has_moved) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "0123456789");
  const file_ptr f(leat_fopen(path.c_str(), "r"));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::lseek(leat_fileno(f.get()), 6, SEEK_SET) == 6 ? 0 : 1);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(leat_fgetc(f.get()), '6');
  EXPECT_EQ(leat_ftell(f.get()), 7);
}
#endif

}  // namespace
