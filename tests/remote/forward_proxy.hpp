// A forward proxy, as used in companies. The proxy passes on requests with absolute addresses, and
// makes tunnels (CONNECT).
#pragma once

#include <atomic>
#include <string>

#include "remote/sockets.hpp"

namespace leat_test {

class forward_proxy {
 public:
  /// `credentials`: the credentials that the proxy requires, as "Basic …". Empty: none.
  explicit forward_proxy(std::string credentials = {})
      : credentials_(std::move(credentials)), acceptor_([this](int client) { serve(client); }) {}

  std::uint16_t port() const { return acceptor_.port(); }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port()); }
  /// The number of tunnels so far.
  int tunnels() const { return tunnels_; }
  /// The number of tunnels and of forwarded requests. Refused requests are not counted.
  int requests() const { return tunnels_ + forwarded_; }
  /// The number of requests without the required credentials.
  int refused() const { return refused_; }

 private:
  void serve(int client);
  bool forward(int client, const std::string& head);
  void tunnel(int client, int server);

  std::string credentials_;
  std::atomic<int> tunnels_{0}, forwarded_{0}, refused_{0};
  acceptor acceptor_;
};

}  // namespace leat_test
