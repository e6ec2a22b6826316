// The device that decodes the bytes of another device. codecs.cpp makes the decoding device.
#pragma once

#include <leat/codecs.hpp>

#include "codecs/decoder.hpp"
#include "codecs/xxh64.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Reads compressed bytes in blocks and decodes the bytes directly into the caller's memory. Has
/// positions if the device below has positions. A move forward decodes the bytes in between, and a
/// move back decodes again from the start. If the file has a table, a move may start at a frame.
class decoding_device final : public device {
 public:
  /// If the file has a table of frames, `at` has the positions of the frames; otherwise `at` is
  /// empty. Throws std::bad_alloc.
  decoding_device(std::unique_ptr<device> from, const format& codec, frame_offsets at,
                  const decoding_request& request);

  device_traits traits() const noexcept override {
    return {.positional = is_positional_, .reads_ahead = true};
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
  std::string_view input() const noexcept {
    return {input_.get() + input_next_, input_end_ - input_next_};
  }
  std::uint64_t encoded_position() const noexcept {
    return read_position_ - (input_end_ - input_next_) - begin_;
  }
  void start_at(std::uint64_t encoded, std::uint64_t content) noexcept;
  void jump(std::uint64_t at) noexcept;
  bool skip_to(std::uint64_t at, std::error_code& ec);
  std::size_t advance(std::span<char> into, std::error_code& ec);
  bool may_wait_for_frame() const noexcept;
  bool begin_frame(std::error_code& ec);
  void decide_format(std::string_view magic);
  bool begin_table_frame();
  void verify_checksum();
  bool fill(std::size_t least, std::error_code& ec);
  void fail(fault kind, const char* why = nullptr);

  static constexpr std::size_t no_frame = ~std::size_t{0};

  std::unique_ptr<device> from_;
  const format* format_;
  std::unique_ptr<decoder> decoder_;
  bool is_undecided_;      // only skippable frames so far, which zstd and lz4 share
  frame_offsets offsets_;  // empty if the file has no table of frames
  std::uint64_t limit_, most_memory_;
  bool is_positional_;
  std::uint64_t begin_;  // start of the compressed bytes

  std::unique_ptr<char[]> input_;
  std::size_t input_next_ = 0, input_end_ = 0;  // bytes read and not decoded
  std::size_t read_size_;                       // size of the next read
  std::uint64_t read_position_;                 // the position after the bytes read
  bool input_ended_ = false;

  std::uint64_t content_position_ = 0;  // the position in the content
  bool is_in_frame_ = false;
  bool has_frame_ = false;
  std::uint64_t padding_ = 0;              // zeros after the last frame
  std::size_t checksum_frame_ = no_frame;  // the table's frame whose checksum is being computed
  xxh64 checksum_;
  std::error_code error_;  // the error of all reads until a restart
  std::unique_ptr<char[]> skip_buffer_;
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
