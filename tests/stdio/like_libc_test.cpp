// Rarely used behaviour that leat has in common with glibc: orientation, offsets of shared
// descriptors, limits of printf, streams that are closed twice.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "stdio/standard.hpp"
#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if defined(HAS_POSIX_FILES)
#  include <sys/socket.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

TEST(like_libc, printing_an_empty_text_to_a_stream_for_reading_fails) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  char memory[] = "text";
  for (leat_file* const f :
       {leat_fopen((folder / "file").c_str(), "r"), leat_fmemopen(memory, 4, "r")}) {
    for (const bool wide : {false, true}) {
      errno = 0;
      EXPECT_EQ(wide ? leat_fwprintf(f, L"%s", "") : leat_fprintf(f, "%s", ""), -1);
      EXPECT_EQ(errno, EBADF);
      EXPECT_NE(leat_ferror(f), 0);
      leat_clearerr(f);
      EXPECT_EQ(leat_fprintf(f, "%.0Lf%s", 1.0L, ""), -1);
      EXPECT_EQ(leat_fprintf(f, "%.*Lf", -1, 1.0L), -1);
      EXPECT_EQ(leat_fprintf(f, "%.0ls", L""), -1);
      leat_clearerr(f);
      EXPECT_GE(leat_fputs("", f), 0) << "as in glibc";
    }
    EXPECT_EQ(leat_fclose(f), 0);
  }
}

