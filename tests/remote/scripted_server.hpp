// An HTTP server of the tests: a function of the test returns the bytes of each response.
#pragma once

#include <leat/remote.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "remote/sockets.hpp"

namespace leat_test {

class scripted_server {
 public:
  struct response {
    std::string bytes;      ///< head and body
    bool closes = false;    ///< the server closes the connection after the bytes
    std::size_t piece = 0;  ///< bytes for each call of send(); 0: all at once
  };
  /// Returns the response to the request with this head. Connections call the script at the same
  /// time, without a lock.
  using script = std::function<response(const std::string& head)>;

  explicit scripted_server(script responses)
      : script_(std::move(responses)), acceptor_([this](int client) { serve(client); }) {}

  /// A response with a status, headers and a body. The server closes the connection after the
  /// response.
  static response make_response(const std::string& status, std::string_view body,
                                const std::string& headers = {}) {
    return {.bytes = "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n" + headers + "\r\n" + std::string(body),
            .closes = true};
  }

  std::uint16_t port() const { return acceptor_.port(); }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port()); }
  /// Settings that make this server the store, with the region "near-1" and without retries.
  leat::remote::settings store_settings() const {
    leat::remote::settings result;
    result.endpoint = address();
    result.region = "near-1";
    result.login = {.access_key = "key", .secret_key = "secret", .session_token = {}};
    result.retries = 0;
    return result;
  }
  /// The heads of the requests so far.
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(lock_);
    return requests_;
  }

 private:
  void serve(int client);

  script script_;
  mutable std::mutex lock_;  // protects requests_
  std::vector<std::string> requests_;
  acceptor acceptor_;
};

}  // namespace leat_test
