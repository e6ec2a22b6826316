// A pool of connections that outlives the devices. libcurl makes the connections (host names,
// proxies, TLS). leat's own loop moves the bytes: libcurl's loop copies each byte once more and
// takes more CPU time.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// The User-Agent header. Some servers refuse requests without this header.
const std::string& user_agent();

/// How to connect.
struct connection_options {
  std::string origin;  ///< "https://host:port"
  std::string ca_file;
  bool direct = false;                  ///< without a proxy
  std::chrono::milliseconds timeout{};  ///< to connect
};

/// A connection to a server, made by libcurl. Bytes are moved without blocking.
class connection {
 public:
  /// Starts to connect, with libcurl's multi handle. Throws std::bad_alloc.
  connection(CURLM* multi, const connection_options& options);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  const std::string& origin() const noexcept { return origin_; }
  bool is_direct() const noexcept { return direct_; }
  bool is_open() const noexcept { return socket_ != CURL_SOCKET_BAD; }
  bool is_encrypted() const noexcept { return origin_.starts_with("https:"); }
  CURL* handle() const noexcept { return handle_; }
  curl_socket_t socket() const noexcept { return socket_; }
  /// libcurl's error message; empty if there is none.
  const char* error_message() const noexcept { return error_.data(); }
  /// Fetches the socket after libcurl has connected. Returns false if the connection is unusable.
  bool open() noexcept;
  /// After fork(): the connection belongs to the parent, which continues to use it.
  void abandon() noexcept { handle_ = nullptr; }

  /// Moves some of the bytes without blocking, and sets `n` to the number of moved bytes.
  /// CURLE_AGAIN: no byte can be moved now. CURLE_OK with 0 received bytes: the peer closed the
  /// connection.
  CURLcode send(std::string_view bytes, std::size_t& n) noexcept;
  CURLcode receive(std::span<char> into, std::size_t& n) noexcept;

  std::size_t uses = 0;  ///< number of requests so far
  std::chrono::steady_clock::time_point idle_since;

 private:
  CURLM* multi_;
  CURL* handle_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  std::string origin_;
  bool direct_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

/// The connections that were made with one libcurl multi handle. Not thread-safe, except for the
/// static functions.
class connection_pool {
 public:
  /// Returns the unused pool with this key, or a new pool. Throws std::bad_alloc.
  static std::unique_ptr<connection_pool> acquire(const std::string& key);
  /// Keeps the pool for the next client that asks for the pool's key. Keeps at most 16 pools; the
  /// oldest pool is closed first.
  static void keep_for_reuse(std::unique_ptr<connection_pool> unused) noexcept;

  explicit connection_pool(std::string key);
  ~connection_pool();
  connection_pool(const connection_pool&) = delete;
  connection_pool& operator=(const connection_pool&) = delete;

  CURLM* multi() const noexcept { return multi_; }
  /// Returns an idle open connection, or a new connection that is being established. Throws
  /// std::bad_alloc.
  std::unique_ptr<connection> acquire(const connection_options& options);
  /// Keeps an open connection for a later acquire(). If there is no memory, closes the connection.
  void keep_for_reuse(std::unique_ptr<connection> idle) noexcept;
  /// Closes the oldest idle connections, so that at most 16 are left.
  void close_surplus() noexcept;
  /// After fork() the connections belong to the parent, so they must not even be closed.
  void abandon() noexcept;

 private:
  std::string key_;
  CURLM* multi_;
  std::vector<std::unique_ptr<connection>> idle_;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
