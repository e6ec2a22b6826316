// Interface of a format and its decoder, which decodes one member or frame after another, in
// memory. decoding_device.cpp calls the decoder.
#pragma once

#include <leat/codecs.hpp>

#include "codecs/frame_offsets.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Result of one call of a decoder.
struct decode_result {
  std::size_t consumed = 0;       ///< bytes of the input
  std::size_t produced = 0;       ///< bytes of the output
  bool frame_ended = false;       ///< the member or frame is complete
  std::optional<fault> error;     ///< decoding cannot continue
  const char* message = nullptr;  ///< what is wrong, static storage; or null
  bool no_memory = false;
};

/// Decodes one member or frame at a time.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;

  /// Starts a member or frame with the next input. Returns false if there is no memory.
  virtual bool begin() noexcept = 0;
  /// Decodes some of the input. Without input, returns output that is still held. If a call without
  /// input produces nothing and reports no error, more input is needed. An error does not revoke
  /// earlier output.
  virtual decode_result decode(std::string_view in, std::span<char> out) noexcept = 0;
};

class encoder;

/// A format: how its files are recognized, and its decoder and encoder.
struct format {
  const char* name;
  /// True if `bytes` is the start of a member or frame. `bytes` has magic_size bytes, or fewer at
  /// the end of the file.
  bool (*begins)(std::string_view bytes) noexcept;
  std::size_t magic_size;
  /// The count of zero bytes after a member must be a multiple of `padding`, for example of 4 for
  /// xz. If `padding` is 0, no zero bytes are allowed.
  std::size_t padding;
  // make_decoder and make_encoder throw std::bad_alloc. `most_memory`, in bytes, limits the memory
  // that a file may require; gzip and lz4 ignore this limit.
  std::unique_ptr<decoder> (*make_decoder)(std::uint64_t most_memory);
  std::unique_ptr<encoder> (*make_encoder)(const encoding_request& request);
  /// Reads the positions of the frames. Null if the format has no table of frames.
  frame_offsets (*find_offsets)(device& file, std::uint64_t most_memory,
                                std::error_code& ec) = nullptr;
  /// Returns a device for reads at any position. If the trait `concurrent` of `from` is set, the
  /// device has this trait, too. Throws std::bad_alloc. Null if the format has no table of frames.
  std::unique_ptr<device> (*make_random_access)(std::unique_ptr<device> from, frame_offsets at,
                                                std::uint64_t limit,
                                                std::uint64_t most_memory) = nullptr;
  int first_level, last_level;  ///< allowed levels, besides 0
};

// Each function is in its own file, which is compiled only if the format's library is available.
const format& gzip_format() noexcept;
const format& zstd_format() noexcept;
const format& lz4_format() noexcept;
const format& xz_format() noexcept;
/// Returns null if the component was built without the format's library.
const format* format_of(compression which) noexcept;

/// True if the bytes begin with `magic`. If the bytes are fewer than `magic` has, they must be a
/// prefix of `magic`.
inline bool begins_with(std::string_view bytes, std::string_view magic) noexcept {
  return bytes.starts_with(magic.substr(0, bytes.size()));
}

/// True if the bytes begin with a skippable frame of zstd or lz4, whose magic numbers are
/// 0x184D2A50 to 0x184D2A5F. If the bytes are fewer than four, they must be a prefix of such a
/// number, and not empty.
inline bool begins_with_skippable_frame(std::string_view bytes) noexcept {
  return !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 &&
         begins_with(bytes.substr(1), "\x2a\x4d\x18");
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
