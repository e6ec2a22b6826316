// What leat has and <stdio.h> lacks.
#include <gtest/gtest.h>
#include <leat/leat.h>
#if !defined(__APPLE__) && !defined(_WIN32)
#  include <sys/syscall.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {
int syncs = 0;
#if defined(__APPLE__) || defined(_WIN32)
constexpr bool counts_syncs = false;  // a sync is another call there, that nothing stands in for
#else
constexpr bool counts_syncs = true;
#endif
}  // namespace

#if !defined(__APPLE__) && !defined(_WIN32)
/// In libc's place, to see who calls it.
extern "C" int fdatasync(int descriptor) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
#endif

namespace {

using namespace leat_test;

constexpr leat_options plain{};
constexpr leat_options replacing{0, LEAT_DURABILITY_NONE, 1};

/// Reads pieces of a text, of which a null one is an error (EIO) that is gone the next time.
struct scripted_input {
  std::vector<std::optional<std::string>> pieces;
  std::size_t at = 0;
  int reads = 0;

  static ssize_t read(void* cookie, char* to, std::size_t n) {
    auto& in = *static_cast<scripted_input*>(cookie);
    ++in.reads;
    if (in.at == in.pieces.size()) return 0;
    auto& piece = in.pieces[in.at];
    if (!piece) {
      ++in.at;
      errno = EIO;
      return -1;
    }
    const std::size_t taken = piece->copy(to, n);
    piece->erase(0, taken);
    if (piece->empty()) ++in.at;
    return static_cast<ssize_t>(taken);
  }
  owned open() {
    return owned(leat_fopencookie(
        this, "r", {.read = read, .write = nullptr, .seek = nullptr, .close = nullptr}));
  }
};

// --- leat_open -----------------------------------------------------------------------------------

TEST(extra, open_without_options) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  owned f(leat_open(path.c_str(), "w", nullptr));
  ASSERT_NE(f, nullptr);
  leat_fputs("text", f.get());
  EXPECT_EQ(read_all(path), "");
  f.reset(leat_open(path.c_str(), "r", nullptr));
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(rest_of(f.get()), "text");
  errno = 0;
  EXPECT_EQ(leat_open((folder / "none").c_str(), "r", nullptr), nullptr);
  EXPECT_EQ(errno, ENOENT);
  errno = 0;
  EXPECT_EQ(leat_open(path.c_str(), "?", nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

/// What some calls say of a file, and what is in it then.
std::string use_of(leat_file* f, const std::string& path) {
  std::string said;
  const auto say = [&](auto value) { said += std::to_string(value) + ' '; };
  say(leat_ftello(f));
  say(leat_fgetc(f));
  say(leat_ftello(f));
  say(leat_fseek(f, 0, SEEK_CUR));
  say(leat_fputs("new", f));
  say(leat_ftello(f));
  say(leat_fflush(f));
  say(leat_ftello(f));
  say(::lseek(leat_fileno(f), 0, SEEK_CUR));
  say(leat_fseek(f, 1, SEEK_SET));
  say(leat_fgetc(f));
  say(leat_fseek(f, 0, SEEK_CUR));
  say(leat_fputc('!', f));
  say(leat_fseek(f, -2, SEEK_END));
  said += rest_of(f) + ' ';
  say(leat_fclose(f));
  return said + read_all(path);
}

TEST(extra, open_does_in_each_mode_what_fopen_does) {
  for (const char* mode : {"r", "w", "a", "r+", "w+", "a+", "wx", "ax", "w+x"})
    for (const bool exists : {true, false}) {
      const temporary_folder folder;
      const std::string a = folder / "a", b = folder / "b";
      if (exists) write_file(a, "content"), write_file(b, "content");
      errno = 0;
      leat_file* const f = leat_fopen(a.c_str(), mode);
      const int why = errno;
      errno = 0;
      leat_file* const g = leat_open(b.c_str(), mode, &plain);
      ASSERT_EQ(f == nullptr, g == nullptr) << mode << exists;
      if (f == nullptr) {
        EXPECT_EQ(errno, why) << mode << exists;
        continue;
      }
      const std::string expected = use_of(f, a);
      EXPECT_EQ(use_of(g, b), expected) << mode << exists;
    }
}

TEST(extra, open_with_a_buffer_of_some_size) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const owned f = opened(path, "w", {4, LEAT_DURABILITY_NONE, 0});
  EXPECT_EQ(leat_fbufsize(f.get()), 4u);
  leat_fputs("123", f.get());
  EXPECT_EQ(read_all(path), "");
  leat_fputs("45", f.get());
  EXPECT_EQ(read_all(path), "1234");
}

TEST(extra, what_survives_the_process_is_written_by_each_call) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const owned f = opened(path, "w", {0, LEAT_DURABILITY_PROCESS, 0});
  leat_fputs("one", f.get());
  EXPECT_EQ(read_all(path), "one");
  leat_fprintf(f.get(), " and %d", 2);
  EXPECT_EQ(read_all(path), "one and 2");
  leat_fputc('!', f.get());
  EXPECT_EQ(read_all(path), "one and 2!");
}

TEST(extra, what_is_to_survive_the_process_is_read_in_windows) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(1000));
  const owned f = opened(folder / "file", "r", {0, LEAT_DURABILITY_PROCESS, 0});
  EXPECT_GT(leat_fbufsize(f.get()), 1u);
  EXPECT_EQ(rest_of(f.get()), numbered_text(1000));
}

