// Uploads objects, and measures and simulates the store. The experiments with a store and `leat
// tune` call these functions.
#include "experiments/store/objects.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>

#include "measuring/interrupt.hpp"
#include "measuring/statistics.hpp"
#include "reporting/text.hpp"
#include "system/failure.hpp"

namespace bench {

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t long_range = 8 * mib;
constexpr std::size_t small_range = 4096;
constexpr std::size_t stream_count = 8;
constexpr unsigned requests_at_once = 32;

/// A device with the bytes of a `content`. Writes fail.
class generated_device final : public leat::device {
 public:
  explicit generated_device(std::shared_ptr<const content> object) : object_(std::move(object)) {}

  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    return object_->read(at, into);
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return object_->size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::shared_ptr<const content> object_;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the seconds for `count` parallel ranges of `size` bytes, spread over `object_size`
/// bytes. If a read fails, throws `failure`.
double read_seconds(leat::device& device, std::uint64_t object_size, std::size_t count,
                    std::size_t size) {
  const auto memory = std::make_unique_for_overwrite<char[]>(count * size);
  std::vector<leat::read_request> all;
  for (std::size_t i = 0; i != count; ++i)
    all.push_back({object_size / count * i, {memory.get() + i * size, size}, 0, {}});
  const double start = seconds_now();
  device.read_many(all);
  const double taken = seconds_now() - start;
  for (const auto& one : all)
    if (one.ec) throw failure("the store cannot be measured: " + one.ec.message());
  return taken;
}

/// Returns the median of `times` calls of read_seconds(), or 1 if Ctrl-C comes before the first
/// call.
double median_read_seconds(leat::device& device, std::uint64_t object_size, std::size_t count,
                           std::size_t size, std::size_t times) {
  std::vector<double> taken;
  for (std::size_t i = 0; i != times && !is_interrupted(); ++i)
    taken.push_back(read_seconds(device, object_size, count, size));
  return taken.empty() ? 1 : summarize(taken).median;
}

std::unique_ptr<leat::device> open_to_measure(const std::string& address) {
  std::error_code ec;
  auto device = leat::remote::open({.address = address, .use = leat::address_use::read_random},
                                   leat::remote::defaults(), ec);
  if (ec) throw failure(fmt::format("cannot open '{}': {}", address, ec.message()));
  return device;
}

/// Returns the largest size, up to 8 MiB, at which `count` ranges of an object do not overlap.
std::size_t longest_range(std::uint64_t object_size, std::size_t count) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(long_range, object_size / count));
}

}  // namespace

std::size_t content::read(std::uint64_t at, std::span<char> into) const {
  const std::uint64_t left = at < size() ? size() - at : 0;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left)));
  for (std::size_t done = 0; done != into.size();) {
    const auto start = static_cast<std::size_t>((at + done) % block_.size());
    const std::size_t n = std::min(block_.size() - start, into.size() - done);
    std::memcpy(into.data() + done, block_.data() + start, n);
    done += n;
  }
  for (const auto& one : words_) {
    const std::uint64_t begin = std::max(one.at, at);
    const std::uint64_t end = std::min(one.at + one.text.size(), at + into.size());
    if (begin < end)
      std::memcpy(into.data() + (begin - at), one.text.data() + (begin - one.at),
                  static_cast<std::size_t>(end - begin));
  }
  return into.size();
}

void upload(const std::string& address, const content& object) {
  auto out = leat::create(address);
  std::vector<char> piece(mib);
  for (std::uint64_t at = 0; const std::size_t n = object.read(at, piece); at += n) {
    if (is_interrupted()) {
      out.discard();
      return;
    }
    out.write({piece.data(), n});
  }
  out.close();
}

store_speed measure_speed(const std::string& address) {
  const auto device = open_to_measure(address);
  std::error_code ec;
  const std::uint64_t object_size = device->size(ec);
  const std::size_t large = longest_range(object_size, stream_count);
  const std::size_t small = std::min(small_range, large);
  store_speed found;
  read_seconds(*device, object_size, requests_at_once, small);  // establishes the connections
  found.first_byte = median_read_seconds(*device, object_size, 1, 4, 15);
  found.interval =
      median_read_seconds(*device, object_size, requests_at_once, small, 5) / requests_at_once;
  const auto rate = [&](std::size_t count) {
    const double taken = median_read_seconds(*device, object_size, count, large, 3);
    return static_cast<double>(count * large) / std::max(taken - found.first_byte, taken / 10);
  };
  found.one_stream = rate(1);
  found.all_streams = std::max(rate(stream_count), found.one_stream);
  return found;
}

parallel_speed measure_parallel(const std::string& address, std::size_t at_a_time) {
  constexpr std::size_t times = 5;
  const auto device = open_to_measure(address);
  std::error_code ec;
  const std::uint64_t object_size = device->size(ec);
  const std::size_t large = longest_range(object_size, at_a_time);
  const std::size_t small = std::min(small_range, large);
  read_seconds(*device, object_size, at_a_time, small);  // establishes the connections
  const auto count = static_cast<double>(at_a_time);
  return {count / median_read_seconds(*device, object_size, at_a_time, small, times),
          count * static_cast<double>(large) /
              median_read_seconds(*device, object_size, at_a_time, large, 3)};
}

std::string text_of(const store_speed& speed) {
  return fmt::format(
      "{} ms to the first byte, {} MB/s by one request and {} MB/s by {}, {} small requests a "
      "second by {} at a time",
      digits(speed.first_byte * 1e3), digits(speed.one_stream / 1e6),
      digits(speed.all_streams / 1e6), stream_count, digits(1 / speed.interval), requests_at_once);
}

leat::simulated_model model_of(const store_speed& speed) {
  const auto time = [](double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  };
  auto model = leat::model_of(leat::simulated_disk::s3);
  model.read.latency = time(speed.first_byte);
  model.read.interval = time(speed.interval);
  model.read.rate = static_cast<std::uint64_t>(speed.all_streams);
  model.read.stream_rate = static_cast<std::uint64_t>(speed.one_stream);
  model.channels = requests_at_once;
  return model;
}

std::unique_ptr<leat::simulated_device> simulated_store(std::shared_ptr<const content> object,
                                                        const store_speed& speed) {
  return std::make_unique<leat::simulated_device>(
      std::make_unique<generated_device>(std::move(object)), model_of(speed));
}

double simulated_read_seconds(const std::shared_ptr<const content>& object,
                              const store_speed& speed, std::uint64_t size) {
  const auto device = simulated_store(object, speed);
  const auto piece = std::make_unique_for_overwrite<char[]>(long_range);
  std::uint64_t announced = 0;
  for (std::uint64_t at = 0; at != size;) {
    for (; announced < size && announced < at + stream_count * long_range; announced += long_range)
      device->announce(announced, std::min<std::uint64_t>(long_range, size - announced));
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(long_range, size - at));
    std::error_code ec;
    at += device->read_at(at, {piece.get(), n}, ec);
  }
  return std::chrono::duration<double>(device->now()).count();
}

finding compare_with_model(std::string_view work, double predicted, double measured) {
  const double ratio = measured / predicted;
  return check_claim(
      fmt::format("{}, simulated with the speed of this store as measured: predicted {} "
                  "ms, measured {} ms",
                  work, digits(predicted * 1e3), digits(measured * 1e3)),
      "the model is within a factor of two", ratio <= 2 && ratio >= 0.5);
}

}  // namespace bench
