// A C function that succeeds leaves errno unchanged, even if a system call inside of it has failed.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include "support/process.hpp"

#if defined(HAS_FORK)

#  include <fcntl.h>
#  include <stdlib.h>
#  include <sys/socket.h>
#  include <unistd.h>

#  include <algorithm>
#  include <cerrno>
#  include <cstdint>
#  include <cstdio>
#  include <cstring>
#  include <cwchar>
#  include <limits>
#  include <string>

#  include "support/files.hpp"

namespace {

using namespace leat_test;

constexpr int errno_mark = 7777;

/// Returns the result of a call. Expects that the call leaves errno alone.
template <class Call>
auto expect_kept_errno(const char* call_text, Call&& call) {
  errno = errno_mark;
  auto result = call();
  const int after = errno;
  EXPECT_EQ(after, errno_mark) << call_text << ": " << std::strerror(after);
  return result;
}
#  define KEPT(...) expect_kept_errno(#__VA_ARGS__, [&] { return __VA_ARGS__; })

/// Reads in several ways. The stream must begin with the first lines of `lines_to_read`.
void read_in_several_ways(leat_file* f) {
  ASSERT_NE(f, nullptr);
  char buffer[100] = {};
  EXPECT_EQ(KEPT(leat_fgetc(f)), '1');
  EXPECT_EQ(KEPT(leat_ungetc('1', f)), '1');
  EXPECT_NE(KEPT(leat_fgets(buffer, sizeof buffer, f)), nullptr);
  int number = 0;
  EXPECT_EQ(KEPT(leat_fscanf(f, "%d", &number)), 1);
  EXPECT_EQ(KEPT(leat_fread(buffer, 1, 1, f)), 1u);
  char* line = nullptr;
  std::size_t size = 0;
  EXPECT_GT(KEPT(leat_getline(&line, &size, f)), 0);
  std::free(line);
  EXPECT_EQ(KEPT(leat_feof(f)), 0);
  EXPECT_EQ(KEPT(leat_ferror(f)), 0);
  EXPECT_GE(KEPT(leat_fileno(f)), 0);
}
constexpr const char* lines_to_read = "1 first\n22\nthird\nfourth\nfifth\n";

void write_in_several_ways(leat_file* f) {
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(KEPT(leat_fprintf(f, "%d %s\n", 1, "a")), 4);
  EXPECT_EQ(KEPT(leat_fputc('c', f)), 'c');
  EXPECT_GE(KEPT(leat_fputs("text\n", f)), 0);
  EXPECT_EQ(KEPT(leat_fwrite("bytes", 1, 5, f)), 5u);
  EXPECT_EQ(KEPT(leat_fflush(f)), 0);
  EXPECT_EQ(KEPT(leat_sync(f)), 0);
  const std::string large(200'000, 'x');
  // A pipe that is not read has no room for 200,000 bytes, so only files are tested.
  if (::lseek(leat_fileno(f), 0, SEEK_CUR) >= 0) {
    EXPECT_EQ(KEPT(leat_fwrite(large.data(), 1, large.size(), f)), large.size());
  }
  EXPECT_EQ(KEPT(leat_setvbuf(f, nullptr, _IOLBF, 0)), 0);
  EXPECT_GE(KEPT(leat_fputs("a line\n", f)), 0);
  EXPECT_EQ(KEPT(leat_setvbuf(f, nullptr, _IONBF, 0)), 0);
  EXPECT_GE(KEPT(leat_fputs("a line\n", f)), 0);
}

TEST(errno_after_success, is_kept_for_files) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* f = KEPT(leat_fopen(path.c_str(), "w"));
  write_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  f = KEPT(leat_fopen(path.c_str(), "a+"));
  write_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  write_file(path, lines_to_read);
  f = KEPT(leat_fopen(path.c_str(), "r+"));
  read_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_fseek(f, 3, SEEK_SET)), 0);
  EXPECT_EQ(KEPT(leat_ftell(f)), 3);
  EXPECT_EQ(KEPT(leat_fseek(f, -1, SEEK_END)), 0);
  f = KEPT(leat_freopen(path.c_str(), "r", f));
  read_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  f = KEPT(leat_tmpfile());
  write_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  for (const auto durability :
       {LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM}) {
    leat_options options{};
    options.durability = durability;
    f = KEPT(leat_open(path.c_str(), "w", &options));
    write_in_several_ways(f);
    EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  }
  leat_options options{};
  options.replace = 1;
  f = KEPT(leat_open((folder / "new").c_str(), "w", &options));
  ASSERT_NE(f, nullptr);
  EXPECT_GE(KEPT(leat_fputs("text", f)), 0);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
}

