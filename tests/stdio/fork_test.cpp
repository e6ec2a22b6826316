// A fork while other threads use streams: the child finds each stream usable. Also: offsets that
// parent and child share, and what exit() does with streams over functions and over memory.
#include "support/process.hpp"

#if defined(HAS_FORK) && !defined(LEAT_EMULATED)

#  include <leat/leat.h>
#  include <leat/print.hpp>
#  if defined(__GLIBC__)
#    include <malloc.h>
#  endif
#  include <fcntl.h>
#  include <sys/mman.h>
#  include <unistd.h>

#  include <atomic>
#  include <cstring>
#  include <numeric>
#  include <string>
#  include <thread>
#  include <vector>

#  include "support/c_files.hpp"
#  include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

/// Forks `count` times while two threads repeat work(0) and work(1). Each child calls `child`, and
/// must exit with 0 within 5 seconds (with a sanitizer: 20 seconds). After three failures, no more
/// children are started.
template <class Work, class Child>
void fork_during(int count, const Work& work, const Child& child) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t != 2; ++t)
    threads.emplace_back([&, t] {
      while (!stop) work(t);
    });
  int failures = 0;
  std::string first_failure;
  for (int i = 0; i != count; ++i) {
    const pid_t process = start_child([&] {
      ::alarm(sanitized ? 20 : 5);
      child();
    });
    const int result = wait_for(process);
    if (result == 0) continue;
    if (failures++ == 0) first_failure = std::to_string(result);
    if (failures == 3) break;  // each hanging child takes seconds
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0) << "failed children of " << count << "; the first failure was "
                         << first_failure;
}

void write_memory(int) {
#  if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 17);  // otherwise glibc raises this threshold after a free
#  endif
  char* memory = nullptr;
  std::size_t size = 0;
  leat_file* const f = leat_open_memstream(&memory, &size);
  // A block of this size is moved when it grows, and its old pages are unmapped.
  static const std::string text(1 << 20, 'x');
  for (int i = 0; i != 4; ++i) leat_fwrite(text.data(), 1, text.size(), f);
  leat_fclose(f);
  std::free(memory);
}

TEST(fork, leaves_fflush_usable_while_threads_use_memory_streams) {
  fork_during(rounds(under_tsan ? 100 : 300), write_memory, [] {
    require(leat_fflush(nullptr) == 0);
    // In the child, the streams of the parent's other threads count as leaks.
    if (under_asan) ::_exit(0);
    std::exit(0);  // exit goes through all streams, too
  });
}

TEST(fork, leaves_popen_usable_while_threads_use_popen) {
  const auto work = [](int) {
    leat_file* const f = leat_popen("exit 0", "r");
    if (f != nullptr) leat_pclose(f);
  };
  fork_during(rounds(200), work, [] {
    leat_file* const f = leat_popen("exit 3", "r");
    require(f != nullptr && leat_pclose(f) == 3 << 8);
  });
}

TEST(fork, leaves_files_usable_while_threads_open_files) {
  const temporary_folder folder;
  const auto work = [&](int t) {
    leat_file* const f = leat_fopen((folder / std::to_string(t)).c_str(), "w+");
    for (int i = 0; i != 50; ++i) leat_fprintf(f, "%d\n", i);
    leat_rewind(f);
    // A child's fflush can write the same bytes again at this moment. The write moves the offset,
    // which the child and the parent share, so the read can begin at any line, or at the end of the
    // file.
    int value = 0;
    leat_fscanf(f, "%d", &value);
    require(value >= 0 && value < 50);
    leat_fclose(f);
  };
  fork_during(rounds(500), work, [&] {
    const file_ptr f = open_file(folder / "child", "w");
    leat_fputs("text", f.get());
    require(leat_fflush(nullptr) == 0 && read_all(folder / "child") == "text");
  });
}

