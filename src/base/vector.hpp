// SIMD operations on bytes, with the same interface for each instruction set. Search, formats, and
// the code for lines and quoted texts use these operations. The compiler options of the including
// file select the instruction sets. Everything has internal linkage, and only C headers are
// included: the linker keeps one copy of an inline function, and the kept copy could be the copy
// for AVX2.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#  include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#  include <arm_neon.h>
#endif

namespace leat {
inline namespace v0 {
namespace simd {
namespace {

// Each type has these operations: load, splat, equal (sets all bits of each equal byte; `word` sets
// only the highest bit), bit_and, bit_or, any, and bits (one bit for each byte). Vectors also have
// subtract, less_equal and sum (of the vector's bytes).

/// Eight bytes in an integer, for every machine.
struct word {
  using type = uint64_t;
  static constexpr size_t width = 8;
  static constexpr uint64_t low = 0x7f7f7f7f7f7f7f7f;

  [[gnu::always_inline]] static type load(const char* from) {
    type bytes;
    memcpy(&bytes, from, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
  }
  static type splat(char byte) {
    return uint64_t{0x0101010101010101} * static_cast<unsigned char>(byte);
  }
  // Exact for every byte: no sum carries into the next byte.
  static type equal(type a, type b) { return ~((((a ^ b) & low) + low) | (a ^ b) | low); }
  static type bit_and(type a, type b) { return a & b; }
  static type bit_or(type a, type b) { return a | b; }
  static bool any(type flags) { return flags != 0; }
  // The product moves the flag of byte k to bit 56 + k. No two flags are added at the same bit.
  static uint64_t bits(type flags) { return ((flags >> 7) * 0x0102040810204080) >> 56; }
};

#if defined(__SSE2__)
struct sse2 {
  using type = __m128i;
  using narrower = word;
  static constexpr size_t width = 16;

  [[gnu::always_inline]] static type load(const char* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static type splat(char byte) { return _mm_set1_epi8(byte); }
  static type equal(type a, type b) { return _mm_cmpeq_epi8(a, b); }
  static type bit_and(type a, type b) { return _mm_and_si128(a, b); }
  static type bit_or(type a, type b) { return _mm_or_si128(a, b); }
  static bool any(type flags) { return _mm_movemask_epi8(flags) != 0; }
  static uint64_t bits(type flags) { return static_cast<uint32_t>(_mm_movemask_epi8(flags)); }
  static type subtract(type a, type b) { return _mm_sub_epi8(a, b); }
  /// Flags the unsigned bytes a <= b.
  static type less_equal(type a, type b) { return _mm_cmpeq_epi8(_mm_min_epu8(a, b), a); }
  static uint64_t sum(type bytes) {
    const type halves = _mm_sad_epu8(bytes, _mm_setzero_si128());
    return static_cast<uint32_t>(_mm_cvtsi128_si32(halves)) +
           static_cast<uint32_t>(_mm_extract_epi16(halves, 4));
  }
};
using native = sse2;
#endif

#if defined(__AVX2__)
struct avx2 {
  using type = __m256i;
  using narrower = sse2;
  static constexpr size_t width = 32;

  [[gnu::always_inline]] static type load(const char* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static type splat(char byte) { return _mm256_set1_epi8(byte); }
  static type equal(type a, type b) { return _mm256_cmpeq_epi8(a, b); }
  static type bit_and(type a, type b) { return _mm256_and_si256(a, b); }
  static type bit_or(type a, type b) { return _mm256_or_si256(a, b); }
  static bool any(type flags) { return _mm256_movemask_epi8(flags) != 0; }
  static uint64_t bits(type flags) { return static_cast<uint32_t>(_mm256_movemask_epi8(flags)); }
  static type subtract(type a, type b) { return _mm256_sub_epi8(a, b); }
  static type less_equal(type a, type b) { return _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), a); }
  static uint64_t sum(type bytes) {
    return sse2::sum(_mm256_castsi256_si128(bytes)) + sse2::sum(_mm256_extracti128_si256(bytes, 1));
  }
#  if defined(__x86_64__)
  /// Returns the index of the lowest set bit, or 64 if no bit is set, without a branch. Processors
  /// with AVX2 have the instruction TZCNT.
  [[gnu::always_inline]] static size_t lowest_bit(uint64_t mask) { return _tzcnt_u64(mask); }
#  endif
};
#endif

#if defined(__aarch64__) && defined(__ARM_NEON)
struct neon {
  using type = uint8x16_t;
  using narrower = word;
  static constexpr size_t width = 16;

  [[gnu::always_inline]] static type load(const char* from) {
    return vld1q_u8(reinterpret_cast<const unsigned char*>(from));
  }
  static type splat(char byte) { return vdupq_n_u8(static_cast<unsigned char>(byte)); }
  static type equal(type a, type b) { return vceqq_u8(a, b); }
  static type bit_and(type a, type b) { return vandq_u8(a, b); }
  static type bit_or(type a, type b) { return vorrq_u8(a, b); }
  static bool any(type flags) { return vmaxvq_u32(vreinterpretq_u32_u8(flags)) != 0; }
  // Each flag keeps only the bit of its position in the result. So three pairwise sums reduce eight
  // flags to one byte of the result.
  static type weighted(type flags) {
    return vandq_u8(flags, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
  }
  static uint64_t bits(type flags) {
    type sums = weighted(flags);
    for (int k = 0; k != 3; ++k) sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
  }
  static type subtract(type a, type b) { return vsubq_u8(a, b); }
  static type less_equal(type a, type b) { return vcleq_u8(a, b); }
  static uint64_t sum(type bytes) { return vaddlvq_u8(bytes); }
};
using native = neon;
#elif !defined(__SSE2__)
using native = word;
#endif

/// Returns one bit for each of 64 bytes of flags. Bit i is the flag of byte i.
template <class V>
[[gnu::always_inline]] inline uint64_t bits_64(const typename V::type* flags) {
  uint64_t all = 0;
#pragma GCC unroll 8
  for (size_t k = 0; k != 64 / V::width; ++k) all |= V::bits(flags[k]) << k * V::width;
  return all;
}

#if defined(__aarch64__) && defined(__ARM_NEON)
template <>
[[gnu::always_inline]] inline uint64_t bits_64<neon>(const uint8x16_t* flags) {
  const auto low = vpaddq_u8(neon::weighted(flags[0]), neon::weighted(flags[1]));
  const auto high = vpaddq_u8(neon::weighted(flags[2]), neon::weighted(flags[3]));
  const auto sums = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}
#endif

/// Returns one bit for each of 64 bytes of the text: set if the byte equals the byte in `wanted`,
/// which is a result of splat().
template <class V>
[[gnu::always_inline]] inline uint64_t mark_64(const char* text, typename V::type wanted) {
  typename V::type hits[64 / V::width];
#pragma GCC unroll 8
  for (size_t k = 0; k != 64 / V::width; ++k)
    hits[k] = V::equal(V::load(text + k * V::width), wanted);
  return bits_64<V>(hits);
}

template <class V>
[[gnu::always_inline]] inline void store(char* to, typename V::type bytes) {
  memcpy(to, &bytes, sizeof bytes);
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
template <>
[[gnu::always_inline]] inline void store<word>(char* to, uint64_t bytes) {
  bytes = __builtin_bswap64(bytes);
  memcpy(to, &bytes, sizeof bytes);
}
#endif

// A vector of 16 bytes as lanes: unsigned integers of 16, 32 or 64 bits. The functions for the
// digits of numbers use this type.
//
// Each type has: pair (two lanes of 64 bits), add, subtract and shifts by a constant in lanes of
// the named size, products, greater (compares signed bytes; all ones where the byte of `a` is
// greater), shift_bytes (moves each byte to the next position) and select (bits of `a` where the
// mask has ones, else `b`).
template <class V>
struct lanes;

#if defined(__SSE2__)
template <>
struct lanes<sse2> {
  using type = sse2::type;

  static type pair(uint64_t low, uint64_t high) {
    return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
  }
  static type add_64(type a, type b) { return _mm_add_epi64(a, b); }
  static type subtract_64(type a, type b) { return _mm_sub_epi64(a, b); }
  static type subtract_16(type a, type b) { return _mm_sub_epi16(a, b); }
  template <int Bits>
  static type shift_left_64(type a) {
    return _mm_slli_epi64(a, Bits);
  }
  template <int Bits>
  static type shift_left_32(type a) {
    return _mm_slli_epi32(a, Bits);
  }
  template <int Bits>
  static type shift_left_16(type a) {
    return _mm_slli_epi16(a, Bits);
  }
  template <int Bits>
  static type shift_right_64(type a) {
    return _mm_srli_epi64(a, Bits);
  }
  template <int Bits>
  static type shift_right_16(type a) {
    return _mm_srli_epi16(a, Bits);
  }
  /// Multiplies the lower 32 bits of each lane of 64 bits by the factor.
  static type multiply_32(type a, uint32_t factor) {
    return _mm_mul_epu32(a, _mm_set1_epi64x(factor));
  }
  /// Each product has 32 bits. multiply_16() returns the lower 16 bits, multiply_high_16() the
  /// upper 16 bits.
  static type multiply_16(type a, uint16_t factor) { return _mm_mullo_epi16(a, all_16(factor)); }
  static type multiply_high_16(type a, uint16_t factor) {
    return _mm_mulhi_epu16(a, all_16(factor));
  }
  static type greater(type a, type b) { return _mm_cmpgt_epi8(a, b); }
  static type shift_bytes(type a) { return _mm_slli_si128(a, 1); }
  static type select(type mask, type a, type b) {
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
  }

 private:
  static type all_16(uint16_t factor) {
    type factors = _mm_set1_epi16(static_cast<short>(factor));
    asm("" : "+x"(factors));  // otherwise GCC multiplies by shifts and additions, which is slower
    return factors;
  }
};
#elif defined(__aarch64__) && defined(__ARM_NEON)
template <>
struct lanes<neon> {
  using type = neon::type;

  static type pair(uint64_t low, uint64_t high) {
    return of_64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
  }
  static type add_64(type a, type b) { return of_64(vaddq_u64(to_64(a), to_64(b))); }
  static type subtract_64(type a, type b) { return of_64(vsubq_u64(to_64(a), to_64(b))); }
  static type subtract_16(type a, type b) { return of_16(vsubq_u16(to_16(a), to_16(b))); }
  template <int Bits>
  static type shift_left_64(type a) {
    return of_64(vshlq_n_u64(to_64(a), Bits));
  }
  template <int Bits>
  static type shift_left_32(type a) {
    return vreinterpretq_u8_u32(vshlq_n_u32(vreinterpretq_u32_u8(a), Bits));
  }
  template <int Bits>
  static type shift_left_16(type a) {
    return of_16(vshlq_n_u16(to_16(a), Bits));
  }
  template <int Bits>
  static type shift_right_64(type a) {
    return of_64(vshrq_n_u64(to_64(a), Bits));
  }
  template <int Bits>
  static type shift_right_16(type a) {
    return of_16(vshrq_n_u16(to_16(a), Bits));
  }
  static type multiply_32(type a, uint32_t factor) {
    return of_64(vmull_n_u32(vmovn_u64(to_64(a)), factor));
  }
  static type multiply_16(type a, uint16_t factor) { return of_16(vmulq_n_u16(to_16(a), factor)); }
  static type multiply_high_16(type a, uint16_t factor) {
    const uint32x4_t low = vmull_n_u16(vget_low_u16(to_16(a)), factor);
    const uint32x4_t high = vmull_n_u16(vget_high_u16(to_16(a)), factor);
    return of_16(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
  }
  static type greater(type a, type b) {
    return vcgtq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b));
  }
  static type shift_bytes(type a) { return vextq_u8(vdupq_n_u8(0), a, 15); }
  static type select(type mask, type a, type b) { return vbslq_u8(mask, a, b); }

 private:
  static uint16x8_t to_16(type a) { return vreinterpretq_u16_u8(a); }
  static uint64x2_t to_64(type a) { return vreinterpretq_u64_u8(a); }
  static type of_16(uint16x8_t a) { return vreinterpretq_u8_u16(a); }
  static type of_64(uint64x2_t a) { return vreinterpretq_u8_u64(a); }
};
#endif
}  // namespace
}  // namespace simd
}  // namespace v0
}  // namespace leat
