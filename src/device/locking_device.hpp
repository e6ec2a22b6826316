// A device that several threads may use, over a device for one thread. Each call that goes to the
// device below takes a lock, except traits() and native_handle(). journal.cpp and random_access.cpp
// make this device.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace leat {
inline namespace v0 {

class locking_device final : public device {
 public:
  explicit locking_device(std::unique_ptr<device> below) noexcept : below_(std::move(below)) {}

  device_traits traits() const noexcept override {
    device_traits result = below_->traits();
    result.concurrent = true;
    result.has_views = false;  // a view is valid only until another thread's call
    return result;
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    return below_->read_at(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    return below_->write_at(at, pieces, ec);
  }
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    return below_->read_ready(at, into, ec);
  }
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    const std::lock_guard guard(lock_);
    below_->announce(at, size);
  }
  void read_many(std::span<read_request> requests) noexcept override {
    const std::lock_guard guard(lock_);
    below_->read_many(requests);
  }
  void write_many(std::span<write_request> requests) noexcept override {
    const std::lock_guard guard(lock_);
    below_->write_many(requests);
  }
  void start_read(read_request& one) noexcept override {
    const std::lock_guard guard(lock_);
    below_->start_read(one);
  }
  void finish_read(read_request& one) noexcept override {
    const std::lock_guard guard(lock_);
    below_->finish_read(one);
  }
  void cancel_read(read_request& one) noexcept override {
    const std::lock_guard guard(lock_);
    below_->cancel_read(one);
  }
  device_speed speed() const noexcept override {
    const std::lock_guard guard(lock_);
    return below_->speed();
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    const std::lock_guard guard(lock_);
    return below_->size(ec);
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    below_->resize(size, ec);
  }
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    below_->reserve(size, ec);
  }
  void expect_sync() noexcept override {
    const std::lock_guard guard(lock_);
    below_->expect_sync();
  }
  std::uint64_t position() const noexcept override {
    const std::lock_guard guard(lock_);
    return below_->position();
  }
  void advise(pattern expected) noexcept override {
    const std::lock_guard guard(lock_);
    below_->advise(expected);
  }
  void sync(std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    below_->sync(ec);
  }
  std::chrono::nanoseconds now() const noexcept override {
    const std::lock_guard guard(lock_);
    return below_->now();
  }
  double cost() const noexcept override {
    const std::lock_guard guard(lock_);
    return below_->cost();
  }
  void close(std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    below_->close(ec);
  }
  native_handle_type native_handle() const noexcept override { return below_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override {
    const std::lock_guard guard(lock_);
    return below_->release(at, ec);
  }

 private:
  std::unique_ptr<device> below_;
  mutable std::mutex lock_;
};

}  // namespace v0
}  // namespace leat
