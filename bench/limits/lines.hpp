// Where lines and fields end, listed ahead: so none of them waits for the one before.
#pragma once

#if defined(__AVX512VBMI2__)

#  include <immintrin.h>

#  include <cstddef>
#  include <cstdint>

namespace limits {

/// How many bytes are listed at a time: few enough that they stay in the nearest cache.
constexpr std::size_t listed = 4096;
using places = std::uint16_t[listed + 64];

/// Lists where the delimiter is among the first `size` bytes, and returns how many there are. Loads
/// whole vectors.
[[gnu::always_inline]] inline std::size_t list(const char* text, std::size_t size, char delimiter,
                                               places& to) {
  std::size_t count = 0;
  __m512i numbers = _mm512_setzero_si512();
  for (int i = 0; i != 32; ++i) reinterpret_cast<std::uint16_t*>(&numbers)[i] = std::uint16_t(i);
  for (std::size_t at = 0; at < size; at += 64) {
    std::uint64_t marks =
        _mm512_cmpeq_epi8_mask(_mm512_loadu_epi8(text + at), _mm512_set1_epi8(delimiter));
    if (size - at < 64) marks = _bzhi_u64(marks, static_cast<unsigned>(size - at));
    for (int half = 0; half != 2; ++half) {
      const auto some = static_cast<__mmask32>(marks >> 32 * half);
      const __m512i base = _mm512_set1_epi16(static_cast<short>(at + 32 * unsigned(half)));
      _mm512_storeu_epi16(to + count,
                          _mm512_maskz_compress_epi16(some, _mm512_add_epi16(numbers, base)));
      count += static_cast<std::size_t>(_mm_popcnt_u32(some));
    }
  }
  return count;
}

}  // namespace limits

#endif
