// Streams over functions of the program; how often a stream calls the functions, and which calls do
// not move a descriptor's offset.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "stdio/counted_file.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"

#if !defined(_WIN32)
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

TEST(file, fopencookie_calls_all_functions_of_the_program) {
  counted_file file{.content = "some text"};
  leat_file* const f = file.open("r+");
  ASSERT_NE(f, nullptr);
  char word[4];
  EXPECT_EQ(leat_fread(word, 1, 4, f), 4u);
  EXPECT_EQ(std::string_view(word, 4), "some");
  EXPECT_EQ(leat_fseek(f, 0, SEEK_END), 0);
  EXPECT_EQ(leat_ftell(f), 9);
  leat_fputs(" more", f);
  EXPECT_EQ(file.writes, 0);
  EXPECT_EQ(leat_fseek(f, 5, SEEK_SET), 0);
  EXPECT_EQ(file.writes, 1);
  EXPECT_EQ(rest_of(f), "text more");
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.closes, 1);
  EXPECT_EQ(file.content, "some text more");
}

TEST(file, a_stream_without_functions_neither_reads_nor_writes) {
  leat_file* const f = leat_fopencookie(nullptr, "r+", {});
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_fgetc(f), EOF);
  EXPECT_NE(leat_feof(f), 0);
  EXPECT_EQ(leat_ferror(f), 0);
  errno = 0;
  EXPECT_EQ(leat_fseek(f, 0, SEEK_SET), -1);
  EXPECT_EQ(errno, ESPIPE);
  EXPECT_EQ(leat_setvbuf(f, nullptr, _IONBF, 0), 0);
  EXPECT_EQ(leat_fputc('x', f), EOF);
  EXPECT_NE(leat_ferror(f), 0);
  EXPECT_EQ(leat_fclose(f), 0);
}

TEST(file, functions_that_append_write_at_the_end) {
  counted_file file{.content = "text"};
  leat_file* const f = file.open("a");
  leat_fputs(" more", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, "text more");
}

TEST(file, a_failed_seek_from_the_end_leaves_the_position) {
  counted_file file{.content = "text"};
  leat_file* const f = file.open("r");
  EXPECT_EQ(leat_fseek(f, -5, SEEK_END), -1);
  EXPECT_EQ(leat_ftell(f), 0);
  EXPECT_EQ(leat_fgetc(f), 't');
  EXPECT_EQ(leat_fclose(f), 0);
}

TEST(file, functions_that_append_read_from_the_start_and_write_at_the_end) {
  counted_file file{.content = "text"};
  leat_file* const f = file.open("a+");
  EXPECT_EQ(leat_fgetc(f), 't');
  EXPECT_EQ(leat_fseek(f, 0, SEEK_CUR), 0);
  EXPECT_GE(leat_fputs(" more", f), 0);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, "text more");
}

TEST(file, functions_that_append_need_no_seek_function) {
  counted_file file{.content = "text"};
  leat_file* const f = leat_fopencookie(&file, "a",
                                        {.read = nullptr,
                                         .write = counted_file::write,
                                         .seek = [](void*, leat_off_t*, int) { return -1; },
                                         .close = nullptr});
  leat_setvbuf(f, nullptr, _IONBF, 0);
  EXPECT_GE(leat_fputs("more", f), 0);
  EXPECT_EQ(leat_ferror(f), 0);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.writes, 1);
}

/// Functions that return `result`. If `error` is not 0, the functions set errno to `error`. The
/// stream is unbuffered.
struct failing_functions {
  int error;
  int result;
  static int call(void* cookie) {
    const auto& self = *static_cast<failing_functions*>(cookie);
    if (self.error != 0) errno = self.error;
    return self.result;
  }
  leat_file* open(const char* mode) {
    leat_cookie_functions functions{};
    functions.read = [](void* cookie, char*, std::size_t) -> ssize_t { return call(cookie); };
    functions.write = [](void* cookie, const char*, std::size_t) -> ssize_t {
      return call(cookie);
    };
    functions.seek = [](void* cookie, leat_off_t*, int) { return call(cookie); };
    functions.close = call;
    leat_file* const f = leat_fopencookie(this, mode, functions);
    leat_setvbuf(f, nullptr, _IONBF, 0);
    return f;
  }
};

/// Sets errno to ENOENT, makes the call, and returns the new errno. Expects that the call returns
/// -1.
template <class Call>
int error_of(const Call& call) {
  errno = ENOENT;
  EXPECT_EQ(call(), -1);
  return errno;
}

TEST(file, an_error_of_a_function_of_the_program_is_reported) {
  for (const int error : {0, ENOSPC}) {
    failing_functions cookie{.error = error, .result = -1};
    const int expected = error != 0 ? error : EIO;
    leat_file* const in = cookie.open("r");
    EXPECT_EQ(error_of([&] { return leat_fgetc(in); }), expected);
    EXPECT_EQ(error_of([&] { return leat_fseek(in, 1, SEEK_SET); }), expected);
    EXPECT_EQ(error_of([&] { return leat_fclose(in); }), expected);
    leat_file* const out = cookie.open("w");
    EXPECT_EQ(error_of([&] { return leat_fputc('a', out); }), expected);
    cookie.result = 0;  // the result of a failed write in the manual of fopencookie
    EXPECT_EQ(error_of([&] { return leat_fputc('a', out); }), expected);
    EXPECT_EQ(leat_fclose(out), 0);
  }
}

