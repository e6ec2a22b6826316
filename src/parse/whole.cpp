#include "parse/whole.hpp"

#include "base/processor.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

#if defined(LEAT_WIDE_VECTORS)

#  define LEAT_TARGET [[gnu::target("avx512f,avx512bw,avx512vl,bmi,lzcnt")]]

bool has_whole_numbers() noexcept { return processor::has_avx512(); }

namespace {

/// The value of the digits in the last 19 bytes; the others are zeros.
LEAT_TARGET inline std::uint64_t join(__m256i digits) noexcept {
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
  const __m256i packed = _mm256_packus_epi32(fours, fours);
  const __m256i eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(10'000 | 1 << 16));
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)));
  const auto high =
      static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1)));
  return (low >> 32) * 10'000'000'000'000'000 + (high & 0xFFFF'FFFF) * 100'000'000 + (high >> 32);
}

}  // namespace

// A masked load touches no byte that is not of the text, as in base/copy.cpp.

LEAT_TARGET whole_number whole_integer(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 19) [[unlikely]]
    return {0, 0, false};
  const auto there = static_cast<std::uint32_t>(std::uint64_t{0xFFFF'FFFF} << (32 - size));
  const __m256i bytes = _mm256_maskz_loadu_epi8(there, text + size - 32);
  const __m256i digits = _mm256_maskz_sub_epi8(there, bytes, _mm256_set1_epi8('0'));
  const std::uint32_t others = _mm256_cmpgt_epu8_mask(digits, _mm256_set1_epi8(9));
  return {join(digits), 0, others == 0};
}

LEAT_TARGET whole_number whole_decimal(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 20) [[unlikely]]
    return {0, 0, false};
  const __m256i zeros = _mm256_set1_epi8('0');
  const auto there = static_cast<std::uint32_t>(std::uint64_t{0xFFFF'FFFF} << (32 - size));
  const __m256i bytes = _mm256_maskz_loadu_epi8(there, text + size - 32);
  const __m256i digits = _mm256_maskz_sub_epi8(there, bytes, zeros);
  const std::uint32_t others = _mm256_cmpgt_epu8_mask(digits, _mm256_set1_epi8(9));
  const std::uint32_t points = _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('.'));
  // The digits before the point go over it: in this vector they are one byte further.
  const std::uint32_t moved_there = there << 1;
  const __m256i moved = _mm256_maskz_sub_epi8(
      moved_there, _mm256_maskz_loadu_epi8(moved_there, text + size - 33), zeros);
  const std::uint32_t behind = points == 0 ? ~std::uint32_t{0} : ~_blsmsk_u32(points);
  const std::uint64_t joined = join(_mm256_mask_blend_epi8(behind, moved, digits));
  const std::size_t count = size - (points != 0);
  const bool found =
      (others ^ points) == 0 && (points & (points - 1)) == 0 && count - 1 < std::size_t{19};
  return {joined, _lzcnt_u32(points) & 31, found};
}

#else

bool has_whole_numbers() noexcept { return false; }
whole_number whole_integer(const char*, std::size_t) noexcept { return {}; }
whole_number whole_decimal(const char*, std::size_t) noexcept { return {}; }

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
