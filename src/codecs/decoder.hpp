// What each format's library does: one member or frame after the other, from memory to memory.
#pragma once

#include <leat/codecs.hpp>

#include "codecs/places.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

/// What one call of a decoder has done.
struct step {
  std::size_t taken = 0;      ///< bytes of the input
  std::size_t made = 0;       ///< bytes of the output
  bool ended = false;         ///< the member or frame has ended
  std::optional<fault> what;  ///< it can't go on
  const char* why = nullptr;  ///< the library's words, or null
  bool no_memory = false;
};

/// Decodes one member or frame at a time.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;

  /// A member or frame begins with the next input. False: there is no memory.
  virtual bool begin() noexcept = 0;
  /// Decodes some of the input. Without input it gives what it still has; nothing taken and nothing
  /// made means that it needs more. A fault takes nothing back that was made before.
  virtual step decode(std::string_view in, std::span<char> out) noexcept = 0;
};

class encoder;

/// A format, as a file of it looks from outside.
struct format {
  const char* name;
  /// Whether a member or frame begins so. `bytes` has magic_size bytes, or fewer at the end.
  bool (*begins)(std::string_view bytes) noexcept;
  std::size_t magic_size;
  /// Zeros may follow a member in multiples of this; 0: they may not.
  std::size_t padding;
  // Both throw std::bad_alloc. `most_memory` is what a file may ask for.
  std::unique_ptr<decoder> (*make_decoder)(std::uint64_t most_memory);
  std::unique_ptr<encoder> (*make_encoder)(const encoding_request& how);
  /// Reads from a device with positions where frames are; null if no file of the format tells.
  frame_places (*find_places)(device& file, std::uint64_t most_memory,
                              std::error_code& ec) = nullptr;
  /// A device for any place, by several threads at once; throws std::bad_alloc. Null as above.
  std::unique_ptr<device> (*make_random)(std::unique_ptr<device> from, frame_places at,
                                         std::uint64_t limit, std::uint64_t most_memory) = nullptr;
  int first_level, last_level;  ///< what an encoder may be asked for, besides 0
};

// Each is in a file of its own, which is compiled where the format's library is.
const format& gzip_format() noexcept;
const format& zstd_format() noexcept;
const format& lz4_format() noexcept;
const format& xz_format() noexcept;
/// Null if the component was built without the format's library.
const format* format_of(compression which) noexcept;

/// True if the bytes begin with these, or if they are fewer, are the begin of them.
inline bool begins_with(std::string_view bytes, std::string_view magic) noexcept {
  return bytes.starts_with(magic.substr(0, bytes.size()));
}

/// The same for frames of zstd and lz4 that carry no content: 0x184D2A50 to 0x184D2A5F.
inline bool begins_without_content(std::string_view bytes) noexcept {
  return !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 &&
         begins_with(bytes.substr(1), "\x2a\x4d\x18");
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
