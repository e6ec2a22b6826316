#include "system/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "system/failure.hpp"
#include "system/platform.hpp"
#if !defined(__linux__)
extern "C" char** environ;  // no header declares it there
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

ended_program run_quietly(const std::vector<std::string>& words) {
  const auto& program = words.front();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {1, 2}) {
    posix_spawn_file_actions_addopen(&actions, output, null_device, O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("start", program, error);
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) fail("wait for", program, errno);
  }
  // The child has ended, but is still there until somebody waits for it.
  ended_program result;
  std::ifstream counters(fmt::format("/proc/{}/io", child));
  std::string name;
  std::uint64_t count = 0;
  if (counters >> name >> count && name == "rchar:") result.bytes_read = count;
  ::waitpid(child, nullptr, 0);
  if (ended.si_code != CLD_EXITED) throw failure(program + " failed");
  result.code = ended.si_status;
  return result;
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

std::filesystem::path make_private_folder(const std::filesystem::path& in,
                                          std::string_view prefix) {
  std::string name = in / fmt::format("{}XXXXXX", prefix);
  if (!mkdtemp(name.data())) fail("create a folder in", in, errno);
  return name;
}

void ignore_broken_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

namespace {

void (*interrupt_note)() = nullptr;

extern "C" void take_interrupt(int) { interrupt_note(); }

}  // namespace

void on_interrupt(void (*note)()) {
  interrupt_note = note;
  struct sigaction action{};
  action.sa_handler = take_interrupt;
  action.sa_flags = SA_RESTART;  // a peer may not expect EINTR
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
