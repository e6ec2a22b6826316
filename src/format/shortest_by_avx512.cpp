// The shortest text of a double with AVX-512: one permutation of bytes places seventeen digits, the
// point and the zeros before them. For usual numbers, no branch depends on the exponent or the
// count of digits.
#include <leat/format.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/processor.hpp"
#include "format/digits.hpp"
#include "format/double_scale.hpp"
#include "format/shortest.hpp"

#if defined(LEAT_WIDE_VECTORS)

// Clang 18 to 21 have a feature name for vectors of 64 bytes. If the file is not compiled for a
// processor with this feature, each function that uses such vectors must name the feature.
#  if defined(__clang__) && __clang_major__ >= 18 && __clang_major__ <= 21
#    define LEAT_EVEX512 "evex512,"
#  else
#    define LEAT_EVEX512
#  endif

namespace leat {
inline namespace v0 {
namespace doubles {

namespace {

using detail::double_scale;

/// Factors that make the eight digits of a number, one in each lane, by two multiplications.
/// 1. The number times `shift`, modulo 2^52, is a fraction whose first digit is the lane's digit:
///    for 12345678 in the lane of the 3, 0.345678.
/// 2. The fraction times `digit`, which is 10, has this digit above bit 52: 3.45678.
/// The first lane has no digits to remove: in this lane `shift` is 1, and `digit` is 2^52 / 10^7.
/// The factors are rounded up. The excess of a product is less than one unit of the number's last
/// digit.
struct digit_factors {
  alignas(64) std::array<std::uint64_t, 8> shift;
  alignas(64) std::array<std::uint64_t, 8> digit;
  /// The constants to which the digits are added: '0'. The higher bytes of the first constant have
  /// the other characters of a text: the point and a zero.
  alignas(64) std::array<std::uint64_t, 8> characters;
};
constexpr digit_factors digit_factor_table = [] {
  digit_factors factors{};
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  factors.shift[0] = 1;
  factors.digit[0] = one / (detail::eight_digits / 10) + 1;
  std::uint64_t power = 10;
  for (std::size_t i = 1; i != 8; ++i, power *= 10) {
    factors.shift[i] = static_cast<std::uint64_t>(static_cast<unsigned __int128>(one) * power /
                                                  detail::eight_digits) +
                       1;
    factors.digit[i] = 10;
  }
  for (auto& character : factors.characters) character = '0';
  factors.characters[0] |= '.' << 8 | '0' << 16;
  return factors;
}();

/// A permutation that makes a text of two vectors: one has the first eight digits, the other the
/// last eight digits.
struct layout {
  static constexpr std::uint8_t point = 1, zero = 2;  // in the first vector
  static constexpr std::uint8_t last = 64 + 1;        // the seventeenth digit, in the second vector

  std::array<std::uint8_t, 32> from{};  ///< for each byte of the text: the index of its source byte
  /// A limit for each byte of the text. The text ends after the last byte that exceeds its limit.
  /// The limit of a digit is '0', so zeros at the end are dropped. The limit of the last digit
  /// before the point is 0, so this digit stays.
  std::array<signed char, 32> least{};
};

/// `first` is the index of the first digit, 0 or 1. `exponent` is the exponent of the first digit.
constexpr layout make_layout(int exponent, int first) {
  layout result;
  result.from.fill(layout::zero);
  result.least.fill(127);
  if (exponent < detail::lowest_fixed_exponent || exponent > detail::highest_fixed_exponent)
    exponent = 0;
  std::size_t at = 0;
  if (exponent < 0) {
    result.from[1] = layout::point;
    at = static_cast<std::size_t>(1 - exponent);
  }
  for (int i = first; i <= 16; ++i, ++at) {
    const int before = exponent - (i - first);  // number of digits between this digit and the point
    if (before == -1 && exponent >= 0) result.from[at++] = layout::point;
    result.from[at] = static_cast<std::uint8_t>(i < 8    ? 8 * i
                                                : i < 16 ? 64 + 8 * (i - 8)
                                                         : layout::last);
    result.least[at] = before == 0 ? 0 : '0';
  }
  return result;
}

struct layout_pair {
  alignas(64) layout fewer;  // for `tens` of 15 digits
  alignas(64) layout more;   // for `tens` of 16 digits
};
static_assert(sizeof(layout_pair) == detail::bytes_of_layouts);

constexpr auto layouts = [] {
  std::array<layout_pair, detail::fixed_layouts + 1> table{};
  for (std::size_t i = 0; i != table.size(); ++i) {
    const int exponent = detail::lowest_layout + static_cast<int>(i) + 15;
    table[i] = {make_layout(exponent, 1), make_layout(exponent + 1, 0)};
  }
  return table;
}();

}  // namespace

[[gnu::target(LEAT_EVEX512 "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi,bmi2,lzcnt")]]
char* by_avx512(char* to, double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  *to = '-';
  to += bits >> 63;
  const std::uint32_t biased = bits >> 52 & 0x7FF;
  const std::uint64_t fraction = _bzhi_u64(bits, 52);
  if (biased - 1 >= 0x7FE || fraction == 0) [[unlikely]]
    return magnitude_by_portable_code(to, value);
  const std::uint64_t mantissa = fraction | std::uint64_t{1} << 52;
  // An integer below 2^53 is its own shortest text.
  if (const std::uint32_t after_point = 1075 - biased;
      after_point <= static_cast<std::uint32_t>(_tzcnt_u64(mantissa))) [[unlikely]]
    return detail::write_value(to, mantissa >> after_point);
  const detail::double_digits number = detail::digits_of_double(mantissa, biased);
  if (!number.is_certain) [[unlikely]]
    return magnitude_by_portable_code(to, value);

  std::uint64_t more = number.tens >= detail::sixteen_digits / 10 ? sizeof(double_scale) : 0;
  asm("" : "+r"(more));
  const auto& chosen = *reinterpret_cast<const layout*>(
      reinterpret_cast<const char*>(layouts.data()) + number.scale->layout +
      more * (sizeof(layout) / sizeof(double_scale)));
  const std::uint64_t high = number.tens / detail::eight_digits;
  const std::uint64_t low = number.tens - high * detail::eight_digits;
  const auto signed_of = [](std::uint64_t x) { return static_cast<long long>(x); };
  const __m512i shift = _mm512_load_si512(digit_factor_table.shift.data());
  const __m512i digit = _mm512_load_si512(digit_factor_table.digit.data());
  const __m512i characters = _mm512_load_si512(digit_factor_table.characters.data());
  const __m512i last = _mm512_set1_epi64(signed_of(number.ones << 8 | 0x3030));
  const __m512i none = _mm512_setzero_si512();
  const __m512i highs = _mm512_madd52lo_epu64(none, _mm512_set1_epi64(signed_of(high)), shift);
  const __m512i lows = _mm512_madd52lo_epu64(none, _mm512_set1_epi64(signed_of(low)), shift);
  const __m512i text = _mm512_permutex2var_epi8(
      _mm512_madd52hi_epu64(characters, highs, digit),
      _mm512_castsi256_si512(
          _mm256_load_si256(reinterpret_cast<const __m256i*>(chosen.from.data()))),
      _mm512_madd52hi_epu64(last, lows, digit));
  // GCC 12 warns about _mm512_castsi512_si256.
  const auto line = static_cast<__m256i>(__builtin_shufflevector(text, text, 0, 1, 2, 3));
  // Stores 24 bytes. Without its sign and its exponent, no text is longer. With a sign, a store of
  // 32 bytes would exceed the room.
  _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to), _mm256_castsi256_si128(line));
  _mm_storel_epi64(reinterpret_cast<__m128i_u*>(to + 16), _mm256_extracti128_si256(line, 1));
  const std::uint32_t needed = _mm256_cmpgt_epi8_mask(
      line, _mm256_load_si256(reinterpret_cast<const __m256i*>(chosen.least.data())));
  to -= _lzcnt_u32(needed);
  std::uint64_t suffix;
  std::memcpy(&suffix,
              reinterpret_cast<const char*>(number.scale) + more + offsetof(double_scale, suffix),
              sizeof suffix);
  std::memcpy(to + 32, &suffix, sizeof suffix);
  return to + 32 + (suffix >> 56);
}

}  // namespace doubles
}  // namespace v0
}  // namespace leat

#endif