TEST(extra, what_survives_the_system_comes_with_flush_and_close) {
  if (!counts_syncs) GTEST_SKIP() << "nobody counts them here";
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const char* mode : {"w", "a", "r+", "w+"}) {
    write_file(path, "");
    owned f = opened(path, mode, {0, LEAT_DURABILITY_SYSTEM, 0});
    const int before = syncs;
    EXPECT_EQ(leat_fputs("flushed ", f.get()) < 0, false);
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(read_all(path), "flushed ") << mode;
    EXPECT_EQ(syncs, before + 1) << mode;
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(syncs, before + 1) << mode << ": there is nothing new";
    leat_fputs("closed", f.get());
    EXPECT_EQ(leat_fclose(f.release()), 0);
    EXPECT_EQ(read_all(path), "flushed closed") << mode;
    EXPECT_EQ(syncs, before + 2) << mode;
  }
  // A seek hands on what was written, and the sync is still to come.
  owned moved = opened(path, "w+", {0, LEAT_DURABILITY_SYSTEM, 0});
  leat_fputs("text", moved.get());
  leat_rewind(moved.get());
  EXPECT_EQ(leat_fgetc(moved.get()), 't');
  const int before = syncs;
  moved.reset();
  EXPECT_EQ(syncs, before + 1);
#if defined(HAS_SYSTEM_FILES)
  // A pipe can't be synced, which is no failure.
  const pipe_pair pipe;
  const owned f =
      opened("/dev/fd/" + std::to_string(pipe.writer()), "w", {0, LEAT_DURABILITY_SYSTEM, 0});
  leat_fputs("x", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
#endif
}

TEST(extra, the_old_content_stays_until_close) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  for (const auto durability :
       {LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM}) {
    owned f = opened(path, "w", {0, durability, 1});
    leat_fputs("new", f.get());
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(read_all(path), "old");
    EXPECT_EQ(leat_fclose(f.release()), 0);
    EXPECT_EQ(read_all(path), "new");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
    write_file(path, "old");
  }
}

TEST(extra, a_file_that_was_not_there_comes_with_close) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w", replacing);
  leat_fputs("new", f.get());
  EXPECT_NE(::access((folder / "file").c_str(), F_OK), 0);
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), "new");
}

TEST(extra, only_a_file_that_is_written_anew_is_replaced) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  for (const char* mode : {"r", "a", "w+", "r+", "a+", "wx"}) {
    errno = 0;
    EXPECT_EQ(leat_open(path.c_str(), mode, &replacing), nullptr) << mode;
    EXPECT_EQ(errno, EINVAL) << mode;
  }
  EXPECT_EQ(read_all(path), "old");
}

