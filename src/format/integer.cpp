#include <leat/print.hpp>

#include <array>
#include <bit>
#include <cstring>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// "000102…99": two digits at a time.
constexpr auto pairs = [] {
  std::array<char, 200> table{};
  for (std::size_t i = 0; i != 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

constexpr auto powers_of_ten = [] {
  std::array<std::uint64_t, 20> table{};
  std::uint64_t power = 1;
  for (auto& entry : table) {
    entry = power;
    power *= 10;
  }
  table[0] = 0;  // so that zero has a digit too
  return table;
}();

[[gnu::always_inline]] inline void put_pair(char* to, std::uint64_t value) noexcept {
  std::memcpy(to, &pairs[2 * value], 2);
}

/// Digits of a value, from its bits: log10(2) is 1233 / 4096 closely enough.
[[gnu::always_inline]] inline unsigned count_digits(std::uint64_t value) noexcept {
  const unsigned guess = (static_cast<unsigned>(std::bit_width(value | 1)) * 1233) >> 12;
  return guess + (value >= powers_of_ten[guess]);
}

/// Writes exactly `count` digits.
[[gnu::always_inline]] inline void put_digits(char* to, std::uint64_t value,
                                              unsigned count) noexcept {
  char* at = to + count;
  while (value >= 10000) {
    const auto low = static_cast<std::uint32_t>(value % 10000);
    value /= 10000;
    at -= 4;
    put_pair(at, low / 100);
    put_pair(at + 2, low % 100);
  }
  auto rest = static_cast<std::uint32_t>(value);
  if (rest >= 100) {
    at -= 2;
    put_pair(at, rest % 100);
    rest /= 100;
  }
  if (rest >= 10)
    put_pair(at - 2, rest);
  else
    at[-1] = static_cast<char>('0' + rest);
}

template <class Unsigned>
[[gnu::always_inline]] inline char* put_decimal(char* to, Unsigned value) noexcept {
  const unsigned count = count_digits(value);
  put_digits(to, value, count);
  return to + count;
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
  constexpr std::uint64_t group = 10'000'000'000'000'000'000u;  // 19 digits
  if (value <= ~std::uint64_t{0}) return put_decimal(to, static_cast<std::uint64_t>(value));
  const auto low = static_cast<std::uint64_t>(value % group);
  to = write_decimal(to, value / group);
  std::memset(to, '0', 19);
  const unsigned count = count_digits(low);
  put_digits(to + 19 - count, low, count);
  return to + 19;
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
