// What the processor can do beyond what every one of its kind can.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#  include <cpuid.h>
#endif

// Functions for AVX2 and AVX-512 stand beside those that every processor runs. GCC for Windows
// aligns the stack for 16 bytes only, and may still put wider vectors there.
#if defined(__x86_64__) && (!defined(__MINGW32__) || defined(__clang__))
#  define LEAT_WIDE_VECTORS
#  include <immintrin.h>
#endif

namespace leat {
inline namespace v0 {
namespace processor {

#if defined(__x86_64__) || defined(__i386__)

// As __builtin_cpu_supports, but without the part of the compiler's library that some systems lack.

/// The system saves these registers of each thread.
inline bool keeps_registers(unsigned which) noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  unsigned kept = 0, rest = 0;
  __asm__("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
  return (kept & which) == which;
}

/// AVX2 with what every processor has that has it: POPCNT, BMI.
inline bool has_avx2() noexcept {
  constexpr unsigned registers = 0x6;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_POPCNT) == 0) return false;
  return keeps_registers(registers) && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_AVX2) != 0 && (b & bit_BMI) != 0;
}

/// SSE4.2, which has an instruction for CRC-32C.
inline bool has_crc32c() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
}

/// The instruction that reads the processor's clock after all loads before it.
inline bool has_rdtscp() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bit = 1u << 27;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (d & bit) != 0;
}

/// AVX-512 for bytes, also in vectors of 32.
inline bool has_avx512() noexcept {
  constexpr unsigned registers = 0xe6, wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return keeps_registers(registers) && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & wanted) == wanted;
}

/// The same with products of 52 bits and permutations of bytes, as all have from Ice Lake and Zen 4
/// on; and BMI2.
inline bool has_avx512_of_2019() noexcept {
  constexpr unsigned wanted = bit_AVX512IFMA | bit_BMI | bit_BMI2;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & wanted) == wanted &&
         (c & bit_AVX512VBMI) != 0;
}

#else

inline bool has_avx2() noexcept { return false; }
/// What a program is compiled for decides.
inline bool has_crc32c() noexcept { return true; }

#endif

}  // namespace processor
}  // namespace v0
}  // namespace leat
