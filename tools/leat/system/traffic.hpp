// What passes through the connections of this process, as the system counts it: nobody has to
// believe a client's own account.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>

namespace bench {

struct traffic {
  std::uint64_t bytes = 0;     // received
  std::uint64_t messages = 0;  // sent; without TLS, each small request is one
};

/// The open TCP connections, by numbers of the system. Nothing where the system does not tell; only
/// Linux does.
std::optional<std::map<std::uint64_t, traffic>> open_connections();

/// Counts what passes from its construction on. A thread looks every half millisecond, because
/// connections are closed meanwhile: what passes on one after the last look is missing.
class traffic_watch {
 public:
  traffic_watch();
  ~traffic_watch() { stop(); }
  traffic_watch(const traffic_watch&) = delete;
  traffic_watch& operator=(const traffic_watch&) = delete;

  /// The sum; ends the watch. Nothing where the system does not tell.
  std::optional<traffic> stop();

 private:
  void look();

  std::map<std::uint64_t, traffic> before_, last_;
  bool can_tell_ = false;
  std::atomic<bool> stopped_{false};
  std::thread looks_;
};

}  // namespace bench
