// CRC-32C, the checksum of iSCSI, ext4 and many logs: by the processor's instruction where it has
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace crc32c {

/// Goes on with a sum over n bytes. A state is a checksum without the inversions at its start and
/// its end: the first state is ~0, and the checksum is the complement of the last one.
using extend_function = std::uint32_t (*)(std::uint32_t state, const char* bytes,
                                          std::size_t n) noexcept;

/// The quickest way of this processor.
std::uint32_t extend(std::uint32_t state, const char* bytes, std::size_t n) noexcept;

/// The checksum of some bytes.
inline std::uint32_t sum(std::string_view bytes) noexcept {
  return ~extend(~std::uint32_t{0}, bytes.data(), bytes.size());
}

// The ways, for tests.

std::uint32_t extend_by_tables(std::uint32_t state, const char* bytes, std::size_t n) noexcept;
/// By the instruction; null if the processor has none.
extend_function by_instruction() noexcept;

}  // namespace crc32c
}  // namespace v0
}  // namespace leat
