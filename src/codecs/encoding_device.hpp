// The device that encodes bytes for another device. codecs.cpp makes the encoding device.
#pragma once

#include <leat/codecs.hpp>

#include "codecs/encoder.hpp"
#include "component/process.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Writes sequentially, and forwards the encoder's output to the device below. sync() makes all
/// bytes readable and syncs the device below. close() ends the file. If the device below fails, the
/// pending bytes stay in this object. The next sync() or close() tries again to write the pending
/// bytes; so does a write when the buffer is full or partly written. If the encoder has no memory,
/// all later calls fail (not_enough_memory). In a forked child, writes and sync() fail
/// (operation_not_supported), and close() writes nothing.
class encoding_device final : public device {
 public:
  encoding_device(std::unique_ptr<device> to, std::unique_ptr<encoder> output_encoder);

  device_traits traits() const noexcept override {
    return {.positional = false, .commits = to_->traits().commits};
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  void sync(std::error_code& ec) noexcept override;
  void expect_sync() noexcept override { to_->expect_sync(); }
  std::chrono::nanoseconds now() const noexcept override { return to_->now(); }
  double cost() const noexcept override { return to_->cost(); }
  void close(std::error_code& ec) noexcept override;

 private:
  bool is_child() const noexcept { return process_ != component::this_process(); }
  std::size_t encode(std::string_view bytes, flush_mode flush, std::error_code& ec) noexcept;
  bool write_out(std::error_code& ec) noexcept;

  std::unique_ptr<device> to_;
  std::unique_ptr<encoder> encoder_;
  std::unique_ptr<char[]> out_;  // pending encoded bytes
  std::size_t out_next_ = 0, out_end_ = 0;
  std::uint64_t position_;  // position of the first pending byte
  bool is_empty_ = true;    // nothing was written yet
  bool is_broken_ = false;  // the encoder has failed, so its state is unknown
  bool appends_;
  long process_;
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
