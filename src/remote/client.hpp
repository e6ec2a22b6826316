// Requests to one server: several in parallel, repeated if that is safe, in the calling thread.
#pragma once

#include <leat/remote.hpp>

#include "remote/call.hpp"
#include "remote/connections.hpp"
#include "remote/exchange.hpp"
#include "remote/server.hpp"
#include "remote/speed.hpp"
#include "remote/words.hpp"

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
  client(server where, settings how);
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Queues the request. pump() and wait() run it.
  void start(call& one);
  /// Removes the request. If the request is running, its connection is closed.
  void cancel(call& one) noexcept;
  /// Sends and receives. Waits at most `patience` for a socket, a deadline or the next attempt. May
  /// first renew credentials, which waits for the service of a role. Throws std::bad_alloc.
  void pump(std::chrono::milliseconds patience);
  void wait(const call& one) {
    while (!one.finished) pump(std::chrono::seconds(1));
  }
  void perform(call& one) {
    start(one);
    wait(one);
  }

  const server& where() const noexcept { return where_; }
  /// Returns the number of parallel requests that are worthwhile. The number is smaller if the
  /// server is overloaded.
  std::size_t parallel() const noexcept;
  device_speed speed() const noexcept { return speed_.speed(); }
  /// US dollars so far, computed from the prices in the settings.
  double cost() const noexcept { return cost_; }

 private:
  static constexpr double least_parallel = 16, most_parallel = 128;  // parallel requests

  void use_connections();
  void extend_deadlines(call::clock::duration away);
  void launch_queued();
  void launch(call& one);
  std::string head_of(call& one);
  void look_after_opening();
  void move_bytes();
  void collect_ended();
  void judge(exchange& over);
  void judge_status(exchange& over);
  void judge_range(exchange& over);
  void end_range(exchange& over);
  void count(const exchange& over) noexcept;
  void succeed(exchange& over);
  void fail(call& one, std::errc like, const std::string& text);
  bool repeat(call& one, std::chrono::milliseconds least);
  bool correct(call& one, const words& by);
  bool correct_checksum(call& one, const words& by);
  bool correct_clock(call& one, const words& by);
  bool correct_region(call& one, const words& by);
  bool correct_login(call& one, const words& by);
  bool redirect(call& one);
  bool go_back(call& one);
  void reset_after_fork();

  server where_;
  settings how_;
  std::unique_ptr<connections> connections_;
  std::deque<call*> queued_;
  std::vector<std::unique_ptr<exchange>> running_;
  std::vector<curl_waitfd> waits_;            // for exchanges whose connection is open
  std::vector<exchange*> waiting_;            // the same exchanges, in the same order
  std::chrono::system_clock::duration skew_;  // the server's time minus this machine's time
  speed_meter speed_;
  double allowed_ =
      most_parallel;  // limit of parallel requests, after the server's "busy" responses
  double cost_ = 0;
  bool moved_ = false;    // to another region
  bool is_news_ = false;  // the move is not yet remembered for later clients
  call::clock::time_point shrunk_, next_renewal_;
  call::clock::time_point pumped_ = call::clock::now();  // end of the last pump()
  std::minstd_rand random_;
  long process_ = 0;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
