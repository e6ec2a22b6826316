// The state of a stream (<stdio_ext.h>).
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(state, fbufsize_returns_the_size_of_the_buffer) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w+");
  EXPECT_GT(leat_fbufsize(f.get()), 1u);
  for (const std::size_t size : {1u, 7u, 100'000u}) {
    EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOFBF, size), 0);
    EXPECT_EQ(leat_fbufsize(f.get()), size);
    leat_fputs("text", f.get());
    EXPECT_EQ(leat_fbufsize(f.get()), size);
  }
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IONBF, 0), 0);
  EXPECT_EQ(leat_fbufsize(f.get()), 1u);
}

TEST(state, fpending_counts_pending_bytes) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w+");
  EXPECT_EQ(leat_fpending(f.get()), 0u);
  leat_fputs("text", f.get());
  EXPECT_EQ(leat_fpending(f.get()), 4u);
  leat_fprintf(f.get(), "%d", 123);
  EXPECT_EQ(leat_fpending(f.get()), 7u);
  leat_fflush(f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u);
  leat_rewind(f.get());
  leat_fgetc(f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u) << "bytes that were read ahead do not count";
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  leat_fputs("more", f.get());
  EXPECT_EQ(leat_fpending(f.get()), 0u);
}

/// Returns "r" if the stream reads, "w" if the stream writes. If the mode allows only reading or
/// only writing, the mode decides; otherwise the last operation decides. Before the first operation
/// of a stream that can read and write, returns "".
std::string direction_of(leat_file* f) {
  std::string direction;
  if (leat_freading(f) != 0) direction += 'r';
  if (leat_fwriting(f) != 0) direction += 'w';
  return direction;
}

TEST(state, the_direction_follows_from_the_mode_and_the_last_operation) {
  const temporary_folder folder;
  std::vector<char> block(100'000);
  // With and without a buffer; fewer bytes than the buffer holds, and more.
  for (const bool buffered : {true, false})
    for (const std::size_t size : {std::size_t{1}, block.size()}) {
      file_ptr f = open_file(folder / "file", "w+");
      if (!buffered) leat_setvbuf(f.get(), nullptr, _IONBF, 0);
      EXPECT_EQ(direction_of(f.get()), "");
      leat_fwrite(block.data(), 1, size, f.get());
      EXPECT_EQ(direction_of(f.get()), "w") << buffered << size;
      leat_rewind(f.get());
      EXPECT_EQ(leat_fread(block.data(), 1, size, f.get()), size);
      EXPECT_EQ(direction_of(f.get()), "r") << buffered << size;
      leat_fseek(f.get(), 0, SEEK_END);
      leat_fputc('x', f.get());
      EXPECT_EQ(direction_of(f.get()), "w") << buffered << size;
      // In modes "r" and "a" the mode decides, even before the first operation.
      f = open_file(folder / "file", "r");
      EXPECT_EQ(direction_of(f.get()), "r");
      f = open_file(folder / "file", "a");
      EXPECT_EQ(direction_of(f.get()), "w");
    }
}

TEST(state, the_direction_of_a_memory_stream_follows_from_the_last_operation) {
  char memory[10] = "text";
  const file_ptr f(leat_fmemopen(memory, sizeof memory, "r+"));
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(direction_of(f.get()), "");
  leat_fgetc(f.get());
  EXPECT_EQ(direction_of(f.get()), "r");
  leat_fseek(f.get(), 0, SEEK_CUR);
  leat_fputc('x', f.get());
  EXPECT_EQ(direction_of(f.get()), "w");
}

TEST(state, freadable_and_fwritable_follow_the_mode) {
  const temporary_folder folder;
  for (const std::string_view mode : {"w", "r", "a", "r+", "w+", "a+"}) {
    const file_ptr f = open_file(folder / "file", mode.data());
    EXPECT_EQ(leat_freadable(f.get()) != 0, mode[0] == 'r' || mode.size() == 2) << mode;
    EXPECT_EQ(leat_fwritable(f.get()) != 0, mode[0] != 'r' || mode.size() == 2) << mode;
  }
}

TEST(state, flushlbf_flushes_all_line_buffered_streams) {
  const temporary_folder folder;
  const file_ptr lines = open_file(folder / "lines", "w"), full = open_file(folder / "full", "w");
  EXPECT_EQ(leat_flbf(lines.get()), 0);
  leat_setlinebuf(lines.get());
  EXPECT_NE(leat_flbf(lines.get()), 0);
  leat_fputs("part", lines.get());
  leat_fputs("part", full.get());
  leat_flushlbf();
  EXPECT_EQ(read_all(folder / "lines"), "part");
  EXPECT_EQ(read_all(folder / "full"), "");
  leat_setvbuf(lines.get(), nullptr, _IOFBF, 100);
  EXPECT_EQ(leat_flbf(lines.get()), 0);
}

TEST(state, purge_drops_bytes_read_ahead_and_pending_bytes) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const file_ptr f = open_file(folder / "file", "r+");
  leat_setvbuf(f.get(), nullptr, _IOFBF, 4);
  EXPECT_EQ(leat_fgetc(f.get()), '0');
  leat_fpurge(f.get());
  EXPECT_EQ(rest_of(f.get()), "456789");
  leat_fseek(f.get(), 0, SEEK_SET);
  leat_fputs("##", f.get());
  leat_fpurge(f.get());
  EXPECT_EQ(leat_ftell(f.get()), 0);
  EXPECT_EQ(rest_of(f.get()), "0123456789");
}

TEST(state, fsetlocking_returns_the_earlier_type) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w");
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 77), 1) << "77 is no type of locking";
  EXPECT_EQ(leat_fsetlocking(f.get(), 2), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 1), 2);
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
}

}  // namespace
