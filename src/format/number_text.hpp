// Numbers as text, before padding. The one place where digits are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// What stands between the paddings: prefix, digits, suffix.
struct number_text {
  char prefix[4];  ///< sign and base: "-0x"
  std::size_t prefix_size = 0;
  std::string_view digits;  ///< with the decimal point, in the caller's buffer
  std::string_view suffix;  ///< the exponent
  bool finite = true;

  void add_prefix(char c) noexcept { prefix[prefix_size++] = c; }
  std::size_t size() const noexcept { return prefix_size + digits.size() + suffix.size(); }
};

/// Writes the decimal digits of a value and returns their end: up to 20, and 39 for 128 bits. Needs
/// room for 8 bytes more, as its stores have a fixed size.
char* write_decimal(char* to, std::uint64_t value) noexcept;
char* write_decimal(char* to, unsigned __int128 value) noexcept;

/// Digits in base 2^bits, for 1, 3 and 4 bits.
char* write_power_of_two(char* to, unsigned __int128 value, unsigned bits, bool upper) noexcept;

/// The shortest text that reads back as the same value, as "{}" writes it.
template <class Float>
char* write_shortest(char* to, Float value) noexcept;

/// A finite, non-negative value with so many decimals; null where that would need more than 64
/// bits. Needs room for 48 bytes.
char* write_fixed(char* to, double value, int decimals) noexcept;

/// The largest precision that write_precise takes: {fmt} makes no more than 767 digits of a double,
/// of which 309 can stand before the point, and has its own way to go on then.
inline constexpr int most_precise = 767 - 309;
/// How many bytes write_precise needs.
inline constexpr std::size_t precise_size = 800;

/// The digits of a finite, non-negative value for the types e, f, g and their capitals.
void write_precise(number_text& out, char* buffer, double value, char type, int precision) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
