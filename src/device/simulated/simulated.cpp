// simulated_device: passes calls to another device, and computes the time that a modelled disk
// would have taken.
#include <leat/simulated.hpp>

#include "device/simulated/queue.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {

namespace {

using time = std::chrono::nanoseconds;
using ticket = simulated_queue::ticket;

constexpr std::size_t most_announced = 4096;

/// Bounds the model's values, so that no sum of times overflows.
simulated_model bounded(simulated_model model) {
  static constexpr time longest = std::chrono::hours(1);
  constexpr std::uint64_t largest = std::uint64_t{1} << 60, fastest = std::uint64_t{1} << 40;
  const auto bound = [](time& value) { value = std::clamp(value, time::zero(), longest); };
  for (simulated_service* const one : {&model.read, &model.write}) {
    bound(one->latency);
    bound(one->interval);
  }
  bound(model.submit);
  bound(model.sync);
  model.channels = std::min(model.channels, 65'536U);
  if (!model.platter) return model;
  simulated_platter& disk = *model.platter;
  for (time* const one :
       {&disk.rotation, &disk.track_switch, &disk.average_seek, &disk.full_stroke})
    bound(*one);
  for (std::uint64_t* const one : {&disk.capacity, &disk.read_ahead})
    *one = std::min(*one, largest);
  for (std::uint64_t* const one : {&disk.outer_rate, &disk.inner_rate})
    *one = std::min(*one, fastest);
  return model;
}

std::uint64_t end_of(std::uint64_t at, std::uint64_t size) noexcept {
  return size > std::numeric_limits<std::uint64_t>::max() - at
             ? std::numeric_limits<std::uint64_t>::max()
             : at + size;
}

}  // namespace

/// The clock and the requests under way. Functions that allocate may throw std::bad_alloc.
class simulated_device::simulation {
 public:
  explicit simulation(const simulated_model& model) : model_(bounded(model)), queue_(model_) {}

  time now = time::zero();
  simulated_statistics statistics;

  const simulated_model& model() const noexcept { return model_; }

  /// Starts a write or a read. Announced bytes are not requested again. Advances the clock by the
  /// time of submitting the requests. wait() waits until the requests end.
  void start(bool write, std::uint64_t at, std::uint64_t size) {
    if (write) {
      if (size != 0) in_flight_.push_back(submit(true, at, size));
      return;
    }
    std::uint64_t from = at;
    const std::uint64_t to = end_of(at, size);
    auto range = announced_.upper_bound(from);
    while (range != announced_.end() && range->second.begin < to) {
      if (from < range->second.begin)
        in_flight_.push_back(submit(false, from, range->second.begin - from));
      in_flight_.push_back(range->second.request);
      from = std::min(to, range->first);
      if (range->first > to) {
        range->second.begin = to;
        break;
      }
      range = announced_.erase(range);
    }
    if (from < to) in_flight_.push_back(submit(false, from, to - from));
  }

  /// Advances the clock until all requests of start() have ended.
  void wait() {
    for (const auto& one : in_flight_) now = std::max(now, queue_.finish(one));
    in_flight_.clear();
  }

  void announce(std::uint64_t at, std::uint64_t size) {
    std::uint64_t from = at;
    const std::uint64_t to = end_of(at, size);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
    for (auto range = announced_.upper_bound(from);
         range != announced_.end() && range->second.begin < to; ++range) {
      if (from < range->second.begin) gaps.emplace_back(from, range->second.begin);
      from = std::min(to, range->first);
    }
    if (from < to) gaps.emplace_back(from, to);
    for (const auto& [begin, end] : gaps) announce_new(begin, end);
  }

  /// Takes announced bytes that have arrived: at most `size` bytes from `at` on. Returns the number
  /// of these bytes.
  std::size_t take_arrived(std::uint64_t at, std::size_t size) {
    queue_.run(now);
    std::uint64_t from = at;
    const std::uint64_t to = end_of(at, size);
    auto range = announced_.upper_bound(from);
    while (range != announced_.end() && range->second.begin <= from && from < to &&
           range->second.request->done.value_or(time::max()) <= now) {
      from = std::min(to, range->first);
      range->second.begin = from;
      range = range->first == from ? announced_.erase(range) : std::next(range);
    }
    return static_cast<std::size_t>(from - at);
  }

  void clear_announced() noexcept {
    announced_.clear();
    announced_order_.clear();
  }

 private:
  /// The announced bytes from `begin` to the key of the map, and their request.
  struct announced {
    std::uint64_t begin;
    ticket request;
  };

  ticket submit(bool write, std::uint64_t at, std::uint64_t size) {
    now += model_.submit;
    auto result = queue_.submit(write, at, size, now);
    ++(write ? statistics.writes : statistics.reads);
    (write ? statistics.bytes_written : statistics.bytes_read) += size;
    return result;
  }

  void announce_new(std::uint64_t from, std::uint64_t to) {
    if (announced_order_.size() == most_announced) {
      const auto [end, oldest] = announced_order_.front();
      announced_order_.pop_front();
      now = std::max(now, queue_.finish(oldest));
      const auto range = announced_.find(end);
      if (range != announced_.end() && range->second.request == oldest) announced_.erase(range);
    }
    const auto submitted = submit(false, from, to - from);
    announced_order_.emplace_back(to, submitted);
    announced_[to] = {from, submitted};
  }

