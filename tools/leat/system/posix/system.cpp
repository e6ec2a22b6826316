// Implements system.hpp for POSIX systems: other programs, clocks, signals and the terminal.
#include "system/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

#include "system/failure.hpp"
#include "system/platform.hpp"
#if !defined(__linux__)
extern "C" char** environ;  // not declared by a header
#endif

namespace bench {

bool is_installed(const char* program) {
  const char* folders = std::getenv("PATH");
  for (std::string_view left = folders ? folders : ""; !left.empty();) {
    const auto folder = left.substr(0, left.find(':'));
    left.remove_prefix(std::min(left.size(), folder.size() + 1));
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::optional<file_identity> identity_of(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return file_identity{static_cast<std::uint64_t>(status.st_dev),
                       static_cast<std::uint64_t>(status.st_ino)};
}

namespace {

struct file_actions {
  posix_spawn_file_actions_t all;
  file_actions() { posix_spawn_file_actions_init(&all); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;
  ~file_actions() { posix_spawn_file_actions_destroy(&all); }

  void open(int number, const char* path, int flags) {
    posix_spawn_file_actions_addopen(&all, number, path, flags, 0666);
  }
  void copy(int source, int number) { posix_spawn_file_actions_adddup2(&all, source, number); }
};

pid_t start(const std::vector<std::string>& words, const file_actions& actions) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words.front().c_str(), &actions.all, nullptr,
                                   arguments.data(), environ);
  if (error != 0) fail("start", words.front(), error);
  return child;
}

}  // namespace

program_result run_quietly(const std::vector<std::string>& words) {
  const auto& program = words.front();
  file_actions actions;
  for (const int output : {1, 2}) actions.open(output, null_device, O_WRONLY);
  const pid_t child = start(words, actions);
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) fail("wait for", program, errno);
  }
  // The child has ended, but /proc has its counters until waitpid().
  program_result result;
  std::ifstream counters(fmt::format("/proc/{}/io", child));
  std::string name;
  std::uint64_t count = 0;
  if (counters >> name >> count && name == "rchar:") result.bytes_read = count;
  ::waitpid(child, nullptr, 0);
  if (ended.si_code != CLD_EXITED) throw failure(fmt::format("a signal ended '{}'", program));
  result.code = ended.si_status;
  return result;
}

namespace {

struct closed_later {
  int descriptor;
  explicit closed_later(int d) : descriptor(d) {}
  closed_later(const closed_later&) = delete;
  closed_later& operator=(const closed_later&) = delete;
  ~closed_later() { ::close(descriptor); }
};

/// Makes a pipe. Returns the read end and the write end of the pipe. Children close both ends,
/// except an end that file_actions duplicate.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
#if defined(__linux__)
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("make", "a pipe", errno);
#else
  if (::pipe(ends.data()) != 0) fail("make", "a pipe", errno);
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  return ends;
}

}  // namespace

// After the delegated constructor, the destructor runs even if this constructor throws.
program_pipe::program_pipe(const std::vector<std::string>& words) : program_pipe() {
  name_ = words.front();
  const auto [read_end, write_end] = make_pipe();
  const closed_later other_end(write_end);
  file_ = ::fdopen(read_end, "rb");
  file_actions actions;
  actions.open(0, null_device, O_RDONLY);
  actions.copy(write_end, 1);
  actions.open(2, null_device, O_WRONLY);
  child_ = start(words, actions);
}

program_pipe::program_pipe(const std::vector<std::string>& words,
                           const std::filesystem::path& output)
    : program_pipe() {
  name_ = words.front();
  const auto [read_end, write_end] = make_pipe();
  const closed_later other_end(read_end);
  file_ = ::fdopen(write_end, "wb");
  file_actions actions;
  actions.copy(read_end, 0);
  actions.open(1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  actions.open(2, null_device, O_WRONLY);
  child_ = start(words, actions);
}

program_pipe::~program_pipe() {
  if (file_) std::fclose(file_);
  if (child_ != 0) ::waitpid(child_, nullptr, 0);
}

leat::native_handle_type program_pipe::handle() const { return ::fileno(file_); }

void program_pipe::close() {
  const bool failed = std::ferror(file_) != 0;
  const bool unclosed = std::fclose(std::exchange(file_, nullptr)) != 0;
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0) {
    if (errno != EINTR) fail("wait for", name_, errno);
  }
  child_ = 0;
  if (failed || unclosed || status != 0)
    throw failure(fmt::format("'{}' failed, or closed its pipe", name_));
}

std::vector<std::string> arguments_of(int argc, char** argv) { return {argv, argv + argc}; }

clocks real_clocks() {
  const auto seconds = [](clockid_t which) {
    timespec now{};
    clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const auto children = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  };
  return {[=] { return seconds(CLOCK_MONOTONIC); },
          [=] { return seconds(CLOCK_PROCESS_CPUTIME_ID) + children(); }};
}

std::filesystem::path make_private_folder(const std::filesystem::path& parent,
                                          std::string_view prefix) {
  std::string name = parent / fmt::format("{}XXXXXX", prefix);
  if (!mkdtemp(name.data())) fail("create a folder in", parent, errno);
  return name;
}

void ignore_broken_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool wait_while_output_is_read(std::chrono::milliseconds time) {
  pollfd request{STDOUT_FILENO, 0, 0};
  if (::poll(&request, 1, static_cast<int>(time.count())) <= 0 || request.revents == 0) return true;
  std::raise(SIGPIPE);
  return false;
}

namespace {

void (*interrupt_handler)() = nullptr;

extern "C" void call_interrupt_handler(int) { interrupt_handler(); }

}  // namespace

void on_interrupt(void (*handler)()) {
  interrupt_handler = handler;
  struct sigaction action{};
  action.sa_handler = call_interrupt_handler;
  action.sa_flags = SA_RESTART;  // a measured library may not expect EINTR
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool is_terminal(output which) {
  return isatty(which == output::standard ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

int terminal_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace bench
