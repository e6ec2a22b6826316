// Features of the processor beyond the baseline of its architecture. CPU dispatch and the
// per-thread buffers of sidecars call these functions.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#  include <cpuid.h>
#endif

// With LEAT_WIDE_VECTORS, functions for AVX2 and AVX-512 are compiled. GCC for Windows can't
// compile these functions: GCC aligns the stack to 16 bytes there, but may put wider vectors on the
// stack.
#if defined(__x86_64__) && (!defined(__MINGW32__) || defined(__clang__))
#  define LEAT_WIDE_VECTORS
#  include <immintrin.h>
#endif

namespace leat {
inline namespace v0 {
namespace processor {

#if defined(__x86_64__) || defined(__i386__)

// These functions replace __builtin_cpu_supports, which needs the compiler's runtime library. Some
// systems lack this library.

/// Returns true if the system saves these registers (bits of XCR0) at a context switch.
inline bool system_saves_registers(unsigned which) noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  unsigned kept = 0, rest = 0;
  __asm__("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
  return (kept & which) == which;
}

/// Returns true if the processor has LZCNT.
inline bool has_lzcnt() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bit = 1u << 5;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit) != 0;
}

/// Returns true if the processor has AVX2, POPCNT, BMI and LZCNT, and the system saves the vector
/// registers. Every processor with AVX2 has all four features, but a virtual machine may hide some
/// of them.
inline bool has_avx2() noexcept {
  constexpr unsigned registers = 0x6;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_POPCNT) == 0 || !has_lzcnt()) return false;
  return system_saves_registers(registers) && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_AVX2) != 0 && (b & bit_BMI) != 0;
}

/// Returns true if the processor has SSE4.2, which includes the CRC-32C instruction.
inline bool has_crc32c() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
}

/// Returns true if the processor has RDTSCP, which reads the time-stamp counter after all earlier
/// loads.
inline bool has_rdtscp() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bit = 1u << 27;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (d & bit) != 0;
}

/// Returns true if the processor has AVX-512 F, BW and VL (operations on bytes, also in vectors of
/// 32 bytes), BMI, BMI2 and LZCNT, and the system saves the vector registers.
inline bool has_avx512() noexcept {
  constexpr unsigned registers = 0xe6;
  constexpr unsigned wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_BMI | bit_BMI2;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_lzcnt() && system_saves_registers(registers) &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & wanted) == wanted;
}

/// Returns true if has_avx512() is true and the processor also has IFMA (products of 52 bits) and
/// VBMI (permutations of bytes), as Ice Lake and Zen 4 have.
inline bool has_avx512_ifma_vbmi() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_AVX512IFMA) != 0 && (c & bit_AVX512VBMI) != 0;
}

#else

inline bool has_avx2() noexcept { return false; }
/// Always true, because crc32c.cpp decides at compile time.
inline bool has_crc32c() noexcept { return true; }

#endif

}  // namespace processor
}  // namespace v0
}  // namespace leat
