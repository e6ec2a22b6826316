// Implements server_process.hpp: finds and starts programs, and waits until a server listens.
#include "remote/server_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "remote/sockets.hpp"
#include "support/files.hpp"

namespace leat_test {

namespace {

/// Starts a program with its output appended to `log`. Returns the program's process number. The
/// child is killed when the thread that started it ends.
pid_t start_program(const std::vector<std::string>& command, const std::string& log,
                    const server_process::variables& environment) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(to, 1);
  ::dup2(to, 2);
  ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

std::string find_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string candidate = folders.substr(0, end) + '/' + std::string(name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.erase(0, end + 1);
  }
  return {};
}

bool run_program(const std::vector<std::string>& command, const std::string& log) {
  int status = -1;
  ::waitpid(start_program(command, log, {}), &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

server_process::server_process(
    const std::function<std::vector<std::string>(std::uint16_t port)>& command,
    const std::string& log, const variables& environment) {
  // If another process takes the port first, the server exits, and is started on another port.
  for (int tries = 0; tries != 3; ++tries) {
    port_ = free_port();
    process_ = start_program(command(port_), log, environment);
    if (wait_until_listening()) return;
    stop();
  }
  throw std::runtime_error("the server did not start: " + read_all(log));
}

server_process::~server_process() { stop(); }

bool server_process::wait_until_listening() const {
  for (int tries = 0; tries != 1000; ++tries) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != 0)
      return false;
    if (const int descriptor = connect_to_loopback(port_); descriptor >= 0) {
      ::close(descriptor);
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void server_process::stop() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace leat_test
