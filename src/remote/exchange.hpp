// One attempt of a request over one connection: sends the request, receives the response.
// client.cpp runs attempts; client_answers.cpp judges their results.
#pragma once

#include <leat/remote.hpp>

#include "remote/call.hpp"
#include "remote/connections.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace remote {

/// The reason why an attempt failed before a whole response had come.
struct attempt_failure {
  std::errc condition = {};
  std::string text;
  bool is_final = false;  ///< another attempt would fail too
  explicit operator bool() const noexcept { return condition != std::errc(); }
};

/// An attempt to get the response to a request. The exchange starts when the connection is open.
class exchange {
 public:
  /// The kind of the response's body.
  enum class content { unknown, range, whole, text };

  /// Clears the response of `request`. If the connection is open, the caller must call transfer().
  /// Otherwise the caller must call on_connected() when libcurl has connected or has failed.
  exchange(call& request, bool in_store, std::string head, std::unique_ptr<connection> acquired);
  ~exchange();  // adds to the traffic counters
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  call& request() const noexcept { return request_; }
  /// Starts the transfer. If libcurl could not connect, fails the exchange.
  void on_connected(CURLcode result);
  /// Sends and receives without blocking.
  void transfer() noexcept;
  bool ended() const noexcept { return ended_; }
  /// Returns the events that the caller must poll for: CURL_WAIT_POLLIN, CURL_WAIT_POLLOUT.
  short poll_events() const noexcept;
  /// Ends the exchange with a failure.
  void fail(attempt_failure why) noexcept;
  /// Extends the deadlines by a time in which the program did not call pump().
  void extend_deadlines(call::clock::duration paused) noexcept;
  /// If the request's deadline has passed or the connection has stalled, fails the exchange.
  /// Returns the time of the next check.
  call::clock::time_point check(call::clock::time_point now);

  connection& used_connection() const noexcept { return *connection_; }
  /// If another request may use the connection, passes the connection to the caller. Otherwise
  /// returns null. Called last: the other functions need the connection.
  std::unique_ptr<connection> take_reusable_connection() noexcept;
  /// Gives up the connection without closing it: after fork() the connection belongs to the parent.
  void abandon() noexcept { connection_->abandon(); }

  // The result.
  const attempt_failure& failure() const noexcept { return failure_; }
  /// The response's defect, or null.
  const char* defect() const noexcept { return defect_; }
  /// True if the response is of another version than the call expects.
  bool has_object_changed() const noexcept { return object_changed_; }
  /// Number of bytes received after the head, including the lines with the sizes of the chunks.
  std::uint64_t received_body_bytes() const noexcept {
    return received_bytes_ - std::min(received_bytes_, head_size_);
  }
  bool is_in_body() const noexcept { return in_body_; }
  bool is_range() const noexcept { return body_content_ == content::range; }
  /// True if this attempt has stored bytes in `into`.
  bool has_new_bytes() const noexcept { return request_.done > done_before_; }
  /// True if a reused connection broke before a byte of the response came. Probably the server had
  /// closed the connection before the request arrived.
  bool had_stale_connection() const noexcept {
    return connection_->uses > 1 && received_bytes_ == 0 &&
           failure_.condition == std::errc::connection_reset;
  }
  call::clock::time_point began() const noexcept { return began_; }
  /// The time from the request's first byte to the end of the response's head.
  std::chrono::nanoseconds latency() const noexcept { return latency_; }

 private:
  bool is_sent() const noexcept { return sent_ == head_.size() + request_.body.size(); }
  void send();
  void receive();
  bool receive_head();
  bool receive_body();
  bool receive_into(std::span<char> memory, std::size_t& n);
  void begin_body(std::string_view first);
  void decode_body(std::string_view bytes);
  void store_content(std::string_view bytes);
  content classify_body() noexcept;
  content mark_changed() noexcept;
  void end_body(bool is_all) noexcept;

  call& request_;
  bool in_store_;
  std::string head_;  // of the request
  std::unique_ptr<connection> connection_;
  std::size_t sent_ = 0;  // bytes of head and body
  std::string received_;  // bytes that were received and are not parsed yet
  bool in_body_ = false;
  std::uint64_t body_left_ = 0;  // bytes of the body that have not come yet, or `unknown`
  chunked_body chunks_;
  content body_content_ = content::unknown;
  std::size_t done_before_;           // bytes in `into` before this attempt
  std::uint64_t skipped_ = 0;         // bytes of a whole object skipped before the range
  std::uint64_t received_bytes_ = 0;  // of the head and the body
  std::uint64_t head_size_ = 0;
  std::uint64_t bytes_at_check_ = 0;  // bytes sent and received up to `checked_at_`
  call::clock::time_point began_, sending_began_, checked_at_;
  std::chrono::nanoseconds latency_{};
  bool ended_ = false, reusable_ = false, cannot_send_ = false;
  attempt_failure failure_;
  const char* defect_ = nullptr;
  bool object_changed_ = false;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