#if defined(HAS_POSIX_FILES)
TEST(like_libc, dprintf_of_an_empty_text_makes_no_write) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
  EXPECT_EQ(leat_dprintf(sockets[1], "%s", ""), 0);
  char datagram[8];
  errno = 0;
  EXPECT_EQ(::recv(sockets[0], datagram, sizeof datagram, MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(leat_dprintf(sockets[1], "%s", "ab"), 2);
  EXPECT_EQ(::recv(sockets[0], datagram, sizeof datagram, MSG_DONTWAIT), 2);
  for (const int socket : sockets) ::close(socket);
}
#endif

TEST(like_libc, a_null_path_fails_with_efault) {
  const char* volatile none = nullptr;
  for (const auto open : {+[](const char* path) { return leat_fopen(path, "r"); },
                          +[](const char* path) { return leat_open(path, "r", nullptr); }}) {
    errno = 0;
    EXPECT_EQ(open(none), nullptr);
    EXPECT_EQ(errno, EFAULT);
  }
  errno = 0;
  leat_file* parts[2];
  EXPECT_EQ(leat_split(none, 2, nullptr, parts), 0u);
  EXPECT_EQ(errno, EFAULT);
  errno = 0;
  EXPECT_EQ(leat_recover(none), -1);
  EXPECT_EQ(errno, EFAULT);
}

// --- orientation ---------------------------------------------------------------------------------

#if defined(HAS_SHELL)
TEST(like_libc, streams_of_popen_are_byte_oriented) {
  leat_file* const f = leat_popen("exit 0", "r");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(leat_fwide(f, 0), -1);
  leat_pclose(f);
}
#endif

TEST(like_libc, streams_of_memory_and_functions_are_byte_oriented) {
  char* memory = nullptr;
  std::size_t size = 0;
  char array[8];
  for (leat_file* const f :
       {leat_open_memstream(&memory, &size), leat_fmemopen(array, sizeof array, "w"),
        leat_fopencookie(nullptr, "r", {})}) {
    EXPECT_EQ(leat_fwide(f, 1), -1);
    leat_fclose(f);
  }
  std::free(memory);
}

#if defined(HAS_FORK)
TEST(like_libc, perror_sets_no_orientation) {
  const child_result result = run_in_child([] {
    leat_perror("text");
    require(leat_fwide(leat_stderr(), 0) == 0);
    require(leat_fwide(leat_stderr(), 1) == 1);
    leat_perror("text");
    require(leat_fwide(leat_stderr(), 0) == 1);
  });
  EXPECT_TRUE(succeeded(result));
}
#endif

TEST(like_libc, the_call_after_perror_sets_the_orientation) {
  struct stderr_guard {
    leat_file* before = leat_stdio_stderr;
    ~stderr_guard() { leat_stdio_stderr = before; }
  } const guard;
  leat_file* const f = leat_tmpfile();
  leat_stdio_stderr = f;
  leat_perror("x");
  EXPECT_EQ(leat_fwide(f, 0), 0);
  EXPECT_GE(leat_fputs("a", f), 0);
  EXPECT_LT(leat_fwide(f, 0), 0);
  leat_perror("x");
  EXPECT_LT(leat_fwide(f, 0), 0);
  EXPECT_EQ(leat_fputc('b', f), 'b');
  leat_rewind(f);
  char line[200];
  EXPECT_NE(leat_fgets(line, sizeof line, f), nullptr);
  EXPECT_NE(leat_fgets(line, sizeof line, f), nullptr);
  EXPECT_EQ(line[0], 'a');
  EXPECT_STREQ(leat_fgets(line, sizeof line, f), "b");
  leat_fclose(f);
}

// C17 7.24.6.2: strerror's text stays until the program calls strerror again.
TEST(like_libc, error_messages_leave_the_text_of_strerror_unchanged) {
  const std::string_view text = std::strerror(-1);
  const std::string before(text);
  char message_text[200];
  errno = -2;
  EXPECT_GT(leat_snprintf(message_text, sizeof message_text, "%m"), 0);
  EXPECT_EQ(text, before);
  wchar_t wide[200];
  errno = -3;
  EXPECT_GT(leat_swprintf(wide, 200, L"%m"), 0);
  EXPECT_EQ(text, before);
  leat_file* const stream = std::exchange(leat_stdio_stderr, leat_tmpfile());
  errno = -4;
  leat_perror("x");
  leat_fclose(std::exchange(leat_stdio_stderr, stream));
  EXPECT_EQ(text, before);
  leat_cookie_functions functions{};
  functions.write = [](void*, const char*, std::size_t) -> ssize_t {
    errno = 9999;
    return -1;
  };
  leat_file* const out = leat_fopencookie(nullptr, "w", functions);
  leat_fputs("text", out);
  EXPECT_EQ(leat_fclose(out), EOF);
  EXPECT_EQ(text, before);
  const std::string reason = std::strerror(9999);  // the next call may free the text of strerror
  EXPECT_NE(std::strstr(leat_last_error()->message, reason.c_str()), nullptr)
      << leat_last_error()->message;
  errno = -2;
  leat_snprintf(message_text, sizeof message_text, "%m");
  EXPECT_STREQ(message_text, std::strerror(-2));
}

// --- positions -----------------------------------------------------------------------------------

#if defined(HAS_POSIX_FILES)

/// A file of ten digits, and a descriptor that shares its offset with streams.
class shared_descriptor : public testing::Test {
 protected:
  shared_descriptor() { write_file(path_, "0123456789"); }
  ~shared_descriptor() override { ::close(descriptor_); }

  file_ptr stream(const char* mode, int flags = O_RDWR, off_t offset = 0) {
    descriptor_ = ::open(path_.c_str(), flags);
    move_to(offset);
    return file_ptr(leat_fdopen(::dup(descriptor_), mode));
  }
  off_t offset() const { return ::lseek(descriptor_, 0, SEEK_CUR); }
  void move_to(off_t offset) const { EXPECT_EQ(::lseek(descriptor_, offset, SEEK_SET), offset); }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(descriptor_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  static std::string read(leat_file* f, std::size_t n) {
    std::string text(n, '\0');
    text.resize(leat_fread(text.data(), 1, n, f));
    return text;
  }

  const temporary_folder folder_;
  const std::string path_ = folder_ / "file";
  int descriptor_ = -1;
};

TEST_F(shared_descriptor, opened_to_append_keeps_its_offset_at_fdopen) {
  const file_ptr f = stream("a", O_RDWR | O_APPEND, 3);
  EXPECT_EQ(offset(), 3);
  EXPECT_EQ(leat_ftell(f.get()), 3);
  leat_fputs("x", f.get());
  EXPECT_EQ(leat_ftell(f.get()), 11);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(offset(), 11);
}

TEST_F(shared_descriptor, is_moved_to_the_end_if_fdopen_sets_o_append) {
  const file_ptr f = stream("a", O_RDWR, 3);
  EXPECT_EQ(offset(), 10);
}

TEST_F(shared_descriptor, offset_is_queried_at_the_end_of_the_file) {
  const file_ptr f = stream("r+");
  EXPECT_EQ(read(f.get(), 11), "0123456789");
  write("abc");
  EXPECT_EQ(leat_ftell(f.get()), 13);
  move_to(2);
  EXPECT_EQ(leat_ftell(f.get()), 2);
  leat_clearerr(f.get());
  EXPECT_EQ(leat_fgetc(f.get()), '2');
  EXPECT_EQ(leat_ftell(f.get()), 3);
}

TEST_F(shared_descriptor, at_the_end_output_follows_bytes_written_by_the_descriptor) {
  const file_ptr f = stream("r+");
  EXPECT_EQ(read(f.get(), 11), "0123456789");
  write("abc");
  leat_fputs("Z", f.get());
  EXPECT_EQ(leat_ftell(f.get()), 14);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(read_all(path_), "0123456789abcZ");
}

TEST_F(shared_descriptor, offset_is_queried_after_unbuffered_reads) {
  const file_ptr f = stream("r");
  leat_setvbuf(f.get(), nullptr, _IONBF, 0);
  EXPECT_EQ(leat_fgetc(f.get()), '0');
  EXPECT_EQ(leat_ftell(f.get()), 1);
  move_to(7);
  EXPECT_EQ(leat_ftell(f.get()), 7);
  EXPECT_EQ(leat_fgetc(f.get()), '7');
  leat_ungetc('7', f.get());
  EXPECT_EQ(leat_ftell(f.get()), 7);
}

TEST_F(shared_descriptor, offset_is_queried_after_a_flush) {
  const file_ptr f = stream("r+");
  leat_fputs("ab", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  move_to(9);
  EXPECT_EQ(leat_ftell(f.get()), 9);
  leat_fputs("c", f.get());
  EXPECT_EQ(leat_ftell(f.get()), 10);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(read_all(path_), "ab2345678c");
}

TEST_F(shared_descriptor, keeps_its_offset_when_the_file_shrinks) {
  const file_ptr f = stream("a", O_RDWR | O_APPEND);
  leat_fputs("abc", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(::ftruncate(descriptor_, 2), 0);
  EXPECT_EQ(leat_ftell(f.get()), 13) << "leat_ftell returns the descriptor's offset";
  leat_fputs("d", f.get());
  EXPECT_EQ(leat_ftell(f.get()), 3);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(read_all(path_), "01d");
}

TEST(like_libc, using_a_closed_descriptor_is_an_error) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  for (const char* mode : {"r", "r+", "a"}) {
    const file_ptr f = open_file(folder / "file", mode);
    ::close(leat_fileno(f.get()));
    errno = 0;
    EXPECT_EQ(leat_ftell(f.get()), -1) << mode;
    EXPECT_EQ(errno, EBADF) << mode;
    EXPECT_EQ(leat_fseek(f.get(), 2, SEEK_SET), -1) << mode;
    EXPECT_EQ(errno, EBADF) << mode;
  }
}

#endif

// --- printf --------------------------------------------------------------------------------------

/// Calls leat_vsnprintf, and stores the first 63 characters in `into`. Returns the result of the
/// call. The compiler does not check the format: some formats here are undefined in C.
[[gnu::noinline]] int print(std::string& into, const char* format, ...) {
  char text[64];
  va_list arguments;
  va_start(arguments, format);
  const int count = leat_vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  into = text;
  return count;
}

TEST(like_libc, printf_of_more_than_int_max_characters_fails_with_eoverflow) {
  std::string text;
  EXPECT_EQ(print(text, "%*s", INT_MAX, ""), INT_MAX);
  EXPECT_EQ(print(text, "%*s", -INT_MAX, ""), INT_MAX);
  EXPECT_EQ(print(text, "%2147483647d", 1), INT_MAX);
  EXPECT_EQ(print(text, "%.*d", INT_MAX, 1), INT_MAX);
  EXPECT_EQ(text, std::string(63, '0'));
  EXPECT_EQ(print(text, "%2147483646sx", ""), INT_MAX);
  EXPECT_EQ(print(text, "%.2147483647s", "abc"), 3);
  const auto is_too_long = [&](const char* format, auto... arguments) {
    errno = 0;
    return print(text, format, arguments...) == -1 && errno == EOVERFLOW;
  };
  EXPECT_TRUE(is_too_long("%*sx", INT_MAX, ""));
  EXPECT_TRUE(is_too_long("%2147483648s", ""));
  EXPECT_TRUE(is_too_long("%99999999999s", ""));
  EXPECT_TRUE(is_too_long("%.2147483648d", 1));
  EXPECT_TRUE(is_too_long("%*d", INT_MIN, 1));
  EXPECT_TRUE(is_too_long("%.*d", INT_MAX, -1));
  EXPECT_TRUE(is_too_long("%.*f", INT_MAX, 1.0));
}

[[gnu::noinline]] int scan(const char* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = leat_vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

TEST(like_libc, the_length_ll_of_a_floating_point_number_means_long_double) {
  std::string text;
  print(text, "%llf %.1lle %d", 1.5L, 2.5L, 7);
  EXPECT_EQ(text, "1.500000 2.5e+00 7");
  print(text, "%2$d %1$qg", 1.5L, 7);
  EXPECT_EQ(text, "7 1.5");
  long double value = 0;
  EXPECT_EQ(scan("3.5", "%llf", &value), 1);
  EXPECT_EQ(value, 3.5L);
}

#if defined(__GLIBC__)
TEST(like_libc, format_m_with_a_hash_prints_the_name_of_an_error) {
  std::string text;
  const auto named = [&](int error, const char* format) {
    errno = error;
    print(text, format);
    return text;
  };
  EXPECT_EQ(named(ENOENT, "[%#m]"), "[ENOENT]");
  EXPECT_EQ(named(0, "[%#m]"), "[0]");
  EXPECT_EQ(named(9999, "[%#m]"), "[9999]");
  EXPECT_EQ(named(-3, "[%#m]"), "[-3]");
  EXPECT_EQ(named(EAGAIN, "[%#10m|%-#10m|%#.2m]"), "[    EAGAIN|EAGAIN    |EA]");
  EXPECT_EQ(named(ENOENT, "%m"), std::strerror(ENOENT));
}
#endif

// --- bytes on streams of wide characters

TEST(like_libc, streams_of_open_wmemstream_refuse_bytes) {
  wchar_t* memory = nullptr;
  std::size_t size = 0;
  leat_file* const f = leat_open_wmemstream(&memory, &size);
  leat_fputwc(L'a', f);
  EXPECT_EQ(leat_fputc('x', f), EOF);
  EXPECT_NE(leat_ferror(f), 0);
  EXPECT_EQ(leat_fputs("x", f), EOF);
  EXPECT_EQ(leat_fwrite("1234", 1, 4, f), 0u);
  EXPECT_EQ(leat_fprintf(f, "%d", 1234), -1);
  EXPECT_EQ(leat_fputwc(L'b', f), static_cast<wint_t>(L'b'));
  EXPECT_EQ(leat_fwprintf(f, L"%d", 12), 2);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(std::wstring(memory, size), L"ab12");
  std::free(memory);
}

// --- standard streams that are closed

#if defined(HAS_FORK)
TEST(like_libc, closing_a_standard_stream_twice_fails_with_ebadf) {
  const child_result result = run_in_child([] {
    for (leat_file* const f : {leat_stdin(), leat_stdout()}) {
      require(leat_fclose(f) == 0);
      errno = 0;
      require(leat_fclose(f) == EOF && errno == EBADF);
      require(leat_fileno(f) == -1 && leat_ferror(f) == 0);
      require(leat_fgetc(f) == EOF && leat_fputc('x', f) == EOF && leat_ferror(f) != 0);
      require(leat_fflush(f) == 0);
    }
    require(leat_fflush(nullptr) == 0);
    require(leat_freopen("/dev/null", "r", leat_stdin()) == leat_stdin());
    require(leat_fgetc(leat_stdin()) == EOF && leat_feof(leat_stdin()) != 0);
  });
  EXPECT_TRUE(succeeded(result));
}
#endif

}  // namespace
