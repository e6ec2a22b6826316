// zstd, by libzstd.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>

#include "codecs/decoder.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// What libzstd asks for beyond a block: the header of the next one.
constexpr std::size_t zstd_block_header = 3;
/// The largest window that is decoded: 128 MiB, as in the command without --long or --memory.
constexpr int largest_window_log = 27;

class zstd_decoder final : public decoder {
 public:
  zstd_decoder() : z_(::ZSTD_createDCtx()) {
    if (z_ == nullptr) throw std::bad_alloc();
    ::ZSTD_DCtx_setParameter(z_, ZSTD_d_windowLogMax, largest_window_log);
  }
  ~zstd_decoder() override { ::ZSTD_freeDCtx(z_); }

  bool begin() noexcept override {
    ::ZSTD_DCtx_reset(z_, ZSTD_reset_session_only);
    next_ = zstd_block_header;
    return true;
  }

  /// Each call gets one block, because an error would take back the blocks that were decoded by the
  /// same call.
  step decode(std::string_view in, std::span<char> out) noexcept override {
    const std::size_t fed = next_ > zstd_block_header ? next_ - zstd_block_header : next_;
    ZSTD_inBuffer from{in.data(), std::min(in.size(), fed), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = ::ZSTD_decompressStream(z_, &to, &from);
    step done;
    done.taken = from.pos;
    done.made = to.pos;
    if (::ZSTD_isError(result) != 0) {
      const ZSTD_ErrorCode code = ::ZSTD_getErrorCode(result);
      done.no_memory = code == ZSTD_error_memory_allocation;
      done.why = ::ZSTD_getErrorName(result);
      done.what = code == ZSTD_error_checksum_wrong ? fault::wrong_checksum
                  : code == ZSTD_error_frameParameter_windowTooLarge ||
                          code == ZSTD_error_frameParameter_unsupported ||
                          code == ZSTD_error_version_unsupported ||
                          code == ZSTD_error_dictionary_wrong
                      ? fault::unsupported
                      : fault::damaged;
    } else {
      done.ended = result == 0;
      next_ = result;
    }
    return done;
  }

 private:
  ZSTD_DCtx* z_;
  std::size_t next_ = zstd_block_header;  // what libzstd wants next, at most
};

constexpr format zstd{
    .name = "zstd",
    .begins =
        [](std::string_view bytes) noexcept {
          return begins_with(bytes, "\x28\xb5\x2f\xfd"sv) || begins_without_content(bytes);
        },
    .magic_size = 4,
    .padding = 0,
    .make_decoder = []() -> std::unique_ptr<decoder> { return std::make_unique<zstd_decoder>(); },
};

}  // namespace

const format& zstd_format() noexcept { return zstd; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
