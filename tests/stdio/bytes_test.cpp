// Reads and writes of bytes, lines and ints (putw, getw); buffers and memory streams.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/sanitizer.hpp"

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

TEST(file, at_most_sixty_four_bytes_are_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(10000));
  const file_ptr f = open_file(folder / "file", "r");
  EXPECT_EQ(leat_fseek(f.get(), 100, SEEK_SET), 0);
  for (int i = 0; i != 64; ++i) EXPECT_EQ(leat_ungetc('A' + i % 26, f.get()), 'A' + i % 26);
  EXPECT_EQ(leat_ungetc('x', f.get()), EOF);
  EXPECT_EQ(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_ftell(f.get()), 36);
  for (int i = 63; i >= 0; --i) EXPECT_EQ(leat_fgetc(f.get()), 'A' + i % 26);
  EXPECT_EQ(leat_ftell(f.get()), 100);
  EXPECT_EQ(leat_fgetc(f.get()), numbered_text(10000)[100]);
}

TEST(file, unlocked_functions_have_the_results_of_functions_that_lock) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w+");
  EXPECT_EQ(leat_fputc_unlocked('a', f.get()), 'a');
  EXPECT_GE(leat_fputs_unlocked("bc\n", f.get()), 0);
  EXPECT_EQ(leat_fwrite_unlocked("defg", 2, 2, f.get()), 2u);
  EXPECT_EQ(leat_fflush_unlocked(f.get()), 0);
  leat_rewind(f.get());
  char line[10];
  EXPECT_STREQ(leat_fgets_unlocked(line, sizeof line, f.get()), "abc\n");
  EXPECT_EQ(leat_fgetc_unlocked(f.get()), 'd');
  EXPECT_EQ(leat_fread_unlocked(line, 1, sizeof line, f.get()), 3u);
  EXPECT_NE(leat_feof_unlocked(f.get()), 0);
  EXPECT_EQ(leat_ferror_unlocked(f.get()), 0);
  leat_clearerr_unlocked(f.get());
  EXPECT_EQ(leat_feof_unlocked(f.get()), 0);
  EXPECT_EQ(leat_fileno_unlocked(f.get()), leat_fileno(f.get()));
}

TEST(file, getline_returns_lines_of_any_length) {
  const temporary_folder folder;
  const std::string longest(200000, 'x');
  write_file(folder / "file", "short\n\n" + longest + "\nno newline");
  const file_ptr f = open_file(folder / "file", "r");
  char* line = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 6);
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 1);
  EXPECT_STREQ(line, "\n");
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 200001);
  EXPECT_EQ(line, longest + "\n");
  EXPECT_GT(size, 200001u);
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 10);
  EXPECT_EQ(leat_getline(&line, &size, f.get()), -1);
  std::free(line);
  EXPECT_EQ(leat_getline(nullptr, &size, f.get()), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(file, getw_returns_the_number_that_putw_has_written) {
  const temporary_folder folder;
  const file_ptr f = open_file(folder / "file", "w+");
  EXPECT_EQ(leat_putw(-7, f.get()), 0);
  leat_rewind(f.get());
  EXPECT_EQ(leat_getw(f.get()), -7);
  EXPECT_EQ(leat_getw(f.get()), EOF);
  EXPECT_NE(leat_feof(f.get()), 0);
}

TEST(file, bytes_can_be_pushed_back_to_memory_streams) {
  char memory[] = "text";
  leat_file* f = leat_fmemopen(memory, 4, "r");
  EXPECT_EQ(leat_fgetc(f), 't');
  EXPECT_EQ(leat_ungetc('T', f), 'T');
  EXPECT_EQ(rest_of(f), "Text");
  EXPECT_STREQ(memory, "text");
  EXPECT_EQ(leat_fileno(f), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(leat_fclose(f), 0);
  f = leat_fmemopen(nullptr, 10, "w+");
  EXPECT_GE(leat_fputs("own memory", f), 0);
  leat_rewind(f);
  EXPECT_EQ(rest_of(f), "own memory");
  const temporary_folder folder;
  EXPECT_EQ(leat_freopen((folder / "file").c_str(), "w", f), f);
  leat_fputs("file", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "file");
}

TEST(file, setvbuf_sets_each_kind_of_buffer) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  file_ptr f = open_file(path, "w");
  char memory[16];
  EXPECT_EQ(leat_setvbuf(f.get(), memory, _IOFBF, sizeof memory), 0);
  EXPECT_EQ(leat_fbufsize(f.get()), sizeof memory);
  leat_fputs("0123456789", f.get());
  EXPECT_EQ(leat_fpending(f.get()), 10u);
  EXPECT_EQ(read_all(path), "");
  leat_fputs("0123456789", f.get());
  EXPECT_EQ(read_all(path), "0123456789012345");
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOLBF, 0), 0);
  EXPECT_NE(leat_flbf(f.get()), 0);
  EXPECT_EQ(read_all(path), "01234567890123456789") << "pending bytes are not lost";
  leat_fputs("\nline\npart", f.get());
  EXPECT_EQ(read_all(path), "01234567890123456789\nline\n");
  leat_flushlbf();
  EXPECT_EQ(leat_fpending(f.get()), 0u);
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IONBF, 0), 0);
  std::memset(memory, '#', sizeof memory);
  leat_fputc('!', f.get());
  EXPECT_EQ(read_all(path), "01234567890123456789\nline\npart!");
  errno = 0;
  EXPECT_NE(leat_setvbuf(f.get(), nullptr, 77, 10), 0);
  EXPECT_EQ(errno, EINVAL);
}

