// The requests to a simulated device: computes the time at which each request is served.
// simulated.cpp uses this class.
#pragma once

#include <leat/simulated.hpp>

#include "device/simulated/platter.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace leat {
inline namespace v0 {

/// Channels serve requests in the order of arrival, each channel one request at a time. A platter
/// chooses the next request among the requests in the device. A decision depends only on requests
/// that had arrived at the time of the decision. So the decision can be computed later, when its
/// result is needed. The functions may throw std::bad_alloc.
class simulated_queue {
 public:
  using time = std::chrono::nanoseconds;

  /// A request. `done` is the time at which the request ends; before the request is served, `done`
  /// is empty.
  struct request {
    bool write = false;
    std::uint64_t size = 0;
    time arrival{};
    platter::extent extent;  ///< position on the disk; only used with a platter
    std::optional<time> done;
  };
  using ticket = std::shared_ptr<request>;

  explicit simulated_queue(const simulated_model& model);

  /// Adds a request of at least one byte. `arrival` must not be before the arrival of an earlier
  /// request.
  ticket submit(bool write, std::uint64_t at, std::uint64_t size, time arrival);
  /// Serves all requests whose service begins at or before `until`.
  void run(time until);
  /// Serves requests until `which` is done. Returns the time at which `which` ends.
  time finish(const ticket& which);

 private:
  bool serve_one(time until);

  simulated_model model_;
  std::optional<platter> platter_;
  std::vector<time> channels_free_at_;  // for each channel, the time from which it is free
  time shared_free_at_{};               // the time from which the shared limits allow a request
  std::deque<ticket> waiting_;          // not yet sent to the device
  std::vector<ticket> queue_;           // the requests in the device
};

}  // namespace v0
}  // namespace leat
