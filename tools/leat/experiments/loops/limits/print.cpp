// Implements line_limits() of limits.hpp: writes texts and numbers of any length, without a branch
// on the length. A text of any length is copied with the same number of vectors. Digits come from
// 52-bit multiplications, all at once: the lower half of n × 2^52 / 10^k is the fraction of
// n / 10^k, and the upper half of ten times the fraction is a digit. One permutation moves the
// digits to the start of the text.
#include "experiments/loops/limits/limits.hpp"

#if defined(__AVX512VBMI__)

#  include <immintrin.h>

#  include <algorithm>
#  include <array>
#  include <bit>
#  include <charconv>
#  include <cmath>
#  include <cstdint>
#  include <cstdlib>
#  include <cstring>

#  include "system/platform.hpp"
#  include "system/raw_file.hpp"

namespace bench::limits {

namespace {

/// A stream that consists only of a buffer and the null device.
class output_buffer {
 public:
  char* begin() { return memory_; }
  const char* last() const { return memory_ + sizeof memory_ - line_capacity; }
  [[gnu::noinline]] char* flush(const char* to) {
    file_.write({memory_, to});
    return memory_;
  }

 private:
  raw_file file_{null_device, access::write};
  alignas(64) char memory_[1 << 17];
};

template <char* Put(char*, const row&)>
void write_lines(std::size_t lines) {
  static output_buffer out;
  char* to = out.begin();
  const char* const last = out.last();
  rows::each_row(lines, [&](const row& row) {
    if (to > last) [[unlikely]]
      to = out.flush(to);
    to = Put(to, row);
  });
  out.flush(to);
}

template <char* Put(char*, const row&)>
constexpr limit limit_of(const char* line) {
  return {line, &write_lines<Put>, Put};
}

/// A C string of up to 63 characters, and the bytes after it. If the string is longer, aborts.
struct c_string {
  __m512i bytes;
  std::size_t size;

  [[gnu::always_inline]] explicit c_string(const char* text) {
    // The load may reach beyond the text, but not into another page.
    constexpr std::uintptr_t page = 4096;
    if ((reinterpret_cast<std::uintptr_t>(text) & (page - 1)) <= page - sizeof bytes) [[likely]]
      bytes = _mm512_loadu_epi8(text);
    else
      bytes = near_end_of_page(text);
    const std::uint64_t ends = _mm512_testn_epi8_mask(bytes, bytes);
    if (ends == 0) [[unlikely]]
      std::abort();
    size = _tzcnt_u64(ends);
  }

 private:
  [[gnu::noinline]] static __m512i near_end_of_page(const char* text) {
    return _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, static_cast<unsigned>(std::strlen(text))),
                                   text);
  }
};

/// Writes a text and a newline. The masked loads replace the bytes after the text by newlines.
char* put_text(char* to, const row& row) {
  const std::string_view text = row.any_text;  // up to 63 characters
  const std::uint64_t mask = _bzhi_u64(~0ULL, static_cast<unsigned>(text.size()));
  const __m256i newlines = _mm256_set1_epi8('\n');
  const auto store = [&](std::size_t at) {
    _mm256_storeu_epi8(to + at, _mm256_mask_loadu_epi8(newlines, static_cast<__mmask32>(mask >> at),
                                                       text.data() + at));
  };
  store(0);
  store(32);
  return to + text.size() + 1;
}

char* put_c_text(char* to, const row& row) {
  const c_string text(row.any_c_text);
  _mm512_storeu_epi8(to, text.bytes);
  to[text.size] = '\n';
  return to + text.size + 1;
}

/// Returns the eight digits of a number below 10^8 as characters, one character per word, the first
/// digit in the lowest word.
[[gnu::always_inline]] inline __m512i eight_digits(std::uint64_t number) {
  static constexpr auto fractions = [] {
    std::array<std::uint64_t, 8> all{};
    std::uint64_t power = 10;
    for (std::size_t i = 8; i-- != 0; power *= 10) all[i] = (std::uint64_t{1} << 52) / power;
    return all;
  }();
  // The fractions are rounded down. Adding 0.8 units of the last digit compensates for the
  // rounding.
  static constexpr auto beginnings = [] {
    auto all = fractions;
    for (auto& one : all) one = one / 10 * 8;
    return all;
  }();
  const __m512i after_point = _mm512_madd52lo_epu64(
      _mm512_loadu_si512(beginnings.data()), _mm512_set1_epi64(static_cast<std::int64_t>(number)),
      _mm512_loadu_si512(fractions.data()));
  return _mm512_madd52hi_epu64(_mm512_set1_epi64('0'), _mm512_set1_epi64(10), after_point);
}

// Indices of bytes in each word, for the permutation: the first three bytes have one digit each, of
// three eight-digit numbers. The next four bytes have the other characters of a text: newline,
// comma, blank and point.
constexpr unsigned low_digits_byte = 0, middle_digits_byte = 1, high_digits_byte = 2,
                   others_byte = 3;
