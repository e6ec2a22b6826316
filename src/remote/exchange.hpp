// One attempt of a request over one connection: sends the request, receives the response.
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

/// Why an attempt failed before it had received a whole response.
struct mishap {
  std::errc like = {};
  std::string text;
  bool is_final = false;  ///< another attempt would fail too
  explicit operator bool() const noexcept { return like != std::errc(); }
};

class exchange {
 public:
  /// The kind of the response's body.
  enum class content { unknown, range, whole, text };

  exchange(call& one, bool in_store, std::string head, std::unique_ptr<connection> by);
  ~exchange();  // adds to the traffic counters
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  call& of() const noexcept { return of_; }
  /// libcurl has connected, or has failed to connect.
  void connected(CURLcode result);
  /// Sends and receives without blocking.
  void go_on() noexcept;
  bool ended() const noexcept { return ended_; }
  /// Events that the caller must poll for: CURL_WAIT_POLLIN, CURL_WAIT_POLLOUT.
  short waits_for() const noexcept;
  /// Ends the exchange with a failure.
  void fail(mishap why) noexcept;
  /// Extends the deadlines by a time in which the program did not call pump().
  void extend_deadlines(call::clock::duration away) noexcept;
  /// Fails the exchange if its deadline has passed or its connection has stalled. Returns the time
  /// of the next check.
  call::clock::time_point check(call::clock::time_point now);

  connection& by() const noexcept { return *by_; }
  /// Gives the connection away if another request may use it, else returns null.
  std::unique_ptr<connection> reusable() noexcept;
  void abandon() noexcept { by_->abandon(); }

  // The result.
  const mishap& failed() const noexcept { return failed_; }
  /// The response's defect, or null.
  const char* wrong() const noexcept { return wrong_; }
  bool changed() const noexcept { return changed_; }
  std::uint64_t body_size() const noexcept { return moved_ - std::min(moved_, head_size_); }
  bool is_in_body() const noexcept { return in_body_; }
  bool is_range() const noexcept { return body_content_ == content::range; }
  bool brought_bytes() const noexcept { return of_.done > had_; }
  /// True if a reused connection broke before a byte of the response came. Probably the server had
  /// closed the connection before the request arrived.
  bool met_closed() const noexcept {
    return by_->uses > 1 && moved_ == 0 && failed_.like == std::errc::connection_reset;
  }
  call::clock::time_point began() const noexcept { return began_; }
  /// The time from the request's first byte to the end of the response's head.
  std::chrono::nanoseconds latency() const noexcept { return latency_; }

 private:
  bool is_sent() const noexcept { return sent_ == head_.size() + of_.body.size(); }
  void send();
  void receive();
  bool receive_head();
  bool receive_body();
  bool receive_into(std::span<char> memory, std::size_t& n);
  void begin_body(std::string_view first);
  void take_framed(std::string_view bytes);
  void take(std::string_view bytes);
  content kind() noexcept;
  content is_changed() noexcept;
  void end_body(bool is_all) noexcept;

  call& of_;
  bool in_store_;
  std::string head_;  // of the request
  std::unique_ptr<connection> by_;
  std::size_t sent_ = 0;  // bytes of head and body
  std::string received_;  // bytes that were received and are not parsed yet
  bool in_body_ = false;
  std::uint64_t left_ = 0;  // bytes of the body that have not come yet, or `unknown`
  chunked_body chunks_;
  content body_content_ = content::unknown;
  std::size_t had_;            // bytes in `into` before this attempt
  std::uint64_t skipped_ = 0;  // bytes of a whole object before the requested range
  std::uint64_t moved_ = 0;    // bytes received
  std::uint64_t head_size_ = 0;
  std::uint64_t marked_ = 0;  // bytes sent and received up to `mark_`
  call::clock::time_point began_, asked_, mark_;
  std::chrono::nanoseconds latency_{};
  bool ended_ = false, reusable_ = false, cannot_send_ = false;
  mishap failed_;
  const char* wrong_ = nullptr;
  bool changed_ = false;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