TEST(errno_after_success, is_kept_for_memory_streams) {
  char memory[100];
  leat_file* f = KEPT(leat_fmemopen(memory, sizeof memory, "w+"));
  EXPECT_EQ(KEPT(leat_fprintf(f, "%d", 1)), 1);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  char* text = nullptr;
  std::size_t size = 0;
  f = KEPT(leat_open_memstream(&text, &size));
  EXPECT_EQ(KEPT(leat_fprintf(f, "%1000d", 1)), 1000);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  std::free(text);
}

TEST(errno_after_success, is_kept_for_pipes_and_sockets) {
  for (const bool socket : {false, true}) {
    int ends[2];
    ASSERT_EQ(socket ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : ::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], lines_to_read, std::strlen(lines_to_read)),
              static_cast<ssize_t>(std::strlen(lines_to_read)));
    leat_file* const in = KEPT(leat_fdopen(ends[0], "r"));
    leat_file* const out = KEPT(leat_fdopen(ends[1], "w"));
    read_in_several_ways(in);
    write_in_several_ways(out);
    EXPECT_EQ(KEPT(leat_fclose(out)), 0);
    EXPECT_EQ(KEPT(leat_fclose(in)), 0);
  }
  leat_file* f = KEPT(leat_popen("printf '1 first\\n22\\nthird\\nfourth\\n'", "r"));
  read_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_pclose(f)), 0);
  f = KEPT(leat_popen("cat > /dev/null", "w"));
  write_in_several_ways(f);
  EXPECT_EQ(KEPT(leat_pclose(f)), 0);
}

TEST(errno_after_success, is_kept_for_terminals) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  leat_file* const out = KEPT(leat_fopen(name.c_str(), "w"));
  write_in_several_ways(out);
  leat_file* const in = KEPT(leat_fopen(name.c_str(), "r"));
  ASSERT_GT(::write(terminal, lines_to_read, std::strlen(lines_to_read)), 0);
  read_in_several_ways(in);
  EXPECT_EQ(KEPT(leat_fclose(in)), 0);
  EXPECT_EQ(KEPT(leat_fclose(out)), 0);
  ::close(terminal);
}

TEST(errno_after_success, is_kept_for_standard_streams) {
  const auto child = run_in_child([] {
    int ends[2];
    require(::pipe(ends) == 0);
    require(::write(ends[1], lines_to_read, std::strlen(lines_to_read)) > 0);
    require(::dup2(ends[0], 0) == 0 && ::dup2(ends[1], 1) == 1);
    errno = errno_mark;
    require(leat_printf("%d\n", 1) == 2 && errno == errno_mark);
    require(leat_fflush(leat_stdout()) == 0 && errno == errno_mark);
    char line[20];
    require(leat_fgets(line, sizeof line, leat_stdin()) == line && errno == errno_mark);
    require(leat_getchar() == '2' && errno == errno_mark);
    require(leat_fputs("error\n", leat_stderr()) >= 0 && errno == errno_mark);
  });
  EXPECT_TRUE(succeeded(child));
}

TEST(errno_after_success, is_kept_for_readers_and_writers) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_writer* const w = KEPT(leat_writer_create(path.c_str(), nullptr));
  ASSERT_NE(w, nullptr);
  KEPT(leat_writer_printf(w, "%s", lines_to_read));
  EXPECT_EQ(KEPT(leat_writer_flush(w)), 0);
  EXPECT_EQ(KEPT(leat_writer_close(w)), 0);
  leat_reader* const r = KEPT(leat_reader_open(path.c_str(), nullptr));
  ASSERT_NE(r, nullptr);
  leat_text line;
  EXPECT_EQ(KEPT(leat_reader_next_line(r, nullptr, &line)), 1);
  EXPECT_EQ(KEPT(leat_reader_close(r)), 0);
  leat_reader* const m = KEPT(leat_reader_map(path.c_str(), nullptr));
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(KEPT(leat_reader_close(m)), 0);
}

TEST(errno_after_success, is_kept_for_scanf_and_printf_of_strings) {
  int number = 0;
  double real = 0;
  long double longer = 0;
  void* pointer = nullptr;
  char word[10] = {}, *text = nullptr;
  wchar_t wide[20] = {};
  EXPECT_EQ(KEPT(leat_sscanf("12 1.5 2.5 0x10 abc def", "%i %lf %Lf %p %3[a-c]%ms", &number, &real,
                             &longer, &pointer, word, &text)),
            6);
  std::free(text);
  EXPECT_EQ(KEPT(leat_sscanf("x", "%d", &number)), 0);
  EXPECT_EQ(KEPT(leat_sscanf("", "%d", &number)), EOF);
  EXPECT_EQ(KEPT(leat_swscanf(L"12 abc", L"%d %ls", &number, wide)), 2);
  EXPECT_GT(KEPT(leat_snprintf(word, sizeof word, "%.400f|%Lg|%a|%ls|%m", 1e300,
                               std::numeric_limits<long double>::min(), 1.5, L"wide")),
            0);
  EXPECT_GT(KEPT(leat_asprintf(&text, "%2000d", 1)), 0);
  std::free(text);
  EXPECT_EQ(KEPT(leat_swprintf(wide, 20, L"%d %s", 5, "abc")), 5);
}

