// Sockets for the servers that tests implement: loopback, with a thread for each connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace leat_test {

/// A socket that listens on a port of loopback. The caller closes the socket.
struct listening_port {
  int descriptor = -1;
  std::uint16_t port = 0;
};
/// Opens a socket that listens on a free port. Throws std::system_error on failure.
listening_port listen_on_loopback();
/// Returns a port that was free at the time of the call. If no port is free, throws
/// std::system_error.
std::uint16_t free_port();
/// A descriptor that is connected to a port of loopback, or -1 on failure. The caller closes the
/// descriptor.
int connect_to_loopback(std::uint16_t port);

/// Appends to `text` until it has `size` bytes. Returns false at the end of the connection or on an
/// error.
bool receive_to(int from, std::string& text, std::size_t size);
/// Appends a head, including the empty line at its end. Returns false as receive_to does.
bool receive_head(int from, std::string& head);
/// Sends all bytes. Returns false on an error.
bool send_all(int to, std::string_view bytes);

/// The position of a header's value in a head, or npos. The case of the name does not matter.
std::size_t header_value_position(std::string head, std::string name);
/// A header's value, or "" if the head does not have it.
std::string header_value(const std::string& head, const std::string& name);
/// The value of Content-Length, or 0.
std::size_t content_length(const std::string& head);

/// Listens on a port of loopback, and serves each connection in its own thread. An object whose
/// members are used by these threads must have the acceptor as its last member: then the threads
/// have ended before the other members are destroyed.
class acceptor {
 public:
  /// Calls `serve` for each connection. `serve` returns when the connection ends, and does not
  /// close the connection. If no port can be opened, throws std::system_error.
  explicit acceptor(std::function<void(int client)> serve);
  /// Shuts down all connections, and waits for the threads.
  ~acceptor();
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;

  std::uint16_t port() const { return listener_.port; }
  bool is_stopping() const { return is_stopping_; }
  /// Connects to another server, for a thread that serves. Returns -1 on an error. The destructor
  /// shuts the connection down, too.
  int connect(std::uint16_t port);
  /// Closes a connection that connect() made.
  void close(int descriptor);

 private:
  void accept_all();
  void add_connection(int descriptor);

  std::function<void(int)> serve_;
  listening_port listener_;
  std::atomic<bool> is_stopping_ = false;
  std::mutex lock_;                   // protects connections_
  std::vector<int> connections_;      // descriptors of connections
  std::vector<std::thread> threads_;  // used by accept_thread_, later by the destructor
  std::thread accept_thread_;
};

}  // namespace leat_test
