// Objects that are generated from a pattern, and measurements of the store's speed. The experiments
// with a store and `leat tune` call these functions.
#pragma once

#include <leat/device.hpp>
#include <leat/simulated.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// The bytes of an object: a repeated block, with some words written over it.
class content {
 public:
  /// fill() makes the block, of `size` bytes.
  content(std::string (*make_block)(), std::size_t size, std::uint64_t copies)
      : make_(make_block), block_size_(size), copies_(copies) {}
  void fill() {
    if (block_.empty()) block_ = make_();
  }

  /// Writes a text over the block's bytes from `at` on.
  void put(std::uint64_t at, std::string text) { words_.push_back({at, std::move(text)}); }
  const std::string& block() const { return block_; }
  std::uint64_t size() const { return copies_ * block_size_; }
  /// Reads up to into.size() bytes from `at` on. Returns the number of bytes, 0 at the end. Call
  /// fill() before read().
  std::size_t read(std::uint64_t at, std::span<char> into) const;

 private:
  struct words {
    std::uint64_t at;
    std::string text;
  };
  std::string (*make_)();
  std::size_t block_size_;
  std::string block_;
  std::uint64_t copies_;
  std::vector<words> words_;
};

/// Uploads `object`, which must be filled by fill(). After Ctrl-C, discards the upload and returns;
/// the runner then ends, too. Throws leat::io_error if the upload fails.
void upload(const std::string& address, const content& object);

/// Speed of a store, measured by leat's client.
struct store_speed {
  double first_byte = 0;   // seconds from a request for a few bytes to the end of the request
  double one_stream = 0;   // bytes per second of one long range, after its first byte
  double all_streams = 0;  // bytes per second by eight parallel long ranges, at least one_stream
  double interval = 0;     // seconds per request, with 32 parallel small requests
};

/// Measures a store by reads of an existing object. Takes about a second at most on a near store.
/// If the object cannot be opened or a read fails, throws `failure`. After Ctrl-C, the figures mean
/// nothing.
store_speed measure_speed(const std::string& address);

/// The speed of parallel requests: requests of 4 KiB per second, and bytes per second by ranges of
/// 8 MiB. If the object is small, both sizes are smaller.
struct parallel_speed {
  double requests = 0;
  double bytes = 0;
};
/// Measures a store by `at_a_time` parallel requests. Throws as measure_speed() does.
parallel_speed measure_parallel(const std::string& address, std::size_t at_a_time);

/// Returns a text such as "0.9 ms to the first byte, 800 MB/s by one request and 1100 MB/s by 8,
/// 1500 small requests a second by 32 at a time".
std::string text_of(const store_speed& speed);

/// Returns the model of a store with this speed.
leat::simulated_model model_of(const store_speed& speed);

/// Returns a simulated store that contains `object`, which must be filled by fill().
std::unique_ptr<leat::simulated_device> simulated_store(std::shared_ptr<const content> object,
                                                        const store_speed& speed);

/// Returns the seconds that a program needs for the first `size` bytes of the simulated store, if
/// the program always keeps eight ranges of 8 MiB in flight.
double simulated_read_seconds(const std::shared_ptr<const content>& object,
                              const store_speed& speed, std::uint64_t size);

/// Compares the measured time of `work` with the model's time, both in seconds. The model is
/// confirmed if neither time is more than twice the other.
finding compare_with_model(std::string_view work, double predicted, double measured);

}  // namespace bench
