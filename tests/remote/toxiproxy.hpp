// toxiproxy: a proxy of TCP that delays, limits and cuts connections. It is told how by requests of
// HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "remote/server_process.hpp"
#include "support/files.hpp"

namespace leat_test {

class toxiproxy {
 public:
  /// Starts it in front of a server.
  explicit toxiproxy(std::uint16_t server);

  /// False if it is not installed (scripts/setup test).
  static bool is_installed();

  /// Where it listens.
  std::uint16_t port() const { return port_; }

  enum class way { to_client, to_server };
  /// Adds a toxic: a type with attributes in JSON, such as "latency" and R"({"latency": 30})". It
  /// is on in each new connection with this probability.
  void add(std::string_view type, std::string_view attributes, way where = way::to_client,
           double probability = 1);
  /// Takes all toxics away.
  void reset();

 private:
  void tell(std::string_view path, std::string_view json);

  temporary_folder folder_;
  server_process process_;
  std::uint16_t port_ = 0;
  int toxics_ = 0;
};

}  // namespace leat_test
