// leat_open, leat_sync, leat_discard, leat_fpurge and leat_split, which <stdio.h> does not have.
#include <gtest/gtest.h>
#include <leat/leat.h>
#if !defined(__APPLE__) && !defined(_WIN32)
#  include <sys/syscall.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/c_files.hpp"
#include "support/c_options.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {
int syncs = 0;
#if defined(__APPLE__) || defined(_WIN32)
constexpr bool counts_syncs = false;  // these systems sync by other calls, which are not counted
#else
constexpr bool counts_syncs = true;
#endif
}  // namespace

#if !defined(__APPLE__) && !defined(_WIN32)
/// Replaces libc's fdatasync, to count the calls.
extern "C" int fdatasync(int descriptor) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
#endif

namespace {

using namespace leat_test;

constexpr leat_options plain{};
constexpr leat_options replacing = options_with(LEAT_DURABILITY_NONE, 1);

TEST(leat_sync, syncs_a_stream_that_was_opened_without_durability) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const file_ptr f = open_file(path, "w", plain);
  const int before = syncs;
  leat_fputs("abc", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(syncs, before);
  leat_fputs("def", f.get());
  EXPECT_EQ(leat_sync(f.get()), 0);
  EXPECT_EQ(read_all(path), "abcdef");
  EXPECT_EQ(syncs, before + (counts_syncs ? 1 : 0));

  char memory[8];
  const file_ptr text(leat_fmemopen(memory, sizeof memory, "w"));
  EXPECT_EQ(leat_sync(text.get()), 0);
}

TEST(open, without_options_opens_a_buffered_file) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  file_ptr f(leat_open(path.c_str(), "w", nullptr));
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

/// Calls functions on `f`, and closes it. Returns the results of the calls, and the content of the
/// file `path` after the close.
std::string results_of_calls(leat_file* f, const std::string& path) {
  std::string results;
  const auto note = [&](auto value) { results += std::to_string(value) + ' '; };
  note(leat_ftello(f));
  note(leat_fgetc(f));
  note(leat_ftello(f));
  note(leat_fseek(f, 0, SEEK_CUR));
  note(leat_fputs("new", f));
  note(leat_ftello(f));
  note(leat_fflush(f));
  note(leat_ftello(f));
  note(::lseek(leat_fileno(f), 0, SEEK_CUR));
  note(leat_fseek(f, 1, SEEK_SET));
  note(leat_fgetc(f));
  note(leat_fseek(f, 0, SEEK_CUR));
  note(leat_fputc('!', f));
  note(leat_fseek(f, -2, SEEK_END));
  results += rest_of(f) + ' ';
  note(leat_fclose(f));
  return results + read_all(path);
}

TEST(open, each_mode_has_the_same_effect_as_in_fopen) {
  for (const char* mode : {"r", "w", "a", "r+", "w+", "a+", "wx", "ax", "w+x"})
    for (const bool exists : {true, false}) {
      const temporary_folder folder;
      const std::string a = folder / "a", b = folder / "b";
      if (exists) write_file(a, "content"), write_file(b, "content");
      errno = 0;
      leat_file* const f = leat_fopen(a.c_str(), mode);
      const int expected_error = errno;
      errno = 0;
      leat_file* const g = leat_open(b.c_str(), mode, &plain);
      ASSERT_EQ(f == nullptr, g == nullptr) << mode << exists;
      if (f == nullptr) {
        EXPECT_EQ(errno, expected_error) << mode << exists;
        continue;
      }
      const std::string expected = results_of_calls(f, a);
      EXPECT_EQ(results_of_calls(g, b), expected) << mode << exists;
    }
}

TEST(open, sets_the_size_of_the_buffer) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_options options{};
  options.buffer_size = 4;
  const file_ptr f = open_file(path, "w", options);
  EXPECT_EQ(leat_fbufsize(f.get()), 4u);
  leat_fputs("123", f.get());
  EXPECT_EQ(read_all(path), "");
  leat_fputs("45", f.get());
  EXPECT_EQ(read_all(path), "1234");
}

