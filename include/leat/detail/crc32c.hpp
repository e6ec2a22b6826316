// CRC-32C over several pieces of bytes. src/remote and leat::crc32c() call this function.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace detail {

/// Updates a CRC-32C state with n bytes, by the CPU's instruction if there is one. The first state
/// is ~0; the checksum is the complement of the last state.
LEAT_API std::uint32_t crc32c(std::uint32_t state, const char* bytes, std::size_t n) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
