// Values as the bytes that they are made of.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <span>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// The bytes of a value, to write or to read into: `out.write(leat::bytes_of(header))`. In the
/// machine's own byte order, padding included.
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

}  // namespace v0
}  // namespace leat
