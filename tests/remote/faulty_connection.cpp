#include "remote/faulty_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "remote/store.hpp"

namespace leat_test {

namespace {

using fault = connection_fault;

/// Reads into `text` until it has `size` bytes; false at the end of the connection.
bool read_to(int from, std::string& text, std::size_t size) {
  std::array<char, 65536> bytes{};
  while (text.size() < size) {
    const ssize_t n = ::recv(from, bytes.data(), std::min(bytes.size(), size - text.size()), 0);
    if (n <= 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(n));
  }
  return true;
}

/// Reads up to the empty line behind headers.
bool read_head(int from, std::string& head) {
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

/// The position of a header's value in a head, or npos.
std::size_t value_of(std::string head, std::string name) {
  for (auto* const text : {&head, &name})
    for (char& c : *text) c = static_cast<char>(::tolower(c));
  const std::size_t at = head.find("\r\n" + name + ":");
  return at == head.npos ? at : at + name.size() + 3;
}

std::size_t length_of(const std::string& head) {
  const std::size_t at = value_of(head, "content-length");
  return at == head.npos ? 0 : static_cast<std::size_t>(std::atoll(head.c_str() + at));
}

/// Ceph sends its lists in chunks; XML holds no end of chunks.
bool read_chunks(int from, std::string& chunks) {
  std::array<char, 1> byte{};
  while (!chunks.ends_with("\r\n0\r\n\r\n")) {
    if (::recv(from, byte.data(), 1, 0) != 1) return false;
    chunks += byte[0];
  }
  return true;
}

bool is_closed(int descriptor) {
  char byte;
  return ::recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void reset(int descriptor) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

std::string canned(const char* status, std::string_view body) {
  return std::string("HTTP/1.1 ") + status + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

std::string error_page(const char* status, const char* code) {
  return canned(
      status, std::string("<Error><Code>") + code + "</Code><Message>as planned</Message></Error>");
}

}  // namespace

faulty_connection::faulty_connection(std::uint16_t server) : server_(server) {
  const auto made = listen_on_loopback();
  listening_ = made.descriptor;
  port_ = made.port;
  accepting_ = std::thread([this] { accept_all(); });
}

faulty_connection::~faulty_connection() {
  stops_ = true;
  ::shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  {
    const std::scoped_lock lock(lock_);
    for (const int each : open_) ::shutdown(each, SHUT_RDWR);
  }
  for (auto& one : threads_) one.join();
  ::close(listening_);
}

void faulty_connection::plan(connection_fault fault, int request, bool lasts) {
  const std::scoped_lock lock(lock_);
  fault_ = fault;
  number_ = request;
  lasts_ = lasts;
  requests_ = met_ = 0;
}

void faulty_connection::accept_all() {
  while (!stops_) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    threads_.emplace_back([this, client] { serve(client); });
  }
}

void faulty_connection::serve(int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(server_);
  {
    const std::scoped_lock lock(lock_);
    open_.insert(open_.end(), {client, server});
  }
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    for (;;) {
      std::string head, body;
      if (!read_head(client, head) || !read_to(client, body, length_of(head))) break;
      if (!answer(client, server, head, body)) break;
    }
  }
  const std::scoped_lock lock(lock_);
  std::erase(open_, client);
  std::erase(open_, server);
  ::close(client);
  ::close(server);
}

/// False if the connection ends.
bool faulty_connection::answer(int client, int server, const std::string& head,
                               const std::string& body) {
  fault now = fault::none;
  {
    const std::scoped_lock lock(lock_);
    const int number = requests_++;
    if (fault_ != fault::none && (number == number_ || (lasts_ && number > number_))) now = fault_;
    if (now != fault::none) ++met_;
  }
  switch (now) {
    case fault::refused:
      return false;
    case fault::status_500:
      return send_all(client, error_page("500 Internal Server Error", "InternalError"));
    case fault::status_503:
      return send_all(client, error_page("503 Slow Down", "SlowDown"));
    case fault::status_403:
      return send_all(client, error_page("403 Forbidden", "AccessDenied"));
    case fault::status_412:
      return send_all(client, error_page("412 Precondition Failed", "PreconditionFailed"));
    case fault::status_416:
      return send_all(client, error_page("416 Range Not Satisfiable", "InvalidRange"));
    case fault::garbage:
      send_all(client, "What do you want?\r\n\r\n");
      return false;
    case fault::garbage_xml:
      return send_all(client, canned("200 OK", "<<<"));
    case fault::error_in_success:
      return send_all(client, error_page("200 OK", "InternalError"));
    default:
      break;
  }
  if (now == fault::silence || now == fault::drip) {
    if (now == fault::drip) send_all(client, "HTTP/1.1 206 Partial Content\r\nX: ");
    while (now == fault::silence ? !stops_ && !is_closed(client) : send_all(client, "x"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return false;
  }
  std::string request = head;
  if (const std::size_t range = value_of(request, "range");
      range != request.npos && now == fault::whole_body)
    request.erase(range - 6, request.find("\r\n", range) - range + 6);
  if (!send_all(server, request) || !send_all(server, body)) return false;
  std::string said, bytes;
  if (!read_head(server, said)) return false;
  if (now == fault::reset_in_head) {
    send_all(client, std::string_view(said).substr(0, said.size() / 2));
    reset(client);
    return false;
  }
  if (now == fault::wrong_range) {
    if (const std::size_t range = value_of(said, "content-range"); range != said.npos)
      said.replace(said.find("bytes ", range), 6, "bytes 1");
  }
  const bool has_body = !head.starts_with("HEAD ") && !said.starts_with("HTTP/1.1 204");
  const bool has_chunks = has_body && value_of(said, "transfer-encoding") != said.npos;
  if (has_chunks && !read_chunks(server, bytes)) return false;
  const std::size_t size = has_chunks ? bytes.size() : has_body ? length_of(said) : 0;
  if (!send_all(client, said)) return false;
  const std::size_t sent =
      now == fault::reset_in_body || now == fault::closed_in_body ? size / 2 : size;
  if (!read_to(server, bytes, sent) || !send_all(client, std::string_view(bytes).substr(0, sent)))
    return false;
  if (sent == size) return now != fault::reset_in_body && now != fault::closed_in_body;
  if (now == fault::reset_in_body) reset(client);
  return false;
}

}  // namespace leat_test