  simulated_model model_;
  simulated_queue queue_;
  // The key is the end of a range, because reads take bytes from the front of a range and the end
  // stays. The ranges don't overlap.
  std::map<std::uint64_t, announced> announced_;
  // The last announced requests, oldest first.
  std::deque<std::pair<std::uint64_t, ticket>> announced_order_;
  std::vector<ticket> in_flight_;  // requests that wait() waits for
};

namespace {

/// Calls `action`. Returns false and sets `ec` if `action` runs out of memory.
template <class Action>
bool run_catching(std::error_code& ec, Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
    return true;
  } catch (...) {
    ec = std::make_error_code(std::errc::not_enough_memory);
    return false;
  }
}

}  // namespace

simulated_device::simulated_device(std::unique_ptr<device> bytes, const simulated_model& model)
    : bytes_(std::move(bytes)), simulation_(std::make_unique<simulation>(model)) {}

simulated_device::~simulated_device() = default;

std::chrono::nanoseconds simulated_device::now() const noexcept { return simulation_->now; }

void simulated_device::spend(std::chrono::nanoseconds time) noexcept {
  simulation_->now += std::min(time, std::chrono::nanoseconds::max() - simulation_->now);
}

simulated_statistics simulated_device::statistics() const noexcept {
  return simulation_->statistics;
}

double simulated_device::cost() const noexcept {
  const auto price = [](const simulated_service& service, std::uint64_t requests,
                        std::uint64_t bytes) {
    return static_cast<double>(requests) * service.dollars_per_request +
           static_cast<double>(bytes) / 1e9 * service.dollars_per_gigabyte;
  };
  const simulated_model& model = simulation_->model();
  const simulated_statistics& used = simulation_->statistics;
  return price(model.read, used.reads, used.bytes_read) +
         price(model.write, used.writes, used.bytes_written);
}

device_traits simulated_device::traits() const noexcept {
  device_traits traits = bytes_->traits().in_front();
  traits.concurrent = traits.reads_ahead = false;
  return traits;
}

std::size_t simulated_device::read_at(std::uint64_t at, std::span<char> into,
                                      std::error_code& ec) noexcept {
  const std::size_t n = bytes_->read_at(at, into, ec);
  const bool clock_advanced = run_catching(ec, [&] {
    simulation_->start(false, at, ec ? into.size() : n);
    simulation_->wait();
  });
  return clock_advanced ? n : 0;
}

std::size_t simulated_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                       std::error_code& ec) noexcept {
  if (traits().appends) at = bytes_->size(ec);
  const std::size_t n = bytes_->write_at(at, pieces, ec);
  std::size_t asked = 0;
  for (const auto& piece : pieces) asked += piece.size();
  // The bytes have been written, even if there is no memory to advance the clock.
  std::error_code ignored;
  run_catching(ignored, [&] {
    simulation_->start(true, at, ec ? asked : n);
    simulation_->wait();
  });
  return n;
}

std::size_t simulated_device::read_ready(std::uint64_t at, std::span<char> into,
                                         std::error_code& ec) noexcept {
  std::size_t ready = 0;
  if (!run_catching(ec, [&] { ready = simulation_->take_arrived(at, into.size()); })) return 0;
  if (ready != 0) return bytes_->read_at(at, into.first(ready), ec);
  const std::uint64_t end = bytes_->size(ec);
  if (into.empty() || (!ec && at >= end)) {
    ec.clear();
    return 0;
  }
  simulation_->now += simulation_->model().submit;
  ec = std::make_error_code(std::errc::operation_would_block);
  return 0;
}

void simulated_device::announce(std::uint64_t at, std::uint64_t size) noexcept {
  std::error_code ec;
  const std::uint64_t end = bytes_->size(ec);
  if (ec || at >= end) return;
  size = std::min(size, end - at);
  if (size != 0) run_catching(ec, [&] { simulation_->announce(at, size); });
}

void simulated_device::read_many(std::span<read_request> requests) noexcept {
  bytes_->read_many(requests);
  for (auto& one : requests) {
    if (!run_catching(one.ec, [&] {
          simulation_->start(false, one.at, one.ec ? one.into.size() : one.done);
        }))
      one.done = 0;
  }
  std::error_code ignored;
  run_catching(ignored, [&] { simulation_->wait(); });
}

void simulated_device::write_many(std::span<write_request> requests) noexcept {
  // The position of each append is known only after the previous append.
  if (traits().appends) return device::write_many(requests);
  bytes_->write_many(requests);
  std::error_code ignored;
  run_catching(ignored, [&] {
    for (const auto& one : requests)
      simulation_->start(true, one.at, one.ec ? one.bytes.size() : one.done);
    simulation_->wait();
  });
}

std::uint64_t simulated_device::position() const noexcept { return bytes_->position(); }

std::uint64_t simulated_device::size(std::error_code& ec) const noexcept {
  return bytes_->size(ec);
}

void simulated_device::resize(std::uint64_t size, std::error_code& ec) noexcept {
  bytes_->resize(size, ec);
}

void simulated_device::reserve(std::uint64_t size, std::error_code& ec) noexcept {
  bytes_->reserve(size, ec);
}

void simulated_device::advise(pattern expected) noexcept { bytes_->advise(expected); }

void simulated_device::sync(std::error_code& ec) noexcept {
  bytes_->sync(ec);
  simulation_->now += simulation_->model().sync;
}

void simulated_device::close(std::error_code& ec) noexcept {
  simulation_->clear_announced();
  bytes_->close(ec);
}

}  // namespace v0
}  // namespace leat
