// Numbers in a fixed byte order, which may differ from the machine's: little and big.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {

/// A number stored in a fixed byte order. A program uses the stored number as a T, with all the
/// operators of T. The type is trivially copyable and has alignment 1, so a struct of such numbers
/// has no padding.
///
///     leat::little<std::uint32_t> flags = 5;
///     flags |= 8, flags <<= 1;               // 26
///     auto next = flags + 1;                 // 27, as std::uint32_t
///     auto either = on ? flags.value() : 0;  // with a plain number `?:` needs value()
///
/// Operators that change the number require lvalues: the change of a temporary would be lost. For
/// example, if `nodes` is a leat::records, `++nodes[7]` does not compile.
template <class T, std::endian Order>
  requires std::is_arithmetic_v<T>
class stored {
 public:
  using value_type = T;

  stored() = default;
  stored(const stored&) = default;
  constexpr stored(T value) noexcept : bytes_(swapped_unless_native(std::bit_cast<bytes>(value))) {}
  stored& operator=(const stored&) & = default;

  /// The number in the byte order of the machine.
  constexpr T value() const noexcept { return std::bit_cast<T>(swapped_unless_native(bytes_)); }
  constexpr operator T() const noexcept { return value(); }

  // The operators compute in the type of T's operator. For example, 10 *= 1.5 gives 15.
  template <std::convertible_to<T> N>
  constexpr stored& operator+=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) + wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator-=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) - wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator*=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) * wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator/=(N by) & noexcept {
    return *this = static_cast<T>(wide<N>(value()) / wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator%=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) % wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator&=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) & wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator|=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) | wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator^=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(wide<N>(value()) ^ wide<N>(by));
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator<<=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(value() << by);
  }
  template <std::convertible_to<T> N>
  constexpr stored& operator>>=(N by) & noexcept
    requires std::integral<T>
  {
    return *this = static_cast<T>(value() >> by);
  }
  constexpr stored& operator++() & noexcept { return *this += 1; }
  constexpr stored& operator--() & noexcept { return *this -= 1; }
  constexpr stored operator++(int) & noexcept {
    const stored before = *this;
    ++*this;
    return before;
  }
  constexpr stored operator--(int) & noexcept {
    const stored before = *this;
    --*this;
    return before;
  }

 private:
  using bytes = std::array<std::byte, sizeof(T)>;
  /// The type in which T + N is computed.
  template <class N>
  using wide = decltype(T() + +std::declval<N>());

  static constexpr bytes swapped_unless_native(bytes b) noexcept {
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

/// A number in little-endian order: the lowest byte first.
template <class T>
using little = stored<T, std::endian::little>;
/// A number in big-endian order: the highest byte first, as in network protocols.
template <class T>
using big = stored<T, std::endian::big>;

}  // namespace v0
}  // namespace leat
