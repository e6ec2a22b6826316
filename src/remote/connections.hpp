// Kept connections. libcurl makes them, with all that belongs to that: names, proxies, TLS. The
// bytes go by our own loop, because libcurl's copies each byte once more and takes more processor
// time. Connections outlive the devices that use them.
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

/// The User-Agent header. Some servers refuse requests without one.
const std::string& user_agent();

/// What is asked of a connection.
struct connection_wish {
  std::string origin;  ///< "https://host:port"
  std::string ca_file;
  bool direct = false;  ///< by no proxy
  std::chrono::milliseconds timeout{};
};

class connection {
 public:
  /// Begins to connect, in the multi handle. Throws std::bad_alloc.
  connection(CURLM* multi, const connection_wish& wish);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  const std::string& origin() const noexcept { return origin_; }
  bool is_direct() const noexcept { return direct_; }
  bool is_open() const noexcept { return socket_ != CURL_SOCKET_BAD; }
  bool is_encrypted() const noexcept { return origin_.starts_with("https:"); }
  CURL* handle() const noexcept { return handle_; }
  curl_socket_t socket() const noexcept { return socket_; }
  /// libcurl's words for why there is none.
  const char* complaint() const noexcept { return error_.data(); }
  /// It is connected now. False: it is not usable.
  bool open() noexcept;
  /// It belongs to another process, which goes on to use it.
  void abandon() noexcept { handle_ = nullptr; }

  /// Moves bytes without waiting, as many as go. CURLE_AGAIN: none now. CURLE_OK and 0 bytes
  /// received: the other side has closed it.
  CURLcode send(std::string_view bytes, std::size_t& n) noexcept;
  CURLcode receive(std::span<char> into, std::size_t& n) noexcept;

  std::size_t uses = 0;  ///< requests that it has had
  std::chrono::steady_clock::time_point idle_since;

 private:
  CURLM* multi_;
  CURL* handle_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  std::string origin_;
  bool direct_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

class connections {
 public:
  /// Those that nobody uses of this kind, or none yet.
  static std::unique_ptr<connections> take(const std::string& key);
  /// Keeps them for the next one.
  static void give_back(std::unique_ptr<connections> unused) noexcept;

  explicit connections(std::string key);
  ~connections();
  connections(const connections&) = delete;
  connections& operator=(const connections&) = delete;

  CURLM* multi() const noexcept { return multi_; }
  /// One that is open and idle, or a new one.
  std::unique_ptr<connection> take(const connection_wish& wish);
  void give_back(std::unique_ptr<connection> idle) noexcept;
  void leave_few() noexcept;
  /// After fork() they are the parent's: they must not even be closed.
  void abandon() noexcept;

 private:
  std::string key_;
  CURLM* multi_;
  std::vector<std::unique_ptr<connection>> idle_;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
