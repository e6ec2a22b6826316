// lz4's frames, by liblz4.
#include <lz4frame.h>

#include <algorithm>
#include <new>

#include "codecs/decoder.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// What liblz4 asks for beyond a block: the header of the next one.
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
    return true;
  }

  /// Each call gets one block, because an error would take back the blocks that were decoded by the
  /// same call.
  step decode(std::string_view in, std::span<char> out) noexcept override {
    const std::size_t fed = next_ > lz4_block_header ? next_ - lz4_block_header : next_;
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
    }
    return done;
  }

 private:
  LZ4F_dctx* z_ = nullptr;
  std::size_t next_ = lz4_block_header;  // what liblz4 wants next, at most
};

constexpr format lz4{
    .name = "lz4",
    .begins =
        [](std::string_view bytes) noexcept {
          return begins_with(bytes, "\x04\x22\x4d\x18"sv) || begins_without_content(bytes);
        },
    .magic_size = 4,
    .padding = 0,
    .make_decoder = []() -> std::unique_ptr<decoder> { return std::make_unique<lz4_decoder>(); },
};

}  // namespace

const format& lz4_format() noexcept { return lz4; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
