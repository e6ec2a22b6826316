// A value as the bytes that it consists of.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <span>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// The bytes of a value, to write them or to read into them: `out.write(leat::bytes_of(header))`.
/// They have the byte order of the machine and include the padding.
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
