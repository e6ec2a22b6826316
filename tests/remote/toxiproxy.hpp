// toxiproxy: a TCP proxy that delays, limits and cuts connections, controlled by HTTP
// requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "remote/server_process.hpp"
#include "support/files.hpp"

namespace leat_test {

class toxiproxy {
 public:
  /// Starts toxiproxy in front of the server on this port of loopback. Throws std::runtime_error on
  /// failure.
  explicit toxiproxy(std::uint16_t server);

  /// False if toxiproxy is not installed. `scripts/setup test` installs toxiproxy.
  static bool is_installed();

  /// The port whose connections toxiproxy passes on to the server.
  std::uint16_t port() const { return port_; }

  enum class direction { to_client, to_server };
  /// Adds a toxic: a type with attributes in JSON, for example "latency" and R"({"latency": 30})".
  /// Each new connection has the toxic with this probability. If toxiproxy refuses the toxic,
  /// throws std::runtime_error.
  void add(std::string_view type, std::string_view attributes,
           direction stream = direction::to_client, double probability = 1);
  /// Removes all toxics. Throws std::runtime_error on failure.
  void reset();

 private:
  void send_command(std::string_view path, std::string_view json);

  temporary_folder folder_;
  server_process process_;
  std::uint16_t port_ = 0;
  int toxics_ = 0;
};

}  // namespace leat_test
