// The lz4 frame format, by liblz4.
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
constexpr std::size_t lz4_block_header = 4;

class lz4_decoder final : public decoder {
 public:
  lz4_decoder() {
    if (::LZ4F_isError(::LZ4F_createDecompressionContext(&z_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
  }
  ~lz4_decoder() override { ::LZ4F_freeDecompressionContext(z_); }

  bool begin() noexcept override {
    ::LZ4F_resetDecompressionContext(z_);
    next_ = lz4_block_header;
    is_full_ = false;
    return true;
  }

  /// As in zstd.cpp: gives liblz4 one block per call, and no input while liblz4 may hold output.
  step decode(std::string_view in, std::span<char> out) noexcept override {
    const std::size_t fed = is_full_                   ? 0
                            : next_ > lz4_block_header ? next_ - lz4_block_header
                                                       : next_;
    step done;
    done.taken = std::min(in.size(), fed);
    done.made = out.size();
    const std::size_t result =
        ::LZ4F_decompress(z_, out.data(), &done.made, in.data(), &done.taken, nullptr);
    if (::LZ4F_isError(result) != 0) {
      done.taken = done.made = 0;
      done.why = ::LZ4F_getErrorName(result);
      const std::string_view name = done.why;
      done.no_memory = name == "ERROR_allocation_failed";
      done.what = name.find("Checksum_invalid") != std::string_view::npos &&
                          name.find("header") == std::string_view::npos
                      ? fault::wrong_checksum
                  : name.find("_wrong") != std::string_view::npos && name != "ERROR_frameSize_wrong"
                      ? fault::unsupported
                      : fault::damaged;
    } else {
      done.ended = result == 0;
      next_ = result;
      const bool waited = std::exchange(is_full_, done.made == out.size());
      if (waited && done.made == 0 && !done.ended) return decode(in, out);
    }
    return done;
  }

 private:
  LZ4F_dctx* z_ = nullptr;
  std::size_t next_ = lz4_block_header;  // liblz4's size hint
  bool is_full_ = false;                 // the last call filled `out`: liblz4 may hold more
};

class lz4_encoder final : public encoder {
 public:
  explicit lz4_encoder(int level) {
    how_.frameInfo.blockSizeID = LZ4F_max256KB;
    how_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    how_.compressionLevel = level;
    room_ = std::max(::LZ4F_compressBound(piece, &how_), std::size_t{LZ4F_HEADER_SIZE_MAX});
    waiting_ = std::make_unique_for_overwrite<char[]>(room_);
    if (::LZ4F_isError(::LZ4F_createCompressionContext(&z_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
  }
  ~lz4_encoder() override { ::LZ4F_freeCompressionContext(z_); }

  /// liblz4 needs room for the largest possible output of a call, so its output goes to `waiting_`
  /// first.
  encoded_step encode(std::string_view in, std::span<char> out, ending how) noexcept override {
    encoded_step done;
    if (next_ == end_) {
      std::size_t made = 0;
      if (!begun_) {
        made = ::LZ4F_compressBegin(z_, waiting_.get(), room_, &how_);
        begun_ = true;
      } else if (!in.empty()) {
        done.taken = std::min(in.size(), piece);
        made = ::LZ4F_compressUpdate(z_, waiting_.get(), room_, in.data(), done.taken, nullptr);
      } else if (how == ending::flushed) {
        made = ::LZ4F_flush(z_, waiting_.get(), room_, nullptr);
        ended_ = true;
      } else if (how == ending::closed && !ended_) {
        made = ::LZ4F_compressEnd(z_, waiting_.get(), room_, nullptr);
        ended_ = true;
      }
      done.failed = ::LZ4F_isError(made) != 0;
      if (done.failed) return done;
      next_ = 0;
      end_ = made;
    }
    done.made = std::min(out.size(), end_ - next_);
    if (done.made != 0) std::memcpy(out.data(), waiting_.get() + next_, done.made);
    next_ += done.made;
    done.done = next_ == end_ && done.taken == in.size() && (how == ending::open || ended_);
    if (done.done) ended_ = false;
    return done;
  }

 private:
  static constexpr std::size_t piece = 64 << 10;

  LZ4F_preferences_t how_{};
  LZ4F_cctx* z_ = nullptr;
  std::size_t room_ = 0;
  std::unique_ptr<char[]> waiting_;
  std::size_t next_ = 0, end_ = 0;
  bool begun_ = false;
  bool ended_ = false;  // the ending was requested and is pending
};

constexpr format lz4{
    .name = "lz4",
    .begins =
        [](std::string_view bytes) noexcept {
          return begins_with(bytes, "\x04\x22\x4d\x18"sv) || begins_without_content(bytes);
        },
    .magic_size = 4,
    .padding = 0,
    // Ignores the memory limit: the decoder needs at most 9 MiB, for a block of 4 MiB and its
    // content.
    .make_decoder = [](std::uint64_t) -> std::unique_ptr<decoder> {
      return std::make_unique<lz4_decoder>();
    },
    .make_encoder = [](const encoding_request& how) -> std::unique_ptr<encoder> {
      return std::make_unique<lz4_encoder>(how.level);
    },
    .first_level = -64,
    .last_level = 12,
};

}  // namespace

const format& lz4_format() noexcept { return lz4; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
