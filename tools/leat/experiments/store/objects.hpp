// Objects that are made from a pattern, and how fast the store gives them.
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

/// The bytes of an object: a block again and again, with some words over it.
class content {
 public:
  /// The block, of `size` bytes, is made by fill().
  content(std::string (*make_block)(), std::size_t size, std::uint64_t copies)
      : make_(make_block), block_size_(size), copies_(copies) {}
  void fill() {
    if (block_.empty()) block_ = make_();
  }

  void put(std::uint64_t at, std::string text) { words_.push_back({at, std::move(text)}); }
  const std::string& block() const { return block_; }
  std::uint64_t size() const { return copies_ * block_size_; }
  /// Returns how many bytes there are from `at` on, at most as many as `into` takes.
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

/// Writes an object. Ends early, without an object, after Ctrl-C: the runner ends then, too.
void upload(const std::string& address, const content& of);

/// How fast a store answers here, as the client of leat sees it.
struct store_speed {
  double first_byte = 0;   // seconds from a request for a few bytes to its end
  double one_stream = 0;   // bytes a second of one long range
  double all_streams = 0;  // of eight long ranges at a time
  double interval = 0;     // seconds for each of 32 small requests at a time
};

/// Asks for parts of an object that is there, for about a second at most on a near store.
store_speed measure_speed(const std::string& address);

/// Requests of 4 KiB, and bytes of ranges of 8 MiB, that come in a second with so many at a time.
struct parallel_speed {
  double requests = 0;
  double bytes = 0;
};
parallel_speed measure_parallel(const std::string& address, std::size_t at_a_time);

/// As leat reads through it: "0.9 ms to the first byte, 800 MB/s by one request and 1100 MB/s by
/// eight, 1500 small requests a second".
std::string text_of(const store_speed& of);

/// The simulated store with this speed.
leat::simulated_model model_of(const store_speed& of);

/// A simulated store that has these bytes.
std::unique_ptr<leat::simulated_device> simulated_store(std::shared_ptr<const content> of,
                                                        const store_speed& speed);

/// Seconds that a program needs for the first `size` bytes of the simulated store, if it always has
/// eight ranges of 8 MiB under way.
double simulated_pass(const std::shared_ptr<const content>& of, const store_speed& speed,
                      std::uint64_t size);

/// What the time by the model says about the time that was measured.
finding held_against_model(std::string_view what, double predicted, double measured);

}  // namespace bench
