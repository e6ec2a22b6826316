// Cancelled threads. No function of leat.h is a cancellation point: each function returns in a
// cancelled thread, even a function that waits, and leaves files and locks as in any other thread.
#include "support/c_options.hpp"
#include "support/process.hpp"

#if defined(HAS_FORK) && defined(__linux__)

#  include <leat/leat.h>
#  include <pthread.h>

#  include <chrono>
#  include <filesystem>
#  include <functional>
#  include <string>
#  include <string_view>
#  include <thread>
#  include <vector>

#  include "support/c_files.hpp"
#  include "support/libraries.hpp"

namespace {

using namespace leat_test;

/// The files and streams that the calls of one scenario use.
struct streams {
  std::string path;      ///< a file with a few lines
  leat_file* file;       ///< a stream of this file, opened with "r+"
  leat_file* from;       ///< the reading end of a pipe that gets 4 bytes about every 100 us
  leat_file* to;         ///< unbuffered: the writing end of a pipe that is read about every 100 us
  leat_file* functions;  ///< calls functions of the program that contain cancellation points
};

struct scenario {
  const char* name;
  void (*call)(const streams&);
};

/// Closes a stream that a call has opened. If the call returned null, ends the child.
void require_and_close(leat_file* f) {
  require(f != nullptr);
  leat_fclose(f);
}

void write_unbuffered(leat_file* f) {
  leat_setvbuf(f, nullptr, _IONBF, 0);
  leat_fputs("text", f);
}

int increment(void* record, std::size_t, void*) {
  ::usleep(0);  // a cancellation point
  ++*static_cast<char*>(record);
  return 0;
}

const scenario scenarios[] = {
    {"fopen", [](const streams& p) { require_and_close(leat_fopen(p.path.c_str(), "r")); }},
    {"fopen a", [](const streams& p) { require_and_close(leat_fopen(p.path.c_str(), "a")); }},
    {"fdopen",
     [](const streams& p) { require_and_close(leat_fdopen(::dup(leat_fileno(p.file)), "r+")); }},
    {"fopen, fputs, fclose",
     [](const streams& p) {
       leat_file* const f = leat_fopen(p.path.c_str(), "w");
       leat_fputs("one\ntwo\nthree\n", f);
       leat_fclose(f);
     }},
    {"freopen",
     [](const streams& p) {
       leat_file* const f = leat_fopen(p.path.c_str(), "r");
       require(leat_freopen(p.path.c_str(), "r", f) == f);
       require(leat_freopen(nullptr, "r", f) == f);
       leat_fclose(f);
     }},
    {"freopen fails",
     [](const streams& p) {
       leat_file* const f = leat_fopen(p.path.c_str(), "r");
       require(leat_freopen((p.path + "/none").c_str(), "r", f) == nullptr);
       leat_fclose(f);
     }},
    {"tmpfile",
     [](const streams&) {
       leat_file* const f = leat_tmpfile();
       leat_fputs("text", f);
       leat_rewind(f);
       require(leat_fgetc(f) == 't');
       leat_fclose(f);
     }},
    {"popen r",
     [](const streams&) {
       leat_file* const f = leat_popen("echo text", "r");
       require(leat_fgetc(f) == 't');
       require(leat_pclose(f) == 0);
     }},
    {"popen w, fclose",
     [](const streams&) {
       leat_file* const f = leat_popen("cat > /dev/null", "w");
       leat_fputs("text", f);
       require(leat_fclose(f) == 0);
     }},
    {"dprintf", [](const streams& p) { leat_dprintf(leat_fileno(p.file), "%d\n", 1); }},
    {"perror", [](const streams&) { leat_perror("text"); }},
    {"puts, fflush",
     [](const streams&) {
       leat_puts("text");
       leat_fflush(leat_stdout());
     }},
    {"fgetc", [](const streams& p) { leat_fgetc(p.from); }},
    {"fread",
     [](const streams& p) {
       char bytes[3];
       leat_fread(bytes, 1, sizeof bytes, p.from);
     }},
    {"fgets",
     [](const streams& p) {
       char line[64];
       leat_fgets(line, sizeof line, p.from);
     }},
    {"getline",
     [](const streams& p) {
       char* line = nullptr;
       std::size_t size = 0;
       leat_getline(&line, &size, p.from);
       std::free(line);
     }},
    {"leat_next_line",
     [](const streams& p) {
       std::size_t size;
       leat_next_line(p.from, &size);
     }},
    {"leat_find",
     [](const streams& p) {
       leat_off_t at;
       leat_find(p.from, "ne", 2, &at);
     }},
    {"fscanf",
     [](const streams& p) {
       char word[8];
       leat_fscanf(p.from, "%7s", word);
     }},
    {"fgetwc", [](const streams& p) { leat_fgetwc(p.from); }},
    {"ungetc", [](const streams& p) { leat_ungetc('x', p.from); }},
    {"fputc", [](const streams& p) { leat_fputc('x', p.to); }},
    {"fputs", [](const streams& p) { leat_fputs("a line\n", p.to); }},
    {"fwrite", [](const streams& p) { leat_fwrite("0123456789", 5, 2, p.to); }},
    {"fprintf", [](const streams& p) { leat_fprintf(p.to, "%s %d\n", "text", 12); }},
    {"fputwc", [](const streams& p) { leat_fputwc(L'x', p.to); }},
    {"fwprintf", [](const streams& p) { leat_fwprintf(p.to, L"%d", 12); }},
    {"fseek, fread, fseek, fwrite, fflush",
     [](const streams& p) {
       char bytes[3];
       leat_rewind(p.file);
       leat_fread(bytes, 1, sizeof bytes, p.file);
       leat_fseek(p.file, 1, SEEK_SET);
       leat_fputs("x", p.file);
       leat_fflush(p.file);
       leat_fseek(p.file, 0, SEEK_END);
       require(leat_ftell(p.file) > 0);
     }},
    {"setvbuf",
     [](const streams& p) {
       leat_fputs("x", p.file);
       leat_setvbuf(p.file, nullptr, _IOFBF, 100);
     }},
    {"fflush(NULL)",
     [](const streams& p) {
       leat_fputs("x", p.file);
       leat_fflush(nullptr);
     }},
    {"_flushlbf", [](const streams&) { leat_flushlbf(); }},
    {"leat_sync",
     [](const streams& p) {
       leat_fputs("x", p.file);
       require(leat_sync(p.file) == 0);
     }},
    {"leat_open replace",
     [](const streams& p) {
       const leat_options replace = leat_test::options_with(LEAT_DURABILITY_SYSTEM, 1);
       leat_file* const f = leat_open((p.path + "2").c_str(), "w", &replace);
       write_unbuffered(f);
       require(leat_fclose(f) == 0);
     }},
    {"leat_open, leat_discard",
     [](const streams& p) {
       const leat_options replace = leat_test::options_with(LEAT_DURABILITY_NONE, 1);
       leat_file* const f = leat_open((p.path + "2").c_str(), "w", &replace);
       write_unbuffered(f);
       leat_discard(f);
     }},
    {"leat_open durable",
     [](const streams& p) {
       const leat_options durable = leat_test::options_with(LEAT_DURABILITY_SYSTEM);
       leat_file* const f = leat_open((p.path + "3").c_str(), "w", &durable);
       write_unbuffered(f);
       require(leat_fclose(f) == 0);
     }},
    {"fopencookie",
     [](const streams& p) {
       leat_fseek(p.functions, 0, SEEK_SET);
       leat_fputc('x', p.functions);
       leat_fflush(p.functions);
       leat_fseek(p.functions, 0, SEEK_END);
       leat_fgetc(p.functions);
     }},
    {"fopencookie, fclose",
     [](const streams&) {
       const auto close = [](void*) -> int { return ::usleep(0); };
       require_and_close(leat_fopencookie(nullptr, "r+", {nullptr, nullptr, nullptr, close}));
     }},
    {"memory streams",
     [](const streams&) {
       char* memory = nullptr;
       std::size_t size = 0;
       leat_file* const f = leat_open_memstream(&memory, &size);
       leat_fprintf(f, "%2000d", 1);
       leat_fclose(f);
       std::free(memory);
     }},
    {"leat_gather, leat_read_ranges",
     [](const streams& p) {
       const std::uint64_t positions[] = {0, 3, 1};
       char out[8];
       leat_gather(p.file, 1, positions, 3, out);
       const leat_range range{.at = 0, .size = 2};
       leat_read_ranges(p.file, &range, 1, out);
     }},
    {"leat_scatter, leat_update",
     [](const streams& p) {
       const std::uint64_t positions[] = {0, 3, 1};
       leat_scatter(p.file, 1, positions, 3, "abc");
       leat_update(p.file, 1, positions, 3, increment, nullptr);
     }},
    {"leat_libc_file",
     [](const streams& p) {
       leat_file* const f = leat_fopen(p.path.c_str(), "r");
       auto* const view = static_cast<std::FILE*>(leat_libc_file(f));
       require(uses_glibc ? view != nullptr && std::fgetc(view) != EOF : view == nullptr);
       leat_fclose(f);
     }},
    {"remove, rename",
     [](const streams& p) {
       require_and_close(leat_fopen((p.path + "4").c_str(), "w"));
       require(leat_rename((p.path + "4").c_str(), (p.path + "5").c_str()) == 0);
       require(leat_remove((p.path + "5").c_str()) == 0);
     }},
};

int count_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

leat_file* open_functions() {
  const auto read = [](void*, char* to, std::size_t) -> ssize_t {
    ::usleep(0);
    *to = 'r';
    return 1;
  };
  const auto write = [](void*, const char*, std::size_t n) -> ssize_t {
    ::usleep(0);
    return static_cast<ssize_t>(n);
  };
  const auto seek = [](void*, leat_off_t* at, int whence) -> int {
    ::usleep(0);
    if (whence == SEEK_END) *at += 10;
    return 0;
  };
  return leat_fopencookie(nullptr, "r+", {read, write, seek, nullptr});
}

/// Calls body(streams). Meanwhile a thread reads and writes the other ends of the pipes. For
/// children only: the streams stay open.
void with_streams(const std::string& path, const std::function<void(const streams&)>& body) {
  leat_file* const file = leat_fopen(path.c_str(), "w");
  leat_fputs("one\ntwo\nthree\n", file);
  leat_fclose(file);
  int in[2], out[2];
  require(::pipe(in) == 0 && ::pipe(out) == 0);
  require(::fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 && ::fcntl(out[0], F_SETFL, O_NONBLOCK) == 0);
  std::atomic<bool> stop{false};
  std::thread server([&] {
    char bytes[256];
    while (!stop) {
      static_cast<void>(::write(in[1], "one\n", 4) + ::read(out[0], bytes, sizeof bytes));
      ::usleep(100);
    }
  });
  const streams p{path, leat_fopen(path.c_str(), "r+"), leat_fdopen(in[0], "r"),
                  leat_fdopen(out[1], "w"), open_functions()};
  leat_setvbuf(p.to, nullptr, _IONBF, 0);
  body(p);
  stop = true;
  server.join();
}

/// Runs `work` in a thread. If `delay` is 0, cancels the thread before `work` begins. Otherwise
/// cancels the thread about `delay` microseconds after its start. Requires that the work returns,
/// and that the thread ends cancelled.
template <class Work>
void run_cancelled(int delay, const Work& work) {
  std::atomic<bool> may_begin{delay != 0};
  struct job {
    const Work& work;
    std::atomic<bool>& may_begin;
    bool returned = false;
  } started{work, may_begin};
  pthread_t thread;
  require(::pthread_create(
              &thread, nullptr,
              [](void* context) -> void* {
                auto& self = *static_cast<job*>(context);
                while (!self.may_begin) {
                }
                self.work();
                self.returned = true;
                for (;;) ::pause();
              },
              &started) == 0);
  if (delay != 0) ::usleep(static_cast<useconds_t>(delay));
  ::pthread_cancel(thread);
  may_begin = true;
  void* result = nullptr;
  require(::pthread_join(thread, &result) == 0);
  require(result == PTHREAD_CANCELED && started.returned);
}

void run_scenario(const scenario& tested, int count) {
  const temporary_folder folder;
  const child_result result = run_in_child([&] {
    with_streams(folder / "file", [&](const streams& p) {
      int before = 0;
      for (int i = 0; i != count; ++i) {
        const int delay = i % 3 == 0 ? 0 : 20 + i * 7 % 200;
        run_cancelled(delay, [&] { tested.call(p); });
        for (leat_file* const f : {p.file, p.from, p.to, p.functions, leat_stdout()}) {
          require(leat_ftrylockfile(f) == 0);
          leat_funlockfile(f);
        }
        if (i == 0) before = count_descriptors();
      }
      require(count_descriptors() == before);
    });
  });
  EXPECT_TRUE(succeeded(result)) << tested.name;
}

TEST(cancelled_thread, returns_from_every_function) {
  for (const scenario& tested : scenarios) run_scenario(tested, rounds(30));
}

}  // namespace

#endif
