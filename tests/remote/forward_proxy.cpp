// Implements forward_proxy: absolute addresses (GET http://…) and CONNECT.
#include "remote/forward_proxy.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace leat_test {

namespace {

/// The port in "127.0.0.1:80" or "http://127.0.0.1:80/path".
std::uint16_t port_in(const std::string& address) {
  return static_cast<std::uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1));
}

}  // namespace

void forward_proxy::serve(int client) {
  for (;;) {
    std::string head;
    if (!receive_head(client, head)) return;
    if (!credentials_.empty() && header_value(head, "proxy-authorization") != credentials_) {
      ++refused_;
      send_all(client,
               "HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\n"
               "Proxy-Authenticate: Basic realm=\"a test\"\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (head.starts_with("CONNECT ")) {
      const int server = acceptor_.connect(port_in(head.substr(8, head.find(" HTTP/") - 8)));
      if (server < 0) return;
      ++tunnels_;
      if (send_all(client, "HTTP/1.1 200 Connection established\r\n\r\n")) tunnel(client, server);
      acceptor_.close(server);
      return;
    }
    ++forwarded_;
    if (!forward(client, head)) return;
  }
}

/// Sends "GET http://127.0.0.1:80/path HTTP/1.1" to the server as a request for "/path", and
/// returns the response to the client. Returns false if the connection must end.
bool forward_proxy::forward(int client, const std::string& head) {
  const std::size_t begin = head.find(" http://") + 1, path = head.find('/', begin + 7);
  if (begin == 0 || path == head.npos) return false;
  std::string request = head.substr(0, begin) + head.substr(path), response;
  const int server = acceptor_.connect(port_in(head.substr(begin, path - begin)));
  if (server < 0) return false;
  const bool good = receive_to(client, request, request.size() + content_length(head)) &&
                    send_all(server, request) && receive_head(server, response) &&
                    (head.starts_with("HEAD ") ||
                     receive_to(server, response, response.size() + content_length(response))) &&
                    send_all(client, response);
  acceptor_.close(server);
  return good;
}

void forward_proxy::tunnel(int client, int server) {
  std::array<pollfd, 2> ends{pollfd{.fd = client, .events = POLLIN, .revents = 0},
                             pollfd{.fd = server, .events = POLLIN, .revents = 0}};
  std::array<char, 65536> bytes{};
  while (::poll(ends.data(), ends.size(), -1) > 0) {
    for (std::size_t i = 0; i != 2; ++i) {
      if (ends[i].revents == 0) continue;
      const ssize_t n = ::recv(ends[i].fd, bytes.data(), bytes.size(), 0);
      if (n <= 0 || !send_all(ends[1 - i].fd, {bytes.data(), static_cast<std::size_t>(n)})) return;
    }
  }
}

}  // namespace leat_test
