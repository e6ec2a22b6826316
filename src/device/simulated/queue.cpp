// Serves the requests to a simulated device in virtual time. simulated.cpp uses this class.
#include "device/simulated/queue.hpp"

#include <algorithm>

namespace leat {
inline namespace v0 {

namespace {

using time = simulated_queue::time;

time transfer_time(std::uint64_t bytes, std::uint64_t rate) noexcept {
  if (rate == 0) return time::zero();
  constexpr auto longest = static_cast<std::uint64_t>(time(std::chrono::hours(1000)).count());
  const auto exact_time = static_cast<unsigned __int128>(bytes) * 1'000'000'000 / rate;
  return time(static_cast<time::rep>(std::min<unsigned __int128>(exact_time, longest)));
}

}  // namespace

simulated_queue::simulated_queue(const simulated_model& model)
    : model_(model), channels_free_at_(model.platter ? 1 : std::max(model.channels, 1U)) {
  if (model.platter) platter_.emplace(*model.platter);
}

simulated_queue::ticket simulated_queue::submit(bool write, std::uint64_t at, std::uint64_t size,
                                                time arrival) {
  auto result = std::make_shared<request>();
  result->write = write;
  result->size = size;
  result->arrival = arrival;
  if (platter_) result->extent = platter_->locate(at, size, write);
  waiting_.push_back(result);
  return result;
}

void simulated_queue::run(time until) {
  while (serve_one(until)) {
  }
}

time simulated_queue::finish(const ticket& which) {
  while (!which->done && serve_one(time::max())) {
  }
  return which->done.value_or(time::zero());
}

bool simulated_queue::serve_one(time until) {
  if (queue_.empty() && waiting_.empty()) return false;
  const auto channel = std::min_element(channels_free_at_.begin(), channels_free_at_.end());
  const time start = queue_.empty() ? std::max(*channel, waiting_.front()->arrival) : *channel;
  if (start > until) return false;

  const std::size_t room = model_.platter ? std::max(model_.platter->queue, 1U) : 1;
  while (queue_.size() < room && !waiting_.empty() && waiting_.front()->arrival <= start) {
    queue_.push_back(waiting_.front());
    waiting_.pop_front();
  }
  const auto service = [&](const ticket& one) -> const simulated_service& {
    return one->write ? model_.write : model_.read;
  };
  const auto plan = [&](const ticket& one) {
    return platter_->plan(one->extent, start, service(one).latency);
  };
  auto chosen = queue_.begin();
  time first_byte = start + service(*chosen).latency;
  time done = first_byte;
  if (platter_) {
    auto best = plan(*chosen);
    for (auto other = chosen + 1; other != queue_.end(); ++other) {
      const auto visit = plan(*other);
      if (visit.start < best.start) {
        chosen = other;
        best = visit;
      }
    }
    platter_->serve((*chosen)->extent, best);
    first_byte = start;  // the drive passes bytes on while it reads the rest
    done = best.done;
  }
  const simulated_service& cost = service(*chosen);
  done = std::max(done, first_byte + transfer_time((*chosen)->size, cost.stream_rate));
  shared_free_at_ = std::max(shared_free_at_, first_byte) +
                    std::max(cost.interval, transfer_time((*chosen)->size, cost.rate));
  (*chosen)->done = *channel = std::max(done, shared_free_at_);
  queue_.erase(chosen);
  return true;
}

}  // namespace v0
}  // namespace leat
