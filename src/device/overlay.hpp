// A device whose changes stay in memory: the device below is only read. random_access.cpp makes
// this device.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace leat {
inline namespace v0 {

/// Writes go to pages in memory, which last as long as this object. The first write to a page reads
/// the page from the device below. If the device below is `concurrent`, several threads may use
/// this device at once.
class overlay_device final : public device {
 public:
  explicit overlay_device(std::unique_ptr<device> below);

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    below_->announce(at, size);
  }
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override { below_->advise(expected); }
  std::chrono::nanoseconds now() const noexcept override { return below_->now(); }
  double cost() const noexcept override { return below_->cost(); }
  void close(std::error_code& ec) noexcept override { below_->close(ec); }

 private:
  static constexpr std::size_t page_size = 4096;
  using page = std::unique_ptr<char[]>;

  std::uint64_t visible_size(std::error_code& ec) const noexcept;
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec,
                   std::size_t (*read_below)(device&, std::uint64_t, std::span<char>,
                                             std::error_code&)) noexcept;
  page load(std::uint64_t number, std::error_code& ec) const;

  std::unique_ptr<device> below_;
  mutable std::shared_mutex lock_;
  std::unordered_map<std::uint64_t, page> pages_;  // by page number
  std::uint64_t size_ = 0;  // the size with the changes in memory; only if resized_
  // The bytes of the device below are valid up to below_end_. Only used if resized_.
  std::uint64_t below_end_ = 0;
  bool resized_ = false;  // false: the size is the size of the device below
};

}  // namespace v0
}  // namespace leat
