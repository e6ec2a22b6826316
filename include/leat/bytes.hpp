// The bytes of a value, and CRC-32C.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// The bytes of a value, for writing or reading: `out.write(leat::bytes_of(header))`. The bytes
/// have the machine's byte order and include the padding.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::span<std::byte, sizeof(T)> bytes_of(T& value) noexcept {
  return std::as_writable_bytes(std::span<T, 1>(&value, 1));
}
template <class T>
  requires std::is_trivially_copyable_v<T>
std::span<const std::byte, sizeof(T)> bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

/// Returns the CRC-32C (Castagnoli) of bytes, by the CPU's instruction if there is one. Storage
/// systems, journals and network protocols use this checksum. `before` is the CRC of the preceding
/// bytes. @since 0.3
///
///     assert(leat::crc32c("123456789") == 0xE306'9283);
[[nodiscard]] LEAT_API std::uint32_t crc32c(std::string_view bytes,
                                            std::uint32_t before = 0) noexcept;

}  // namespace v0
}  // namespace leat
