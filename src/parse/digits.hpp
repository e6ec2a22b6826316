// Decimal digits of a text, eight at a time in one register. The other files of src/parse call
// these functions.
//
// A branch on the length of a number is often mispredicted. So eight bytes are loaded at once, the
// digits among them are counted, and the other bytes are shifted out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leat {
inline namespace v0 {
namespace detail {

inline constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101;

template <class Word>
[[gnu::always_inline]] inline std::uint64_t load_word(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof word == 8)
      word = __builtin_bswap64(word);
    else
      word = __builtin_bswap32(word);
  }
  return word;
}

/// Returns the next eight bytes, the first in the lowest byte. Bytes beyond the end become zero
/// bytes, and a zero byte is not a digit.
[[gnu::always_inline]] inline std::uint64_t load_eight(const char* from, const char* end) noexcept {
  const auto left = static_cast<std::size_t>(end - from);
  if (left >= 8) [[likely]]
    return load_word<std::uint64_t>(from);
  // Overlapping loads reach every byte without a loop.
  if (left >= 4)
    return load_word<std::uint32_t>(from) | load_word<std::uint32_t>(end - 4) << 8 * (left - 4);
  if (left == 0) return 0;
  const auto byte = [from](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(from[i])} << 8 * i;
  };
  return byte(0) | byte(left / 2) | byte(left - 1);
}

/// Returns the next eight bytes, each XOR '0'. A digit becomes 0 to 9. Other bytes, and bytes
/// beyond the end, become larger numbers.
[[gnu::always_inline]] inline std::uint64_t load_digits(const char* from,
                                                        const char* end) noexcept {
  return load_eight(from, end) ^ '0' * every_byte;
}

/// Returns a mask: the highest bit of each byte is set if the byte is not a digit. The mask is
/// undefined after the first non-ASCII byte.
[[gnu::always_inline]] inline std::uint64_t mark_non_digits(std::uint64_t digits) noexcept {
  return ((digits + (128 - 10) * every_byte) | digits) & 128 * every_byte;
}

/// The index of the first marked byte. At least one byte must be marked.
[[gnu::always_inline]] inline unsigned first_mark(std::uint64_t marks) noexcept {
  return static_cast<unsigned>(std::countr_zero(marks)) / 8;
}

/// Returns the value of eight digits.
[[gnu::always_inline]] inline std::uint64_t join_eight(std::uint64_t digits) noexcept {
  // Each lane adds ten times its lower neighbour, which holds the preceding digit; in the second
  // step 100 times, in the third step 10,000 times. So lanes hold two digits, then four, then
  // eight.
  digits = digits * (10 << 8 | 1) >> 8 & 0x00FF'00FF'00FF'00FF;
  digits = digits * (100 << 16 | 1) >> 16 & 0x0000'FFFF'0000'FFFF;
  return digits * (std::uint64_t{10000} << 32 | 1) >> 32;
}

/// Returns the value of the first `count` digits; `count` is at most 7.
[[gnu::always_inline]] inline std::uint64_t join_some(std::uint64_t digits,
                                                      unsigned count) noexcept {
  return join_eight(digits << 8 * (7 - count) << 8);
}

inline constexpr std::uint32_t powers_of_ten_32[] = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

}  // namespace detail
}  // namespace v0
}  // namespace leat
