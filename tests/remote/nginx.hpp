// nginx as a web server, or in front of a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "remote/server_process.hpp"
#include "support/files.hpp"

namespace leat_test {

class nginx {
 public:
  /// False if nginx is not installed. `scripts/setup test` installs nginx.
  static bool is_installed();

  /// Starts nginx. `servers`: the configuration inside of "http { }". In `servers`, "ADDRESS"
  /// stands for the address to listen on, "PAGES" for the folder of pages, "STORE" for the store's
  /// address. `store`: the store's port on loopback; 0: no store. If nginx does not start,
  /// throws std::runtime_error.
  explicit nginx(const std::string& servers, std::uint16_t store = 0);

  std::uint16_t port() const { return process_.port(); }
  /// The address on which nginx listens, as HOST:PORT.
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  /// The path of a file in the folder of pages. nginx serves the file as /`name`.
  std::string page_path(std::string_view name) const {
    return folder_ / ("pages/" + std::string(name));
  }
  /// The number of responses so far with this status. 444: a connection that was cut.
  std::size_t responses(int status) const;
  /// The number of all responses so far.
  std::size_t responses() const;

  /// The part of a configuration that passes requests to the store.
  static constexpr const char* proxy_to_store =
      "proxy_pass http://STORE; proxy_http_version 1.1; proxy_set_header Connection '';"
      "proxy_set_header Host $http_host; proxy_buffering off; proxy_request_buffering off;";

 private:
  std::vector<std::string> command(std::string servers, std::uint16_t port,
                                   std::uint16_t store) const;
  std::string log() const { return folder_ / "answers"; }

  temporary_folder folder_;
  server_process process_;
};

}  // namespace leat_test
