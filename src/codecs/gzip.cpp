// gzip: the encoder by zlib. If the component was built without ISA-L, also the decoder by zlib.
// codecs.cpp calls gzip_format().
#include "codecs/gzip.hpp"

#include "codecs/encoder.hpp"

#define ZLIB_CONST  // NOLINT(readability-identifier-naming): zlib does not change its input
#include <zlib.h>

#include <cstring>
#include <new>

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

using namespace std::string_view_literals;

/// zlib's windowBits: the largest window, plus 16 for gzip's header.
constexpr int gzip_window_bits = 15 + 16;

#if defined(LEAT_ISAL)
std::unique_ptr<decoder> make_decoder(std::uint64_t) { return make_isal_decoder(); }
#else
class gzip_decoder final : public decoder {
 public:
  gzip_decoder() {
    if (::inflateInit2(&z_, gzip_window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decoder() override { ::inflateEnd(&z_); }

  bool begin() noexcept override { return ::inflateReset(&z_) == Z_OK; }

  decode_result decode(std::string_view in, std::span<char> out) noexcept override {
    decode_result decoded;
    z_.next_in = reinterpret_cast<const Bytef*>(in.data());
    z_.avail_in = limited(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(out.data());
    z_.avail_out = limited(out.size());
    const uInt in_before = z_.avail_in, out_before = z_.avail_out;
    const int result = ::inflate(&z_, Z_NO_FLUSH);
    decoded.consumed = in_before - z_.avail_in;
    decoded.produced = out_before - z_.avail_out;
    decoded.frame_ended = result == Z_STREAM_END;
    decoded.no_memory = result == Z_MEM_ERROR;
    if (result == Z_DATA_ERROR || result == Z_NEED_DICT || result == Z_STREAM_ERROR) {
      decoded.message = z_.msg;
      const bool is_checksum =
          z_.msg != nullptr && (std::strcmp(z_.msg, "incorrect data check") == 0 ||
                                std::strcmp(z_.msg, "incorrect length check") == 0 ||
                                std::strcmp(z_.msg, "header crc mismatch") == 0);
      decoded.error = is_checksum ? fault::wrong_checksum : fault::damaged;
    }
    return decoded;
  }

 private:
  z_stream z_{};
};

std::unique_ptr<decoder> make_decoder(std::uint64_t) { return std::make_unique<gzip_decoder>(); }
#endif

class gzip_encoder final : public encoder {
 public:
  explicit gzip_encoder(int level) {
    constexpr int default_memory_level = 8;
    if (::deflateInit2(&z_, level == 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED,
                       gzip_window_bits, default_memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~gzip_encoder() override { ::deflateEnd(&z_); }

  encode_result encode(std::string_view in, std::span<char> out,
                       flush_mode flush) noexcept override {
    encode_result encoded;
    z_.next_in = reinterpret_cast<const Bytef*>(in.data());
    z_.avail_in = limited(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(out.data());
    z_.avail_out = limited(out.size());
    const uInt in_before = z_.avail_in, out_before = z_.avail_out;
    const int z_flush = flush == flush_mode::none    ? Z_NO_FLUSH
                        : flush == flush_mode::flush ? Z_SYNC_FLUSH
                                                     : Z_FINISH;
    const int result = ::deflate(&z_, z_flush);
    encoded.consumed = in_before - z_.avail_in;
    encoded.produced = out_before - z_.avail_out;
    // Z_BUF_ERROR is not a failure: deflate() had nothing to do.
    encoded.is_done = flush == flush_mode::finish
                          ? result == Z_STREAM_END
                          : encoded.consumed == in.size() && z_.avail_out != 0;
    encoded.failed = result == Z_STREAM_ERROR;
    return encoded;
  }

 private:
  z_stream z_{};
};

constexpr format gzip{
    .name = "gzip",
    .begins = [](std::string_view bytes) noexcept { return begins_with(bytes, "\x1f\x8b"sv); },
    .magic_size = 2,
    .padding = 1,
    .make_decoder = make_decoder,  // ignores the memory limit: zlib's window takes 32 KiB
    .make_encoder = [](const encoding_request& request) -> std::unique_ptr<encoder> {
      return std::make_unique<gzip_encoder>(request.level);
    },
    .first_level = 1,
    .last_level = 9,
};

}  // namespace

const format& gzip_format() noexcept { return gzip; }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