TEST(errno_after_success, is_kept_for_wide_characters) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* f = KEPT(leat_fopen(path.c_str(), "w+"));
  ASSERT_NE(f, nullptr);
  EXPECT_GT(KEPT(leat_fwide(f, 1)), 0);
  EXPECT_EQ(KEPT(leat_fputwc(L'a', f)), static_cast<wint_t>(L'a'));
  EXPECT_GE(KEPT(leat_fputws(L"line\n", f)), 0);
  EXPECT_EQ(KEPT(leat_fwprintf(f, L"%d %ls\n", 1, L"b")), 4);
  KEPT((leat_rewind(f), 0));
  EXPECT_EQ(KEPT(leat_fgetwc(f)), static_cast<wint_t>(L'a'));
  EXPECT_EQ(KEPT(leat_ungetwc(L'z', f)), static_cast<wint_t>(L'z'));
  wchar_t line[20];
  EXPECT_NE(KEPT(leat_fgetws(line, 20, f)), nullptr);
  int number = 0;
  EXPECT_EQ(KEPT(leat_fwscanf(f, L"%d %ls", &number, line)), 2);
  EXPECT_EQ(KEPT(leat_fgetwc(f)), static_cast<wint_t>(L'\n'));
  EXPECT_EQ(KEPT(leat_fgetwc(f)), WEOF);
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
}

TEST(errno_after_success, is_kept_for_functions_of_the_program) {
  leat_cookie_functions functions{};
  functions.read = [](void*, char* to, std::size_t size) -> ssize_t {
    errno = 1;  // set by the program
    const std::size_t n = std::min(size, std::strlen(lines_to_read));
    std::memcpy(to, lines_to_read, n);
    errno = errno_mark;
    return static_cast<ssize_t>(n);
  };
  functions.write = [](void*, const char*, std::size_t size) { return static_cast<ssize_t>(size); };
  leat_file* const f = KEPT(leat_fopencookie(nullptr, "r", functions));
  char line[20];
  EXPECT_NE(KEPT(leat_fgets(line, sizeof line, f)), nullptr);
  EXPECT_EQ(KEPT(leat_fgetc(f)), '2');
  EXPECT_EQ(KEPT(leat_fclose(f)), 0);
  leat_file* const out = KEPT(leat_fopencookie(nullptr, "w", functions));
  EXPECT_GE(KEPT(leat_fputs("text", out)), 0);
  EXPECT_EQ(KEPT(leat_fflush(out)), 0);
  EXPECT_EQ(KEPT(leat_fclose(out)), 0);
}

TEST(errno_after_success, is_kept_for_journals) {
  const temporary_folder folder;
  const std::string path = folder / "journal";
  leat_journal* const out = KEPT(leat_journal_open(path.c_str(), nullptr));
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(KEPT(leat_journal_append(out, "record", 6, 1, nullptr)), 0);
  EXPECT_EQ(KEPT(leat_journal_flush(out)), 0);
  EXPECT_EQ(KEPT(leat_journal_close(out)), 0);
  leat_journal_reader* const in = KEPT(leat_journal_reader_open(path.c_str(), nullptr));
  ASSERT_NE(in, nullptr);
  leat_journal_record record;
  EXPECT_EQ(KEPT(leat_journal_next(in, &record)), 1);
  EXPECT_EQ(KEPT(leat_journal_next(in, &record)), 0);
  KEPT((leat_journal_reader_close(in), 0));
  EXPECT_EQ(KEPT(leat_journal_recover(path.c_str())), 0);
}

TEST(errno_after_success, is_kept_for_random_access) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, std::string(100'000, 'a'));
  leat_random_access_file* const file =
      KEPT(leat_random_access_open(path.c_str(), LEAT_MODE_UPDATE, nullptr));
  ASSERT_NE(file, nullptr);
  char bytes[4];
  const std::uint64_t positions[] = {5, 1000, 24'000};
  EXPECT_EQ(KEPT(leat_random_access_read_at(file, 7, bytes, 4)), 0);
  EXPECT_EQ(KEPT(leat_random_access_write_at(file, 7, "abcd", 4)), 0);
  char got[12];
  EXPECT_EQ(KEPT(leat_random_access_gather(file, 0, 4, positions, 3, got)), 0);
  EXPECT_EQ(KEPT(leat_random_access_scatter(file, 0, 4, positions, 3, got)), 0);
  EXPECT_EQ(KEPT(leat_random_access_sync(file)), 0);
  EXPECT_EQ(KEPT(leat_random_access_size(file)), 100'000);
  EXPECT_EQ(KEPT(leat_random_access_close(file)), 0);
}

}  // namespace

#endif
