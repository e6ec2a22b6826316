// The xz format, by liblzma.
#include <lzma.h>

#include <cstdint>
#include <new>

#include "codecs/decoder.hpp"
#include "codecs/encoder.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

class xz_decoder final : public decoder {
 public:
  explicit xz_decoder(std::uint64_t most_memory) noexcept : most_memory_(most_memory) {}
  ~xz_decoder() override { ::lzma_end(&z_); }

  bool begin() noexcept override {
    return ::lzma_stream_decoder(&z_, most_memory_, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK;
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
      case LZMA_BUF_ERROR:  // more input is needed
        break;
      case LZMA_STREAM_END:
        done.ended = true;
        break;
      case LZMA_MEM_ERROR:
        done.no_memory = true;
        break;
      case LZMA_MEMLIMIT_ERROR:
        done.what = fault::unsupported;
        done.why = "more memory than allowed";
        break;
      case LZMA_OPTIONS_ERROR:
        done.what = fault::unsupported;
        done.why = "unknown options";
        break;
      case LZMA_UNSUPPORTED_CHECK:
        done.what = fault::unsupported;
        done.why = "a checksum of an unknown kind";
        break;
      default:  // liblzma does not distinguish a wrong checksum from other damage
        done.what = fault::damaged;
    }
    return done;
  }

 private:
  lzma_stream z_ = LZMA_STREAM_INIT;
  std::uint64_t most_memory_;
};

class xz_encoder final : public encoder {
 public:
  explicit xz_encoder(int level) {
    const std::uint32_t preset = level == 0 ? LZMA_PRESET_DEFAULT : static_cast<unsigned>(level);
    if (::lzma_easy_encoder(&z_, preset, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  ~xz_encoder() override { ::lzma_end(&z_); }

  encoded_step encode(std::string_view in, std::span<char> out, ending how) noexcept override {
    encoded_step done;
    z_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    z_.avail_in = in.size();
    z_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    z_.avail_out = out.size();
    const lzma_action action = how == ending::open      ? LZMA_RUN
                               : how == ending::flushed ? LZMA_SYNC_FLUSH
                                                        : LZMA_FINISH;
    const lzma_ret result = ::lzma_code(&z_, action);
    done.taken = in.size() - z_.avail_in;
    done.made = out.size() - z_.avail_out;
    done.done = how == ending::open ? done.taken == in.size() : result == LZMA_STREAM_END;
    done.failed = result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR;
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
    .make_decoder = [](std::uint64_t most_memory) -> std::unique_ptr<decoder> {
      return std::make_unique<xz_decoder>(most_memory);
    },
    .make_encoder = [](const encoding_request& how) -> std::unique_ptr<encoder> {
      return std::make_unique<xz_encoder>(how.level);
    },
    .first_level = 1,
    .last_level = 9,
};

}  // namespace

const format& xz_format() noexcept { return xz; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
