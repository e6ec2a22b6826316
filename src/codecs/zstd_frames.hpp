// Reads at any position of a seekable zstd file. zstd.cpp makes the device.
#pragma once

#include <leat/device.hpp>

#include "codecs/frame_offsets.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Decodes whole frames. Each reading thread borrows a decoder. The decoder keeps the content of
/// its last frame, so reads in the order of the file decode each frame once. All frames in memory
/// together stay within the memory limit: a thread that would exceed the limit waits until other
/// threads have returned decoders.
class zstd_frames final : public device {
 public:
  /// `from` has frames at the positions `at`. `limit` and `most_memory` are the members `limit`
  /// and `memory` of decoding_request.
  zstd_frames(std::unique_ptr<device> from, frame_offsets at, std::uint64_t limit,
              std::uint64_t most_memory);
  ~zstd_frames() override;

  device_traits traits() const noexcept override {
    return {.concurrent = from_->traits().concurrent};
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  std::chrono::nanoseconds now() const noexcept override { return from_->now(); }
  double cost() const noexcept override { return from_->cost(); }
  void close(std::error_code& ec) noexcept override { from_->close(ec); }

 private:
  struct frame_decoder;
  class lease;

  std::unique_ptr<frame_decoder> acquire_decoder(std::size_t frame, std::size_t memory);
  void release_decoder(std::unique_ptr<frame_decoder> borrowed) noexcept;
  std::size_t memory_for(std::size_t frame, std::error_code& ec) const;
  void decode(frame_decoder& borrowed, std::size_t frame, std::error_code& ec);

  std::unique_ptr<device> from_;
  frame_offsets offsets_;
  std::uint64_t limit_;
  std::uint64_t most_memory_;
  std::mutex lock_;
  std::condition_variable decoder_released_;
  std::uint64_t decoder_memory_ = 0;                  // bytes of all decoders, idle or in use
  std::vector<std::unique_ptr<frame_decoder>> idle_;  // least recently used first
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