TEST(open, durability_process_writes_each_call_without_a_sidecar) {
  const temporary_folder folder;
  const std::string path = folder / std::string(252, 'n');  // too long with the suffix ".leat"
  const file_ptr f = open_file(path, "w", options_with(LEAT_DURABILITY_PROCESS));
  leat_fputs("one", f.get());
  EXPECT_EQ(read_all(path), "one");
  leat_fprintf(f.get(), " and %d", 2);
  EXPECT_EQ(read_all(path), "one and 2");
  leat_fputc('!', f.get());
  EXPECT_EQ(read_all(path), "one and 2!");
}

TEST(open, reads_of_durability_process_are_buffered) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(1000));
  const file_ptr f = open_file(folder / "file", "r", options_with(LEAT_DURABILITY_PROCESS));
  EXPECT_GT(leat_fbufsize(f.get()), 1u);
  EXPECT_EQ(rest_of(f.get()), numbered_text(1000));
}

TEST(open, durability_system_syncs_at_flush_and_close) {
  if (!counts_syncs) GTEST_SKIP() << "syncs are not counted on this system";
  const temporary_folder folder;
  const std::string path = folder / "file";
  for (const char* mode : {"w", "a", "r+", "w+"}) {
    write_file(path, "");
    file_ptr f = open_file(path, mode, options_with(LEAT_DURABILITY_SYSTEM));
    const int before = syncs;
    EXPECT_EQ(leat_fputs("flushed ", f.get()) < 0, false);
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(read_all(path), "flushed ") << mode;
    EXPECT_EQ(syncs, before + 1) << mode;
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(syncs, before + 1) << mode << ": a flush without new bytes makes no sync";
    leat_fputs("closed", f.get());
    EXPECT_EQ(leat_fclose(f.release()), 0);
    EXPECT_EQ(read_all(path), "flushed closed") << mode;
    EXPECT_EQ(syncs, before + 2) << mode;
  }
  // A seek passes the bytes to the system; the close still syncs.
  file_ptr moved = open_file(path, "w+", options_with(LEAT_DURABILITY_SYSTEM));
  leat_fputs("text", moved.get());
  leat_rewind(moved.get());
  EXPECT_EQ(leat_fgetc(moved.get()), 't');
  const int before = syncs;
  moved.reset();
  EXPECT_EQ(syncs, before + 1);
#if defined(HAS_SYSTEM_FILES)
  // A pipe can't be synced, but the flush succeeds.
  const pipe_pair pipe;
  const file_ptr f = open_file("/dev/fd/" + std::to_string(pipe.writer()), "w",
                               options_with(LEAT_DURABILITY_SYSTEM));
  leat_fputs("x", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
#endif
}

TEST(open, replacing_keeps_the_old_content_until_close) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  for (const auto durability :
       {LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM}) {
    file_ptr f = open_file(path, "w", options_with(durability, 1));
    leat_fputs("new", f.get());
    EXPECT_EQ(leat_fflush(f.get()), 0);
    EXPECT_EQ(read_all(path), "old");
    EXPECT_EQ(leat_fclose(f.release()), 0);
    EXPECT_EQ(read_all(path), "new");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
    write_file(path, "old");
  }
}

TEST(open, replacing_creates_a_missing_file_at_close) {
  const temporary_folder folder;
  file_ptr f = open_file(folder / "file", "w", replacing);
  leat_fputs("new", f.get());
  EXPECT_NE(::access((folder / "file").c_str(), F_OK), 0);
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), "new");
}

TEST(open, replacing_is_refused_except_in_mode_w) {
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

TEST(open, reopening_closes_and_replaces_the_old_file) {
  const temporary_folder folder;
  write_file(folder / "file", "old");
  file_ptr f = open_file(folder / "file", "w", replacing);
  leat_fputs("new", f.get());
  ASSERT_NE(leat_freopen((folder / "other").c_str(), "w", f.get()), nullptr);
  EXPECT_EQ(read_all(folder / "file"), "new");
  EXPECT_GE(leat_fputs("other", f.get()), 0);
  EXPECT_EQ(leat_fclose(f.release()), 0);
  EXPECT_EQ(read_all(folder / "other"), "other");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"file", "other"}));
}

