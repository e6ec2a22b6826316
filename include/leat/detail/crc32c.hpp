// A checksum that components need.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace detail {

/// Goes on with a CRC-32C over n bytes, by the processor's instruction where it has one. The first
/// state is ~0, and the checksum is the complement of the last one.
LEAT_API std::uint32_t crc32c(std::uint32_t state, const char* bytes, std::size_t n) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
