// Integers in all bases: write_value(), write_in_base(), and the table for three digits at a time.
// print, printf and the iostreams call these functions.
#include <leat/format.hpp>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"
#include "format/digits.hpp"
#include "format/integer.hpp"
#include "format/number_text.hpp"
#include "format/vector_implementations.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// Writes a number of up to 128 bits: at most 39 digits.
char* put_128_bits(char* to, unsigned __int128 value) noexcept {
  if (value <= ~std::uint64_t{0}) return put_decimal(to, static_cast<std::uint64_t>(value));
  const auto low = static_cast<std::uint64_t>(value % sixteen_digits);
  to = put_128_bits(to, value / sixteen_digits);
  to = put_eight(to, static_cast<std::uint32_t>(low / eight_digits));
  return put_eight(to, static_cast<std::uint32_t>(low % eight_digits));
}

/// Sixteen hexadecimal digits as characters, the first of each word in its lowest byte.
struct hexadecimal_digits {
  std::uint64_t high, low;

  hexadecimal_digits(std::uint64_t value, bool upper) noexcept {
    // Puts each half byte into a byte of its own, all half bytes at once.
    using words = std::uint64_t __attribute__((vector_size(16)));
    using bytes = unsigned char __attribute__((vector_size(16)));
    if constexpr (std::endian::native == std::endian::little) value = __builtin_bswap64(value);
    const auto pairs = reinterpret_cast<bytes>(words{value, 0});
    const bytes first = pairs >> 4, second = pairs & 15;
    const bytes digits = __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                                 5, 21, 6, 22, 7, 23);
    const auto letter = static_cast<unsigned char>((upper ? 'A' : 'a') - '9' - 1);
    const bytes text = digits + '0' + (reinterpret_cast<bytes>(digits > 9) & letter);
    high = reinterpret_cast<words>(text)[0];
    low = reinterpret_cast<words>(text)[1];
    if constexpr (std::endian::native == std::endian::big) {
      high = __builtin_bswap64(high);
      low = __builtin_bswap64(low);
    }
  }
};

/// Writes hexadecimal digits without a branch on their count.
char* put_hexadecimal_by_steps(char* to, std::uint64_t value, bool upper) noexcept {
  const hexadecimal_digits all(value, upper);
  const auto size = (static_cast<unsigned>(std::bit_width(value | 1)) + 3) / 4;
  // All ones if there are more than eight digits. For `?`, compilers would make a branch.
  const std::uint64_t more = std::uint64_t{0} - (size > 8);
  const std::uint64_t first = (all.low ^ ((all.low ^ all.high) & more)) >> 8 * ((16 - size) % 8);
  store(to, first);
  store(to + ((size - 8) & more), first ^ ((first ^ all.low) & more));
  return to + size;
}

#if defined(LEAT_WIDE_VECTORS)
/// Writes hexadecimal digits by one table look-up for all half bytes. Stores sixteen characters.
[[gnu::target("avx2")]] char* put_hexadecimal_by_avx2(char* to, std::uint64_t value,
                                                      bool upper) noexcept {
  alignas(16) static constexpr char digits[2][17] = {"0123456789abcdef", "0123456789ABCDEF"};
  const std::size_t blank = (63 - highest_bit(value | 1)) / 4;
  const __m128i pairs =
      _mm_cvtsi64_si128(static_cast<std::int64_t>(__builtin_bswap64(value << 4 * blank)));
  const __m128i half_bytes =
      _mm_and_si128(_mm_unpacklo_epi8(_mm_srli_epi64(pairs, 4), pairs), _mm_set1_epi8(15));
  const __m128i text = _mm_shuffle_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(digits[upper])), half_bytes);
  _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to), text);
  return to + 16 - blank;
}
#endif

/// Eight digits of `Bits` bits each as characters, the first in the lowest byte.
template <int Bits>
std::uint64_t eight_in_base(std::uint64_t value, bool upper) noexcept {
  // Two lanes of four digits, then four lanes of two digits, then eight lanes of one digit.
  constexpr auto lanes = [](int bits, int width) {
    std::uint64_t mask = 0;
    for (int at = 0; at != 64; at += width) mask |= ((std::uint64_t{1} << bits) - 1) << at;
    return mask;
  };
  value = (value | value << (32 - 4 * Bits)) & lanes(4 * Bits, 32);
  value = (value | value << (16 - 2 * Bits)) & lanes(2 * Bits, 16);
  value = (value | value << (8 - Bits)) & lanes(Bits, 8);
  if constexpr (Bits == 4) {
    const std::uint64_t letters = (value + 6 * lanes(1, 8)) >> 4 & lanes(1, 8);
    value += letters * static_cast<unsigned>((upper ? 'A' : 'a') - '9' - 1);
  }
  return __builtin_bswap64(value + zeros);
}