/// After a fork during a write, the child and the parent share the descriptor's offset, and both
/// continue at this offset.
TEST(fork, loses_no_bytes_if_parent_and_child_write_to_one_file) {
  const temporary_folder folder;
  for (const int mode : {_IONBF, _IOLBF}) {
    const std::string line(99, 'p');
    std::size_t sent = 0;
    leat_file* const f = leat_fopen((folder / "file").c_str(), "w");
    leat_setvbuf(f, nullptr, mode, BUFSIZ);
    const auto work = [&](int t) {
      if (t == 0) sent += leat_fprintf(f, "%s\n", line.c_str()) == 100 ? 100U : 0U;
    };
    const int children = rounds(200);
    fork_during(children, work,
                [&] { require(leat_fputs("CHILD....\n", f) >= 0 && leat_fflush(f) == 0); });
    EXPECT_EQ(leat_fclose(f), 0);
    EXPECT_EQ(read_all(folder / "file").size(), sent + 10U * static_cast<unsigned>(children))
        << mode;
  }
}

/// A device of ints. In the parent, every second write takes a third of the ints, and the other
/// writes fail with EAGAIN. In the child, a write takes all ints, and checks that the ints are
/// consecutive.
struct refusing_device {
  pid_t owner = ::getpid();
  bool accepts = false;
  bool in_order = true;

  static ssize_t write(void* cookie, const char* from, std::size_t n) {
    auto& self = *static_cast<refusing_device*>(cookie);
    if (self.owner == ::getpid()) {
      self.accepts = !self.accepts;
      if (self.accepts) return static_cast<ssize_t>(n / 3 / sizeof(int) * sizeof(int));
      ::usleep(200);  // so that a fork begins meanwhile
      errno = EAGAIN;
      return -1;
    }
    std::vector<int> numbers(n / sizeof(int));
    if (!numbers.empty()) std::memcpy(numbers.data(), from, numbers.size() * sizeof(int));
    for (std::size_t i = 1; i < numbers.size(); ++i)
      self.in_order = self.in_order && numbers[i] == numbers[i - 1] + 1;
    return static_cast<ssize_t>(n);
  }
};

/// leat moves refused bytes to the beginning of the buffer. A child finds either all refused bytes
/// moved, or no byte moved.
TEST(fork, keeps_the_order_of_bytes_that_a_device_did_not_write) {
  constexpr std::size_t size = 1 << 20;
  refusing_device device;
  leat_file* const f =
      leat_fopencookie(&device, "w", {nullptr, refusing_device::write, nullptr, nullptr});
  leat_setvbuf(f, nullptr, _IOFBF, size);
  int next = 0;
  const auto work = [&](int t) {
    if (t != 0) return;
    std::vector<int> numbers(size / sizeof(int) / 2);
    std::iota(numbers.begin(), numbers.end(), next);
    next += static_cast<int>(leat_fwrite(numbers.data(), sizeof(int), numbers.size(), f));
    leat_clearerr(f);
  };
  fork_during(rounds(200), work, [&] {
    leat_fflush(nullptr);
    require(device.in_order);
  });
  leat_discard(f);
}

TEST(exit, writes_streams_of_fopencookie_but_does_not_close_them) {
  const child_result result = run_in_child([] {
    leat_file* const f = leat_fopencookie(
        nullptr, "w",
        {nullptr, [](void*, const char* from, size_t n) { return ::write(1, from, n); }, nullptr,
         [](void*) { return static_cast<int>(::write(1, "closed", 6)); }});
    leat_fputs("text", f);
    std::exit(0);
  });
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, "text");
}

/// The standard outputs of C and of C++ flush each other, so one call can use both streams. The
/// child finds both streams usable.
TEST(fork, leaves_standard_output_usable_in_c_and_in_cpp) {
  const child_result result = run_in_child([] {
    require(::dup2(::open("/dev/null", O_WRONLY), 1) == 1);
    const auto work = [](int t) {
      leat_printf("%d\n", t);
      leat::out.print("{}\n", t);
      leat::out.flush();
    };
    fork_during(rounds(500), work, [] {
      leat_printf("child\n");
      require(leat_fflush(leat_stdout()) == 0);
      leat::out.print("child\n");
      leat::out.flush();
    });
    require(!testing::Test::HasFailure());
  });
  EXPECT_TRUE(succeeded(result));
}

