// Requests to one server: several in parallel, repeated if that is safe, in the calling thread.
// Used by the devices, bucket.cpp, conditions.cpp and roles.cpp.
#pragma once

#include <leat/remote.hpp>

#include "remote/call.hpp"
#include "remote/connections.hpp"
#include "remote/exchange.hpp"
#include "remote/server.hpp"
#include "remote/server_error.hpp"
#include "remote/speed.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// The queue of requests to one server. Not thread-safe: one thread at a time may use a client.
class client {
 public:
  client(server target, settings how);
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Queues the request. pump() and wait() run the request. The client refers to the request until
  /// the request has ended or is cancelled. Throws std::bad_alloc.
  void start(call& request);
  /// Removes the request; `finished` stays false. If the request is running, its connection is
  /// closed.
  void cancel(call& request) noexcept;
  /// Sends and receives. Waits at most `patience` for a socket, a deadline or the next attempt. May
  /// first renew credentials, and then waits for the service of a role. Throws std::bad_alloc.
  void pump(std::chrono::milliseconds patience);
  /// Waits until the request has ended. Throws std::bad_alloc.
  void wait(const call& request) {
    while (!request.finished) pump(std::chrono::seconds(1));
  }
  /// Runs a request, and waits until the request has ended. Throws std::bad_alloc.
  void perform(call& request) {
    start(request);
    wait(request);
  }

  const server& target() const noexcept { return target_; }
  /// Returns the number of parallel requests that are worthwhile. If the server is overloaded, the
  /// number is smaller.
  std::size_t parallel() const noexcept;
  /// The measured cost of a request and of a byte, in nanoseconds.
  device_speed speed() const noexcept { return speed_.speed(); }
  /// The cost so far in US dollars, computed from the prices in the settings.
  double cost() const noexcept { return cost_; }

 private:
  static constexpr double least_parallel = 16, most_parallel = 128;  // parallel requests

  void ensure_connections();
  void extend_deadlines(call::clock::duration away);
  void launch_queued();
  void launch(call& request);
  std::string request_head(call& request);
  void continue_connecting();
  void move_bytes();
  void collect_ended();
  void judge(exchange& attempt);
  void judge_status(exchange& attempt);
  void judge_range(exchange& attempt);
  void end_range(exchange& attempt);
  void add_cost(const exchange& attempt) noexcept;
  void succeed(exchange& attempt);
  void fail(call& request, std::errc condition, const std::string& text);
  bool repeat(call& request, std::chrono::milliseconds least);
  bool correct(call& request, const server_error& error);
  bool correct_checksum(call& request, const server_error& error);
  bool correct_clock(call& request, const server_error& error);
  bool correct_region(call& request, const server_error& error);
  bool correct_login(call& request, const server_error& error);
  bool redirect(call& request);
  bool undo_redirects(call& request);
  void reset_after_fork();

  server target_;
  settings settings_;
  std::unique_ptr<connection_pool> connections_;
  std::deque<call*> queued_;
  std::vector<std::unique_ptr<exchange>> running_;
  std::vector<curl_waitfd> poll_fds_;         // for exchanges whose connection is open
  std::vector<exchange*> polled_exchanges_;   // the same exchanges, in the same order
  std::chrono::system_clock::duration skew_;  // the server's time minus this machine's time
  speed_meter speed_;
  // Limit of parallel requests. "Busy" responses of the server lower the limit.
  double parallel_limit_ = most_parallel;
  double cost_ = 0;
  bool has_new_region_ = false;        // the client has moved to another region
  bool must_remember_region_ = false;  // the move is not yet remembered for later clients
  call::clock::time_point limit_reduced_at_, next_renewal_;
  call::clock::time_point last_pump_ = call::clock::now();  // end of the last pump()
  std::minstd_rand random_;
  long process_ = 0;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
