// Numbers in the byte order of a file, which may differ from the machine's.
#pragma once

#include <leat/config.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// A number stored in a fixed byte order. A program reads and writes it as the number. It is
/// trivially copyable and has alignment 1, so a struct of such numbers has no padding.
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
