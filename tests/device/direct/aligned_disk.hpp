// A disk in memory for tests of direct I/O: direct transfers must be aligned to whole blocks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "device/direct/direct.hpp"
#include "support/process.hpp"

namespace leat_test {

inline constexpr std::size_t page = 4096;

/// The content and the faults of an aligned_disk, and its counts. Must outlive the disk.
struct disk_state {
  std::string content;
  /// Reads that end after the first offset fail, and writes that end after the second offset fail.
  std::uint64_t reads_fail_from = ~std::uint64_t{0}, writes_fail_from = ~std::uint64_t{0};
  std::mutex lock;
  std::condition_variable in_flight_changed;
  std::atomic<int> in_flight = 0;  ///< reads that have not returned yet
  int max_in_flight = 0;
  /// Reads wait, at most 5 s, until this number of reads were in flight at once.
  int awaited_in_flight = 0;
  int short_reads = 0;  ///< number of next reads that return one byte
  std::atomic<int> read_calls{0};

  /// Calls `action` under the lock, because requests may be in flight.
  template <class Change>
  void change(Change action) {
    const std::lock_guard guard(lock);
    action();
  }
};

class aligned_disk final : public leat::device {
 public:
  explicit aligned_disk(disk_state& state) : state_(&state) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    disk_state& s = *state_;
    ++s.read_calls;
    EXPECT_TRUE(is_aligned(at, {into.data(), into.size()})) << "read at " << at;
    {
      std::unique_lock guard(s.lock);
      s.max_in_flight = std::max<int>(s.max_in_flight, ++s.in_flight);
      s.in_flight_changed.notify_all();
      s.in_flight_changed.wait_for(guard, std::chrono::seconds(5),
                                   [&] { return s.max_in_flight >= s.awaited_in_flight; });
    }
    const std::size_t n = copy_from(at, into, ec);
    --s.in_flight;
    return n;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    disk_state& s = *state_;
    const std::lock_guard guard(s.lock);
    const std::string_view bytes = pieces.front();
    // A write of less than a block goes through the page cache.
    EXPECT_TRUE(bytes.size() < page || is_aligned(at, bytes)) << "write at " << at;
    ec.clear();
    if (at + bytes.size() > s.writes_fail_from) {
      ec = std::make_error_code(std::errc::io_error);
      return 0;
    }
    const auto from = static_cast<std::size_t>(at);
    if (s.content.size() < from + bytes.size()) s.content.resize(from + bytes.size());
    s.content.replace(from, bytes.size(), bytes);
    return bytes.size();
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    const std::lock_guard guard(state_->lock);
    return state_->content.size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::size_t copy_from(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept {
    disk_state& s = *state_;
    ec.clear();
    const std::lock_guard guard(s.lock);
    if (at + into.size() > s.reads_fail_from) {
      ec = std::make_error_code(std::errc::io_error);
      return 0;
    }
    if (at >= s.content.size()) return 0;
    const std::size_t most = s.short_reads != 0 ? 1 : into.size();
    if (s.short_reads != 0) --s.short_reads;
    return s.content.copy(into.data(), most, static_cast<std::size_t>(at));
  }
  static bool is_aligned(std::uint64_t at, std::string_view bytes) {
    return at % page == 0 && bytes.size() % page == 0 &&
           reinterpret_cast<std::uintptr_t>(bytes.data()) % page == 0;
  }

  disk_state* state_;
};

inline std::unique_ptr<leat::device> direct_device_over(disk_state& state) {
  return std::make_unique<leat::direct_device>(std::make_unique<aligned_disk>(state));
}

}  // namespace leat_test
