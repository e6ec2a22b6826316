// Measures latency, cost and parallelism of requests. client.cpp and object_reader.cpp use the
// figures.
#include "remote/speed.hpp"

#include <algorithm>
#include <utility>

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

constexpr std::size_t ranges_per_sample = 16;
constexpr std::uint64_t bytes_per_sample = std::uint64_t{512} << 10;

double nanoseconds(std::chrono::nanoseconds t) noexcept { return static_cast<double>(t.count()); }

}  // namespace

void speed_meter::note_latency(std::chrono::nanoseconds latency) noexcept {
  if (latency.count() > 0 && (latency_.count() == 0 || latency < latency_)) latency_ = latency;
}

void speed_meter::begin(time now) noexcept {
  began_ = flow_measured_at_ = now;
  includes_latency_ = true;
  range_count_ = 0;
  bytes_ = 0;
}

void speed_meter::flow(time now, bool flows) noexcept {
  if (flows_) flow_time_ += now - flow_measured_at_;
  flow_measured_at_ = now;
  flows_ = flows;
}

void speed_meter::end(time now, std::uint64_t bytes, std::chrono::nanoseconds latency) noexcept {
  note_latency(latency);
  if (bytes >= large) {
    flow_bytes_ += bytes;
    if (flow_bytes_ >= bytes_per_sample && flow_time_.count() > 0)
      byte_.add(nanoseconds(std::exchange(flow_time_, {})) /
                static_cast<double>(std::exchange(flow_bytes_, 0)));
  }
  bytes_ += bytes;
  if (++range_count_ < ranges_per_sample) return;
  const auto count = static_cast<double>(std::exchange(range_count_, 0));
  const auto size = static_cast<double>(std::exchange(bytes_, 0));
  const auto waited =
      std::exchange(includes_latency_, false) ? latency_ : std::chrono::nanoseconds(0);
  const double elapsed = nanoseconds(now - std::exchange(began_, now) - waited);
  // Large ranges hide the cost of their requests, so only small ranges give a sample.
  const bool is_sample = size / count < request_.value / byte_.value / 2;
  if (is_sample) request_.add(std::max(elapsed - size * byte_.value, 1e3 * count) / count);
}

void parallel_ranges::note_range(time now, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t most = 8;
  if (std::exchange(size_, bytes) != bytes) begin();  // pieces still grow
  // The first ranges belong to the previous trial.
  if (++ranges_ <= count_) {
    began_ = now;
    bytes_ = 0;
    return;
  }
  bytes_ += bytes;
  if (ranges_ < 4 * count_) return;
  const double rate = static_cast<double>(bytes_) / static_cast<double>((now - began_).count() + 1);
  // Additional ranges with little gain would only take memory.
  const bool is_better = rate > 1.3 * best_rate_;
  if (is_better) {
    best_count_ = count_;
    best_rate_ = rate;
  }
  count_ = is_better ? std::min(2 * count_, most) : best_count_;
  begin();
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
