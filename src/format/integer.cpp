#include <leat/print.hpp>

#include <bit>
#include <cstring>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

// Lines of real data have numbers of all lengths, and a branch on the length is a branch
// mispredicted. So digits are made eight at a time in one register, where leading zeros are shifted
// out, and the stores have a fixed size: they may reach 8 bytes beyond the number.

constexpr std::uint64_t eight_digits = 100'000'000;

/// The value of each of the eight digits of a number in a byte, the first digit in the lowest.
[[gnu::always_inline]] inline std::uint64_t split(std::uint32_t value) noexcept {
  // Two halves of four digits, then four of two, then eight of one, all lanes at once. The factors
  // are reciprocals: 10486 / 2^20 of 1/100 up to 9999, 103 / 2^10 of 1/10 up to 99.
  const std::uint64_t halves = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = halves * 10486 >> 20 & 0x7F'0000'007F;
  const std::uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
  const std::uint64_t tens = pairs * 103 >> 10 & 0x000F'000F'000F'000F;
  return tens | (pairs - 10 * tens) << 8;
}

constexpr std::uint64_t zeros = 0x3030'3030'3030'3030;  // "00000000"

[[gnu::always_inline]] inline void store(char* to, std::uint64_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  std::memcpy(to, &bytes, 8);
}

/// All eight digits of a number below 10^8.
[[gnu::always_inline]] inline char* put_eight(char* to, std::uint32_t value) noexcept {
  store(to, split(value) | zeros);
  return to + 8;
}

/// The digits of a number below 10^8 without leading zeros.
[[gnu::always_inline]] inline char* put_few(char* to, std::uint32_t value) noexcept {
  const std::uint64_t digits = split(value);
  constexpr std::uint64_t last = std::uint64_t{1} << 56;  // a zero has one digit
  const auto leading = static_cast<unsigned>(std::countr_zero(digits | last)) / 8;
  store(to, (digits | zeros) >> 8 * leading);
  return to + 8 - leading;
}

[[gnu::always_inline]] inline char* put_decimal(char* to, std::uint64_t value) noexcept {
  if (value < eight_digits) [[likely]]
    return put_few(to, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / eight_digits;
  const auto low = static_cast<std::uint32_t>(value % eight_digits);
  if (high < eight_digits) return put_eight(put_few(to, static_cast<std::uint32_t>(high)), low);
  to = put_few(to, static_cast<std::uint32_t>(high / eight_digits));
  return put_eight(put_eight(to, static_cast<std::uint32_t>(high % eight_digits)), low);
}

template <class Unsigned, class Signed>
[[gnu::always_inline]] inline char* put_signed(char* to, Signed value) noexcept {
  auto magnitude = static_cast<Unsigned>(value);
  *to = '-';
  to += value < 0;
  if (value < 0) magnitude = static_cast<Unsigned>(0 - magnitude);
  if constexpr (sizeof(Unsigned) > 8)
    return write_decimal(to, magnitude);
  else
    return put_decimal(to, magnitude);
}

}  // namespace

char* write_decimal(char* to, std::uint64_t value) noexcept { return put_decimal(to, value); }

char* write_decimal(char* to, unsigned __int128 value) noexcept {
  constexpr std::uint64_t sixteen_digits = eight_digits * eight_digits;
  if (value <= ~std::uint64_t{0}) return put_decimal(to, static_cast<std::uint64_t>(value));
  const auto low = static_cast<std::uint64_t>(value % sixteen_digits);
  to = write_decimal(to, value / sixteen_digits);
  to = put_eight(to, static_cast<std::uint32_t>(low / eight_digits));
  return put_eight(to, static_cast<std::uint32_t>(low % eight_digits));
}

char* write_power_of_two(char* to, unsigned __int128 value, unsigned bits, bool upper) noexcept {
  const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  const auto width =
      static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low | 1));
  char* const end = to + (width + bits - 1) / bits;
  for (char* at = end; at != to; value >>= bits)
    *--at = digits[static_cast<unsigned>(value) & ((1U << bits) - 1)];
  return end;
}

char* write_value(char* to, std::uint32_t value) noexcept { return put_decimal(to, value); }
char* write_value(char* to, std::uint64_t value) noexcept { return put_decimal(to, value); }
char* write_value(char* to, unsigned __int128 value) noexcept { return write_decimal(to, value); }
char* write_value(char* to, std::int32_t value) noexcept {
  return put_signed<std::uint32_t>(to, value);
}
char* write_value(char* to, std::int64_t value) noexcept {
  return put_signed<std::uint64_t>(to, value);
}
char* write_value(char* to, __int128 value) noexcept {
  return put_signed<unsigned __int128>(to, value);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
