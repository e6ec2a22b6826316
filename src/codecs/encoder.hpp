// Interface of a format's encoder, which encodes in memory. encoding_device.cpp calls the encoder.
#pragma once

#include <leat/codecs.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

/// The requested state after a call of an encoder.
enum class flush_mode {
  none,    ///< more input follows
  flush,   ///< all input so far can be decoded from the output so far
  finish,  ///< the file's last member or frame is complete
};

/// Result of one call of an encoder.
struct encode_result {
  std::size_t consumed = 0;  ///< bytes of the input
  std::size_t produced = 0;  ///< bytes of the output
  bool is_done = false;      ///< all input is consumed, and the requested state is reached
  bool failed = false;       ///< an error; the caller reports a lack of memory
};

/// Encodes one or several members or frames.
class encoder {
 public:
  encoder() = default;
  encoder(const encoder&) = delete;
  encoder& operator=(const encoder&) = delete;
  virtual ~encoder() = default;

  /// Encodes some of the input. The caller repeats the call with the rest of the input and the same
  /// `flush`, until `is_done`.
  virtual encode_result encode(std::string_view in, std::span<char> out,
                               flush_mode flush) noexcept = 0;
};

}  // namespace codecs
}  // namespace v0
}  // namespace leat
