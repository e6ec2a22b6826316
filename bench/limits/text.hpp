// C strings in one vector.
#pragma once

#if defined(__AVX512VBMI__)

#  include <immintrin.h>

#  include <cstdint>
#  include <cstdlib>
#  include <cstring>

namespace limits {

/// A C string of up to 63 characters, and what is behind it.
struct c_string {
  __m512i bytes;
  std::size_t size;

  [[gnu::always_inline]] explicit c_string(const char* text) {
    // The load may reach beyond the text, but not onto another page.
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

}  // namespace limits

#endif
