// Error codes that remember where a compressed file is wrong.
#pragma once

#include <leat/codecs.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Keeps what was found and returns a code for it, whose message() is `text`. The last 256 are
/// kept; older codes still know their fault.
std::error_code incident(finding what, const std::string& text);

/// "The gzip data is damaged (why), at byte 5 of the file", and its like. `why` may be null.
std::error_code incident_at(fault what, const char* format, std::uint64_t at, const char* why);

inline std::error_code no_memory() noexcept {
  return std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
