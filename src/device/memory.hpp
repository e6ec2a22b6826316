// Memory as a device, which behaves like a file. testing/volatile_file.cpp and tests use this
// device.
#pragma once

#include <leat/device.hpp>

#include <string>

namespace leat {
inline namespace v0 {

/// Bytes in memory that grow when bytes are written after the end. Gaps read as zeros.
class memory_device final : public device {
 public:
  memory_device() = default;
  explicit memory_device(std::string content) : content_(std::move(content)) {}

  device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override { ec.clear(); }

  const std::string& content() const noexcept { return content_; }

 private:
  std::string content_;
};

}  // namespace v0
}  // namespace leat
