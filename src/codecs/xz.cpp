// xz, by liblzma.
#include <lzma.h>

#include <cstdint>
#include <new>

#include "codecs/decoder.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// What decoding may take; level 9 takes 65 MiB.
constexpr std::uint64_t most_memory = std::uint64_t{128} << 20;

class xz_decoder final : public decoder {
 public:
  xz_decoder() = default;
  ~xz_decoder() override { ::lzma_end(&z_); }

  bool begin() noexcept override {
    return ::lzma_stream_decoder(&z_, most_memory, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK;
  }

  step decode(std::string_view in, std::span<char> out) noexcept override {
    step done;
    z_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    z_.avail_in = in.size();
    z_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    z_.avail_out = out.size();
    const lzma_ret result = ::lzma_code(&z_, LZMA_RUN);
    done.taken = in.size() - z_.avail_in;
    done.made = out.size() - z_.avail_out;
    switch (result) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // it needs more
        break;
      case LZMA_STREAM_END:
        done.ended = true;
        break;
      case LZMA_MEM_ERROR:
        done.no_memory = true;
        break;
      case LZMA_MEMLIMIT_ERROR:
        done.what = fault::unsupported;
        done.why = "more than 128 MiB of memory";
        break;
      case LZMA_OPTIONS_ERROR:
        done.what = fault::unsupported;
        done.why = "unknown options";
        break;
      case LZMA_UNSUPPORTED_CHECK:
        done.what = fault::unsupported;
        done.why = "a checksum of an unknown kind";
        break;
      default:  // liblzma does not tell a wrong checksum from other damage
        done.what = fault::damaged;
    }
    return done;
  }

 private:
  lzma_stream z_ = LZMA_STREAM_INIT;
};

constexpr format xz{
    .name = "xz",
    .begins = [](std::string_view bytes) noexcept { return begins_with(bytes, "\xfd\x37zXZ\0"sv); },
    .magic_size = 6,
    .padding = 4,
    .make_decoder = []() -> std::unique_ptr<decoder> { return std::make_unique<xz_decoder>(); },
};

}  // namespace

const format& xz_format() noexcept { return xz; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
