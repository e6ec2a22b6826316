// A server on loopback that answers each request as a test says.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "remote/store.hpp"

namespace leat_test {

/// One request a connection. `answer` gets the first line and the headers of a request, and returns
/// those of the answer with the body; it is called in the server's thread.
class answering_server {
 public:
  using function = std::function<std::string(const std::string& head)>;
  explicit answering_server(function answer) : answer_(std::move(answer)) {
    const auto made = listen_on_loopback();
    listening_ = made.descriptor;
    address_ = "http://127.0.0.1:" + std::to_string(made.port);
    thread_ = std::thread([this] { serve(); });
  }
  ~answering_server() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }
  answering_server(const answering_server&) = delete;
  answering_server& operator=(const answering_server&) = delete;

  const std::string& address() const { return address_; }
  /// For its buckets, which requests reach once, in the region "near-1".
  leat::remote::settings how() const {
    leat::remote::settings how;
    how.endpoint = address_;
    how.region = "near-1";
    how.login = {.access_key = "key", .secret_key = "secret", .session_token = {}};
    how.retries = 0;
    return how;
  }
  /// Complete only when nobody asks any more.
  std::vector<std::string> requests;

  /// "200 OK" and a body, with headers between.
  static std::string answer(const std::string& status, std::string_view body,
                            const std::string& headers = {}) {
    return "HTTP/1.1 " + status +
           "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + std::string(body);
  }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      std::string head;
      char byte;
      while (!head.ends_with("\r\n\r\n") && ::recv(client, &byte, 1, 0) == 1) head += byte;
      requests.push_back(head);
      const std::string said = answer_(head);
      ::send(client, said.data(), said.size(), MSG_NOSIGNAL);
      ::shutdown(client, SHUT_WR);
      while (::recv(client, &byte, 1, 0) > 0) continue;  // a reset would take the answer away
      ::close(client);
    }
  }

  function answer_;
  std::string address_;
  int listening_ = -1;
  std::thread thread_;
};

}  // namespace leat_test
