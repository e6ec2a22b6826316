// Decodes ahead: a thread reads a device while the program works on the bytes that have arrived.
// compressed.cpp puts this device over decoders.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {

/// Reads another device in a thread of its own, from the first requested position on. The thread
/// reads up to three blocks ahead of the program's block. view_at() returns the bytes of one block,
/// so its caller copies only bytes that cross from one block to the next. Made for devices with
/// positions whose reads take processor time, such as decoders. While the thread runs, no other
/// thread reads the device below.
///
/// After an error that read_at() has reported, the next read tries again. A jump back before the
/// current block, or forward by more than 4 MiB, stops the thread, and starts it again at the new
/// position. If no thread can be started, read_at() goes to the device below, and view_at() returns
/// nothing. In a forked child, which does not have the thread, read_at() fails with
/// operation_not_supported, and view_at() returns nothing.
class read_ahead_device final : public device {
 public:
  explicit read_ahead_device(std::unique_ptr<device> below) noexcept : below_(std::move(below)) {}
  ~read_ahead_device() override;

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return below_->position(); }
  std::uint64_t size(std::error_code& ec) const noexcept override { return below_->size(ec); }
  std::chrono::nanoseconds now() const noexcept override { return below_->now(); }
  void close(std::error_code& ec) noexcept override;

 private:
  /// A block is `empty` until the thread has filled it, then `full` until the program has passed
  /// it. stop() makes the program's block `stopped`.
  enum state : int { empty, full, stopped };
  struct block {
    std::unique_ptr<char[]> memory;
    std::size_t capacity = 0;
    std::uint64_t at = 0;
    std::size_t size = 0;
    std::error_code ec;  ///< if `size` is 0: the error of the read at `at`
    std::atomic<int> state{empty};
  };

  std::string_view bytes_at(std::uint64_t at, std::error_code& ec) noexcept;
  bool start(std::uint64_t at) noexcept;
  void stop() noexcept;
  void run(std::uint64_t at) noexcept;
  bool is_child() const noexcept;

  std::unique_ptr<device> below_;
  std::array<block, 4> blocks_;  // filled and emptied in turn
  std::size_t current_ = 0;      // the program's block
  std::atomic<bool> stopping_{false};
  std::unique_ptr<std::thread> thread_;  // null: not started, or stopped
  bool start_failed_ = false;            // starting a thread has failed
  process_id process_{};                 // process of the thread
};

}  // namespace v0
}  // namespace leat
