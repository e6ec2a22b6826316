// A device for reading a file together with the file's pending bytes. src/opening/ makes this
// device for the option `live`.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "recovery/sidecar.hpp"

namespace leat {
inline namespace v0 {

/// A file that a writer with durability::process may be writing. After the file's end come the
/// pending bytes of that writer's completed calls. For example, if the file has 1000 bytes and 5
/// are pending, size() is 1005. The device can only be read, and has no descriptor, because
/// a descriptor would not have all bytes.
class live_device final : public device {
 public:
  /// Puts a live_device over the file, which is open to read. Returns null and sets `ec` if the
  /// file's sidecar can't be read or there is no memory. A file without positions, or in a
  /// leat::folder, is returned as it is.
  static std::unique_ptr<device> wrap(path_ref path, std::unique_ptr<device> file,
                                      std::error_code& ec) noexcept;

  device_traits traits() const noexcept override { return file_->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    file_->announce(at, size);
  }
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void advise(pattern expected) noexcept override { file_->advise(expected); }
  std::chrono::nanoseconds now() const noexcept override { return file_->now(); }
  double cost() const noexcept override { return file_->cost(); }
  void close(std::error_code& ec) noexcept override { file_->close(ec); }

 private:
  live_device(std::string path, std::unique_ptr<device> file) noexcept
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  std::unique_ptr<device> file_;
  mutable sidecar_view sidecar_;
};

}  // namespace v0
}  // namespace leat
