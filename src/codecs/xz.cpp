// The xz format, by liblzma. codecs.cpp calls xz_format().
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

  decode_result decode(std::string_view in, std::span<char> out) noexcept override {
    decode_result decoded;
    z_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    z_.avail_in = in.size();
    z_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    z_.avail_out = out.size();
    const lzma_ret result = ::lzma_code(&z_, LZMA_RUN);
    decoded.consumed = in.size() - z_.avail_in;
    decoded.produced = out.size() - z_.avail_out;
    switch (result) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // more input is needed
        break;
      case LZMA_STREAM_END:
        decoded.frame_ended = true;
        break;
      case LZMA_MEM_ERROR:
        decoded.no_memory = true;
        break;
      case LZMA_MEMLIMIT_ERROR:
        decoded.error = fault::unsupported;
        decoded.message = "more memory than allowed";
        break;
      case LZMA_OPTIONS_ERROR:
        decoded.error = fault::unsupported;
        decoded.message = "unknown options";
        break;
      case LZMA_UNSUPPORTED_CHECK:
        decoded.error = fault::unsupported;
        decoded.message = "a checksum of an unknown kind";
        break;
      default:  // liblzma does not distinguish a wrong checksum from other damage
        decoded.error = fault::damaged;
    }
    return decoded;
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

  encode_result encode(std::string_view in, std::span<char> out,
                       flush_mode flush) noexcept override {
    encode_result encoded;
    z_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    z_.avail_in = in.size();
    z_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    z_.avail_out = out.size();
    const lzma_action action = flush == flush_mode::none    ? LZMA_RUN
                               : flush == flush_mode::flush ? LZMA_SYNC_FLUSH
                                                            : LZMA_FINISH;
    const lzma_ret result = ::lzma_code(&z_, action);
    encoded.consumed = in.size() - z_.avail_in;
    encoded.produced = out.size() - z_.avail_out;
    encoded.is_done =
        flush == flush_mode::none ? encoded.consumed == in.size() : result == LZMA_STREAM_END;
    encoded.failed = result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR;
    return encoded;
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
    .make_encoder = [](const encoding_request& request) -> std::unique_ptr<encoder> {
      return std::make_unique<xz_encoder>(request.level);
    },
    .first_level = 1,
    .last_level = 9,
};

}  // namespace

const format& xz_format() noexcept { return xz; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
