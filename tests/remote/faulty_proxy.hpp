// A proxy between a client and a server. The proxy makes faults in some requests or responses.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "remote/sockets.hpp"

namespace leat_test {

/// A fault of a request or of its response.
enum class connection_fault {
  none,
  refused,         ///< the connection is closed instead of a response
  reset_in_head,   ///< reset in the middle of the response's headers; the server has done the work
  reset_in_body,   ///< reset in the middle of the body
  closed_in_body,  ///< closed in the middle of the body, as if the body were complete
  status_500,
  status_503,
  status_403,
  status_412,
  status_416,
  whole_body,        ///< 200 with the whole object, although a range was requested
  wrong_range,       ///< 206 with the right bytes, but another range in Content-Range
  garbage,           ///< not HTTP
  garbage_xml,       ///< 200, and a body that is not XML
  error_in_success,  ///< 200, with an error in the body
  // These faults last until the client's deadline.
  silence,  ///< no response
  drip,     ///< a head without an end, one byte each 10 ms
  // A defect that some stores have.
  no_condition  ///< 200 where If-None-Match requires 412, as if the header were ignored
};
/// The number of faults up to error_in_success, not counting `none`
constexpr int connection_fault_count = static_cast<int>(connection_fault::error_in_success);

class faulty_proxy {
 public:
  /// `server`: the port of the server on loopback.
  explicit faulty_proxy(std::uint16_t server)
      : server_(server), acceptor_([this](int client) { serve(client); }) {}

  std::uint16_t port() const { return acceptor_.port(); }
  /// Sets the fault and resets the counts. Requests are counted from 0. Request number `request`
  /// meets the fault. If `persists` is true, all later requests meet the fault, too.
  void set_fault(connection_fault fault, int request, bool persists);
  /// The number of requests since the last set_fault().
  int requests() const { return requests_; }
  /// The number of requests that have met the fault since the last set_fault().
  int faults_made() const { return faults_made_; }

 private:
  void serve(int client);
  bool forward_exchange(int client, int server, const std::string& head, const std::string& body);

  std::uint16_t server_;
  std::atomic<int> requests_{0}, faults_made_{0};
  std::mutex lock_;  // protects the fault
  connection_fault fault_ = connection_fault::none;
  int fault_request_ = 0;
  bool persists_ = false;
  acceptor acceptor_;
};

}  // namespace leat_test
