// What each format's library does to encode, from memory to memory.
#pragma once

#include <leat/codecs.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

/// How a call of an encoder ends.
enum class ending {
  open,     ///< more will come
  flushed,  ///< all that has come can be decoded from what was given
  closed,   ///< the file ends, or its last member or frame
};

/// What one call of an encoder has done.
struct encoded_step {
  std::size_t taken = 0;  ///< bytes of the input
  std::size_t made = 0;   ///< bytes of the output
  bool done = false;      ///< all is taken, and the ending is as wished
  bool failed = false;    ///< only for lack of memory
};

/// Encodes a member or frame, or several.
class encoder {
 public:
  encoder() = default;
  encoder(const encoder&) = delete;
  encoder& operator=(const encoder&) = delete;
  virtual ~encoder() = default;

  /// Encodes some of the input. It is called again, with what was not taken and the same ending,
  /// until that is done.
  virtual encoded_step encode(std::string_view in, std::span<char> out, ending how) noexcept = 0;
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
