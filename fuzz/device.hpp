// A device in memory, for the drivers of streams, files and codecs. The input decides which calls
// fail, are interrupted, or move fewer bytes than requested.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "fuzz.hpp"

namespace fuzz {

/// A counter that a stream's background thread may increment.
class atomic_count {
 public:
  atomic_count() = default;
  atomic_count(const atomic_count& other) : n_(other.n_.load()) {}
  atomic_count& operator=(const atomic_count& other) {
    n_ = other.n_.load();
    return *this;
  }
  atomic_count& operator=(std::size_t n) {
    n_ = n;
    return *this;
  }
  operator std::size_t() const { return n_; }  // NOLINT(google-explicit-constructor)
  std::size_t operator++() { return ++n_; }
  std::size_t operator++(int) { return n_++; }

 private:
  std::atomic<std::size_t> n_ = 0;
};

/// The content and behaviour of a device. A disk must outlive its device.
struct disk {
  std::string content;
  leat::device_traits traits;
  /// The results of the calls, one byte for each call. After the last byte all calls succeed. The
  /// plan is made in advance, because a stream's background thread may call the device.
  std::string plan;
  bool may_fail = false;
  atomic_count calls;
  atomic_count faults;          ///< calls that have failed
  atomic_count sync_faults;     ///< syncs that have failed
  std::uint64_t failed_at = 0;  ///< position of the first byte that the last failed write refused
  atomic_count pause;           ///< microseconds that a write takes

  /// Returns an empty disk whose plan is a text of the input.
  static disk from_input(input& in, bool may_fail) {
    disk result;
    result.plan = in.text(64);
    result.may_fail = may_fail;
    return result;
  }

  /// Returns how many of `size` bytes the next call moves. If the call fails or is interrupted,
  /// sets `ec`; otherwise clears `ec`.
  std::size_t next_size(std::size_t size, std::error_code& ec) {
    ec.clear();
    const unsigned choice = next_choice();
    if (choice < 128 || size == 0) return size;
    if (choice < 208) return std::min<std::size_t>(size, 1 + choice % 16);
    if (choice < 224) {
      ec = std::make_error_code(std::errc::interrupted);
      return 0;
    }
    return add_fault(ec) ? std::min<std::size_t>(size, choice % 4) : size;
  }
  /// Decides whether a call that moves no bytes fails. If the call fails, sets `ec` and returns
  /// true.
  bool decide_failure(std::error_code& ec) {
    ec.clear();
    return next_choice() >= 224 && add_fault(ec);
  }

 private:
  /// Returns the plan's next byte, or 0 after the last byte. Several threads may call this
  /// function.
  unsigned next_choice() {
    const std::size_t call = calls++;
    return call < plan.size() ? static_cast<unsigned char>(plan[call]) : 0;
  }
  /// If the disk may fail, sets `ec` and counts a fault. Returns whether the call fails.
  bool add_fault(std::error_code& ec) {
    if (!may_fail) return false;
    ++faults;
    ec = std::make_error_code(std::errc::no_space_on_device);
    return true;
  }
};

class device final : public leat::device {
 public:
  explicit device(disk& over) : disk_(over) {}

  leat::device_traits traits() const noexcept override { return disk_.traits; }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    const std::size_t start = std::min<std::size_t>(at, disk_.content.size());
    std::size_t n = std::min(into.size(), disk_.content.size() - start);
    n = disk_.next_size(n, ec);
    if (ec) return 0;
    return disk_.content.copy(into.data(), n, start);
  }

  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    std::string bytes;
    for (const auto& piece : pieces) bytes += piece;
    if (disk_.pause != 0) std::this_thread::sleep_for(std::chrono::microseconds(disk_.pause));
    bytes.resize(disk_.next_size(bytes.size(), ec));
    if (disk_.traits.appends || !disk_.traits.positional) at = disk_.content.size();
    if (ec && ec != std::errc::interrupted) disk_.failed_at = at + bytes.size();
    if (bytes.empty()) return 0;
    if (disk_.content.size() < at + bytes.size()) disk_.content.resize(at + bytes.size());
    bytes.copy(disk_.content.data() + at, bytes.size());
    return bytes.size();
  }

  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return disk_.content.size();
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    if (!disk_.decide_failure(ec)) disk_.content.resize(size);
  }
  void sync(std::error_code& ec) noexcept override {
    if (disk_.decide_failure(ec)) ++disk_.sync_faults;
  }
  void close(std::error_code& ec) noexcept override { disk_.decide_failure(ec); }

 private:
  disk& disk_;
};

}  // namespace fuzz
