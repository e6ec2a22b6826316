// The clock of the log simulator: time passes with the steps of the processes.
#pragma once

#include <atomic>
#include <cstdint>

namespace logs {

constexpr std::int64_t second = 1'000'000'000;

/// A clock in memory that all processes share, in nanoseconds.
struct virtual_clock {
  std::atomic<std::int64_t> monotonic{0};        ///< the time of the monotonic clocks
  std::atomic<std::int64_t> realtime_offset{0};  ///< the time of day minus `monotonic`

  /// Returns the monotonic time, which is later at each call.
  std::int64_t read_monotonic() noexcept { return monotonic.fetch_add(1) + 1; }
  std::int64_t wall_time() const noexcept { return monotonic.load() + realtime_offset.load(); }
  /// The time of day, rounded down to the resolution of file times: 4 ms.
  std::int64_t file_time() const noexcept {
    constexpr std::int64_t tick = 4'000'000;
    const std::int64_t now = wall_time();
    return now - (now % tick + tick) % tick;
  }
};

/// From now on, this process reads `clock` instead of the system's clock.
void use_clock(virtual_clock* clock) noexcept;

}  // namespace logs