TEST(extra, reopening_replaces_what_was_open) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  owned f = opened(folder / "file", "w", replacing);
  leat_fputs("new", f.get());
  ASSERT_NE(leat_freopen((folder / "other").c_str(), "w", f.get()), nullptr);
  EXPECT_EQ(read_all(folder / "file"), "new");
  EXPECT_GE(leat_fputs("other", f.get()), 0);
  EXPECT_EQ(leat_fclose(f.release()), 0);
  EXPECT_EQ(read_all(folder / "other"), "other");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"file", "other"}));
}

#if defined(HAS_LIMITS)
TEST(extra, a_failure_leaves_the_old_content) {
  // Noticed before close, or only by it.
  for (const bool flushes : {true, false}) {
    const temporary_folder folder;
    const std::string path = folder / "file";
    write_file(path, "old");
    const auto result = run_in_child([&] {
      const ignored_signal ignored(SIGXFSZ);
      limit_resource(RLIMIT_FSIZE, 100);
      leat_file* const f = leat_open(path.c_str(), "w", &replacing);
      require(f != nullptr);
      leat_fputs(std::string(200, 'x').c_str(), f);
      if (flushes) require(leat_fflush(f) == EOF && leat_ferror(f) != 0);
      errno = 0;
      require(leat_fclose(f) == EOF);
      require(errno != 0);
    });
    EXPECT_TRUE(succeeded(result)) << flushes;
    EXPECT_EQ(read_all(path), "old") << flushes;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"}) << flushes;
  }
}

TEST(extra, a_failure_in_between_leaves_the_old_content) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  leat_options options = replacing;
  options.durability = LEAT_DURABILITY_PROCESS;  // bytes that fail are gone
  const auto result = run_in_child([&] {
    const ignored_signal ignored(SIGXFSZ);
    rlimit before{};
    require(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit_resource(RLIMIT_FSIZE, 100);
    leat_file* const f = leat_open(path.c_str(), "w", &options);
    require(f != nullptr);
    leat_fputs(std::string(200, 'x').c_str(), f);
    require(leat_ferror(f) != 0);
    require(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    leat_fputs("more", f);
    require(leat_fclose(f) == EOF);
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_all(path), "old");
}
#endif

TEST(extra, discarding) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  const std::ptrdiff_t descriptors = open_descriptors();
  leat_file* f = leat_open(path.c_str(), "w", &replacing);
  ASSERT_NE(f, nullptr);
  leat_fputs("new", f);
  leat_fflush(f);
  leat_fputs("newer", f);
  leat_discard(f);
  EXPECT_EQ(read_all(path), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});

  f = leat_fopen(path.c_str(), "a");
  ASSERT_NE(f, nullptr);
  leat_fputs(", kept", f);
  leat_fflush(f);
  leat_fputs(", dropped", f);
  leat_discard(f);
  EXPECT_EQ(read_all(path), "old, kept");

  f = leat_fopen(path.c_str(), "r");
  ASSERT_NE(f, nullptr);
  leat_fgetc(f);
  leat_ungetc('x', f);
  leat_discard(f);
  char memory[8] = "abc";
  f = leat_fmemopen(memory, sizeof memory, "r+");
  ASSERT_NE(f, nullptr);
  leat_fputc('x', f);
  leat_discard(f);
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(extra, purging_what_was_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", "abcdef");
  const owned f = opened(folder / "file", "r");
  leat_setvbuf(f.get(), nullptr, _IOFBF, 4);
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  leat_ungetc('x', f.get());
  leat_ungetc('y', f.get());
  leat_fpurge(f.get());
  EXPECT_EQ(leat_ftell(f.get()), 4) << "behind what was read ahead";
  EXPECT_EQ(rest_of(f.get()), "ef");
}

// --- leat_next_line ------------------------------------------------------------------------------

std::vector<std::string> lines_of(leat_file* f) {
  std::vector<std::string> lines;
  std::size_t size = 12345;
  while (const char* line = leat_next_line(f, &size)) lines.emplace_back(line, size);
  return lines;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

TEST(extra, lines_however_long_and_whatever_the_buffer) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(1);
  for (int round = 0; round != 60; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i != 0; --i) {
      text.append(random() % (round % 2 == 0 ? 4 : 40), static_cast<char>('a' + i % 26));
      if (random() % 10 == 0) text += '\0';
      text += '\n';
    }
    if (random() % 2 == 0) text += "last";
    write_file(path, text);
    for (const std::size_t size : {1u, 2u, 3u, 5u, 8u, 16u, 4096u}) {
      const owned f = opened(path, "r");
      leat_setvbuf(f.get(), nullptr, _IOFBF, size);
      ASSERT_EQ(lines_of(f.get()), lines_of(text)) << size;
      EXPECT_NE(leat_feof(f.get()), 0);
      EXPECT_EQ(leat_ferror(f.get()), 0);
      EXPECT_EQ(leat_ftell(f.get()), static_cast<long>(text.size()));
    }
  }
}

