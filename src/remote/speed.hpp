// What requests cost, and how many at a time are worth it, learnt from those that were made.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace remote {

/// A byte costs what the bodies of large ranges take while at least one of them flows. A request
/// costs the time from one end to the next, less that of the bytes, while the ranges are small.
class speed_meter {
 public:
  using time = std::chrono::steady_clock::time_point;
  /// Ranges of at least this size have a body that flows.
  static constexpr std::uint64_t large = std::uint64_t{64} << 10;

  /// The first request begins after a rest.
  void begin(time now) noexcept;
  /// From now on large bodies flow, or none does.
  void flow(time now, bool flows) noexcept;
  /// A range has come, which had its first byte after `latency`.
  void end(time now, std::uint64_t bytes, std::chrono::nanoseconds latency) noexcept;
  void meet_latency(std::chrono::nanoseconds latency) noexcept;
  /// The least time to a first byte so far; 0 before the first one.
  std::chrono::nanoseconds latency() const noexcept { return latency_; }

  /// As long as nothing is known: 1.5 GB/s, and a hole of 1 MiB takes as long as a request.
  device_speed speed() const noexcept {
    return {.request = request_.value,
            .byte = byte_.value,
            .latency = static_cast<double>(latency_.count()),
            .is_measured = byte_.samples > guessed};
  }

 private:
  /// An average in which older samples fade. What disturbs a sample makes it larger, so smaller
  /// ones count more.
  struct average {
    double value;
    double samples;  // so many does the value stand for

    void meet(double sample) noexcept {
      samples = std::min(samples + 1, 8.0);
      value += (sample - value) / (sample < value ? 2 : samples);
    }
  };

  std::chrono::nanoseconds latency_{};
  static constexpr double guessed = 2;                                // samples
  average request_{0.67 * (1 << 20), guessed}, byte_{0.67, guessed};  // nanoseconds
  // Ends since `since_`.
  time since_;
  bool waits_ = true;  // for the first byte of all
  std::size_t ends_ = 0;
  std::uint64_t bytes_ = 0;
  // Bodies that flow.
  time flow_mark_;
  bool flows_ = false;
  std::chrono::nanoseconds flow_time_{};
  std::uint64_t flow_bytes_ = 0;
};

/// How many ranges of reads one behind the other are under way. Some stores give each connection so
/// much and no more: then more of them bring more. For example, Amazon's.
class parallel_ranges {
 public:
  using time = std::chrono::steady_clock::time_point;

  std::uint64_t count() const noexcept { return count_; }
  /// A range has been read.
  void meet(time now, std::uint64_t bytes) noexcept;
  /// The next range begins after a rest.
  void begin() noexcept { ranges_ = 0; }

 private:
  std::uint64_t count_ = 2;  // more memory than this leaves the cache
  std::uint64_t best_ = count_;
  double best_rate_ = 0;  // bytes a nanosecond, with so many
  // Of this trial.
  time since_;
  std::uint64_t ranges_ = 0, bytes_ = 0, size_ = 0;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
