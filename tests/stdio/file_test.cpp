// What a comparison with libc does not show: locks, the end of the process, misuse, processes,
// functions of the program, and which calls of the system there are.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include "support/platform.hpp"
#if !defined(_WIN32)
#  include <fcntl.h>
#  include <pthread.h>
#  include <sys/resource.h>
#  include <sys/socket.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace {

using namespace leat_test;

/// A file of functions, which counts how they are called.
struct counted_file {
  std::string content;
  std::size_t at = 0;
  int reads = 0, writes = 0, seeks = 0, closes = 0;
  std::vector<std::size_t> sizes{};  // of the writes
  int error = 0;                     // of the writes
  std::size_t room = std::string::npos;

  static counted_file& of(void* cookie) { return *static_cast<counted_file*>(cookie); }
  static ssize_t read(void* cookie, char* to, std::size_t n) {
    auto& f = of(cookie);
    ++f.reads;
    const std::size_t taken = f.at < f.content.size() ? f.content.copy(to, n, f.at) : 0;
    f.at += taken;
    return static_cast<ssize_t>(taken);
  }
  static ssize_t write(void* cookie, const char* from, std::size_t n) {
    auto& f = of(cookie);
    ++f.writes;
    if (f.error != 0) {
      errno = f.error;
      return -1;
    }
    n = std::min(n, f.room - std::min(f.room, f.at));
    if (n == 0) {
      errno = ENOSPC;
      return -1;
    }
    f.sizes.push_back(n);
    if (f.content.size() < f.at + n) f.content.resize(f.at + n);
    f.content.replace(f.at, n, from, n);
    f.at += n;
    return static_cast<ssize_t>(n);
  }
  static int seek(void* cookie, leat_off_t* offset, int whence) {
    auto& f = of(cookie);
    ++f.seeks;
    if (whence == SEEK_CUR) *offset += static_cast<leat_off_t>(f.at);
    if (whence == SEEK_END) *offset += static_cast<leat_off_t>(f.content.size());
    if (*offset < 0) return -1;
    f.at = static_cast<std::size_t>(*offset);
    return 0;
  }
  static int close(void* cookie) {
    ++of(cookie).closes;
    return 0;
  }
  leat_file* open(const char* mode) {
    return leat_fopencookie(this, mode,
                            {.read = read, .write = write, .seek = seek, .close = close});
  }
};

// --- locks ---------------------------------------------------------------------------------------

TEST(file, the_lock_is_taken_again_by_its_owner) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  leat_flockfile(f.get());
  leat_flockfile(f.get());
  EXPECT_EQ(leat_ftrylockfile(f.get()), 0);
  EXPECT_EQ(leat_fputs("held", f.get()) < 0, false);
  leat_funlockfile(f.get());
  leat_funlockfile(f.get());
  int from_outside = 0;
  std::thread([&] { from_outside = leat_ftrylockfile(f.get()); }).join();
  EXPECT_NE(from_outside, 0) << "still held once";
  leat_funlockfile(f.get());
  std::thread([&] {
    from_outside = leat_ftrylockfile(f.get());
    if (from_outside == 0) leat_funlockfile(f.get());
  }).join();
  EXPECT_EQ(from_outside, 0);
}

TEST(file, other_threads_wait_for_the_lock) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w");
  leat_flockfile(f.get());
  std::atomic<bool> began{false};
  std::thread other([&] {
    began = true;
    leat_fputs("other\n", f.get());
  });
  while (!began) std::this_thread::yield();
  for (int i = 0; i != 1000; ++i) {
    leat_fputc_unlocked('m', f.get());
    std::this_thread::yield();
  }
  leat_funlockfile(f.get());
  other.join();
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), std::string(1000, 'm') + "other\n");
}

TEST(file, lines_of_threads_stay_whole) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w");
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      const std::string line = std::string(50, static_cast<char>('a' + t)) + '\n';
      for (int i = 0; i != 2000; ++i) leat_fputs(line.c_str(), f.get());
    });
  for (auto& thread : threads) thread.join();
  f.reset();
  const std::string text = read_all(folder / "file");
  ASSERT_EQ(text.size(), 4u * 2000 * 51);
  for (std::size_t i = 0; i != text.size(); i += 51)
    ASSERT_EQ(text.substr(i, 51), std::string(50, text[i]) + '\n') << i;
}