TEST(file, an_impossible_position_from_a_seek_function_is_an_error) {
  counted_file file{.content = "text"};
  const auto seek = [](void*, leat_off_t* offset, int) { return *offset = -1, 0; };
  leat_file* const f = leat_fopencookie(
      &file, "r", {.read = counted_file::read, .write = nullptr, .seek = seek, .close = nullptr});
  EXPECT_EQ(error_of([&] { return leat_fseek(f, 1, SEEK_SET); }), EIO);
  leat_fclose(f);
}

TEST(file, an_impossible_count_from_a_function_is_an_error) {
  failing_functions cookie{.error = 0, .result = 1'000'000};
  leat_file* const in = cookie.open("r");
  EXPECT_EQ(error_of([&] { return leat_fgetc(in); }), EIO);
  leat_file* const out = cookie.open("w");
  EXPECT_EQ(error_of([&] { return leat_fputc('a', out); }), EIO);
  cookie.result = 0;
  EXPECT_EQ(leat_fclose(in), 0);
  EXPECT_EQ(leat_fclose(out), 0);
}

TEST(file, full_buffers_are_written_by_one_write_each) {
  counted_file file;
  leat_file* const f = file.open("w");
  EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 4096), 0);
  for (int i = 0; i != 1000; ++i) leat_fputs("0123456789", f);
  EXPECT_EQ(file.sizes, (std::vector<std::size_t>{4096, 4096}));
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(file.sizes.back(), 10000u - 8192);
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.writes, 3);
  EXPECT_EQ(file.seeks, 0);
}

TEST(file, lines_that_one_call_ends_are_written_by_one_write) {
  counted_file file;
  const file_ptr f(file.open("w"));
  leat_setlinebuf(f.get());
  leat_fputs("a ", f.get());
  leat_fputs("line\n", f.get());
  leat_fputs("two\nlines\nand", f.get());
  EXPECT_EQ(file.sizes, (std::vector<std::size_t>{7, 10}));
}

#if defined(HAS_SYSTEM_FILES)
TEST(file, seeks_to_the_end_of_a_device_succeed) {
  const file_ptr f = open_file("/dev/null", "r");
  errno = EIO;  // from an earlier call
  EXPECT_EQ(leat_fseek(f.get(), 0, SEEK_END), 0);
  EXPECT_EQ(leat_ftell(f.get()), 0);
}
#endif

#if defined(HAS_POSIX_FILES)
/// A read outside the buffer does not move the descriptor's offset.
TEST(file, seeks_do_not_move_the_offset_of_the_descriptor) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(100000));
  const std::string text = numbered_text(100000);
  const file_ptr f = open_file(folder / "file", "r");
  const auto offset = [&] { return ::lseek(leat_fileno(f.get()), 0, SEEK_CUR); };
  EXPECT_EQ(leat_fgetc(f.get()), text[0]);
  const off_t buffered = offset();
  EXPECT_GT(buffered, 1000);
  // A position in the buffer needs no read. For other positions, leat calls pread.
  for (const long at : {900, 3, 500, 50000, 20000}) {
    EXPECT_EQ(leat_fseek(f.get(), at, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f.get()), text[static_cast<std::size_t>(at)]);
    EXPECT_EQ(offset(), buffered);
  }
}

TEST(file, unbuffered_reads_after_a_seek_do_not_move_the_offset_of_the_descriptor) {
  const temporary_folder folder;
  const std::string text = numbered_text(100000);
  write_file(folder / "file", text);
  const file_ptr f = open_file(folder / "file", "r");
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  char block[100];
  EXPECT_EQ(leat_fread(block, 1, sizeof block, f.get()), sizeof block);
  for (const long at : {90000, 3, 500}) {
    EXPECT_EQ(leat_fseek(f.get(), at, SEEK_SET), 0);
    EXPECT_EQ(leat_fread(block, 1, sizeof block, f.get()), sizeof block);
    EXPECT_EQ(std::string_view(block, sizeof block),
              std::string_view(text).substr(static_cast<std::size_t>(at), sizeof block));
    EXPECT_EQ(::lseek(leat_fileno(f.get()), 0, SEEK_CUR), 100);
  }
}

TEST(file, seeks_within_a_buffer_of_functions_do_not_read_again) {
  counted_file file{.content = numbered_text(4000)};
  const file_ptr f(file.open("r"));
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOFBF, 4096), 0);
  for (const long at : {10, 3000, 0, 3999}) {
    EXPECT_EQ(leat_fseek(f.get(), at, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f.get()), file.content[static_cast<std::size_t>(at)]);
  }
  EXPECT_LE(file.reads, 2);
}
#endif

}  // namespace
