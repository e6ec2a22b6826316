// One set of operations on a few bytes at once, for each instruction set that the file which
// includes this one is compiled for. Everything has internal linkage, and of the standard library
// there are C headers only: an inline function compiled for AVX2 must never be the copy that the
// linker keeps for all.
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
namespace search {
namespace {

// Each has: load, splat, equal (all ones or a flag in each byte that is equal), both, either, any,
// and bits: one for each byte of the vector.

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
  // Exact in every byte: the sums stay within theirs.
  static type equal(type a, type b) { return ~((((a ^ b) & low) + low) | (a ^ b) | low); }
  static type both(type a, type b) { return a & b; }
  static type either(type a, type b) { return a | b; }
  static bool any(type flags) { return flags != 0; }
  // The product moves the flag of byte k to bit 56 + k, and no two sums of places are equal.
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
  static type both(type a, type b) { return _mm_and_si128(a, b); }
  static type either(type a, type b) { return _mm_or_si128(a, b); }
  static bool any(type flags) { return _mm_movemask_epi8(flags) != 0; }
  static uint64_t bits(type flags) { return static_cast<uint32_t>(_mm_movemask_epi8(flags)); }
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
  static type both(type a, type b) { return _mm256_and_si256(a, b); }
  static type either(type a, type b) { return _mm256_or_si256(a, b); }
  static bool any(type flags) { return _mm256_movemask_epi8(flags) != 0; }
  static uint64_t bits(type flags) { return static_cast<uint32_t>(_mm256_movemask_epi8(flags)); }
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
  static type both(type a, type b) { return vandq_u8(a, b); }
  static type either(type a, type b) { return vorrq_u8(a, b); }
  static bool any(type flags) { return vmaxvq_u32(vreinterpretq_u32_u8(flags)) != 0; }
  // Each byte gets a weight, and three sums of neighbours make eight bytes into one.
  static type weighted(type flags) {
    return vandq_u8(flags, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
  }
  static uint64_t bits(type flags) {
    type sums = weighted(flags);
    for (int k = 0; k != 3; ++k) sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
  }
};
using native = neon;
#endif

/// The bits of 64 bytes.
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

#if !defined(__SSE2__) && !(defined(__aarch64__) && defined(__ARM_NEON))
using native = word;
#endif

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

}  // namespace
}  // namespace search
}  // namespace v0
}  // namespace leat
