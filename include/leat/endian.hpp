// Numbers in a byte order that files have, whichever the machine has.
#pragma once

#include <leat/config.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// A number stored in one byte order; reads and writes as the number. Trivially copyable and
/// without an alignment, so that structs of it have no padding.
template <class T, std::endian Order>
  requires std::is_arithmetic_v<T>
class stored {
 public:
  using value_type = T;

  stored() = default;
  constexpr stored(T value) noexcept : bytes_(turned(std::bit_cast<bytes>(value))) {}
  constexpr operator T() const noexcept { return std::bit_cast<T>(turned(bytes_)); }

  constexpr stored& operator+=(T by) noexcept { return *this = static_cast<T>(*this + by); }
  constexpr stored& operator-=(T by) noexcept { return *this = static_cast<T>(*this - by); }
  constexpr stored& operator*=(T by) noexcept { return *this = static_cast<T>(*this * by); }
  constexpr stored& operator/=(T by) noexcept { return *this = static_cast<T>(*this / by); }
  constexpr stored& operator++() noexcept { return *this += T{1}; }
  constexpr stored& operator--() noexcept { return *this -= T{1}; }

 private:
  using bytes = std::array<std::byte, sizeof(T)>;

  static constexpr bytes turned(bytes b) noexcept {
    if constexpr (Order != std::endian::native) {
      bytes other{};
      for (std::size_t i = 0; i != sizeof(T); ++i) other[i] = b[sizeof(T) - 1 - i];
      return other;
    } else {
      return b;
    }
  }

  bytes bytes_;
};

template <class T>
using little = stored<T, std::endian::little>;
template <class T>
using big = stored<T, std::endian::big>;

}  // namespace v0
}  // namespace leat