TEST(extra, long_lines) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::string text(1'300'000, 'x');
  for (const std::size_t at : {0u, 1'000'000u, 1'000'001u, 1'000'003u}) text[at] = '\n';
  write_file(path, text);
  const owned f = opened(path, "r");
  EXPECT_EQ(lines_of(f.get()), lines_of(text));
}

TEST(extra, lines_in_the_window_are_not_copied) {
  char memory[] = "first\n\nthird\nlast";
  const owned f(leat_fmemopen(memory, std::strlen(memory), "r"));
  ASSERT_NE(f, nullptr);
  std::size_t size = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), memory);
  EXPECT_EQ(size, 5u);
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 6);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(leat_fgetc(f.get()), 't') << "reading goes on behind the line";
  EXPECT_EQ(leat_next_line(f.get(), &size), memory + 8);
  const char* const last = leat_next_line(f.get(), &size);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(std::string_view(last, size), "last");
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_NE(leat_feof(f.get()), 0);
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
}

TEST(extra, lines_with_what_was_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", "bc\nde");
  const owned f = opened(folder / "file", "r");
  leat_ungetc('a', f.get());
  EXPECT_EQ(lines_of(f.get()), (std::vector<std::string>{"abc", "de"}));
  leat_ungetc('\n', f.get());
  leat_ungetc('x', f.get());
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"x"});
}

TEST(extra, no_line_on_errors) {
  scripted_input in{{"one\ntw", std::nullopt, "o\nthree"}};
  const owned f = in.open();
  std::size_t size = 0;
  const char* const line = leat_next_line(f.get(), &size);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(std::string_view(line, size), "one");
  errno = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_EQ(errno, EIO);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_feof(f.get()), 0);
}

TEST(extra, an_error_where_a_line_begins_is_told) {
  scripted_input in{{"one\n", std::nullopt, "two\n"}};
  const owned f = in.open();
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"one"});
  EXPECT_EQ(in.reads, 2) << "not tried again by itself";
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(lines_of(f.get()), std::vector<std::string>{"two"})
      << "an error of before is no new one";
  EXPECT_NE(leat_feof(f.get()), 0);
}

TEST(extra, no_line_of_what_is_only_written) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  std::size_t size = 0;
  errno = 0;
  EXPECT_EQ(leat_next_line(f.get(), &size), nullptr);
  EXPECT_EQ(errno, EBADF);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

// --- leat_find -----------------------------------------------------------------------------------

/// Finds all places, one behind the other, and reads a byte behind each.
void expect_finds(leat_file* f, std::string_view text, std::string_view needle) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t expected = text.find(needle, from);
    leat_off_t at = -77;
    const int found = leat_find(f, needle.data(), needle.size(), &at);
    ASSERT_EQ(found, expected == std::string_view::npos ? 0 : 1) << text << ", " << needle << from;
    if (found == 0) {
      EXPECT_EQ(at, -77);
      EXPECT_NE(leat_feof(f), 0);
      EXPECT_EQ(leat_ferror(f), 0);
      return;
    }
    ASSERT_EQ(at, static_cast<leat_off_t>(expected)) << text << ", " << needle << from;
    from = expected + needle.size();
    ASSERT_EQ(leat_ftello(f), static_cast<leat_off_t>(from));
    ASSERT_EQ(leat_fgetc(f), from < text.size() ? text[from] : EOF);
    from = std::min(from + 1, text.size());
  }
}