TEST(file, setvbuf_refuses_a_buffer_larger_than_the_memory) {
  if (under_asan || under_tsan) GTEST_SKIP() << "the sanitizers end the program at such a size";
  const temporary_folder folder;
  const std::string path = folder / "file";
  file_ptr f = open_file(path, "w");
  for (const std::size_t size : {SIZE_MAX, std::size_t{1} << 46}) {
    EXPECT_NE(leat_setvbuf(f.get(), nullptr, _IOFBF, size), 0);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_GE(leat_fputs("abc", f.get()), 0);
    EXPECT_EQ(leat_fpending(f.get()), 3u) << "the buffer stays";
    EXPECT_EQ(leat_fflush(f.get()), 0);
  }
  f.reset();
  EXPECT_EQ(read_all(path), "abcabc");
}

TEST(file, purge_drops_pending_bytes) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w");
  leat_fputs("kept", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  leat_fputs("dropped", f.get());
  leat_fpurge(f.get());
  leat_fputs(" too", f.get());
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), "kept too");
}

TEST(file, flushing_all_writes_each_stream) {
  const temporary_folder folder;
  const file_ptr a = open_file(folder / "a", "w"), b = open_file(folder / "b", "w");
  leat_fputs("a", a.get());
  leat_fputs("b", b.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(read_all(folder / "a") + read_all(folder / "b"), "ab");
}

TEST(file, freadable_and_fwritable_follow_the_mode) {
  const temporary_folder folder;
  const file_ptr w = open_file(folder / "file", "w"), r = open_file(folder / "file", "r"),
                 both = open_file(folder / "file", "r+");
  EXPECT_TRUE(!leat_freadable(w.get()) && leat_fwritable(w.get()));
  EXPECT_TRUE(leat_freadable(r.get()) && !leat_fwritable(r.get()));
  EXPECT_TRUE(leat_freadable(both.get()) && leat_fwritable(both.get()));
  EXPECT_TRUE(leat_fwriting(w.get()) && leat_freading(r.get()));
  leat_fputc('x', both.get());
  EXPECT_TRUE(leat_fwriting(both.get()) && !leat_freading(both.get()));
}

#if defined(HAS_POSIX_FILES)
/// A pipe that contains a text. Both ends are non-blocking. The test closes both ends.
struct filled_pipe {
  int ends[2]{};
  explicit filled_pipe(std::string_view text) {
    open_pipe(ends, O_NONBLOCK);
    add(text);
  }
  void add(std::string_view text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
};

TEST(file, setvbuf_loses_no_buffered_bytes) {
  const filled_pipe pipe("abcdefgh");
  const file_ptr f(leat_fdopen(pipe.ends[0], "r"));
  auto memory = std::make_unique<char[]>(64);
  EXPECT_EQ(leat_setvbuf(f.get(), memory.get(), _IOFBF, 64), 0);
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  EXPECT_EQ(leat_ungetc('a', f.get()), 'a');
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IONBF, 0), 0);
  memory.reset();
  ::close(pipe.ends[1]);
  EXPECT_EQ(rest_of(f.get()), "bcdefgh");
}

