// Lists the ends of lines in advance, so that no line waits for the previous line. c.cpp and
// parse.cpp call each_line().
#pragma once

#if defined(__AVX512VBMI2__)

#  include <immintrin.h>

#  include <algorithm>
#  include <array>
#  include <cstddef>
#  include <cstdint>
#  include <string_view>

namespace bench::limits {

/// Bytes of text whose delimiters are listed at a time: few enough for the L1 cache.
constexpr std::size_t list_block_size = 4096;
using positions = std::uint16_t[list_block_size + 64];

/// Lists the positions of the delimiter in the first `size` bytes, and returns their number. `size`
/// must be at most `list_block_size`. Loads and stores whole vectors, so 63 bytes after the text
/// must be readable.
[[gnu::always_inline]] inline std::size_t list_delimiters(const char* text, std::size_t size,
                                                          char delimiter, positions& to) {
  static constexpr auto ascending = [] {
    std::array<std::uint16_t, 32> all{};
    for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    return all;
  }();
  const __m512i numbers = _mm512_loadu_epi16(ascending.data());
  std::size_t count = 0;
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

/// Calls take(end, size) for each line: the address of its newline, and its size without the
/// newline. Returns the start of the last, incomplete line. 63 bytes after the text must be
/// readable.
template <class Take>
[[gnu::always_inline]] inline const char* each_line(std::string_view text, const Take& take) {
  const char *start = text.data(), *const end = start + text.size();
  for (const char* at = start; at < end; at += list_block_size) {
    positions ends;
    const std::size_t lines = list_delimiters(
        at, std::min(static_cast<std::size_t>(end - at), list_block_size), '\n', ends);
    for (std::size_t i = 0; i != lines; ++i) {
      const char* const stop = at + ends[i];
      take(stop, static_cast<unsigned>(stop - start));
      start = stop + 1;
    }
  }
  return start;
}

}  // namespace bench::limits

#endif
