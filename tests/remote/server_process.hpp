// Real servers for the tests: programs on ports of loopback. A server ends with the object that
// started it, or with the thread that made this object.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace leat_test {

/// The full path of a program, or "" if it is not installed. Also searches /usr/sbin and /sbin,
/// which not every PATH contains.
std::string find_program(std::string_view name);

/// Runs a command to its end, with its output in `log`. Returns whether the command succeeded.
/// If fork fails, throws std::system_error.
bool run_program(const std::vector<std::string>& command, const std::string& log = "/dev/null");

class server_process {
 public:
  using variables = std::vector<std::pair<std::string, std::string>>;
  /// Starts the command that `command` makes for a free port, and waits until the program listens
  /// on the port. The program's output is appended to `log`. If three attempts fail, throws
  /// std::runtime_error. If fork fails, throws std::system_error.
  server_process(const std::function<std::vector<std::string>(std::uint16_t port)>& command,
                 const std::string& log, const variables& environment = {});
  ~server_process();
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  bool wait_until_listening() const;
  void stop();

  pid_t process_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace leat_test
