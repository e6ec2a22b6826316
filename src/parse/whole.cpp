// Reads whole texts as numbers, with AVX-512 or AVX2. Called by text.cpp through the CPU dispatch
// in whole.hpp.
#include "parse/whole.hpp"

#include <array>

namespace leat {
inline namespace v0 {
namespace detail {

#if defined(LEAT_WIDE_VECTORS)

#  define LEAT_TARGET [[gnu::target("avx512f,avx512bw,avx512vl,bmi,lzcnt")]]
#  define LEAT_TARGET_AVX2 [[gnu::target("avx2,bmi,lzcnt")]]

namespace {

/// Returns the value of the digits in the last 19 bytes. The other bytes must be zeros.
LEAT_TARGET_AVX2 inline std::uint64_t join(__m256i digits) noexcept {
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
  const __m256i packed = _mm256_packus_epi32(fours, fours);
  const __m256i eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(10'000 | 1 << 16));
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)));
  const auto high =
      static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1)));
  return (low >> 32) * 10'000'000'000'000'000 + (high & 0xFFFF'FFFF) * 100'000'000 + (high >> 32);
}

// --- AVX-512. A masked load touches no byte outside of the text, as in base/copy.cpp.

LEAT_TARGET whole_number integer_by_avx512(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 19) [[unlikely]]
    return {0, 0, false};
  const auto text_mask = static_cast<std::uint32_t>(std::uint64_t{0xFFFF'FFFF} << (32 - size));
  const __m256i bytes = _mm256_maskz_loadu_epi8(text_mask, text + size - 32);
  const __m256i digits = _mm256_maskz_sub_epi8(text_mask, bytes, _mm256_set1_epi8('0'));
  const std::uint32_t others = _mm256_cmpgt_epu8_mask(digits, _mm256_set1_epi8(9));
  return {join(digits), 0, others == 0};
}

LEAT_TARGET whole_number decimal_by_avx512(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 20) [[unlikely]]
    return {0, 0, false};
  const __m256i zeros = _mm256_set1_epi8('0');
  const auto text_mask = static_cast<std::uint32_t>(std::uint64_t{0xFFFF'FFFF} << (32 - size));
  const __m256i bytes = _mm256_maskz_loadu_epi8(text_mask, text + size - 32);
  const __m256i digits = _mm256_maskz_sub_epi8(text_mask, bytes, zeros);
  const std::uint32_t others = _mm256_cmpgt_epu8_mask(digits, _mm256_set1_epi8(9));
  const std::uint32_t points = _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('.'));
  // The digits before the point move over the point: in `moved`, all digits are one position
  // further than in `digits`.
  const std::uint32_t moved_mask = text_mask << 1;
  const __m256i moved = _mm256_maskz_sub_epi8(
      moved_mask, _mm256_maskz_loadu_epi8(moved_mask, text + size - 33), zeros);
  const std::uint32_t after_point = points == 0 ? ~std::uint32_t{0} : ~_blsmsk_u32(points);
  const std::uint64_t joined = join(_mm256_mask_blend_epi8(after_point, moved, digits));
  const std::size_t count = size - (points != 0);
  const bool found =
      (others ^ points) == 0 && (points & (points - 1)) == 0 && count - 1 < std::size_t{19};
  return {joined, _lzcnt_u32(points) & 31, found};
}

// --- AVX2. An element of a mask covers four bytes. So if the size is not a multiple of four, the
// first one to three bytes of the text are loaded singly.

/// At offset n: a mask of the last n bytes of a vector.
alignas(64) constexpr auto last_bytes = [] {
  std::array<unsigned char, 64> masks{};
  for (std::size_t i = 32; i != 64; ++i) masks[i] = 0xff;
  return masks;
}();
/// At offset n: in last_words a mask of the last n words of a vector, in word_before a mask of the
/// word before the last n words.
alignas(64) constexpr int last_words[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
alignas(64) constexpr int word_before[16] = {0, 0, 0, 0, 0, 0, 0, -1};

LEAT_TARGET_AVX2 inline __m256i load(const void* from) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i_u*>(from));
}

/// Loads the text at the end of a vector, after zeros.
LEAT_TARGET_AVX2 inline __m256i load_right(const char* text, std::size_t size) noexcept {
  const std::size_t words = size / 4, rest = size % 4;
  const __m256i whole = _mm256_maskload_epi32(reinterpret_cast<const int*>(text + size - 32),
                                              load(last_words + words));
  const auto byte = [text](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(text[i])};
  };
  // If `rest` is 0, the shifts move all three bytes out of the 32 bits. The text then has at least
  // four bytes, so the reads are valid.
  const std::uint64_t part = byte(0) << 8 * (4 - rest) |
                             byte(rest / 2) << 8 * (rest / 2 + 4 - rest) |
                             byte((rest - 1) % 4) << (rest == 0 ? 32 : 24);
  const __m256i first = _mm256_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(part)));
  return _mm256_or_si256(whole, _mm256_and_si256(first, load(word_before + words)));
}

LEAT_TARGET_AVX2 whole_number integer_by_avx2(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 19) [[unlikely]]
    return {0, 0, false};
  const __m256i values = _mm256_sub_epi8(load_right(text, size), _mm256_set1_epi8('0'));
  const __m256i digits = _mm256_and_si256(values, load(last_bytes.data() + size));
  const __m256i others = _mm256_subs_epu8(digits, _mm256_set1_epi8(9));
  return {join(digits), 0, _mm256_testz_si256(others, others) != 0};
}

LEAT_TARGET_AVX2 whole_number decimal_by_avx2(const char* text, std::size_t size) noexcept {
  if (size - 1 >= 20) [[unlikely]]
    return {0, 0, false};
  const __m256i bytes = load_right(text, size);
  const __m256i values = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
  const __m256i digits = _mm256_and_si256(values, load(last_bytes.data() + size));
  const __m256i are_digits =
      _mm256_cmpeq_epi8(_mm256_subs_epu8(digits, _mm256_set1_epi8(9)), _mm256_setzero_si256());
  const __m256i at_points = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.'));
  const auto others = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(are_digits));
  const auto points = static_cast<std::uint32_t>(_mm256_movemask_epi8(at_points));
  // The digits before the point move over the point, by one byte.
  const __m256i moved =
      _mm256_alignr_epi8(digits, _mm256_permute2x128_si256(digits, digits, 0x08), 15);
  const std::uint32_t decimals = _lzcnt_u32(points);  // 32: there is no point
  const __m256i after_point = load(last_bytes.data() + decimals);
  const std::size_t count = size - (points != 0);
  const bool found =
      (others ^ points) == 0 && (points & (points - 1)) == 0 && count - 1 < std::size_t{19};
  return {join(_mm256_blendv_epi8(moved, digits, after_point)), decimals & 31, found};
}

constexpr whole_implementation all_implementations[] = {
    {"avx512", integer_by_avx512, decimal_by_avx512}, {"avx2", integer_by_avx2, decimal_by_avx2}};

}  // namespace

std::span<const whole_implementation> whole_implementations() noexcept {
  const std::span implementations(all_implementations);
  if (processor::has_avx512()) return implementations;
  return processor::has_avx2() ? implementations.subspan(1) : implementations.first(0);
}

#else

std::span<const whole_implementation> whole_implementations() noexcept { return {}; }

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
