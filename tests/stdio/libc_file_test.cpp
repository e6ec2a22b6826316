// leat_libc_file: a FILE of glibc that reads and writes through a stream of leat.
#include <cstdio>  // defines __GLIBC__

#if defined(__GLIBC__)

#  include <gtest/gtest.h>
#  include <leat/leat.h>

#  include <atomic>
#  include <cerrno>
#  include <chrono>
#  include <string>
#  include <thread>

#  include "support/c_files.hpp"
#  include "support/files.hpp"
#  include "support/process.hpp"

namespace {

using namespace leat_test;

FILE* view_of(leat_file* f) {
  auto* const view = static_cast<FILE*>(leat_libc_file(f));
  EXPECT_NE(view, nullptr);
  return view;
}

TEST(libc_file, bytes_written_through_both_streams_keep_their_order) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w");
  FILE* const view = view_of(f.get());
  EXPECT_EQ(view_of(f.get()), view);
  leat_fputs("1 ", f.get());
  std::fputs("2 ", view);
  leat_fprintf(f.get(), "%d ", 3);
  std::fprintf(view, "%d ", 4);
  std::fputc('5', view);
  leat_fputs(" 6", f.get());
  EXPECT_EQ(read_all(folder / "file"), "") << "the only buffer is leat's";
  EXPECT_EQ(leat_fclose(f.release()), 0);
  EXPECT_EQ(read_all(folder / "file"), "1 2 3 4 5 6");
}

TEST(libc_file, bytes_read_through_both_streams_keep_their_order) {
  const temporary_folder folder;
  write_file(folder / "file", "ab\ncd\nef 17 gh");
  const file_ptr f = open_file(folder / "file", "r");
  FILE* const view = view_of(f.get());
  char line[20];
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  EXPECT_EQ(std::fgetc(view), 'b');
  EXPECT_EQ(leat_fgetc(f.get()), '\n');
  EXPECT_STREQ(std::fgets(line, sizeof line, view), "cd\n");
  EXPECT_EQ(leat_ftell(f.get()), 6);
  EXPECT_EQ(std::ftell(view), 6);
  int number = 0;
  EXPECT_EQ(std::fscanf(view, "ef %d ", &number), 1);
  EXPECT_EQ(number, 17);
  EXPECT_EQ(std::fgetc(view), 'g');
  EXPECT_EQ(rest_of(f.get()), "h");
  EXPECT_EQ(std::fgetc(view), EOF);
  EXPECT_EQ(std::fseek(view, 3, SEEK_SET), 0);
  EXPECT_EQ(leat_fgetc(f.get()), 'c');
  EXPECT_EQ(leat_fseek(f.get(), 1, SEEK_SET), 0);
  EXPECT_EQ(std::fgetc(view), 'b');
}

TEST(libc_file, has_the_mode_of_the_stream_of_leat) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  file_ptr f = open_file(folder / "file", "a");
  EXPECT_GE(std::fputs("+a", view_of(f.get())), 0);
  f = open_file(folder / "file", "r+");
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'o');
  EXPECT_EQ(std::fseek(view_of(f.get()), 0, SEEK_END), 0);
  EXPECT_GE(std::fputs("+u", view_of(f.get())), 0);
  f = open_file(folder / "file", "r");
  EXPECT_EQ(rest_of(f.get()), "old+a+u");
  EXPECT_LT(std::fputs("x", view_of(f.get())), 0);
}

TEST(libc_file, failures_are_reported_by_both_streams) {
  const file_ptr f = open_file("/dev/full", "w");
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  FILE* const view = view_of(f.get());
  errno = 0;
  EXPECT_LT(std::fputs("text", view), 0);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_NE(std::ferror(view), 0);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

TEST(libc_file, leat_rewind_and_leat_clearerr_clear_the_flags_of_the_libc_file) {
  const temporary_folder folder;
  write_file(folder / "file", "ab");
  file_ptr f = open_file(folder / "file", "r");
  while (std::fgetc(view_of(f.get())) != EOF) {
  }
  EXPECT_NE(std::feof(view_of(f.get())), 0);
  leat_rewind(f.get());
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'a');
  EXPECT_LT(std::fputs("x", view_of(f.get())), 0);
  EXPECT_NE(std::ferror(view_of(f.get())), 0);
  leat_clearerr(f.get());
  EXPECT_EQ(std::ferror(view_of(f.get())), 0);
}

TEST(libc_file, flags_are_cleared_only_under_the_lock_of_libc) {
  const temporary_folder folder;
  write_file(folder / "file", "");
  const file_ptr f = open_file(folder / "file", "r");
  FILE* const view = view_of(f.get());
  EXPECT_EQ(std::fgetc(view), EOF);
  leat_rewind(f.get());
  ::flockfile(view);  // as a function of libc does
  std::atomic<bool> started = false;
  std::thread other([&] {
    started = true;
    view_of(f.get());
  });
  while (!started) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(::feof_unlocked(view), 0);
  ::funlockfile(view);
  other.join();
  EXPECT_EQ(std::feof(view), 0);
}

TEST(libc_file, changes_its_mode_when_the_stream_of_leat_is_reopened) {
  const temporary_folder folder;
  write_file(folder / "file", "ab");
  const file_ptr f = open_file(folder / "file", "r");
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'a');
  ASSERT_NE(leat_freopen((folder / "file").c_str(), "w", f.get()), nullptr);
  EXPECT_GE(std::fputs("new", view_of(f.get())), 0);
  EXPECT_EQ(std::fgetc(view_of(f.get())), EOF);
  ASSERT_NE(leat_freopen((folder / "file").c_str(), "r", f.get()), nullptr);
  EXPECT_EQ(std::fgetc(view_of(f.get())), 'n');
}

TEST(libc_file, output_of_both_streams_on_standard_output_keeps_its_order) {
  const auto result = run_in_child(
      [] {
        leat_fputs("1", leat_stdout());
        std::fputs("2", view_of(leat_stdout()));
        leat_fputs("3", leat_stdout());
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "123");
}

}  // namespace

#endif
