// The zstd format, by libzstd. codecs.cpp calls zstd_format().
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "codecs/decoder.hpp"
#include "codecs/encoder.hpp"
#include "codecs/zstd_frames.hpp"
#include "codecs/zstd_table.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// libzstd's size hint includes the header of the next block.
constexpr std::size_t zstd_block_header_size = 3;

/// Returns the binary logarithm of the largest window within `most_memory` bytes, for example 23
/// for 8 MiB or 10 MiB. libzstd's limit is a power of two, within libzstd's own bounds.
int window_log_for(std::uint64_t most_memory) noexcept {
  const ZSTD_bounds bounds = ::ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
  return std::clamp(static_cast<int>(std::bit_width(most_memory)) - 1, bounds.lowerBound,
                    bounds.upperBound);
}

class zstd_decoder final : public decoder {
 public:
  explicit zstd_decoder(std::uint64_t most_memory) : z_(::ZSTD_createDCtx()) {
    if (z_ == nullptr) throw std::bad_alloc();
    ::ZSTD_DCtx_setParameter(z_, ZSTD_d_windowLogMax, window_log_for(most_memory));
  }
  ~zstd_decoder() override { ::ZSTD_freeDCtx(z_); }

  bool begin() noexcept override {
    ::ZSTD_DCtx_reset(z_, ZSTD_reset_session_only);
    size_hint_ = zstd_block_header_size;
    is_full_ = false;
    return true;
  }

  /// Gives libzstd one block per call, because an error discards the output of the same call. For
  /// the same reason, output that libzstd may still hold is fetched without input.
  decode_result decode(std::string_view in, std::span<char> out) noexcept override {
    const std::size_t input_size = is_full_ ? 0
                                   : size_hint_ > zstd_block_header_size
                                       ? size_hint_ - zstd_block_header_size
                                       : size_hint_;
    ZSTD_inBuffer from{in.data(), std::min(in.size(), input_size), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = ::ZSTD_decompressStream(z_, &to, &from);
    decode_result decoded;
    decoded.consumed = from.pos;
    decoded.produced = to.pos;
    if (::ZSTD_isError(result) != 0) {
      const ZSTD_ErrorCode code = ::ZSTD_getErrorCode(result);
      decoded.no_memory = code == ZSTD_error_memory_allocation;
      decoded.message = ::ZSTD_getErrorName(result);
      decoded.error = code == ZSTD_error_checksum_wrong ? fault::wrong_checksum
                      : code == ZSTD_error_frameParameter_windowTooLarge ||
                              code == ZSTD_error_frameParameter_unsupported ||
                              code == ZSTD_error_version_unsupported ||
                              code == ZSTD_error_dictionary_wrong
                          ? fault::unsupported
                          : fault::damaged;
    } else {
      decoded.frame_ended = result == 0;
      size_hint_ = result;
      const bool was_full = std::exchange(is_full_, to.pos == to.size);
      if (was_full && to.pos == 0 && !decoded.frame_ended) return decode(in, out);
    }
    return decoded;
  }

 private:
  ZSTD_DCtx* z_;
  std::size_t size_hint_ = zstd_block_header_size;  // libzstd's size hint
  bool is_full_ = false;  // the last call filled `out`: libzstd may hold more
};

class zstd_encoder final : public encoder {
 public:
  explicit zstd_encoder(const encoding_request& request)
      : z_(::ZSTD_createCCtx()), is_seekable_(request.seekable) {
    if (z_ == nullptr) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(z_, ZSTD_c_compressionLevel, request.level);
    ::ZSTD_CCtx_setParameter(z_, ZSTD_c_checksumFlag, 1);
    // A library without threads has an upper bound of 0.
    const auto most = static_cast<unsigned>(::ZSTD_cParam_getBounds(ZSTD_c_nbWorkers).upperBound);
    ::ZSTD_CCtx_setParameter(z_, ZSTD_c_nbWorkers,
                             static_cast<int>(std::min(request.threads, most)));
  }
  ~zstd_encoder() override { ::ZSTD_freeCCtx(z_); }