TEST(file, locking_by_the_caller) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 2), 1);
  EXPECT_EQ(leat_fsetlocking(f.get(), 0), 2);
  // Who has the lock keeps nobody out now.
  leat_flockfile(f.get());
  std::thread([&] { leat_fputc('x', f.get()); }).join();
  leat_funlockfile(f.get());
}

// --- the end of the process, and fork ------------------------------------------------------------

#if defined(HAS_FORK)
TEST(file, exit_writes_what_is_buffered) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = run_in_child(
      [&] {
        leat_fputs("to stdout", leat_stdout());
        leat_file* const f = leat_fopen(path.c_str(), "w");
        require(f != nullptr);
        leat_fputs("to a file", f);
        require(read_all(path).empty());
        std::atexit([] { leat_fputs(", late", leat_stdout()); });
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "to stdout, late");
  EXPECT_EQ(read_all(path), "to a file");
}

TEST(file, a_quick_end_writes_nothing) {
  const auto result = run_in_child([] { leat_fputs("to stdout", leat_stdout()); });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "");
}

TEST(file, standard_error_is_not_buffered) {
  const auto result = run_in_child([] { leat_fputs("to stderr", leat_stderr()); });
  EXPECT_EQ(result.err, "to stderr");
}
#endif

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
extern "C" void exit_at_once(int) { std::exit(0); }

// A signal handler that calls exit() interrupts a call: a lock that its thread has is not waited
// for.
TEST(file, exit_in_a_signal_handler_while_threads_print) {
  const int moments = sanitized || emulated ? 3 : 12;
  for (int moment = 0; moment != moments; ++moment) {
    const auto child = run_in_child([&] {
      ::alarm(sanitized ? 60 : 10);
      std::signal(SIGUSR1, exit_at_once);
      const pthread_t main = ::pthread_self();
      static std::atomic<int> printing;
      for (int t = 0; t != 2; ++t)
        std::thread([t] {
          for (int i = 0;; ++i) {
            leat_fprintf(leat_stdout(), "%d line %d\n", t + 1, i);
            if (i == 10) ++printing;
          }
        }).detach();
      std::thread([&] {
        while (printing != 2) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(1000 + 37 * moment));
        ::pthread_kill(main, SIGUSR1);
        for (;;) ::pause();
      }).detach();
      for (int i = 0;; ++i) leat_fprintf(leat_stdout(), "%d line %d\n", 0, i);
    });
    ASSERT_EQ(child.signal, 0) << child.err;
    ASSERT_EQ(child.code, 0) << child.err;
    int next[3] = {};
    std::size_t at = 0;
    for (std::size_t end; (end = child.out.find('\n', at)) != std::string::npos; at = end + 1) {
      int thread = -1, number = -1;
      ASSERT_EQ(std::sscanf(child.out.substr(at, end - at).c_str(), "%d line %d", &thread, &number),
                2);
      ASSERT_EQ(number, next[thread]++);
    }
  }
}

TEST(file, exit_leaves_input_to_the_next) {
  const temporary_folder folder;
  write_file(folder / "in", "first\nsecond\n");
  const int in = ::open((folder / "in").c_str(), O_RDONLY);
  const auto result = run_in_child(
      [&] {
        require(::dup2(in, 0) == 0);
        char line[20];
        require(leat_fgets(line, sizeof line, leat_stdin()) != nullptr);
      },
      ending::orderly);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_rest(in), "second\n");
  ::close(in);
}
#endif

#if defined(HAS_FORK)
TEST(file, a_forked_child_inherits_what_is_buffered) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* const f = leat_fopen(path.c_str(), "w");
  leat_fputs("twice\n", f);
  const pid_t child = start_child([&] {
    leat_fputs("child\n", f);
    require(leat_fclose(f) == 0);
  });
  EXPECT_EQ(wait_for(child), 0);
  leat_fputs("parent\n", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(path), "twice\nchild\ntwice\nparent\n");
}

TEST(file, a_child_can_use_what_another_thread_had_locked) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w");
  std::atomic<int> state{0};
  std::thread other([&] {
    leat_flockfile(f.get());
    state = 1;
    while (state != 2) std::this_thread::yield();
    leat_funlockfile(f.get());
  });
  while (state != 1) std::this_thread::yield();
  const pid_t child = start_child([&] { require(leat_fputc('x', f.get()) == 'x'); });
  EXPECT_EQ(wait_for(child), 0);
  state = 2;
  other.join();
}
#endif

