// Simulated empty disks, and functions that make requests and return the simulated time.
#pragma once

#include <gtest/gtest.h>
#include <leat/simulated.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat_test {

using leat::simulated_device;
using std::chrono::nanoseconds;

/// A device with the size of a disk and without content: reads do not change the memory.
class empty_disk final : public leat::device {
 public:
  explicit empty_disk(std::uint64_t size) : size_(size) {}

  leat::device_traits traits() const noexcept override { return {.concurrent = true}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    if (at >= size_) return 0;
    return static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - at));
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    std::size_t all = 0;
    for (const auto& piece : pieces) all += piece.size();
    return all;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return size_;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::uint64_t size_;
};

inline constexpr std::uint64_t disk_size = 500'000'000'000;

/// A simulated device of `size` bytes without content.
template <class Model>
simulated_device empty_device(Model model, std::uint64_t size = disk_size) {
  return {std::make_unique<empty_disk>(size), model};
}

/// Reads `size` bytes at `at`. Fails the test on an error. Returns the simulated time of the read.
inline nanoseconds timed_read(simulated_device& from, std::uint64_t at, std::size_t size) {
  static std::string into;
  if (into.size() < size) into.resize(size);
  std::error_code ec;
  const auto before = from.now();
  EXPECT_EQ(from.read_at(at, {into.data(), size}, ec), size);
  EXPECT_FALSE(ec) << ec.message();
  return from.now() - before;
}

/// Writes `bytes` at `at`. Fails the test on an error. Returns the simulated time of the write.
inline nanoseconds timed_write(simulated_device& to, std::uint64_t at, std::string_view bytes) {
  std::error_code ec;
  const auto before = to.now();
  EXPECT_EQ(to.write_at(at, {&bytes, 1}, ec), bytes.size());
  EXPECT_FALSE(ec) << ec.message();
  return to.now() - before;
}

/// Returns `n` random multiples of `block` below `size`, the same in each run.
inline std::vector<std::uint64_t> random_positions(std::size_t n, std::uint64_t size = disk_size,
                                                   std::uint64_t block = 4096) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> at(n);
  for (auto& one : at) one = random() % (size / block) * block;
  return at;
}

/// Reads 4096 bytes at each position, in one batch. Returns the simulated time.
inline nanoseconds read_many(simulated_device& from, const std::vector<std::uint64_t>& at) {
  std::vector<char> into(4096);
  std::vector<leat::read_request> requests;
  requests.reserve(at.size());
  for (const auto one : at) requests.push_back({.at = one, .into = into, .done = 0, .ec = {}});
  const auto before = from.now();
  from.read_many(requests);
  for (const auto& one : requests) EXPECT_EQ(one.done, 4096U);
  return from.now() - before;
}

/// Reads 4096 bytes at each position, one read after the other. Returns the simulated time.
inline nanoseconds read_each(simulated_device& from, const std::vector<std::uint64_t>& at) {
  nanoseconds all{};
  for (const auto one : at) all += timed_read(from, one, 4096);
  return all;
}

/// A time in milliseconds, and in microseconds.
inline double ms(nanoseconds t) { return std::chrono::duration<double, std::milli>(t).count(); }
inline double us(nanoseconds t) { return std::chrono::duration<double, std::micro>(t).count(); }

}  // namespace leat_test