/// At exit the memory and the variables of a memory stream may no longer exist, for example if they
/// were local to main.
TEST(memory_streams, are_not_accessed_at_exit) {
  const auto exits = [](bool fixed) {
    return wait_for(start_child([&] {
      const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
      void* const mapping =
          ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
      auto* const text = static_cast<char*>(mapping);
      leat_file* const f =
          fixed ? leat_fmemopen(text, page, "w")
                : leat_open_memstream(static_cast<char**>(mapping),
                                      reinterpret_cast<std::size_t*>(text + sizeof(char*)));
      require(leat_fputs("text", f) >= 0 && ::munmap(mapping, page) == 0);
      std::exit(0);
    }));
  };
  EXPECT_EQ(exits(true), 0);
  EXPECT_EQ(exits(false), 0);
}

/// A thread that waits for input, or for room in a pipe, holds its stream's lock. A fork waits
/// neither for this lock nor for a lock of leat_flockfile.
TEST(fork, does_not_wait_for_threads_that_wait_for_input_or_a_full_pipe) {
  int in[2], out[2];
  ASSERT_TRUE(::pipe(in) == 0 && ::pipe(out) == 0);
  const file_ptr from(leat_fdopen(in[0], "r")), to(leat_fdopen(out[1], "w"));
  std::thread reader([&] { EXPECT_EQ(leat_fgetc(from.get()), 'x'); });
  std::thread writer([&] {
    const std::string text(1 << 20, 'x');
    EXPECT_EQ(leat_fwrite(text.data(), 1, text.size(), to.get()), text.size());
  });
  std::thread locker([&] {
    leat_flockfile(leat_stderr());
    ::usleep(200'000);
    leat_funlockfile(leat_stderr());
  });
  ::usleep(50'000);
  EXPECT_EQ(wait_for(start_child([] {})), 0);
  EXPECT_NE(leat_ftrylockfile(leat_stderr()), 0) << "the fork has waited for the lock";
  EXPECT_EQ(::write(in[1], "x", 1), 1);
  std::string text(1 << 20, ' ');
  for (std::size_t n = 0; n != text.size();) {
    const ssize_t got = ::read(out[0], text.data() + n, text.size() - n);
    ASSERT_GT(got, 0);
    n += static_cast<std::size_t>(got);
  }
  EXPECT_TRUE(text == std::string(text.size(), 'x'));
  for (std::thread* const thread : {&reader, &writer, &locker}) thread->join();
  ::close(in[1]);
  ::close(out[0]);
}

// If a child exits without having read, the offset that it shares with its parent is unchanged.
TEST(fork, a_child_that_exits_does_not_move_the_offset_of_input_files) {
  const temporary_folder folder;
  write_file(folder / "lines", "1\n2\n3\n4\n");
  const auto result = run_in_child([&] {
    leat_file* const f = leat_fopen((folder / "lines").c_str(), "r");
    char line[10];
    require(leat_fgets(line, sizeof line, f) == line);
    const off_t before = ::lseek(leat_fileno(f), 0, SEEK_CUR);
    require(before == 8);
    require(wait_for(start_child([] {}, ending::orderly)) == 0);
    require(::lseek(leat_fileno(f), 0, SEEK_CUR) == before);
    // A child that has read leaves the offset after the bytes that it took, as POSIX requires.
    require(wait_for(start_child([&] { require(leat_fgets(line, sizeof line, f) == line); },
                                 ending::orderly)) == 0);
    require(leat_fgets(line, sizeof line, f) == line && line[0] == '2');
  });
  EXPECT_TRUE(succeeded(result));
}

TEST(fork, a_child_that_exits_does_not_move_the_offset_of_standard_input) {
  const temporary_folder folder;
  write_file(folder / "lines", "1\n2\n3\n4\n");
  const auto result = run_in_child([&] {
    require(::dup2(::open((folder / "lines").c_str(), O_RDONLY), 0) == 0);
    char line[10];
    require(leat_fgets(line, sizeof line, leat_stdin()) == line);
    require(wait_for(start_child([] {}, ending::orderly)) == 0);
    require(::lseek(0, 0, SEEK_CUR) == 8);
  });
  EXPECT_TRUE(succeeded(result));
}

}  // namespace

#endif
