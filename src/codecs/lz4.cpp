// The lz4 frame format, by liblz4. codecs.cpp calls lz4_format().
#include <lz4frame.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "codecs/decoder.hpp"
#include "codecs/encoder.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// liblz4's size hint includes the header of the next block.
constexpr std::size_t lz4_block_header_size = 4;

class lz4_decoder final : public decoder {
 public:
  lz4_decoder() {
    if (::LZ4F_isError(::LZ4F_createDecompressionContext(&z_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
  }
  ~lz4_decoder() override { ::LZ4F_freeDecompressionContext(z_); }

  bool begin() noexcept override {
    // After a frame that has not ended, liblz4 1.9 would expect the rest of its content size.
    if (std::exchange(is_in_frame_, false) || z_ == nullptr) {
      ::LZ4F_freeDecompressionContext(std::exchange(z_, nullptr));
      if (::LZ4F_isError(::LZ4F_createDecompressionContext(&z_, LZ4F_VERSION)) != 0) return false;
    }
    ::LZ4F_resetDecompressionContext(z_);
    size_hint_ = lz4_block_header_size;
    is_full_ = false;
    return true;
  }

  /// Gives liblz4 one block per call, and no input while liblz4 may hold output, for the reason in
  /// zstd.cpp.
  decode_result decode(std::string_view in, std::span<char> out) noexcept override {
    const std::size_t input_size = is_full_ ? 0
                                   : size_hint_ > lz4_block_header_size
                                       ? size_hint_ - lz4_block_header_size
                                       : size_hint_;
    decode_result decoded;
    decoded.consumed = std::min(in.size(), input_size);
    decoded.produced = out.size();
    const std::size_t result =
        ::LZ4F_decompress(z_, out.data(), &decoded.produced, in.data(), &decoded.consumed, nullptr);
    is_in_frame_ = result != 0;
    if (::LZ4F_isError(result) != 0) {
      decoded.consumed = decoded.produced = 0;
      decoded.message = ::LZ4F_getErrorName(result);
      const std::string_view name = decoded.message;
      decoded.no_memory = name == "ERROR_allocation_failed";
      decoded.error =
          name.find("Checksum_invalid") != std::string_view::npos &&
                  name.find("header") == std::string_view::npos
              ? fault::wrong_checksum
          : name.find("_wrong") != std::string_view::npos && name != "ERROR_frameSize_wrong"
              ? fault::unsupported
              : fault::damaged;
    } else {
      decoded.frame_ended = result == 0;
      size_hint_ = result;
      const bool was_full = std::exchange(is_full_, decoded.produced == out.size());
      if (was_full && decoded.produced == 0 && !decoded.frame_ended) return decode(in, out);
    }
    return decoded;
  }

 private:
  LZ4F_dctx* z_ = nullptr;
  std::size_t size_hint_ = lz4_block_header_size;  // liblz4's size hint
  bool is_full_ = false;      // the last call filled `out`: liblz4 may hold more
  bool is_in_frame_ = false;  // the frame has begun and not ended, or is damaged
};

class lz4_encoder final : public encoder {
 public:
  explicit lz4_encoder(int level) {
    preferences_.frameInfo.blockSizeID = LZ4F_max256KB;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    preferences_.compressionLevel = level;
    capacity_ = std::max(::LZ4F_compressBound(piece_size, &preferences_),
                         std::size_t{LZ4F_HEADER_SIZE_MAX});
    pending_ = std::make_unique_for_overwrite<char[]>(capacity_);
    if (::LZ4F_isError(::LZ4F_createCompressionContext(&z_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
  }
  ~lz4_encoder() override { ::LZ4F_freeCompressionContext(z_); }

  /// liblz4 needs room for the largest possible output of a call, so the output goes to `pending_`
  /// first.
  encode_result encode(std::string_view in, std::span<char> out,
                       flush_mode flush) noexcept override {
    encode_result encoded;
    if (next_ == end_) {
      std::size_t written = 0;
      if (!is_header_written_) {
        written = ::LZ4F_compressBegin(z_, pending_.get(), capacity_, &preferences_);
        is_header_written_ = true;
      } else if (!in.empty()) {
        encoded.consumed = std::min(in.size(), piece_size);
        written = ::LZ4F_compressUpdate(z_, pending_.get(), capacity_, in.data(), encoded.consumed,
                                        nullptr);
      } else if (flush == flush_mode::flush) {
        written = ::LZ4F_flush(z_, pending_.get(), capacity_, nullptr);
        is_flushed_ = true;
      } else if (flush == flush_mode::finish && !is_flushed_) {
        written = ::LZ4F_compressEnd(z_, pending_.get(), capacity_, nullptr);
        is_flushed_ = true;
      }
      encoded.failed = ::LZ4F_isError(written) != 0;
      if (encoded.failed) return encoded;
      next_ = 0;
      end_ = written;
    }
    encoded.produced = std::min(out.size(), end_ - next_);
    if (encoded.produced != 0) std::memcpy(out.data(), pending_.get() + next_, encoded.produced);
    next_ += encoded.produced;
    encoded.is_done = next_ == end_ && encoded.consumed == in.size() &&
                      (flush == flush_mode::none || is_flushed_);
    if (encoded.is_done) is_flushed_ = false;
    return encoded;
  }

 private:
  static constexpr std::size_t piece_size = 64 << 10;

  LZ4F_preferences_t preferences_{};
  LZ4F_cctx* z_ = nullptr;
  std::size_t capacity_ = 0;
  std::unique_ptr<char[]> pending_;
  std::size_t next_ = 0, end_ = 0;
  bool is_header_written_ = false;
  bool is_flushed_ = false;  // the requested flush or end is done; the output is in pending_
};

constexpr format lz4{
    .name = "lz4",
    .begins =
        [](std::string_view bytes) noexcept {
          return begins_with(bytes, "\x04\x22\x4d\x18"sv) || begins_with_skippable_frame(bytes);
        },
    .magic_size = 4,
    .padding = 0,
    // Ignores the memory limit, because the decoder needs at most 9 MiB for a block of 4 MiB and
    // the block's content.
    .make_decoder = [](std::uint64_t) -> std::unique_ptr<decoder> {
      return std::make_unique<lz4_decoder>();
    },
    .make_encoder = [](const encoding_request& request) -> std::unique_ptr<encoder> {
      return std::make_unique<lz4_encoder>(request.level);
    },
    .first_level = -64,
    .last_level = 12,
};

}  // namespace

const format& lz4_format() noexcept { return lz4; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