// --- misuse --------------------------------------------------------------------------------------

TEST(file_death, no_file) {
  EXPECT_DEATH(leat_fputc('x', nullptr), "leat: leat_fputc: a null FILE");
  EXPECT_DEATH(leat_flockfile(nullptr), "leat: leat_flockfile: a null FILE");
  EXPECT_DEATH(leat_fclose(nullptr), "leat: leat_fclose: a null FILE");
}

TEST(file_death, a_closed_file) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_DEATH(leat_fputs("x", f), "leat: leat_fputs: a FILE\\* that is closed");
  EXPECT_DEATH(leat_fclose(f), "leat: leat_fclose: a FILE\\* that is closed");
}

TEST(file_death, a_file_of_libc) {
  EXPECT_DEATH(leat_fgetc(reinterpret_cast<leat_file*>(stdin)),
               "leat: leat_fgetc: a FILE\\* of another library");
}

// --- bytes ---------------------------------------------------------------------------------------

TEST(file, sixty_four_bytes_are_pushed_back) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(10000));
  const owned f = opened(folder / "file", "r");
  EXPECT_EQ(leat_fseek(f.get(), 100, SEEK_SET), 0);
  for (int i = 0; i != 64; ++i) EXPECT_EQ(leat_ungetc('A' + i % 26, f.get()), 'A' + i % 26);
  EXPECT_EQ(leat_ungetc('x', f.get()), EOF);
  EXPECT_EQ(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_ftell(f.get()), 36);
  for (int i = 63; i >= 0; --i) EXPECT_EQ(leat_fgetc(f.get()), 'A' + i % 26);
  EXPECT_EQ(leat_ftell(f.get()), 100);
  EXPECT_EQ(leat_fgetc(f.get()), numbered_text(10000)[100]);
}

TEST(file, unlocked_functions_do_the_same) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w+");
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

TEST(file, lines_of_any_length) {
  const temporary_folder folder;
  const std::string longest(200000, 'x');
  write_file(folder / "file", "short\n\n" + longest + "\nno newline");
  const owned f = opened(folder / "file", "r");
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

TEST(file, words) {
  const temporary_folder folder;
  const owned f = opened(folder / "file", "w+");
  EXPECT_EQ(leat_putw(-7, f.get()), 0);
  leat_rewind(f.get());
  EXPECT_EQ(leat_getw(f.get()), -7);
  EXPECT_EQ(leat_getw(f.get()), EOF);
  EXPECT_NE(leat_feof(f.get()), 0);
}

TEST(file, memory_in_the_program_can_be_pushed_back_to_and_reopened) {
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

// --- the buffer ----------------------------------------------------------------------------------

TEST(file, buffers_of_all_kinds) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  owned f = opened(path, "w");
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
  EXPECT_EQ(read_all(path), "01234567890123456789") << "what waits is not lost";
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

TEST(file, purge_forgets) {
  const temporary_folder folder;
  owned f = opened(folder / "file", "w");
  leat_fputs("kept", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  leat_fputs("dropped", f.get());
  leat_fpurge(f.get());
  leat_fputs(" too", f.get());
  f.reset();
  EXPECT_EQ(read_all(folder / "file"), "kept too");
}

TEST(file, flushing_all) {
  const temporary_folder folder;
  const owned a = opened(folder / "a", "w"), b = opened(folder / "b", "w");
  leat_fputs("a", a.get());
  leat_fputs("b", b.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(read_all(folder / "a") + read_all(folder / "b"), "ab");
}

TEST(file, what_a_stream_can_do) {
  const temporary_folder folder;
  const owned w = opened(folder / "file", "w"), r = opened(folder / "file", "r"),
              both = opened(folder / "file", "r+");
  EXPECT_TRUE(!leat_freadable(w.get()) && leat_fwritable(w.get()));
  EXPECT_TRUE(leat_freadable(r.get()) && !leat_fwritable(r.get()));
  EXPECT_TRUE(leat_freadable(both.get()) && leat_fwritable(both.get()));
  EXPECT_TRUE(leat_fwriting(w.get()) && leat_freading(r.get()));
  leat_fputc('x', both.get());
  EXPECT_TRUE(leat_fwriting(both.get()) && !leat_freading(both.get()));
}

// --- errors --------------------------------------------------------------------------------------

#if defined(HAS_POSIX_FILES)
TEST(file, a_full_device_is_not_asked_by_each_call) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (const int buffers : {_IOFBF, _IOLBF, _IONBF}) {
    counted_file file;
    leat_file* const f = file.open("w");
    ASSERT_EQ(leat_setvbuf(f, nullptr, buffers, 1000), 0);
    const std::string line(1001, '\n');
    file.error = ENOSPC;
    const auto begin = now();
    for (int i = 0; i != 100'000; ++i) {
      errno = 0;
      ASSERT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
      ASSERT_EQ(errno, ENOSPC);
    }
    // Each millisecond, and the first sixteen.
    EXPECT_LE(file.writes, 17 + (now() - begin) / std::chrono::milliseconds(1)) << buffers;
    EXPECT_NE(leat_ferror(f), 0);
    int before = file.writes;
    leat_clearerr(f);
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    EXPECT_EQ(file.writes, before + 1) << "the program wants to know it anew";
    file.error = EAGAIN;
    leat_clearerr(f);
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    before = file.writes;
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 0u);
    EXPECT_EQ(file.writes, before + 1) << "it may be ready at any moment";
    file.error = 0;
    EXPECT_EQ(leat_fwrite(line.data(), line.size(), 1, f), 1u);
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_TRUE(file.content.ends_with(line));
  }
}

TEST(file, a_call_that_fails_leaves_no_part_of_a_line) {
  counted_file file;
  leat_file* const f = file.open("w");
  ASSERT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 100), 0);
  std::string expected;
  const auto print = [&](int i) {
    if (leat_fprintf(f, "line %06d\n", i) > 0) expected += leat::format("line {:06}\n", i);
  };
  file.error = ENOSPC;
  for (int i = 0; i != 40; ++i) print(i);
  file.error = 0;
  leat_clearerr(f);
  for (int i = 40; i != 80; ++i) print(i);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, expected);
}

