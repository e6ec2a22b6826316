// leat_freopen, leat_fdopen and leat_tmpfile, and descriptors that the program also uses itself.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"

#if !defined(_WIN32)
#  include <fcntl.h>
#  include <sys/resource.h>
#  include <sys/socket.h>
#  include <unistd.h>
#endif

namespace {

using namespace leat_test;

#if defined(HAS_POSIX_FILES)
TEST(file, fdopen_refuses_modes_that_the_descriptor_does_not_allow) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const int in = ::open((folder / "file").c_str(), O_RDONLY);
  for (const char* mode : {"w", "a", "r+", "q"}) {
    errno = 0;
    EXPECT_EQ(leat_fdopen(in, mode), nullptr) << mode;
    EXPECT_EQ(errno, EINVAL);
  }
  leat_file* const f = leat_fdopen(in, "re");
  EXPECT_EQ(::fcntl(in, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(leat_fileno(f), in);
  EXPECT_EQ(rest_of(f), "text");
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_FALSE(is_descriptor(in));
  errno = 0;
  EXPECT_EQ(leat_fdopen(in, "r"), nullptr);
  EXPECT_EQ(errno, EBADF);
}
#endif

TEST(file, a_temporary_file_has_no_name) {
  const std::ptrdiff_t before = count_open_descriptors();
  leat_file* const f = leat_tmpfile();
  ASSERT_NE(f, nullptr);
  leat_fputs("text", f);
  leat_rewind(f);
  EXPECT_EQ(rest_of(f), "text");
#if defined(HAS_MODE_BITS)
  struct stat status{};
  EXPECT_EQ(::fstat(leat_fileno(f), &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
#endif
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(count_open_descriptors(), before);
}

#if defined(HAS_FORK) && defined(P_tmpdir)
TEST(file, a_temporary_file_is_in_the_systems_folder_and_inherited) {
  const auto child = run_in_child([] {
    ::setenv("TMPDIR", "/no/such/folder", 1);
    leat_file* const f = leat_tmpfile();
    require(f != nullptr);
    const int descriptor = leat_fileno(f);
    require((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0);
#  if defined(__linux__)
    char name[1000]{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    require(::readlink(link.c_str(), name, sizeof name - 1) > 0);
    require(std::string(name).starts_with(P_tmpdir "/"));
#  endif
    require(leat_fclose(f) == 0);
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

#if defined(HAS_FORK)
TEST(file, closed_descriptors_and_pipes_have_no_position) {
  const auto child = run_in_child([] {
    ::close(0);
    errno = 0;
    require(leat_fseek(leat_stdin(), 0, SEEK_CUR) == -1 && errno == EBADF);
    errno = 0;
    require(leat_ftell(leat_stdin()) == -1 && errno == EBADF);
    pipe_pair pipe(O_CLOEXEC);
    leat_file* const f = leat_fdopen(::dup(pipe.reader()), "r");
    errno = 0;
    require(leat_fseek(f, 0, SEEK_CUR) == -1 && errno == ESPIPE);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(file, freopen_redirects_standard_output) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = run_in_child(
      [&] {
        leat_puts("before");
        require(leat_freopen(path.c_str(), "w", leat_stdout()) == leat_stdout());
        require(leat_fileno(leat_stdout()) == 1);
        leat_puts("after");
        require(leat_fflush(leat_stdout()) == 0);
        require(std::system("echo from a child") == 0);
        leat_puts("last");
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "before\n");
  EXPECT_EQ(read_all(path), "after\nfrom a child\nlast\n");
}
#endif

TEST(file, a_file_that_cannot_be_reopened_is_closed) {
  const temporary_folder folder;
  const std::ptrdiff_t before = count_open_descriptors();
  leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
  leat_fputs("text", f);
  errno = 0;
  EXPECT_EQ(leat_freopen((folder / "none/file").c_str(), "r", f), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(count_open_descriptors(), before);
  EXPECT_EQ(read_all(folder / "file"), "text");
  EXPECT_EQ(leat_fgetc(f), EOF);
  EXPECT_EQ(leat_fputc('x', f), EOF);
  // The stream can still be reopened.
  EXPECT_EQ(leat_freopen((folder / "file").c_str(), "r", f), f);
  EXPECT_EQ(rest_of(f), "text");
  EXPECT_EQ(leat_fclose(f), 0);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(file, reopening_without_a_name_fails_if_no_descriptor_is_left) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
    require(f != nullptr);
    limit_resource(RLIMIT_NOFILE, 3);
    errno = 0;
    require(leat_freopen(nullptr, "w", f) == nullptr);
    require(errno == EMFILE);
  });
  EXPECT_TRUE(succeeded(child));
}
#endif

TEST(file, reopening_without_a_name_changes_the_mode) {
  const temporary_folder folder;
  write_file(folder / "file", "text\n");
  leat_file* const f = leat_fopen((folder / "file").c_str(), "r");
  const int descriptor = leat_fileno(f);
  EXPECT_EQ(leat_fgetc(f), 't');
  EXPECT_EQ(leat_freopen(nullptr, "a", f), f);
  EXPECT_EQ(leat_fileno(f), descriptor);
  EXPECT_GE(leat_fputs("more\n", f), 0);
  EXPECT_EQ(leat_freopen(nullptr, "r", f), f);
  EXPECT_EQ(rest_of(f), "text\nmore\n");
  EXPECT_EQ(leat_freopen(nullptr, "w", f), f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "");
}

#if defined(HAS_POSIX_FILES)
TEST(file, reopening_without_a_name_leaves_other_descriptors_unchanged) {
  const temporary_folder folder;
  write_file(folder / "file", "text\n");
  leat_file* const f = leat_fopen((folder / "file").c_str(), "r+");
  const int other = ::dup(leat_fileno(f));
  EXPECT_EQ(leat_freopen(nullptr, "a", f), f);
  EXPECT_EQ(::fcntl(other, F_GETFL) & O_APPEND, 0);
  EXPECT_EQ(leat_fclose(f), 0);
  ::close(other);
}

TEST(file, a_socket_is_reopened_without_a_name) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  leat_file* const f = leat_fdopen(ends[0], "w");
  EXPECT_EQ(leat_freopen(nullptr, "r+", f), f) << std::strerror(errno);
  EXPECT_GE(leat_fputs("text", f), 0);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_rest(ends[1]), "text");
  ::close(ends[1]);
}

/// POSIX requires fflush before the program uses the descriptor of a stream, and a seek before the
/// program uses the stream again. leat needs no seek.
TEST(file, after_a_flush_a_stream_and_its_descriptor_share_the_offset) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  leat_file* const f = leat_fopen((folder / "file").c_str(), "r+");
  const int descriptor = leat_fileno(f);
  char byte = 0;
  EXPECT_EQ(leat_fgetc(f), '0');
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(leat_fgetc(f), '2') << "the stream goes on at the descriptor's offset";
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(leat_fseek(f, 7, SEEK_SET), 0);
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
  EXPECT_EQ(byte, '7') << "after a flush, a seek moves the descriptor's offset";
  EXPECT_EQ(leat_fseek(f, 0, SEEK_SET), 0);
  EXPECT_EQ(leat_fputc('x', f), 'x');
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(::write(descriptor, "y", 1), 1);
  EXPECT_EQ(leat_fputc('z', f), 'z');
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "xyz3456789");
}

/// A write after a flush goes to the descriptor's offset, and the stream's position continues from
/// this offset.
TEST(file, a_write_follows_the_descriptor_after_a_flush) {
  const temporary_folder folder;
  for (const int mode : {_IOFBF, _IOLBF, _IONBF}) {
    leat_file* const f = leat_fopen((folder / "file").c_str(), "w+");
    const int descriptor = leat_fileno(f);
    EXPECT_EQ(leat_setvbuf(f, nullptr, mode, 4096), 0);
    EXPECT_GE(leat_fputs("one\n", f), 0);
    EXPECT_EQ(leat_fflush(f), 0);
    EXPECT_EQ(::write(descriptor, "XX", 2), 2);
    EXPECT_GE(leat_fputs("two\n", f), 0);
    EXPECT_EQ(leat_ftell(f), 10);
    EXPECT_EQ(leat_fflush(f), 0);
    EXPECT_EQ(::write(descriptor, "YY", 2), 2);
    const std::string large(10'000, 'l');
    EXPECT_EQ(leat_fwrite(large.data(), 1, large.size(), f), large.size());
    EXPECT_EQ(leat_fseek(f, -1, SEEK_CUR), 0);
    EXPECT_EQ(leat_fputc('!', f), '!');
    EXPECT_EQ(leat_ftell(f), 12 + 10'000);
    EXPECT_EQ(leat_fflush(f), 0);
    EXPECT_EQ(::write(descriptor, "Z", 1), 1);
    EXPECT_EQ(leat_fputc('z', f), 'z');
    EXPECT_EQ(leat_fseek(f, 4, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f), 'X');
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(read_all(folder / "file"), "one\nXXtwo\nYY" + large.substr(1) + "!Zz") << mode;
  }
}

/// After fflush, the program moves the descriptor's offset. A seek to the stream's own position
/// moves the offset back to this position.
TEST(file, a_seek_to_the_same_position_moves_the_descriptor_back) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  char bytes[3];
  for (const int mode : {_IOFBF, _IONBF}) {
    leat_file* const f = leat_fopen((folder / "file").c_str(), "r+");
    EXPECT_EQ(leat_setvbuf(f, nullptr, mode, 4096), 0);
    EXPECT_EQ(leat_fgetc(f), '0');
    EXPECT_EQ(leat_fflush(f), 0);
    EXPECT_EQ(::read(leat_fileno(f), bytes, 3), 3);
    EXPECT_EQ(leat_fseek(f, 1, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f), '1') << mode;
    EXPECT_EQ(leat_fseek(f, 0, SEEK_END), 0);
    EXPECT_EQ(leat_fgetc(f), EOF);
    EXPECT_EQ(leat_fflush(f), 0);
    EXPECT_EQ(::write(leat_fileno(f), "x", 1), 1);
    EXPECT_EQ(leat_fseek(f, 10, SEEK_SET), 0);
    EXPECT_EQ(leat_ftell(f), 10);
    EXPECT_EQ(leat_fgetc(f), 'x') << mode;
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(::truncate((folder / "file").c_str(), 10), 0);
  }
}

TEST(file, a_memory_stream_that_becomes_a_file_is_flushed_at_exit) {
  const temporary_folder folder;
  char memory[10];
  const child_result result = run_in_child([&] {
    leat_file* const f = leat_fmemopen(memory, sizeof memory, "w");
    if (leat_freopen((folder / "file").c_str(), "w", f) == f) leat_fputs("text", f);
    std::exit(0);
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(read_all(folder / "file"), "text");
}

TEST(file, a_read_after_bytes_appended_by_the_descriptor_finds_the_end) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "file").c_str(), "a+");
  EXPECT_GE(leat_fputs("one\n", f), 0);
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(::write(leat_fileno(f), "XX", 2), 2);
  EXPECT_EQ(leat_fgetc(f), EOF);
  EXPECT_EQ(leat_fclose(f), 0);
}

TEST(file, freopen_opens_the_file_under_the_number_of_a_closed_descriptor) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "one").c_str(), "w");
  const int descriptor = leat_fileno(f);
  ::close(descriptor);
  EXPECT_EQ(leat_freopen((folder / "two").c_str(), "w", f), f);
  EXPECT_EQ(leat_fileno(f), descriptor);
  EXPECT_EQ(leat_fputs("text", f), 1);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(rest_of(open_file(folder / "two", "r").get()), "text");
}
#endif

}  // namespace
