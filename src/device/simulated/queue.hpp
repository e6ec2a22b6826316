// The requests to a simulated device: who is served when.
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

/// Channels that serve requests, each for some time, in the order in which they came; a platter
/// chooses among those that wait. What is decided at one time depends only on requests that had
/// come by then, so it may be worked out later: when somebody wants to know. May throw
/// std::bad_alloc.
class simulated_queue {
 public:
  using time = std::chrono::nanoseconds;

  /// A request. When it is done is known once it has been served.
  struct request {
    bool write = false;
    std::uint64_t size = 0;
    time arrival{};
    platter::extent place;  ///< on a platter, if there is one
    std::optional<time> done;
  };
  using ticket = std::shared_ptr<request>;

  explicit simulated_queue(const simulated_model& model);

  /// A request of at least one byte, at a time that is not before those of the earlier ones.
  ticket submit(bool write, std::uint64_t at, std::uint64_t size, time arrival);
  /// Serves what can have begun by then.
  void run(time until);
  /// Serves until this one is done; returns when that is.
  time finish(const ticket& which);

 private:
  bool serve_one(time until);

  simulated_model model_;
  std::optional<platter> platter_;
  std::vector<time> free_;      // when each channel is
  time shared_free_{};          // when what they share is
  std::deque<ticket> waiting_;  // at the host
  std::vector<ticket> queue_;   // in the device, which may choose
};

}  // namespace v0
}  // namespace leat
