// Copies and measures short texts, with CPU dispatch. The code that writes fields and lines calls
// these functions through <leat/detail/copy.hpp>.
#include "base/copy.hpp"

#include <leat/detail/copy.hpp>

#include <bit>
#include <cstdint>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"

namespace leat {
inline namespace v0 {

char* detail::copy_other(char* to, const char* from, std::size_t n) noexcept {
  if (n > 3) {
    std::memmove(to, from, n);  // memmove: `from` may lie in the same buffer as `to`
  } else if (n > 0) {
    const char first = from[0], middle = from[n / 2], last = from[n - 1];
    to[0] = first;
    to[n / 2] = middle;
    to[n - 1] = last;
  }
  return to + n;
}

namespace copies {
namespace {

char* by_size(char* to, const char* from, std::size_t n) noexcept {
  return detail::copy(to, from, n);
}

// The masked loads of by_avx512() and by_avx2() read only bytes of the text, so neither the
// processor nor a sanitizer reports an error. The stores are not masked: they write 64 bytes.
#if defined(LEAT_WIDE_VECTORS)

[[gnu::target("avx512f,avx512bw,avx512vl")]] char* by_avx512(char* to, const char* from,
                                                             std::size_t n) noexcept {
  if (n - 1 >= 64) return detail::copy_other(to, from, n);  // n is 0 or above 64
  // Two vectors of 32 bytes: vectors of 64 bytes make some processors slower.
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - n);
  const auto low = static_cast<__mmask32>(mask), high = static_cast<__mmask32>(mask >> 32U);
  const __m256i head = _mm256_maskz_loadu_epi8(low, from);
  const __m256i tail = _mm256_maskz_loadu_epi8(high, from + 32);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), head);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to + 32), tail);
  return to + n;
}

/// Returns the length of a text. Reads 64 bytes, also bytes after the text's end. If the page ends
/// within these 64 bytes, calls strlen instead. Valgrind does not support AVX-512, so this function
/// never runs under Valgrind.
__attribute__((target("avx512f,avx512bw,avx512vl,bmi"),
               no_sanitize("address", "thread"))) std::size_t
length_by_avx512(const char* text) noexcept {
  constexpr std::uintptr_t page = 4096;  // pages have this size or a multiple
  if ((reinterpret_cast<std::uintptr_t>(text) & (page - 1)) > page - 64) return std::strlen(text);
  const __m256i head = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(text));
  const __m256i tail = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(text + 32));
  const std::uint64_t ends =
      _mm256_testn_epi8_mask(head, head) | std::uint64_t{_mm256_testn_epi8_mask(tail, tail)} << 32U;
  return ends != 0 ? static_cast<std::size_t>(std::countr_zero(ends)) : std::strlen(text);
}

/// Each mask element covers four bytes. A separate load copies the last four bytes.
[[gnu::target("avx2")]] char* by_avx2(char* to, const char* from, std::size_t n) noexcept {
  if (n - 4 > 60) return detail::copy_other(to, from, n);  // n is 0 to 3 or above 64
  alignas(64) static constexpr int masks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                -1, -1, -1, -1, -1, -1, -1, -1};
  const auto head_mask = reinterpret_cast<const __m256i_u*>(masks + 16 - n / 4);
  const auto words = reinterpret_cast<const int*>(from);
  std::uint32_t last;
  std::memcpy(&last, from + n - 4, 4);
  const __m256i head = _mm256_maskload_epi32(words, _mm256_loadu_si256(head_mask));
  const __m256i tail = _mm256_maskload_epi32(words + 8, _mm256_loadu_si256(head_mask + 1));
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), head);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to + 32), tail);
  std::memcpy(to + n - 4, &last, 4);
  return to + n;
}

#endif

/// Measures and copies in two passes. Not inline, so that callers reserve no registers for this
/// function.
template <copy_implementation Copy>  // NOLINTNEXTLINE(readability-non-const-parameter): fixed type
[[gnu::noinline]] char* measure_and_copy(char* to, char* limit, const char* from) noexcept {
  if (from == nullptr) return nullptr;
  const std::size_t size = std::strlen(from);
  if (limit - to < static_cast<std::ptrdiff_t>(size)) return nullptr;
  return Copy(to, from, size);
}

#if defined(LEAT_WIDE_VECTORS)

/// copy_c_text() for the rest of a string whose first 64 characters have been copied.
char* rest_by_avx512(char* to, char* limit, const char* from) noexcept;

/// Reads 64 bytes, as length_by_avx512() does, and copies all of them. The copied bytes beyond the
/// text's end are not part of the result.
__attribute__((target("avx512f,avx512bw,avx512vl,bmi"), no_sanitize("address", "thread"))) char*
c_text_by_avx512(char* to, char* limit, const char* from) noexcept {
  constexpr std::uintptr_t page = 4096;  // pages have this size or a multiple
  constexpr std::ptrdiff_t step = 64;
  // If `from` is null, its address counts as the end of a page.
  if ((-reinterpret_cast<std::uintptr_t>(from) & (page - 1)) < step) [[unlikely]]
    return measure_and_copy<&by_avx512>(to, limit, from);
  const __m256i head = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
  const __m256i tail = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from + 32));
  const std::uint64_t ends =
      _mm256_testn_epi8_mask(head, head) | std::uint64_t{_mm256_testn_epi8_mask(tail, tail)} << 32U;
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), head);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to + 32), tail);
  if (ends == 0) [[unlikely]]
    return rest_by_avx512(to + step, limit, from + step);
  to += std::countr_zero(ends);
  if (to > limit) [[unlikely]] {
    asm volatile("");  // forces a branch: without it the next instructions wait for `limit`
    return nullptr;
  }
  return to;
}

[[gnu::noinline]] char* rest_by_avx512(char* to, char* limit, const char* from) noexcept {
  return to <= limit ? c_text_by_avx512(to, limit, from) : nullptr;
}

#endif

}  // namespace

std::span<const copy_implementation> copy_implementations() noexcept {
  static constexpr copy_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &by_avx512, &by_avx2,
#endif
      &by_size};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(2);
  if (!processor::has_avx512()) return std::span(all).subspan(1);
#endif
  return all;
}

std::span<const length_implementation> length_implementations() noexcept {
  static constexpr length_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &length_by_avx512,
#endif
      [](const char* text) noexcept { return std::strlen(text); }};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx512()) return std::span(all).subspan(1);
#endif
  return all;
}

std::span<const c_text_implementation> c_text_implementations() noexcept {
  static constexpr c_text_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &c_text_by_avx512, &measure_and_copy<&by_avx2>,
#endif
      &measure_and_copy<&by_size>};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(2);
  if (!processor::has_avx512()) return std::span(all).subspan(1);
#endif
  return all;
}

}  // namespace copies

char* detail::copy_any(char* to, const char* from, std::size_t n) noexcept {
  return cpu_dispatch<&copies::copy_implementations>::call(to, from, n);
}

char* detail::copy_c_text(char* to, char* limit, const char* from) noexcept {
  return cpu_dispatch<&copies::c_text_implementations>::call(to, limit, from);
}

std::size_t detail::length_of(const char* text) noexcept {
  return cpu_dispatch<&copies::length_implementations>::call(text);
}

}  // namespace v0
}  // namespace leat