TEST(file, a_part_of_a_line_is_returned_if_a_pipe_has_no_more_bytes) {
  const filled_pipe pipe("abc");
  const file_ptr f(leat_fdopen(pipe.ends[0], "r"));
  char* line = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 3);
  EXPECT_STREQ(line, "abc");
  leat_clearerr(f.get());
  pipe.add("def\n");
  EXPECT_EQ(leat_getline(&line, &size, f.get()), 4);
  EXPECT_STREQ(line, "def\n");
  std::free(line);
  ::close(pipe.ends[1]);
}

TEST(file, fwrite_counts_the_written_bytes_of_a_line_that_a_failure_cuts_off) {
  const filled_pipe pipe("");
  const file_ptr f(leat_fdopen(pipe.ends[1], "w"));
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOLBF, 1024), 0);
  const std::string line = std::string(300000, 'a') + '\n';
  const std::size_t taken = leat_fwrite(line.data(), 1, line.size(), f.get());
  std::string got(line.size(), '\0');
  EXPECT_EQ(::read(pipe.ends[0], got.data(), got.size()), static_cast<ssize_t>(taken));
  EXPECT_GT(taken, 0U);
  ::close(pipe.ends[0]);
}
#endif

TEST(file, memory_without_room_for_the_nul_is_refused) {
  EXPECT_EQ(leat_fmemopen(nullptr, SIZE_MAX, "w+"), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(file, flushing_all_updates_pointers_to_the_memory) {
  char* memory = nullptr;
  std::size_t size = 0;
  file_ptr f(leat_open_memstream(&memory, &size));
  leat_fputs("abc", f.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(std::string_view(memory, size), "abc");
  leat_fputs("def", f.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(std::string_view(memory, size), "abcdef");
  f.reset();
  std::free(memory);
}

TEST(file, memory_that_grows_is_overwritten_and_read) {
  char* memory = nullptr;
  std::size_t size = 0;
  file_ptr f(leat_open_memstream(&memory, &size));
  leat_fputs("hello", f.get());
  leat_rewind(f.get());
  leat_fputs("hi", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_STREQ(memory, "hillo") << "POSIX: before a close, the NUL is after the longest text";
  f.reset();
  EXPECT_EQ(size, 2u);
  EXPECT_STREQ(memory, "hi");
  std::free(memory);

  f.reset(leat_open_memstream(&memory, &size));
  leat_fputs("hello", f.get());
  leat_rewind(f.get());
  EXPECT_EQ(leat_fgetc(f.get()), 'h');
  EXPECT_EQ(leat_ftell(f.get()), 1);
  EXPECT_EQ(rest_of(f.get()), "ello");
  leat_fputs(" world", f.get());
  f.reset();
  EXPECT_EQ(std::string_view(memory, size), "hello world");
  std::free(memory);

  wchar_t* wide = nullptr;
  f.reset(leat_open_wmemstream(&wide, &size));
  leat_fputws(L"hello", f.get());
  leat_fseek(f.get(), 1, SEEK_SET);
  f.reset();
  EXPECT_EQ(size, 1u);
  EXPECT_TRUE(std::wstring_view(wide) == L"h");
  std::free(wide);
}

TEST(file, getdelim_allocates_memory_even_for_an_empty_file) {
  const temporary_folder folder;
  for (const int delimiter : {'\n', ';'}) {
    const file_ptr f = open_file(folder / "empty", "w+");
    char* line = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(leat_getdelim(&line, &size, delimiter, f.get()), -1);
    ASSERT_NE(line, nullptr);
    EXPECT_EQ(line[0], '\0');
    EXPECT_NE(size, 0u);
    EXPECT_EQ(leat_getline(&line, &size, f.get()), -1);
    EXPECT_FALSE(leat_ferror(f.get()));
    std::free(line);
  }
}

}  // namespace
