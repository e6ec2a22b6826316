// Implements sum_integers() and sum_decimals() of limits.hpp. The ends of the lines are found in
// advance, and a vector load reads the 32 bytes before an end. So no branch depends on the length
// of a number.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "experiments/loops/limits/limits.hpp"
#include "experiments/loops/limits/lines.hpp"

namespace bench::limits {

#if defined(__AVX512VBMI2__)
namespace {

/// Returns the number that the last 24 of 32 digits make. The digits have the values 0 to 9.
[[gnu::always_inline]] inline std::uint64_t number_of(__m256i digits) {
  const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
  const __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(100 | 1 << 16));
  const __m256i eights =
      _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(10'000 | 1 << 16));
  const auto upper = static_cast<std::uint64_t>(_mm256_extract_epi64(eights, 0)) >> 32U;
  const auto lower = static_cast<std::uint64_t>(_mm256_extract_epi64(eights, 2));
  constexpr std::uint64_t ten_to_8 = 100'000'000;
  return (upper * ten_to_8 + (lower & 0xFFFF'FFFF)) * ten_to_8 + (lower >> 32U);
}

/// Returns the values of the last `size` digits, and 0 instead of the bytes before them.
[[gnu::always_inline]] inline __m256i digits_of(__m256i bytes, unsigned size) {
  return _mm256_maskz_sub_epi8(~_bzhi_u32(~0U, 32 - size), bytes, _mm256_set1_epi8('0'));
}

}  // namespace

unsigned long sum_integers(std::string_view lines) {
  unsigned long sum = 0;
  each_line(lines, [&](const char* end, unsigned size) {
    sum += number_of(digits_of(_mm256_loadu_epi8(end - 32), size));
  });
  return sum;
}

double sum_decimals(std::string_view lines) {
  static constexpr std::array<double, 17> powers{1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                                 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
  double sum = 0;
  each_line(lines, [&](const char* end, unsigned size) {
    // Moves the digits before the point one byte towards the end.
    const __m256i bytes = _mm256_loadu_epi8(end - 32);
    const std::uint32_t point =
        _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('.')) & ~_bzhi_u32(~0U, 32 - size);
    const __m256i all = _mm256_mask_loadu_epi8(bytes, point ^ (point - 1), end - 33);
    const std::uint64_t number = number_of(digits_of(all, size - 1));
    const std::uint32_t decimals = _lzcnt_u32(point);
    if (point == 0 || number >> 53U != 0 || decimals >= powers.size()) [[unlikely]]
      std::abort();                                         // no line has such a number
    sum += static_cast<double>(number) / powers[decimals];  // rounds once: both are exact
  });
  return sum;
}

#else

unsigned long sum_integers(std::string_view) { return 0; }
double sum_decimals(std::string_view) { return 0; }

#endif

}  // namespace bench::limits
