// The gzip decoder by ISA-L, which takes a third of zlib's time. gzip.cpp calls
// make_isal_decoder().
#include "codecs/gzip.hpp"
#include "codecs/gzip_header.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

class isal_decoder final : public decoder {
 public:
  bool begin() noexcept override {
    ::isal_inflate_init(&z_);
    // gzip_header parses the header: ISA-L loses the header's fields if its input ends inside the
    // header.
    z_.crc_flag = ISAL_GZIP_NO_HDR_VER;
    header_ = {};
    failure_ = 0;
    return true;
  }

  decode_result decode(std::string_view in, std::span<char> out) noexcept override {
    decode_result decoded;
    if (!header_.has_ended()) {
      decoded.consumed = header_.read(in);
      decoded.error = header_.fault_found();
      decoded.message = header_.message();
      return decoded;
    }
    z_.next_in =
        reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));  // ISA-L only reads `in`
    z_.avail_in = limited(in.size());
    z_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    z_.avail_out = limited(out.size());
    const std::uint32_t in_before = z_.avail_in, out_before = z_.avail_out;
    if (failure_ == 0) failure_ = std::min(::isal_inflate(&z_), 0);
    if (failure_ != 0) copy_out_decoded();
    // After a failure, ISA-L may have subtracted more from avail_in than avail_in was.
    decoded.consumed = std::min(in_before - z_.avail_in, in_before);
    decoded.produced = out_before - z_.avail_out;
    if (failure_ != 0) {
      if (has_decoded_bytes()) return decoded;
      decoded.error = failure_ == ISAL_INCORRECT_CHECKSUM ? fault::wrong_checksum : fault::damaged;
    }
    decoded.frame_ended = z_.block_state == ISAL_BLOCK_FINISH;
    return decoded;
  }

 private:
  bool has_decoded_bytes() const noexcept { return z_.tmp_out_processed < z_.tmp_out_valid; }
  /// After a failure, copies out the decoded bytes that ISA-L still keeps in its own memory.
  void copy_out_decoded() noexcept {
    const auto held = static_cast<std::uint32_t>(z_.tmp_out_valid - z_.tmp_out_processed);
    const std::uint32_t n = std::min(held, z_.avail_out);
    if (n == 0) return;
    std::memcpy(z_.next_out, z_.tmp_out_buffer + z_.tmp_out_processed, n);
    z_.tmp_out_processed += static_cast<std::int32_t>(n);
    z_.avail_out -= n;
  }

  inflate_state z_{};
  gzip_header header_;
  int failure_ = 0;
};

}  // namespace

std::unique_ptr<decoder> make_isal_decoder() { return std::make_unique<isal_decoder>(); }

}  // namespace codecs
}  // namespace v0
}  // namespace leat
