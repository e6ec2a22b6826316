#include "system/traffic.hpp"

#include <chrono>

namespace bench {

traffic_watch::traffic_watch() {
  const auto found = open_connections();
  can_tell_ = found.has_value();
  if (!can_tell_) return;
  before_ = last_ = *found;
  looks_ = std::thread([this] {
    while (!stopped_) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      look();
    }
  });
}

void traffic_watch::look() {
  const auto found = open_connections();
  if (!found) return;
  for (const auto& [connection, all] : *found) last_[connection] = all;
}

std::optional<traffic> traffic_watch::stop() {
  if (!can_tell_) return std::nullopt;
  stopped_ = true;
  if (looks_.joinable()) {
    looks_.join();
    look();
  }
  traffic sum;
  for (const auto& [connection, all] : last_) {
    const traffic known = before_[connection];
    sum.bytes += all.bytes - known.bytes;
    sum.messages += all.messages - known.messages;
  }
  return sum;
}

}  // namespace bench
