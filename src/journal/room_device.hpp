// A device that writes zeros ahead of the records of a journal that is synced often. journal.cpp
// puts this device over the file of a journal with durability::system.
#pragma once

#include <leat/device.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// A device for a file to which bytes are appended, each time with a sync. A sync of a file that
/// has grown also writes the new size. On most file systems writing the size takes about as long as
/// writing the bytes. So this device sometimes writes zeros after the end. These zeros are the
/// device's room: appended bytes overwrite them. close() cuts the remaining room.
///
/// Room is made after the first write that follows a sync and ends beyond the room. If this write
/// is large, no room is made. So in the file of a program that never syncs there is no room, and in
/// the file of a program that syncs rarely there is rarely room. Failing to make room is not an
/// error, because the bytes were written before.
class room_device final : public device {
 public:
  /// `end`: the end of the file, which has no room yet.
  room_device(std::unique_ptr<device> below, std::uint64_t end) noexcept
      : below_(std::move(below)), end_(end) {}
  ~room_device() override { cut(); }

  device_traits traits() const noexcept override {
    device_traits same = below_->traits().in_front();
    same.concurrent = false;
    return same;
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return below_->read_at(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return below_->position(); }
  std::uint64_t size(std::error_code& ec) const noexcept override { return below_->size(ec); }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override {
    below_->reserve(size, ec);
  }
  void advise(pattern expected) noexcept override { below_->advise(expected); }
  void expect_sync() noexcept override { below_->expect_sync(); }
  void sync(std::error_code& ec) noexcept override;
  std::chrono::nanoseconds now() const noexcept override { return below_->now(); }
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override { return below_->native_handle(); }

 private:
  void make_room() noexcept;
  void cut() noexcept;

  std::unique_ptr<device> below_;
  std::uint64_t end_;           // end of the written bytes
  std::uint64_t room_end_ = 0;  // the end of the zeros; if not above end_, there are none
  bool makes_room_ = true;      // false: making room has failed
  // A sync, perhaps by another thread, has followed the last write beyond the room.
  std::atomic<bool> synced_ = false;
  process_id process_ = this_process();
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
