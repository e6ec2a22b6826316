// Parser of the header of a gzip member (RFC 1952), in pieces of any size. The ISA-L decoder calls
// the parser.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codecs/decoder.hpp"
#include "codecs/gzip.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

class gzip_header {
 public:
  /// Reads up to the end of `in` or of the header, or to a fault. Returns the number of bytes that
  /// were read.
  std::size_t read(std::string_view in) noexcept {
    std::size_t taken = 0;
    while (taken != in.size() && !has_ended() && message_ == nullptr) {
      const std::string_view rest = in.substr(taken, limited(in.size()));
      const std::size_t n = is_text(part_)   ? text_size(rest)
                            : part_ == extra ? std::min<std::size_t>(rest.size(), left_)
                                             : 1;
      if (part_ != check_low && part_ != check_high)
        crc_ = static_cast<std::uint32_t>(
            ::crc32(crc_, reinterpret_cast<const Bytef*>(rest.data()), static_cast<uInt>(n)));
      parse(static_cast<unsigned char>(rest[n - 1]), n);
      taken += n;
    }
    return taken;
  }
  bool has_ended() const noexcept { return part_ == body; }
  /// Returns the fault, or nothing. After a fault, do not call read() again.
  std::optional<fault> fault_found() const noexcept {
    if (message_ == nullptr) return {};
    return part_ == check_high ? fault::wrong_checksum : fault::damaged;
  }
  const char* message() const noexcept { return message_; }

 private:
  /// The meaning of the next byte of the header.
  enum part : unsigned char {
    magic_1,
    magic_2,
    method,
    flags,
    fixed,  ///< time, hints and system: 6 bytes
    extra_low,
    extra_high,
    extra,
    name,
    comment,
    check_low,
    check_high,
    body
  };
  enum flag : unsigned char {
    has_check = 0x02,
    has_extra = 0x04,
    has_name = 0x08,
    has_comment = 0x10,
    reserved = 0xe0
  };
  static constexpr std::size_t fixed_size = 6;

  static bool is_text(part at) noexcept { return at == name || at == comment; }
  /// Returns the count of bytes up to and including the first NUL of `rest`, or the size of `rest`
  /// if `rest` has no NUL.
  static std::size_t text_size(std::string_view rest) noexcept {
    return std::min(rest.find('\0'), rest.size() - 1) + 1;
  }

  /// Handles `n` bytes of one part, whose last byte is `byte`.
  void parse(unsigned char byte, std::size_t n) noexcept {
    switch (part_) {
      case magic_1:
        expect(byte == 0x1f, "no header", magic_2);
        break;
      case magic_2:
        expect(byte == 0x8b, "no header", method);
        break;
      case method:
        expect(byte == Z_DEFLATED, "unknown compression method", flags);
        break;
      case flags:
        flags_ = byte;
        left_ = fixed_size;
        expect((byte & reserved) == 0, "unknown header flags", fixed);
        break;
      case fixed:
        if (--left_ == 0) enter_part(extra_low);
        break;
      case extra_low:
        left_ = byte;
        part_ = extra_high;
        break;
      case extra_high:
        left_ |= static_cast<std::size_t>(byte) << 8;
        part_ = extra;
        if (left_ == 0) enter_part(name);
        break;
      case extra:
        left_ -= n;
        if (left_ == 0) enter_part(name);
        break;
      case name:
        if (byte == 0) enter_part(comment);
        break;
      case comment:
        if (byte == 0) enter_part(check_low);
        break;
      case check_low:
        check_ = byte;
        part_ = check_high;
        break;
      case check_high:
        check_ |= static_cast<std::uint32_t>(byte) << 8;
        expect(check_ == (crc_ & 0xffff), "of the header", body);
        break;
      case body:
        break;
    }
  }

  void expect(bool right, const char* otherwise, part next) noexcept {
    if (right)
      part_ = next;
    else
      message_ = otherwise;
  }
  /// Goes to the next part that the flags announce: `at` itself or a later part.
  void enter_part(part at) noexcept {
    part_ = at <= extra_low && (flags_ & has_extra) != 0   ? extra_low
            : at <= name && (flags_ & has_name) != 0       ? name
            : at <= comment && (flags_ & has_comment) != 0 ? comment
            : (flags_ & has_check) != 0                    ? check_low
                                                           : body;
  }

  part part_ = magic_1;
  unsigned char flags_ = 0;
  std::size_t left_ = 0;     // bytes left of the part
  std::uint32_t crc_ = 0;    // CRC-32 of all bytes before the header's checksum
  std::uint32_t check_ = 0;  // the header's checksum
  const char* message_ = nullptr;
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