  encode_result encode(std::string_view in, std::span<char> out, flush_mode flush) noexcept override
      try {
    if (is_seekable_) return encode_frames(in, out, flush);
    return compress(in, out,
                    flush == flush_mode::none    ? ZSTD_e_continue
                    : flush == flush_mode::flush ? ZSTD_e_flush
                                                 : ZSTD_e_end);
  } catch (const std::bad_alloc&) {
    return {.failed = true};
  }

 private:
  encode_result compress(std::string_view in, std::span<char> out,
                         ZSTD_EndDirective directive) noexcept {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ::ZSTD_compressStream2(z_, &to, &from, directive);
    encode_result encoded{.consumed = from.pos, .produced = to.pos};
    encoded.failed = ::ZSTD_isError(left) != 0;
    encoded.is_done =
        !encoded.failed && from.pos == in.size() && (directive == ZSTD_e_continue || left == 0);
    return encoded;
  }

  /// Ends each frame at seekable_frame_size bytes of content, and the last frame at the content's
  /// end. The table follows the last frame. If several calls are needed to end a frame, each call
  /// reduces the caller's input and `room` by the same count, so all calls end the frame at the
  /// same byte. Example: with 300 bytes of input and 100 bytes of room, a call that consumes 60
  /// bytes leaves 240 bytes of input and 40 bytes of room.
  encode_result encode_frames(std::string_view in, std::span<char> out, flush_mode flush) {
    if (!table_.empty()) {
      const std::size_t n = table_.copy(out.data(), out.size());
      table_.erase(0, n);
      return {.produced = n, .is_done = table_.empty()};
    }
    const bool closes = flush == flush_mode::finish && in.empty();
    const bool is_begun = frame_.content != 0 || frame_.encoded != 0;
    if (closes && !is_begun && !frames_.empty()) {
      table_ = make_table(frames_);
      return {};
    }
    const std::size_t room = seekable_frame_size - frame_.content;
    const bool ends = closes || in.size() >= room;
    encode_result encoded = compress(in.substr(0, room), out,
                                     ends                         ? ZSTD_e_end
                                     : flush == flush_mode::flush ? ZSTD_e_flush
                                                                  : ZSTD_e_continue);
    frame_.encoded += encoded.produced;
    frame_.content += encoded.consumed;
    if (!encoded.is_done || !ends) return encoded;
    frames_.push_back(frame_);
    frame_ = {};
    if (closes) table_ = make_table(frames_);
    encoded.is_done = !closes && encoded.consumed == in.size();
    return encoded;
  }

  ZSTD_CCtx* z_;
  bool is_seekable_;
  zstd_frame frame_;  // the current frame
  std::vector<zstd_frame> frames_;
  std::string table_;  // the part of the table that is not yet written
};

constexpr format zstd{
    .name = "zstd",
    .begins =
        [](std::string_view bytes) noexcept {
          return begins_with(bytes, "\x28\xb5\x2f\xfd"sv) || begins_with_skippable_frame(bytes);
        },
    .magic_size = 4,
    .padding = 0,
    .make_decoder = [](std::uint64_t most_memory) -> std::unique_ptr<decoder> {
      return std::make_unique<zstd_decoder>(most_memory);
    },
    .make_encoder = [](const encoding_request& request) -> std::unique_ptr<encoder> {
      return std::make_unique<zstd_encoder>(request);
    },
    .find_offsets = read_frame_offsets,
    .make_random_access = [](std::unique_ptr<device> from, frame_offsets at, std::uint64_t limit,
                             std::uint64_t most_memory) -> std::unique_ptr<device> {
      return std::make_unique<zstd_frames>(std::move(from), std::move(at), limit, most_memory);
    },
    .first_level = -7,
    .last_level = 22,
};

}  // namespace

const format& zstd_format() noexcept { return zstd; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
