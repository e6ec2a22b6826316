// Numbers as text, before padding. The one place where digits are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// What stands between the paddings: prefix, digits, zeros, suffix.
struct number_text {
  char prefix[4];  ///< sign and base: "-0x"
  std::size_t prefix_size = 0;
  std::string_view digits;  ///< with the decimal point, in the caller's buffer
  std::size_t zeros = 0;    ///< behind the digits; a precision can ask for any number of them
  std::string_view suffix;  ///< the exponent
  bool finite = true;

  void add_prefix(char c) noexcept { prefix[prefix_size++] = c; }
  std::size_t size() const noexcept {
    return prefix_size + digits.size() + zeros + suffix.size();
  }
};

/// Writes the decimal digits of a value and returns their end. Up to 20, and 39 for 128 bits.
char* write_decimal(char* to, std::uint64_t value) noexcept;
char* write_decimal(char* to, unsigned __int128 value) noexcept;

/// Digits in base 2^bits, for 1, 3 and 4 bits.
char* write_power_of_two(char* to, unsigned __int128 value, unsigned bits, bool upper) noexcept;

/// The shortest text that reads back as the same value, as "{}" writes it.
template <class Float>
char* write_shortest(char* to, Float value) noexcept;

/// How many bytes write_precise needs.
template <class Float>
inline constexpr std::size_t precise_size = 0;
template <>
inline constexpr std::size_t precise_size<double> = 1600;  // 309 digits before the point, 1074 behind
template <>
inline constexpr std::size_t precise_size<long double> = 21600;  // 4933 and 16445

/// The digits of a finite, non-negative value for the types e, f, g and their capitals.
template <class Float>
void write_precise(number_text& out, char* buffer, Float value, char type, int precision) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