constexpr unsigned char byte_index(unsigned word, unsigned byte) {
  return static_cast<unsigned char>(8 * word + byte);
}
constexpr std::int64_t others = '\n' | ',' << 8 | ' ' << 16 | '.' << 24;
constexpr unsigned char newline = byte_index(0, others_byte),
                        comma = byte_index(0, others_byte + 1),
                        blank = byte_index(0, others_byte + 2),
                        point = byte_index(0, others_byte + 3);

/// Indices of the bytes that contain the digits of a 24-digit number.
constexpr auto all_digits = [] {
  std::array<unsigned char, 24> all{};
  for (unsigned i = 0; i != 8; ++i) {
    all[i] = byte_index(i, high_digits_byte);
    all[8 + i] = byte_index(i, middle_digits_byte);
    all[16 + i] = byte_index(i, low_digits_byte);
  }
  return all;
}();

using order = std::array<unsigned char, 32>;

/// For each count of digits: the permutation that puts the digits first, and then the byte with the
/// index `after`.
template <std::size_t Most>
constexpr auto left_aligned(unsigned char after) {
  std::array<order, Most + 1> all{};
  for (std::size_t size = 0; size <= Most; ++size) {
    for (std::size_t i = 0; i != size; ++i) all[size][i] = all_digits[24 - size + i];
    all[size][size] = after;
  }
  return all;
}

[[gnu::always_inline]] inline __m512i permuted(__m512i bytes, const order& permutation) {
  return _mm512_permutexvar_epi8(
      _mm512_castsi256_si512(_mm256_loadu_epi8(permutation.data())),
      _mm512_or_si512(bytes, _mm512_set1_epi64(others << 8 * others_byte)));
}

/// Addends for numbers of 0 to 32 bits. The upper 32 bits of a number plus its addend are the
/// number's count of digits.
constexpr auto digits_by_bits = [] {
  std::array<std::uint64_t, 33> all{};
  for (std::size_t bits = 0; bits != all.size(); ++bits) {
    const std::uint64_t largest = bits == 0 ? 0 : (std::uint64_t{1} << bits) - 1;
    std::uint64_t power = 10, digits = 1;
    for (; power <= largest; power *= 10) ++digits;
    power /= 10;  // numbers of this many bits from `power` on have `digits` digits
    const bool always = power <= (largest >> 1) + 1 || digits == 1;
    all[bits] = digits << 32U;
    if (!always) all[bits] -= power;
  }
  return all;
}();
[[gnu::always_inline]] inline std::size_t count_digits(std::uint32_t number) {
  return (number + digits_by_bits[static_cast<std::size_t>(std::bit_width(number))]) >> 32U;
}

/// The powers of 10. The first element is 0 instead of 1, so that the number 0 has one digit.
constexpr auto powers = [] {
  std::array<std::uint64_t, 20> all{};
  std::uint64_t power = 1;
  for (std::size_t i = 0; i != all.size(); ++i, power *= 10) all[i] = i == 0 ? 0 : power;
  return all;
}();
[[gnu::always_inline]] inline std::size_t count_digits(std::uint64_t number) {
  const auto least = static_cast<std::size_t>(std::bit_width(number | 1) * 1233) >> 12U;
  return least + (number >= powers[least]);
}

[[gnu::always_inline]] inline __m512i ten_digits(std::uint32_t number) {
  constexpr std::uint32_t ten_to_8 = 100'000'000;
  return _mm512_or_si512(
      eight_digits(number % ten_to_8),
      _mm512_slli_epi64(eight_digits(number / ten_to_8), 8 * middle_digits_byte));
}

template <unsigned char After>
[[gnu::always_inline]] inline char* put_int(char* to, int number) {
  static constexpr auto orders = left_aligned<10>(After);
  *to = '-';
  to += number < 0;
  const auto sign = static_cast<std::uint32_t>(number >> 31);
  const std::uint32_t magnitude = (static_cast<std::uint32_t>(number) ^ sign) - sign;
  const std::size_t size = count_digits(magnitude);
  _mm_storeu_epi8(to, _mm512_castsi512_si128(permuted(ten_digits(magnitude), orders[size])));
  return to + size + 1;
}

char* put_pair(char* to, const row& row) {
  return put_int<newline>(put_int<comma>(to, row.any), row.any_other);
}

char* put_long(char* to, const row& row) {
  static constexpr auto orders = left_aligned<20>(newline);
  constexpr std::uint64_t ten_to_8 = 100'000'000;
  const std::uint64_t number = row.wide, upper = number / ten_to_8;
  const __m512i digits = _mm512_ternarylogic_epi64(
      eight_digits(number % ten_to_8),
      _mm512_slli_epi64(eight_digits(upper % ten_to_8), 8 * middle_digits_byte),
      _mm512_slli_epi64(eight_digits(upper / ten_to_8), 8 * high_digits_byte),
      0xFE);  // or
  const std::size_t size = count_digits(number);
  _mm256_storeu_epi8(to, _mm512_castsi512_si256(permuted(digits, orders[size])));
  return to + size + 1;
}

