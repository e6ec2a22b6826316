// Reading past the system's cache: aligned blocks, several requests at a time.
#pragma once

#include <leat/device.hpp>

#include <memory>

namespace leat {
inline namespace v0 {

/// A device over one that wants its reads aligned, in memory and in the file. Where reads follow
/// one another, threads of its own read the next blocks, so that the disk always has two requests
/// to work on; a jump reads what was asked for.
class direct_device final : public device {
 public:
  explicit direct_device(std::unique_ptr<device> disk);
  ~direct_device() override;

  device_traits traits() const noexcept override { return disk_->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return disk_->position(); }
  std::uint64_t size(std::error_code& ec) const noexcept override { return disk_->size(ec); }
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override { return disk_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  class read_ahead;

  std::size_t read_once(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept;
  void stop() noexcept;

  std::unique_ptr<device> disk_;
  std::unique_ptr<read_ahead> ahead_;  // null: reads have not followed one another
  std::uint64_t next_ = 0;             // where a read would follow the last one
};

}  // namespace v0
}  // namespace leat
