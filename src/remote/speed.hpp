// Measures what requests cost and how many parallel ranges are worthwhile. Used by client.cpp and
// object_reader.cpp.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace remote {

/// Cost of a byte: the time during which bodies of large ranges flow, divided by their bytes. Cost
/// of a request: the time from the end of one range to the end of the next range, minus the cost of
/// the bytes. A large range hides the cost of its request. So the cost of a request is measured
/// only with ranges whose bytes cost less than half of a request.
class speed_meter {
 public:
  using time = std::chrono::steady_clock::time_point;
  /// Ranges of at least this many bytes are large.
  static constexpr std::uint64_t large = std::uint64_t{64} << 10;

  /// Starts new samples. Called before the first request after an idle period.
  void begin(time now) noexcept;
  /// Measures the time during which bodies of large ranges flow. `flows`: true if bodies flow from
  /// `now` on.
  void flow(time now, bool flows) noexcept;
  /// Adds a complete range to the samples. The head of the response came after `latency`.
  void end(time now, std::uint64_t bytes, std::chrono::nanoseconds latency) noexcept;
  /// Keeps the least latency. The head of a response came after `latency`.
  void note_latency(std::chrono::nanoseconds latency) noexcept;
  /// The least latency that was measured; 0 if none was measured.
  std::chrono::nanoseconds latency() const noexcept { return latency_; }

  /// Returns the measured costs. Before any measurement: 1.5 GB/s, and a gap of 1 MiB costs as much
  /// as a request.
  device_speed speed() const noexcept {
    return {.request = request_.value,
            .byte = byte_.value,
            .latency = static_cast<double>(latency_.count()),
            .is_measured = byte_.samples > initial_samples};
  }

 private:
  /// A moving average. Disturbances make samples larger, so smaller samples count more.
  struct average {
    double value;
    double samples;  // weight of the value

    void add(double sample) noexcept {
      samples = std::min(samples + 1, 8.0);
      value += (sample - value) / (sample < value ? 2 : samples);
    }
  };

  std::chrono::nanoseconds latency_{};
  static constexpr double initial_samples = 2;  // the weight of the initial values
  // In nanoseconds.
  average request_{0.67 * (1 << 20), initial_samples}, byte_{0.67, initial_samples};
  // The sample that began at `began_`.
  time began_;
  bool includes_latency_ = true;  // the next sample includes the latency of its first byte
  std::size_t range_count_ = 0;
  std::uint64_t bytes_ = 0;
  // Bodies of large ranges.
  time flow_measured_at_;
  bool flows_ = false;
  std::chrono::nanoseconds flow_time_{};
  std::uint64_t flow_bytes_ = 0;
};

/// Finds how many ranges of sequential reads should run in parallel. Some stores, for example
/// Amazon's, limit the rate of each connection: more connections then move more bytes.
class parallel_ranges {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// The number of ranges to request in parallel.
  std::uint64_t count() const noexcept { return count_; }
  /// Adds a range that was read to the trial. At the end of a trial, chooses the next count().
  void note_range(time now, std::uint64_t bytes) noexcept;
  /// Starts the trial again, for example after a jump.
  void begin() noexcept { ranges_ = 0; }

 private:
  std::uint64_t count_ = 2;  // the memory of more ranges would not fit in the processor's cache
  std::uint64_t best_count_ = count_;
  double best_rate_ = 0;  // bytes per nanosecond, with `best_count_` ranges
  // The current trial.
  time began_;
  std::uint64_t ranges_ = 0, bytes_ = 0, size_ = 0;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
