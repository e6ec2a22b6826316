// The time of the processes: it passes with their steps.
#pragma once

#include <atomic>
#include <cstdint>

namespace logs {

constexpr std::int64_t second = 1'000'000'000;

/// In memory that all processes share, in nanoseconds.
struct virtual_clock {
  std::atomic<std::int64_t> passed{0};  ///< what the monotonic clocks show
  std::atomic<std::int64_t> ahead{0};   ///< what the time of day is ahead of these

  /// Each look shows a later time.
  std::int64_t look() noexcept { return passed.fetch_add(1) + 1; }
  std::int64_t day_time() const noexcept { return passed.load() + ahead.load(); }
  /// As files get it.
  std::int64_t file_time() const noexcept {
    constexpr std::int64_t tick = 4'000'000;
    const std::int64_t now = day_time();
    return now - (now % tick + tick) % tick;
  }
};

/// From now on this process reads this clock instead of the system's.
void use_clock(virtual_clock* clock) noexcept;

}  // namespace logs
