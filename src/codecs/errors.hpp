// Error codes that keep the position of a fault in a compressed file. The devices of this component
// call these functions.
#pragma once

#include <leat/codecs.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Keeps a finding and returns an error code for the finding. The code's message() is `text`, with
/// control characters escaped. The last 256 findings are kept. Older codes still have their fault,
/// but neither the position nor the text. Throws std::bad_alloc.
std::error_code make_error(finding found, const std::string& text);

/// Returns the code of make_error() with a text such as "The gzip data is damaged (why), at byte 5
/// of the file". `why` may be null.
std::error_code make_error_at(fault kind, const char* format, std::uint64_t at, const char* why);

inline std::error_code no_memory() noexcept {
  return std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
