// A forward proxy, as companies have: it passes on requests with absolute addresses, and makes
// tunnels (CONNECT).
#pragma once

#include <atomic>
#include <string>

#include "remote/sockets.hpp"

namespace leat_test {

class forward_proxy {
 public:
  /// `password`: the credentials that the proxy requires, as "Basic …". Empty: none.
  explicit forward_proxy(std::string password = {})
      : password_(std::move(password)), at_([this](int client) { serve(client); }) {}

  std::uint16_t port() const { return at_.port(); }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port()); }
  int tunnels() const { return tunnels_; }
  /// The number of tunnels and of other requests.
  int uses() const { return tunnels_ + passed_on_; }
  int refused() const { return refused_; }

 private:
  void serve(int client);
  bool pass_on(int client, const std::string& head);
  void tunnel(int client, int server);

  std::string password_;
  std::atomic<int> tunnels_{0}, passed_on_{0}, refused_{0};
  acceptor at_;
};

}  // namespace leat_test