#if defined(HAS_LIMITS)
TEST(open, replacing_keeps_the_old_content_if_close_fails) {
  // The failure is reported by a flush and the close, or only by the close.
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

TEST(open, replacing_keeps_the_old_content_if_an_earlier_call_failed) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  leat_options options = replacing;
  options.durability = LEAT_DURABILITY_PROCESS;  // bytes of a failed call are lost
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

#if defined(HAS_FORK)
TEST(open, exit_before_close_keeps_the_old_file) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  const auto result = run_in_child(
      [&] {
        leat_file* const f = leat_open(path.c_str(), "w", &replacing);
        require(f != nullptr);
        leat_fputs("new", f);
        const pid_t child = ::fork();  // the exit of a child reports no loss
        if (child == 0) std::exit(0);
        require(wait_for(child) == 0);
        require(folder.names().size() == 2);
        static leat_file* late = f;
        std::atexit([] { leat_fputs(", newer", late); });
      },
      ending::orderly);
  EXPECT_FALSE(succeeded(result));
  EXPECT_EQ(result.err,
            "leat: cannot replace '" + path + "': The stream was left without close()\n");
  EXPECT_EQ(read_all(path), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}
#endif

TEST(open, discard_keeps_the_old_file_and_drops_pending_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  write_file(path, "old");
  const std::ptrdiff_t descriptors = count_open_descriptors();
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
  EXPECT_EQ(count_open_descriptors(), descriptors);
}

TEST(open, purge_drops_pushed_back_and_buffered_bytes) {
  const temporary_folder folder;
  write_file(folder / "file", "abcdef");
  const file_ptr f = open_file(folder / "file", "r");
  leat_setvbuf(f.get(), nullptr, _IOFBF, 4);
  EXPECT_EQ(leat_fgetc(f.get()), 'a');
  leat_ungetc('x', f.get());
  leat_ungetc('y', f.get());
  leat_fpurge(f.get());
  EXPECT_EQ(leat_ftell(f.get()), 4) << "the position is after the bytes that were read ahead";
  EXPECT_EQ(rest_of(f.get()), "ef");
}

TEST(split, parts_meet_at_ends_of_lines) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 1000; ++i) text += std::to_string(i * i) + '\n';
  write_file(folder / "lines", text);
  const std::string path = folder / "lines";
  std::array<leat_file*, 3> files{};
  leat_options options{};
  options.buffer_size = 100;
  ASSERT_EQ(leat_split(path.c_str(), files.size(), &options, files.data()), 3u);
  std::string all;
  for (leat_file* const part_file : files) {
    const file_ptr f(part_file);
    EXPECT_EQ(leat_ftell(part_file), static_cast<long>(all.size()));
    const std::string part = rest_of(part_file);
    EXPECT_EQ(part.back(), '\n');
    EXPECT_TRUE(leat_feof(part_file));
    all += part;
  }
  EXPECT_EQ(all, text);
}

TEST(split, refuses_missing_files_and_options_without_effect) {
  leat_file* file = nullptr;
  errno = 0;
  EXPECT_EQ(leat_split("/missing/file", 1, nullptr, &file), 0u);
  EXPECT_EQ(errno, ENOENT);
  const leat_rotation rotation{};
  leat_options without_effect[9]{};
  without_effect[0].live = 1;
  without_effect[1].durability = LEAT_DURABILITY_SYSTEM;
  without_effect[2].replace = 1;
  without_effect[3].level = 1;
  without_effect[4].codec_threads = 1;
  without_effect[5].seekable = 1;
  without_effect[6].background = 1;
  without_effect[7].reopen = 1;
  without_effect[8].rotation = &rotation;
  for (const leat_options& options : without_effect) {
    EXPECT_EQ(leat_split("/missing/file", 1, &options, &file), 0u);
    EXPECT_EQ(errno, EINVAL) << &options - without_effect;
  }
  errno = 0;
  EXPECT_EQ(leat_split("/dev/null", 0, nullptr, &file), 0u);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