TEST(file, a_long_print_that_fails_leaves_what_the_device_has_taken) {
  counted_file file;
  leat_file* const f = file.open("w");
  ASSERT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 4037), 0);
  file.room = 9000;
  EXPECT_LT(leat_fprintf(f, "%s", std::string(20'000, 'x').c_str()), 0);
  file.room = std::string::npos;
  leat_clearerr(f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content.size(), 9000u);
}

#  if defined(F_SETPIPE_SZ)
TEST(file, nothing_of_a_call_follows_a_piece_that_failed) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  ::fcntl(pipe.writer(), F_SETPIPE_SZ, 4096);
  const std::string text = numbered_text(8700);
  for (const bool wide : {false, true}) {
    leat_file* const f = leat_fdopen(::dup(pipe.writer()), "w");
    EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 1000), 0);
    EXPECT_LT(wide ? leat_fwprintf(f, L"%s", text.c_str()) : leat_fprintf(f, "%s", text.c_str()),
              0);
    std::string got;
    const auto read = [&] {
      std::string block(10'000, ' ');
      const ssize_t n = ::read(pipe.reader(), block.data(), block.size());
      if (n > 0) got.append(block, 0, static_cast<std::size_t>(n));
    };
    read();
    leat_clearerr(f);
    EXPECT_EQ(leat_fclose(f), 0);
    read();
    EXPECT_GE(got.size(), 4096u);
    EXPECT_TRUE(text.starts_with(got)) << wide << got.size();
  }
}
#  endif

TEST(file, what_did_not_get_out_is_kept) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  leat_file* const f = leat_fdopen(pipe.give_writer(), "w");
  EXPECT_EQ(leat_setvbuf(f, nullptr, _IOFBF, 5000), 0);
  std::string taken, read;
  const std::string text = numbered_text(300000);
  // As much as the pipe and the buffer hold, then on as others read: each byte once and in order.
  while (taken.size() != text.size()) {
    const std::size_t n = std::min<std::size_t>(7000, text.size() - taken.size());
    errno = 0;
    const std::size_t done = leat_fwrite(text.data() + taken.size(), 1, n, f);
    taken.append(text, taken.size(), done);
    if (done == n) continue;
    ASSERT_EQ(errno, EAGAIN);
    ASSERT_NE(leat_ferror(f), 0);
    leat_clearerr(f);
    char block[3001];
    const ssize_t got = ::read(pipe.reader(), block, sizeof block);
    ASSERT_GT(got, 0);
    read.append(block, static_cast<std::size_t>(got));
  }
  while (leat_fflush(f) != 0) {
    char block[5003];
    const ssize_t got = ::read(pipe.reader(), block, sizeof block);
    ASSERT_GT(got, 0);
    read.append(block, static_cast<std::size_t>(got));
  }
  EXPECT_EQ(leat_fclose(f), 0);
  read += read_rest(pipe.reader());
  EXPECT_TRUE(read == text) << read.size();
}