char* put_hexadecimal(char* to, const row& row) {
  const auto leading = _lzcnt_u64(row.wide | 1) / 4;
  const __m128i bytes =
      _mm_cvtsi64_si128(static_cast<std::int64_t>(__builtin_bswap64(row.wide << 4 * leading)));
  // Nibbles; the upper nibble of each byte comes first.
  const __m128i halves =
      _mm_and_si128(_mm_unpacklo_epi8(_mm_srli_epi64(bytes, 4), bytes), _mm_set1_epi8(15));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_shuffle_epi8(_mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
                                                  'a', 'b', 'c', 'd', 'e', 'f'),
                                    halves));
  const std::size_t size = 16 - leading;
  to[size] = '\n';
  return to + size + 1;
}

/// Sets `result` to `value` times Scale, rounded. Returns false if `value` is not from 0 to below
/// 10^4, or if the product is near a tie. Such a value needs another method, but no row has such a
/// value.
template <int Scale>
[[gnu::always_inline]] inline bool scaled(double value, std::uint32_t& result) {
  const double product = value * Scale;
  const auto whole = static_cast<std::int64_t>(_mm_cvtsd_si64(_mm_set_sd(product)));
  const double rest = std::fma(value, Scale, -static_cast<double>(whole));
  result = static_cast<std::uint32_t>(whole);
  return static_cast<std::uint64_t>(whole) < 10'000 * static_cast<std::uint64_t>(Scale) &&
         std::fabs(rest) < 0.499;
}
[[gnu::noinline]] char* put_by_to_chars(char* to, double value, int decimals) {
  to = std::to_chars(to, to + 32, value, std::chars_format::fixed, decimals).ptr;
  *to = '\n';
  return to + 1;
}

char* put_price(char* to, const row& row) {
  static constexpr auto orders = [] {
    std::array<order, 7> all{};
    for (std::size_t size = 0; size != all.size(); ++size) {  // number of all digits
      const std::size_t before = size > 3 ? size - 2 : 1;
      for (std::size_t i = 0; i != before; ++i) all[size][i] = all_digits[22 - before + i];
      all[size][before] = point;
      all[size][before + 1] = all_digits[22];
      all[size][before + 2] = all_digits[23];
      all[size][before + 3] = newline;
    }
    return all;
  }();
  std::uint32_t cents;
  if (!scaled<100>(row.price, cents)) [[unlikely]]
    return put_by_to_chars(to, row.price, 2);
  const std::size_t size = count_digits(std::max(cents, 100U));
  _mm_storeu_epi8(to, _mm512_castsi512_si128(permuted(eight_digits(cents), orders[size])));
  return to + size + 2;
}

/// "{:>10} {:<8} {:08.3f}\n"
char* put_table(char* to, const row& row) {
  // The numbers of this line are not negative.
  static constexpr auto right_aligned = [] {
    std::array<order, 11> all{};
    for (std::size_t size = 0; size != all.size(); ++size) {
      for (std::size_t i = 0; i != 10; ++i)
        all[size][i] = i < 10 - size ? blank : all_digits[14 + i];
      all[size][10] = blank;
    }
    return all;
  }();
  static constexpr order eight_wide = [] {
    order all{};
    for (std::size_t i = 0; i != 4; ++i) all[i] = all_digits[17 + i];
    all[4] = point;
    for (std::size_t i = 0; i != 3; ++i) all[5 + i] = all_digits[21 + i];
    all[8] = newline;
    return all;
  }();
  const auto number = static_cast<std::uint32_t>(row.any);
  _mm_storeu_epi8(to, _mm512_castsi512_si128(
                          permuted(ten_digits(number), right_aligned[count_digits(number)])));
  to += 11;

  const c_string word(row.word);
  _mm512_storeu_epi8(
      to, _mm512_mask_mov_epi8(_mm512_set1_epi8(' '),
                               _bzhi_u64(~0ULL, static_cast<unsigned>(word.size)), word.bytes));
  to += (word.size < 8 ? 8 : word.size) + 1;

  std::uint32_t thousandths;
  if (row.any < 0 || !scaled<1000>(row.price, thousandths)) [[unlikely]]
    std::abort();
  _mm_storeu_epi8(to, _mm512_castsi512_si128(permuted(eight_digits(thousandths), eight_wide)));
  return to + 9;
}

}  // namespace

std::span<const limit> line_limits() {
  static constexpr limit all[] = {limit_of<put_text>("text_of_any_length"),
                                  limit_of<put_c_text>("c_string_of_any_length"),
                                  limit_of<put_pair>("pair_of_ints_of_any_length"),
                                  limit_of<put_long>("one_long_of_any_length"),
                                  limit_of<put_hexadecimal>("hexadecimal_of_any_length"),
                                  limit_of<put_price>("two_decimals"),
                                  limit_of<put_table>("table")};
  if (has_avx512()) return all;
  return {};
}

}  // namespace bench::limits

#else

namespace bench::limits {
std::span<const limit> line_limits() { return {}; }
}  // namespace bench::limits

#endif
