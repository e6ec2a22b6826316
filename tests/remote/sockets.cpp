// Implements the sockets of the tests' servers.
#include "remote/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace leat_test {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(port);
  return address;
}

}  // namespace

listening_port listen_on_loopback() {
  listening_port listener{.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (listener.descriptor < 0 || ::bind(listener.descriptor, plain, size) != 0 ||
      ::listen(listener.descriptor, 64) != 0 ||
      ::getsockname(listener.descriptor, plain, &size) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot listen on 127.0.0.1");
  listener.port = ::ntohs(address.sin_port);
  return listener;
}

std::uint16_t free_port() {
  const auto found = listen_on_loopback();
  ::close(found.descriptor);
  return found.port;
}

int connect_to_loopback(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

bool receive_to(int from, std::string& text, std::size_t size) {
  std::array<char, 65536> bytes{};
  while (text.size() < size) {
    const ssize_t n = ::recv(from, bytes.data(), std::min(bytes.size(), size - text.size()), 0);
    if (n <= 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(n));
  }
  return true;
}

bool receive_head(int from, std::string& head) {
  std::array<char, 1> byte{};
  while (!head.ends_with("\r\n\r\n")) {
    if (::recv(from, byte.data(), 1, 0) != 1) return false;
    head += byte[0];
  }
  return true;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::size_t header_value_position(std::string head, std::string name) {
  for (auto* const text : {&head, &name})
    for (char& c : *text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t at = head.find("\r\n" + name + ":");
  return at == head.npos ? at : at + name.size() + 3;
}

std::string header_value(const std::string& head, const std::string& name) {
  std::size_t at = header_value_position(head, name);
  if (at == head.npos) return {};
  while (head[at] == ' ') ++at;
  return head.substr(at, head.find("\r\n", at) - at);
}

std::size_t content_length(const std::string& head) {
  return static_cast<std::size_t>(std::atoll(header_value(head, "content-length").c_str()));
}

acceptor::acceptor(std::function<void(int client)> serve)
    : serve_(std::move(serve)), listener_(listen_on_loopback()) {
  accept_thread_ = std::thread([this] { accept_all(); });
}

acceptor::~acceptor() {
  is_stopping_ = true;
  ::shutdown(listener_.descriptor, SHUT_RDWR);
  accept_thread_.join();
  {
    const std::scoped_lock lock(lock_);
    for (const int descriptor : connections_) ::shutdown(descriptor, SHUT_RDWR);
  }
  for (auto& one : threads_) one.join();
  ::close(listener_.descriptor);
}

void acceptor::accept_all() {
  while (!is_stopping_) {
    const int client = ::accept4(listener_.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    add_connection(client);
    threads_.emplace_back([this, client] {
      serve_(client);
      close(client);
    });
  }
}

void acceptor::add_connection(int descriptor) {
  const std::scoped_lock lock(lock_);
  connections_.push_back(descriptor);
  if (is_stopping_) ::shutdown(descriptor, SHUT_RDWR);
}

int acceptor::connect(std::uint16_t port) {
  const int descriptor = connect_to_loopback(port);
  if (descriptor >= 0) add_connection(descriptor);
  return descriptor;
}

void acceptor::close(int descriptor) {
  const std::scoped_lock lock(lock_);
  std::erase(connections_, descriptor);
  ::close(descriptor);
}

}  // namespace leat_test