TEST(file, lines_that_did_not_get_out_are_kept) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  leat_file* const f = leat_fdopen(pipe.give_writer(), "w");
  leat_setlinebuf(f);
  std::string taken, read;
  for (int i = 0; i != 20000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\npart";
    std::size_t done = 0;
    while (done != line.size()) {
      const std::size_t now = leat_fwrite(line.data() + done, 1, line.size() - done, f);
      done += now;
      if (done == line.size()) break;
      ASSERT_EQ(errno, EAGAIN);
      char block[3001];
      const ssize_t got = ::read(pipe.reader(), block, sizeof block);
      ASSERT_GT(got, 0);
      read.append(block, static_cast<std::size_t>(got));
    }
    taken += line;
  }
  read += read_rest(pipe.reader());
  EXPECT_EQ(leat_fclose(f), 0);
  read += read_rest(pipe.reader());
  EXPECT_TRUE(read == taken) << read.size() << ' ' << taken.size();
}
#endif

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(file, a_file_that_may_not_grow) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const auto result = run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    leat_file* const f = leat_fopen(path.c_str(), "w");
    rlimit limit{};
    require(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 1000;
    require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    require(leat_fwrite(numbered_text(3000).data(), 1, 3000, f) == 3000);
    require(leat_fflush(f) == EOF && errno == EFBIG && leat_ferror(f) != 0);
    require(leat_ftell(f) == 3000);
    require(leat_fseek(f, 0, SEEK_SET) != 0);
    limit.rlim_cur = before;
    require(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    require(leat_fflush(f) == 0);
    require(leat_fclose(f) == 0);
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(read_all(path), numbered_text(3000));
}
#endif

#if defined(HAS_POSIX_FILES)
TEST(file, reading_goes_on_after_an_error) {
  pipe_pair pipe(O_CLOEXEC | O_NONBLOCK);
  const owned f(leat_fdopen(::dup(pipe.reader()), "r"));
  char block[10];
  EXPECT_EQ(::write(pipe.writer(), "some", 4), 4);
  EXPECT_EQ(leat_fread(block, 1, sizeof block, f.get()), 4u);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_NE(leat_ferror(f.get()), 0);
  EXPECT_EQ(leat_feof(f.get()), 0);
  EXPECT_EQ(::write(pipe.writer(), "more", 4), 4);
  EXPECT_EQ(leat_fread(block, 1, 4, f.get()), 4u);
  EXPECT_EQ(std::string_view(block, 4), "more");
}
#endif

// --- opening -------------------------------------------------------------------------------------

#if defined(HAS_POSIX_FILES)
TEST(file, fdopen_refuses_what_the_descriptor_cannot) {
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
  const std::ptrdiff_t before = open_descriptors();
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
  EXPECT_EQ(open_descriptors(), before);
}

#if defined(HAS_FORK)
TEST(file, standard_output_is_redirected) {
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
  const std::ptrdiff_t before = open_descriptors();
  leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
  leat_fputs("text", f);
  errno = 0;
  EXPECT_EQ(leat_freopen((folder / "none/file").c_str(), "r", f), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(read_all(folder / "file"), "text");
  EXPECT_EQ(leat_fgetc(f), EOF);
  EXPECT_EQ(leat_fputc('x', f), EOF);
  // It can be opened again all the same.
  EXPECT_EQ(leat_freopen((folder / "file").c_str(), "r", f), f);
  EXPECT_EQ(rest_of(f), "text");
  EXPECT_EQ(leat_fclose(f), 0);
}

#if defined(HAS_FORK) && defined(HAS_LIMITS)
TEST(file, reopening_without_a_name_fails_where_no_descriptor_is_left) {
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
TEST(file, reopening_without_a_name_is_not_seen_by_others) {
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
#endif

/// POSIX's rules for two handles of one file: fflush before the other is used, and a seek before
/// one goes on.
#if defined(HAS_POSIX_FILES)
TEST(file, streams_and_their_descriptors_take_turns) {
  const temporary_folder folder;
  write_file(folder / "file", "0123456789");
  leat_file* const f = leat_fopen((folder / "file").c_str(), "r+");
  const int descriptor = leat_fileno(f);
  char byte = 0;
  EXPECT_EQ(leat_fgetc(f), '0');
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(leat_fgetc(f), '2') << "goes on where the descriptor is";
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(leat_fseek(f, 7, SEEK_SET), 0);
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
  EXPECT_EQ(byte, '7') << "follows a seek after a flush";
  EXPECT_EQ(leat_fseek(f, 0, SEEK_SET), 0);
  EXPECT_EQ(leat_fputc('x', f), 'x');
  EXPECT_EQ(leat_fflush(f), 0);
  EXPECT_EQ(::write(descriptor, "y", 1), 1);
  EXPECT_EQ(leat_fputc('z', f), 'z');
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(read_all(folder / "file"), "xyz3456789");
}
#endif

// --- processes -----------------------------------------------------------------------------------

#if defined(HAS_SHELL)
TEST(file, reading_from_a_process) {
  leat_file* const f = leat_popen("echo out; exit 3", "r");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(rest_of(f), "out\n");
  const int status = leat_pclose(f);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(file, writing_to_a_process) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  leat_file* const first = leat_popen(("cat > '" + path + "'").c_str(), "w");
  ASSERT_NE(first, nullptr);
  // The second does not hold the first's pipe open, or that would never end.
  leat_file* const second = leat_popen("cat", "we");
  ASSERT_NE(second, nullptr);
  leat_fputs("to a process", first);
  EXPECT_EQ(leat_pclose(first), 0);
  EXPECT_EQ(leat_pclose(second), 0);
  EXPECT_EQ(read_all(path), "to a process");
}

#  if defined(HAS_FORK)
TEST(file, a_command_that_the_system_has_forgotten_has_no_status) {
  const auto child = run_in_child([] {
    ::signal(SIGCHLD, SIG_IGN);
    leat_file* const f = leat_popen("exit 3", "r");
    require(f != nullptr);
    errno = 0;
    require(leat_pclose(f) == -1);
    require(errno == ECHILD);
  });
  EXPECT_TRUE(succeeded(child));
}
#  endif

#  if defined(HAS_SYSTEM_FILES)
TEST(file, a_command_that_did_not_get_its_input_is_an_error) {
  leat_file* const f = leat_popen("cat >/dev/null", "w");
  ASSERT_NE(f, nullptr);
  EXPECT_GE(leat_fputs("lost", f), 0);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(::dup2(full, leat_fileno(f)), 0);
  ::close(full);
  errno = 0;
  EXPECT_EQ(leat_pclose(f), -1);
  EXPECT_EQ(errno, ENOSPC);
}
#  endif

TEST(file, misused_processes) {
  for (const char* mode : {"", "rw", "r+", "a", "z"}) {
    errno = 0;
    EXPECT_EQ(leat_popen("true", mode), nullptr) << mode;
    EXPECT_EQ(errno, EINVAL);
  }
  const owned f(leat_tmpfile());
  errno = 0;
  EXPECT_EQ(leat_pclose(f.get()), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(leat_fputc('x', f.get()), 'x') << "and stays open";
}
#endif

// --- functions of the program --------------------------------------------------------------------

TEST(file, all_functions) {
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

TEST(file, no_functions) {
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

TEST(file, appending_functions) {
  counted_file file{.content = "text"};
  leat_file* const f = file.open("a");
  leat_fputs(" more", f);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(file.content, "text more");
}

// --- how often the system is asked ---------------------------------------------------------------

TEST(file, full_buffers_go_out_whole) {
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

TEST(file, a_line_is_one_write) {
  counted_file file;
  const owned f(file.open("w"));
  leat_setlinebuf(f.get());
  leat_fputs("a ", f.get());
  leat_fputs("line\n", f.get());
  leat_fputs("two\nlines\nand", f.get());
  EXPECT_EQ(file.sizes, (std::vector<std::size_t>{7, 10}));
}

#if defined(HAS_SYSTEM_FILES)
TEST(file, seeks_to_the_end_of_a_device) {
  const owned f = opened("/dev/null", "r");
  errno = EIO;  // of an earlier call
  EXPECT_EQ(leat_fseek(f.get(), 0, SEEK_END), 0);
  EXPECT_EQ(leat_ftell(f.get()), 0);
}
#endif

/// Where the descriptor is shows whether it was moved: reading elsewhere leaves it.
#if defined(HAS_POSIX_FILES)
TEST(file, seeks_do_not_move_the_descriptor) {
  const temporary_folder folder;
  write_file(folder / "file", numbered_text(100000));
  const std::string text = numbered_text(100000);
  const owned f = opened(folder / "file", "r");
  const auto offset = [&] { return ::lseek(leat_fileno(f.get()), 0, SEEK_CUR); };
  EXPECT_EQ(leat_fgetc(f.get()), text[0]);
  const off_t window = offset();
  EXPECT_GT(window, 1000);
  // In the window nothing is read at all; outside, without the descriptor's offset.
  for (const long at : {900, 3, 500, 50000, 20000}) {
    EXPECT_EQ(leat_fseek(f.get(), at, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f.get()), text[static_cast<std::size_t>(at)]);
    EXPECT_EQ(offset(), window);
  }
}

TEST(file, unbuffered_reads_do_not_move_the_descriptor) {
  const temporary_folder folder;
  const std::string text = numbered_text(100000);
  write_file(folder / "file", text);
  const owned f = opened(folder / "file", "r");
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

TEST(file, a_window_of_functions_is_read_once) {
  counted_file file{.content = numbered_text(4000)};
  const owned f(file.open("r"));
  EXPECT_EQ(leat_setvbuf(f.get(), nullptr, _IOFBF, 4096), 0);
  for (const long at : {10, 3000, 0, 3999}) {
    EXPECT_EQ(leat_fseek(f.get(), at, SEEK_SET), 0);
    EXPECT_EQ(leat_fgetc(f.get()), file.content[static_cast<std::size_t>(at)]);
  }
  EXPECT_LE(file.reads, 2);
}

/// A pipe whose reading end does not wait, with this in it.
struct pipe_of {
  int ends[2]{};
  explicit pipe_of(std::string_view text) {
    open_pipe(ends, O_NONBLOCK);
    add(text);
  }
  void add(std::string_view text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
};

TEST(file, setvbuf_with_bytes_waiting_loses_none) {
  const pipe_of pipe("abcdefgh");
  const owned f(leat_fdopen(pipe.ends[0], "r"));
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

TEST(file, part_of_a_line_is_handed_out_before_a_wait) {
  const pipe_of pipe("abc");
  const owned f(leat_fdopen(pipe.ends[0], "r"));
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

TEST(file, a_long_line_that_is_cut_off_is_counted) {
  const pipe_of pipe("");
  const owned f(leat_fdopen(pipe.ends[1], "w"));
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

TEST(file, flushing_all_tells_where_the_memory_is) {
  char* memory = nullptr;
  std::size_t size = 0;
  owned f(leat_open_memstream(&memory, &size));
  leat_fputs("abc", f.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(std::string_view(memory, size), "abc");
  leat_fputs("def", f.get());
  EXPECT_EQ(leat_fflush(nullptr), 0);
  EXPECT_EQ(std::string_view(memory, size), "abcdef");
  f.reset();
  std::free(memory);
}

TEST(file, growing_memory_is_begun_anew_and_read_back) {
  char* memory = nullptr;
  std::size_t size = 0;
  owned f(leat_open_memstream(&memory, &size));
  leat_fputs("hello", f.get());
  leat_rewind(f.get());
  leat_fputs("hi", f.get());
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_STREQ(memory, "hillo") << "POSIX: the NUL is behind the text";
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

TEST(file, a_line_at_the_end_of_an_empty_file_has_memory) {
  const temporary_folder folder;
  for (const int delimiter : {'\n', ';'}) {
    const owned f = opened(folder / "empty", "w+");
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

#if defined(HAS_POSIX_FILES)
TEST(file, freopen_where_the_program_closed_the_descriptor) {
  const temporary_folder folder;
  leat_file* const f = leat_fopen((folder / "one").c_str(), "w");
  const int descriptor = leat_fileno(f);
  ::close(descriptor);
  EXPECT_EQ(leat_freopen((folder / "two").c_str(), "w", f), f);
  EXPECT_EQ(leat_fileno(f), descriptor);
  EXPECT_EQ(leat_fputs("text", f), 1);
  EXPECT_EQ(leat_fclose(f), 0);
  EXPECT_EQ(rest_of(opened(folder / "two", "r").get()), "text");
}
#endif

}  // namespace