TEST(extra, finding_whatever_the_buffer) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  std::mt19937 random(2);
  for (int round = 0; round != 150; ++round) {
    std::string text(random() % 60, ' '), needle(1 + random() % 6, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    for (char& c : needle) c = static_cast<char>('a' + random() % 2);
    write_file(path, text);
    for (std::size_t size = 0; size != 10; ++size) {
      const owned f = opened(path, "r");
      leat_setvbuf(f.get(), nullptr, _IOFBF, size);
      expect_finds(f.get(), text, needle);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(extra, finding_what_begins_as_what_precedes_it) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const std::string_view needle : {"aab", "abab", "aaaaaaaaaab", "b", "xaab"})
    for (const std::string text : {"aaab", "aab", "ababab", "xaaab", "aaaaaaaaaaaaaab", ""}) {
      write_file(path, text);
      for (std::size_t size = 0; size != 10; ++size) {
        const owned f = opened(path, "r");
        leat_setvbuf(f.get(), nullptr, _IOFBF, size);
        expect_finds(f.get(), text, needle);
      }
    }
}

TEST(extra, finding_in_large_files) {
  const temporary_folder folder;
  std::string text = numbered_text(700'000);
  text.replace(0, 6, "needle");
  text.replace(262'140, 6, "needle");
  text.replace(text.size() - 6, 6, "needle");
  write_file(folder / "file", text);
  const owned f = opened(folder / "file", "r");
  expect_finds(f.get(), text, "needle");
}

TEST(extra, finding_on_a_pipe) {
  int ends[2];
  make_pipe(ends);
  EXPECT_GE(leat_fputs("..aaab..aab.", owned(leat_fdopen(ends[1], "w")).get()), 0);
  const owned f(leat_fdopen(ends[0], "r"));
  ASSERT_NE(f, nullptr);
  leat_setvbuf(f.get(), nullptr, _IOFBF, 2);
  leat_off_t at = -1;
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 1);
  EXPECT_EQ(at, 3);
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 1);
  EXPECT_EQ(at, 8);
  EXPECT_EQ(leat_find(f.get(), "aab", 3, &at), 0);
  EXPECT_EQ(at, 8);
}

TEST(extra, finding_with_what_was_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", "..cd..");
  const owned f = opened(folder / "file", "r");
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  EXPECT_EQ(leat_fgetc(f.get()), '.');
  leat_ungetc('b', f.get());
  leat_ungetc('a', f.get());
  leat_off_t at = -1;
  EXPECT_EQ(leat_find(f.get(), "bcd", 3, &at), 1);
  EXPECT_EQ(at, 1);
  EXPECT_EQ(rest_of(f.get()), "..");
}

TEST(extra, finding_nothing_to_find) {
  const temporary_folder folder;
  write_file(folder / "file", "text");
  const owned f = opened(folder / "file", "r");
  errno = 0;
  EXPECT_EQ(leat_find(f.get(), "", 0, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_find(f.get(), "ex", 2, nullptr), 1);
  EXPECT_EQ(rest_of(f.get()), "t") << "nothing was taken";
}

TEST(extra, finding_after_errors) {
  scripted_input in{{"abc", std::nullopt, "def"}};
  const owned f = in.open();
  leat_off_t at = -1;
  EXPECT_EQ(leat_find(f.get(), "x", 1, &at), -1);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_find(f.get(), "e", 1, &at), 1);
  EXPECT_EQ(leat_find(f.get(), "x", 1, &at), 0) << "the error is one of before";
}

TEST(extra, finding_behind_what_was_written) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  const owned f = opened(folder / "file", "r+");
  leat_fputs("5", f.get());
  leat_off_t at = -1;
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(leat_find(f.get(), "5", 1, &at), 1);
  EXPECT_EQ(at, 5);
  EXPECT_EQ(rest_of(f.get()), "6789");
}

}  // namespace