template <int Bits, class Unsigned>
char* put_in_base(char* to, Unsigned value, bool upper) noexcept {
  constexpr int bits = 8 * Bits;
  if (value >> bits != 0) {
    to = put_in_base<Bits>(to, value >> bits, upper);
    constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    store(to, eight_in_base<Bits>(static_cast<std::uint64_t>(value) & mask, upper));
    return to + 8;
  }
  const auto few = static_cast<std::uint64_t>(value);
  const int blank = (bits - static_cast<int>(std::bit_width(few | 1))) / Bits % 8;
  store(to, eight_in_base<Bits>(few, upper) >> 8 * blank);
  return to + 8 - blank;
}

}  // namespace

constexpr three_digits threes = [] {
  three_digits table{};
  for (std::uint32_t i = 0; i != 1000; ++i) {
    const std::uint32_t digits = 0x303030 + (i / 100 | i / 10 % 10 << 8 | i % 10 << 16);
    const std::uint32_t size = i < 10 ? 1 : i < 100 ? 2 : 3;
    table.alone[i] = digits >> 8 * (3 - size) | size << 24;
    table.before[i] = i != 0 ? table.alone[i] : 0;
    table.padded[i] = digits | 3 << 24;
  }
  return table;
}();

template <int Bits>
char* write_in_base(char* to, std::uint64_t value, bool upper) noexcept {
  if constexpr (Bits == 4)
    return cpu_dispatch<&field_implementations::hexadecimal_implementations>::call(to, value,
                                                                                   upper);
  else
    return put_in_base<Bits>(to, value, upper);
}
template <int Bits>
char* write_in_base(char* to, unsigned __int128 value, bool upper) noexcept {
  return put_in_base<Bits>(to, value, upper);
}
template char* write_in_base<1>(char*, std::uint64_t, bool) noexcept;
template char* write_in_base<3>(char*, std::uint64_t, bool) noexcept;
template char* write_in_base<4>(char*, std::uint64_t, bool) noexcept;
template char* write_in_base<1>(char*, unsigned __int128, bool) noexcept;
template char* write_in_base<3>(char*, unsigned __int128, bool) noexcept;
template char* write_in_base<4>(char*, unsigned __int128, bool) noexcept;

namespace {

/// A field is identified by its code address, as in a branch predictor.
[[gnu::always_inline]] inline last_sizes& sizes_at(const void* call_site) noexcept {
  return number_sizes().of(reinterpret_cast<std::uintptr_t>(call_site));
}

}  // namespace

char* write_value(char* to, std::uint32_t value) noexcept {
  return put_unsigned(to, value, sizes_at(__builtin_return_address(0)));
}
char* write_value(char* to, std::uint64_t value) noexcept {
  return put_unsigned(to, value, sizes_at(__builtin_return_address(0)));
}
char* write_value(char* to, unsigned __int128 value) noexcept { return put_128_bits(to, value); }
char* write_value(char* to, std::int32_t value) noexcept {
  return put_signed<std::uint32_t>(to, value, sizes_at(__builtin_return_address(0)));
}
char* write_value(char* to, std::int64_t value) noexcept {
  return put_signed<std::uint64_t>(to, value, sizes_at(__builtin_return_address(0)));
}
char* write_value(char* to, __int128 value) noexcept {
  *to = '-';
  to += value < 0;
  const auto magnitude = static_cast<unsigned __int128>(value);
  return put_128_bits(to, value < 0 ? 0 - magnitude : magnitude);
}

}  // namespace detail

std::span<const field_implementations::hexadecimal_implementation>
field_implementations::hexadecimal_implementations() noexcept {
  static constexpr hexadecimal_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &detail::put_hexadecimal_by_avx2,
#endif
      &detail::put_hexadecimal_by_steps};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(1);
#endif
  return all;
}

}  // namespace v0
}  // namespace leat
